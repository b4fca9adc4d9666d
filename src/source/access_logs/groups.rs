//! Names of foreign bytes to groups and hashes.

use std::hash::{BuildHasher as _, Hasher as _};
use std::sync::Arc;

use super::GROUPS_AT_MOST;
use super::event::{ObjectTold, Told};
use crate::domain::hash::FastMap;
use crate::domain::object_reads::{ReadEvent, ReadKind, ReadsBy};
use crate::domain::text::clean;

/// Name of the group of all that is in none of the first [`GROUPS_AT_MOST`].
const OTHERS: &str = "(others)";

/// Makes events of what lines tell.
pub(super) struct Groups {
    by: ReadsBy,
    places: FastMap<Box<[u8]>, u32>,
    names: Vec<Arc<str>>,
    others: Option<u32>,
    /// The same in every run, so that a sample of a log is the same.
    hasher: foldhash::quality::FixedState,
    /// The name that is looked up.
    name: Vec<u8>,
}

impl Groups {
    pub fn new(by: ReadsBy) -> Self {
        let names = if by == ReadsBy::All { vec!["".into()] } else { Vec::new() };
        let hasher = foldhash::quality::FixedState::with_seed(0);
        Self { by, places: FastMap::default(), names, others: None, hasher, name: Vec::new() }
    }

    /// The event of a line; `None` for one that is none.
    pub fn event(&mut self, told: &Told<'_>) -> Option<ReadEvent> {
        match told {
            Told::Read(of) => {
                let group = self.of(of.reader, Some((of.bucket, of.key)));
                Some(self.object(of, group, ReadKind::Read))
            }
            // It is of all groups.
            Told::Written(of) => Some(self.object(of, 0, ReadKind::Written)),
            Told::Flow { at, reader, bytes } => Some(ReadEvent {
                at: *at,
                group: self.of(reader, None),
                kind: ReadKind::Flow,
                object: 0,
                bytes: *bytes,
                size: None,
            }),
            Told::Other(_) => None,
        }
    }

    fn object(&self, of: &ObjectTold<'_>, group: u32, kind: ReadKind) -> ReadEvent {
        let mut hasher = self.hasher.build_hasher();
        hasher.write(of.bucket);
        hasher.write_u8(b'/');
        hasher.write(of.key);
        ReadEvent {
            at: of.at,
            group,
            kind,
            object: hasher.finish(),
            bytes: of.bytes,
            size: of.size,
        }
    }

    /// The group of a reader or an object.
    fn of(&mut self, reader: &[u8], object: Option<(&[u8], &[u8])>) -> u32 {
        self.name.clear();
        match (self.by, object) {
            (ReadsBy::All, _) => return 0,
            (ReadsBy::Reader, _) => self.name.extend_from_slice(reader),
            (ReadsBy::Prefix { .. }, None) => {}
            (ReadsBy::Prefix { depth }, Some((bucket, key))) => {
                let levels = memchr::memchr_iter(b'/', key).take(usize::from(depth));
                let end = levels.last().map_or(0, |slash| slash + 1);
                self.name.extend_from_slice(bucket);
                self.name.push(b'/');
                self.name.extend_from_slice(&key[..end]);
            }
        }
        if let Some(place) = self.places.get(&self.name[..]) {
            return *place;
        }
        let next = self.names.len() as u32;
        if self.places.len() >= GROUPS_AT_MOST {
            return *self.others.get_or_insert_with(|| {
                self.names.push(OTHERS.into());
                next
            });
        }
        self.names.push(clean(&String::from_utf8_lossy(&self.name)).into());
        self.places.insert(self.name.clone().into(), next);
        next
    }

    /// Names by place, and whether some are not told apart.
    pub fn finished(self) -> (Vec<Arc<str>>, bool) {
        (self.names, self.others.is_some())
    }
}
