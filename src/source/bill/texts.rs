//! Texts of a file, by numbers.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use parquet::errors::Result as ParquetResult;

use crate::domain::hash::FastMap;
use crate::source::parquet_pages::{Beyond, Numbering};

/// Most bytes of all texts.
const TEXTS_AT_MOST: usize = 96 << 20;

/// Longest text that is kept, bytes; the bill cuts names earlier.
pub(super) const TEXT_AT_MOST: usize = 2_048;

/// Room that a text takes beside its bytes.
const TEXT_ROOM: usize = 64;

/// Texts by numbers; 0 is the empty text.
#[derive(Debug)]
pub(super) struct Texts {
    numbers: FastMap<Arc<[u8]>, u32>,
    all: Vec<Arc<[u8]>>,
    bytes: usize,
}

impl Default for Texts {
    fn default() -> Self {
        Self { numbers: FastMap::default(), all: vec![Arc::from([])], bytes: 0 }
    }
}

impl Texts {
    /// Number of a text, which is cut to [`TEXT_AT_MOST`]. Err when the texts take more memory than the limit.
    pub fn number(&mut self, text: &[u8]) -> Result<u32, Beyond> {
        let text = &text[..text.len().min(TEXT_AT_MOST)];
        if text.is_empty() {
            return Ok(0);
        }
        if let Some(number) = self.numbers.get(text) {
            return Ok(*number);
        }
        self.bytes += text.len() + TEXT_ROOM;
        if self.bytes > TEXTS_AT_MOST {
            let most = TEXTS_AT_MOST >> 20;
            return Err(Beyond(format!("its texts take more than {most} MiB")));
        }
        let number = self.all.len() as u32;
        let text: Arc<[u8]> = text.into();
        self.all.push(text.clone());
        self.numbers.insert(text, number);
        Ok(number)
    }

    /// Text of a number; empty for a number of other texts.
    pub fn get(&self, number: u32) -> &[u8] {
        self.all.get(number as usize).map_or(&[], |text| text)
    }

    /// Count of texts, the empty one included.
    pub fn len(&self) -> usize {
        self.all.len()
    }
}

/// [`Texts`] that several columns share.
#[derive(Clone, Debug, Default)]
pub(super) struct SharedTexts(Arc<Mutex<Texts>>);

impl SharedTexts {
    /// The texts, for this thread alone.
    pub fn lock(&self) -> MutexGuard<'_, Texts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Numbering for SharedTexts {
    fn number(&mut self, text: &[u8]) -> ParquetResult<i32> {
        Ok(self.lock().number(text)?.cast_signed())
    }
}

/// Numbers texts by whether they are empty: 0 for empty, 1 for any other.
pub(super) struct Presence;

impl Numbering for Presence {
    fn number(&mut self, text: &[u8]) -> ParquetResult<i32> {
        Ok(i32::from(!text.is_empty()))
    }
}
