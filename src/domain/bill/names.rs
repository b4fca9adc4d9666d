//! Texts of a bill, each kept once and named by a number.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::hash::FastMap;
use crate::domain::text::clean_to;

/// Longest name that is kept, characters; longer ones are cut.
const LONGEST: usize = 512;

/// Number of a text of a bill. 0 is the empty text: not said.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct NameId(pub(super) u32);

impl NameId {
    /// The empty text.
    pub const NONE: Self = Self(0);

    /// True for the empty text.
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }
}

/// A text as bills keep it: without blanks at its ends, clean, cut.
pub fn clean_name(text: &str) -> String {
    clean_to(text.trim(), LONGEST).into_owned()
}

/// Interned texts. Foreign text becomes clean here: each is looked up by itself, and one that is not clean, by its bytes.
#[derive(Debug)]
pub(super) struct Names {
    /// Texts that are not clean.
    by_bytes: FastMap<Box<[u8]>, NameId>,
    by_clean: FastMap<Arc<str>, NameId>,
    pub(super) all: Vec<Arc<str>>,
    /// Bytes of all texts.
    pub(super) bytes: usize,
}

impl Default for Names {
    fn default() -> Self {
        Self {
            by_bytes: FastMap::default(),
            by_clean: FastMap::default(),
            all: vec!["".into()],
            bytes: 0,
        }
    }
}

impl Names {
    pub(super) fn id(&mut self, raw: &[u8]) -> NameId {
        if raw.is_empty() {
            return NameId::NONE;
        }
        let text = str::from_utf8(raw);
        if let Some(id) = text.ok().and_then(|text| self.by_clean.get(text)) {
            return *id;
        }
        if let Some(id) = self.by_bytes.get(raw) {
            return *id;
        }
        let text = clean_name(&String::from_utf8_lossy(raw));
        let id = self.clean(&text);
        if text.as_bytes() != raw {
            self.bytes += raw.len();
            self.by_bytes.insert(raw.into(), id);
        }
        id
    }

    /// Number of a clean text.
    pub(super) fn clean(&mut self, text: &str) -> NameId {
        if text.is_empty() {
            return NameId::NONE;
        }
        if let Some(id) = self.by_clean.get(text) {
            return *id;
        }
        let id = NameId(self.all.len() as u32);
        let text: Arc<str> = text.into();
        self.bytes += text.len();
        self.all.push(text.clone());
        self.by_clean.insert(text, id);
        id
    }
}
