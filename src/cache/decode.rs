//! From bytes and columns of the file to values, through the door for foreign text.

use rusqlite::Row;
use serde::de::DeserializeOwned;

use crate::domain::cleaned::Cleaned;
use crate::domain::text;

/// Decodes a value in postcard's format and cleans every text in it, because the file may come from elsewhere. `None`
/// for malformed bytes, and when bytes are left over.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let mut from = postcard::Deserializer::from_bytes(bytes);
    let value = T::deserialize(Cleaned::new(&mut from)).ok()?;
    from.finalize().is_ok_and(<[u8]>::is_empty).then_some(value)
}

/// Text in column `at` of a row, cleaned. Err for a value of another type.
pub(super) fn column(row: &Row<'_>, at: usize) -> rusqlite::Result<String> {
    row.get::<_, String>(at).map(|raw| text::clean(&raw).into_owned())
}
