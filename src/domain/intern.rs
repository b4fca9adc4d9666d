//! Texts that repeat across a fleet, each kept once.
//!
//! Ten thousand instances name the same few dozen regions, types, tag keys, teams and units; as
//! strings of their own these were most of the memory of a large fleet.

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// Texts kept at most; beyond it (tags that differ everywhere) a text is a string of its own.
const MAX_TEXTS: usize = 8_192;
/// Texts that a full pool turns away before it looks whether its own are still in use.
const PATIENCE: usize = MAX_TEXTS / 4;
/// Longest text looked up, bytes: a longer one is a sentence and hardly repeats.
const MAX_BYTES: usize = 96;

thread_local! {
    /// One a thread: a few copies of each text cost less than waiting for each other.
    static POOL: RefCell<Pool> = RefCell::default();
}

/// `text`, shared with all who got the same from this thread.
pub fn shared(text: &str) -> Arc<str> {
    POOL.with_borrow_mut(|pool| pool.shared(text))
}

#[derive(Default)]
struct Pool {
    texts: HashSet<Arc<str>>,
    turned_away: usize,
}

impl Pool {
    fn shared(&mut self, text: &str) -> Arc<str> {
        if text.len() > MAX_BYTES {
            return text.into();
        }
        if let Some(known) = self.texts.get(text) {
            return known.clone();
        }
        let new: Arc<str> = text.into();
        if self.texts.len() < MAX_TEXTS {
            self.texts.insert(new.clone());
            return new;
        }
        self.turned_away += 1;
        if self.turned_away == PATIENCE {
            self.turned_away = 0;
            self.texts.retain(|text| Arc::strong_count(text) > 1);
        }
        new
    }
}

/// For `#[serde(deserialize_with)]` on a text that repeats.
pub(super) fn text<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<str>, D::Error> {
    Text::deserialize(from).map(|t| t.0)
}

/// For `#[serde(deserialize_with)]` on a list of texts that repeat.
pub(super) fn list<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Arc<str>>, D::Error> {
    Vec::<Text>::deserialize(from).map(|texts| texts.into_iter().map(|t| t.0).collect())
}

/// Reads a text without a string of its own where it is known already.
pub(super) struct Text(pub Arc<str>);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reader;
        impl Visitor<'_> for Reader {
            type Value = Text;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a text")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Text, E> {
                Ok(Text(shared(text)))
            }
        }
        from.deserialize_str(Reader)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_text_is_the_same_string() {
        assert!(Arc::ptr_eq(&shared("eu-central-1"), &shared("eu-central-1")));
        assert_ne!(shared("a"), shared("b"));
        let long = "x".repeat(MAX_BYTES + 1);
        assert!(!Arc::ptr_eq(&shared(&long), &shared(&long)));
        assert_eq!(&*shared(&long), long);
    }

    #[test]
    fn a_flood_of_texts_leaves_room_for_what_repeats() {
        let mut pool = Pool::default();
        let held: Vec<_> = (0..MAX_TEXTS).map(|n| pool.shared(&format!("held-{n}"))).collect();
        assert!(!Arc::ptr_eq(&pool.shared("late"), &pool.shared("late")), "the pool is full");
        assert_eq!(pool.texts.len(), MAX_TEXTS);
        drop(held);
        for n in 0..PATIENCE {
            assert_eq!(*pool.shared(&format!("flood-{n}")), format!("flood-{n}"));
        }
        assert!(Arc::ptr_eq(&pool.shared("late"), &pool.shared("late")), "nothing was in use");
    }

    #[test]
    fn what_is_read_is_shared() {
        let bytes = postcard::to_stdvec(&["GPU 3 max", "GPU 3 max", "busy cores"]).unwrap();
        let read: [Text; 3] = postcard::from_bytes(&bytes).unwrap();
        assert!(Arc::ptr_eq(&read[0].0, &read[1].0));
        assert_eq!(*read[2].0, *"busy cores");
    }
}
