//! Sentences that the rows of one picture have in common, each kept once.

use std::collections::HashSet;
use std::sync::Arc;

/// Sentences made so far, so that rows with equal sentences share one text. Lives while a picture is made; its rows
/// keep what they share.
#[derive(Default)]
pub struct SharedTexts(HashSet<Arc<str>>);

impl SharedTexts {
    /// `text`, shared with all who got the same.
    pub fn share(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.0.get(text) {
            return known.clone();
        }
        let new: Arc<str> = text.into();
        self.0.insert(new.clone());
        new
    }

    /// Each of `texts` shared, in their order and without room for more.
    pub fn share_all(&mut self, texts: &[String]) -> Vec<Arc<str>> {
        texts.iter().map(|text| self.share(text)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_sentence_is_one_text() {
        let mut texts = SharedTexts::default();
        let first = texts.share_all(&["Net unknown.".into(), "It is new.".into()]);
        let second = texts.share_all(&["It is new.".into()]);
        assert_eq!((&*first[0], &*first[1], first.capacity()), ("Net unknown.", "It is new.", 2));
        assert!(Arc::ptr_eq(&first[1], &second[0]));
    }
}
