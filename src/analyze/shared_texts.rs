//! What the rows of one picture say in common, each kept once.

use std::borrow::Borrow;
use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

/// Values made so far, so that rows with equal values share one. Lives while a picture is made; its rows keep what
/// they share.
pub struct Shared<T: ?Sized>(HashSet<Arc<T>>);

/// Sentences that rows share.
pub type SharedTexts = Shared<str>;

impl<T: ?Sized> Default for Shared<T> {
    fn default() -> Self {
        Self(HashSet::new())
    }
}

impl<T: Eq + Hash + ?Sized> Shared<T> {
    /// `value`, shared with all who got the same.
    pub fn share<V: Borrow<T> + Into<Arc<T>>>(&mut self, value: V) -> Arc<T> {
        if let Some(known) = self.0.get(value.borrow()) {
            return known.clone();
        }
        let new: Arc<T> = value.into();
        self.0.insert(new.clone());
        new
    }

    /// Each of `values` shared, in their order and without room for more.
    pub fn share_all<V, I>(&mut self, values: I) -> Vec<Arc<T>>
    where
        V: Borrow<T> + Into<Arc<T>>,
        I: IntoIterator<Item = V, IntoIter: ExactSizeIterator>,
    {
        let values = values.into_iter();
        // Collected in place it would keep the room of what was larger.
        let mut out = Vec::with_capacity(values.len());
        out.extend(values.map(|value| self.share(value)));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_sentence_is_one_text() {
        let mut texts = SharedTexts::default();
        let first = texts.share_all(["Net unknown.", "It is new."]);
        let second = texts.share_all(["It is new."]);
        assert_eq!((&*first[0], &*first[1], first.capacity()), ("Net unknown.", "It is new.", 2));
        assert!(Arc::ptr_eq(&first[1], &second[0]));
    }
}
