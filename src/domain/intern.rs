//! Texts that repeat across a fleet, each kept once.
//!
//! Ten thousand instances name the same few dozen regions, types, tag keys, teams and units; as
//! strings of their own these were most of the memory of a large fleet.

use std::cell::RefCell;
use std::hash::Hash;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

use super::hash::FastSet;
use super::reason::Unchecked;

/// Things of a kind kept at most; beyond it (tags that differ everywhere) each is one of its own.
const MOST: usize = 8_192;
/// Things that a full pool turns away before it looks whether its own are still in use.
const PATIENCE: usize = MOST / 4;
/// Longest text looked up, bytes: a longer one is a sentence and hardly repeats.
const MAX_BYTES: usize = 96;

thread_local! {
    /// One a thread: a few copies of each text cost less than waiting for each other.
    static TEXTS: RefCell<Pool<str>> = RefCell::default();
    static LISTS: RefCell<Pool<[Unchecked]>> = RefCell::default();
}

/// `text` as an `Arc` that all equal texts of this thread share. Texts over 96 bytes are not shared.
pub fn shared(text: &str) -> Arc<str> {
    if text.len() > MAX_BYTES {
        return text.into();
    }
    TEXTS.with_borrow_mut(|pool| pool.shared(text, || text.into()))
}

/// `list` as an `Arc` that all equal lists of this thread share.
pub fn shared_list(list: &[Unchecked]) -> Arc<[Unchecked]> {
    LISTS.with_borrow_mut(|pool| pool.shared(list, || list.into()))
}

/// Pool of shared values; up to 8,192 are kept.
pub(super) struct Pool<T: ?Sized> {
    kept: FastSet<Arc<T>>,
    turned_away: usize,
}

impl<T: ?Sized> Default for Pool<T> {
    fn default() -> Self {
        Self { kept: FastSet::default(), turned_away: 0 }
    }
}

impl<T: ?Sized + Eq + Hash> Pool<T> {
    /// Shared value that equals `like`; the value of `new` when there is none yet.
    pub fn shared(&mut self, like: &T, new: impl FnOnce() -> Arc<T>) -> Arc<T> {
        if let Some(known) = self.kept.get(like) {
            return known.clone();
        }
        let new = new();
        if self.kept.len() < MOST {
            self.kept.insert(new.clone());
            return new;
        }
        self.turned_away += 1;
        if self.turned_away == PATIENCE {
            self.turned_away = 0;
            self.kept.retain(|thing| Arc::strong_count(thing) > 1);
        }
        new
    }
}

/// For `#[serde(deserialize_with)]` on a text that repeats: shared within the thread. Err for anything but a text.
pub(super) fn text<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<str>, D::Error> {
    Text::deserialize(from).map(|t| t.0)
}

/// The same of a text that may be missing.
pub(super) fn maybe_text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Arc<str>>, D::Error> {
    Ok(Option::<Text>::deserialize(from)?.map(|text| text.0))
}

/// The same of each text of a list.
pub(super) fn texts<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<[Arc<str>]>, D::Error> {
    Ok(Vec::<Text>::deserialize(from)?.into_iter().map(|text| text.0).collect())
}

/// For `#[serde(deserialize_with)]` on a list that repeats: shared within the thread. Err for other input.
pub(super) fn list<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<[Unchecked]>, D::Error> {
    Ok(shared_list(&Vec::<Unchecked>::deserialize(from)?))
}

/// For `#[serde(deserialize_with)]` on a text that hardly repeats: not shared, and without a string on the way.
pub(super) fn single<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<str>, D::Error> {
    struct Reader;
    impl Visitor<'_> for Reader {
        type Value = Arc<str>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a text")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Arc<str>, E> {
            Ok(text.into())
        }
    }
    from.deserialize_str(Reader)
}

/// Deserializes a text as a shared `Arc`, without a new string for a known one.
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
        let shared = |pool: &mut Pool<str>, text: &str| pool.shared(text, || text.into());
        let mut pool = Pool::default();
        let held: Vec<_> = (0..MOST).map(|n| shared(&mut pool, &format!("held-{n}"))).collect();
        let [one, other] = ["late"; 2].map(|text| shared(&mut pool, text));
        assert!(!Arc::ptr_eq(&one, &other), "the pool is full");
        assert_eq!(pool.kept.len(), MOST);
        drop(held);
        for n in 0..PATIENCE {
            assert_eq!(*shared(&mut pool, &format!("flood-{n}")), format!("flood-{n}"));
        }
        let [one, other] = ["late"; 2].map(|text| shared(&mut pool, text));
        assert!(Arc::ptr_eq(&one, &other), "nothing was in use");
    }

    #[test]
    fn what_is_read_is_shared() {
        let bytes = postcard::to_stdvec(&["GPU 3 max", "GPU 3 max", "busy cores"]).unwrap();
        let read: [Text; 3] = postcard::from_bytes(&bytes).unwrap();
        assert!(Arc::ptr_eq(&read[0].0, &read[1].0));
        assert_eq!(*read[2].0, *"busy cores");
    }
}
