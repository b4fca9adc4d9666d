//! Lists that come in pages, and an end for those that would have none.
//!
//! A server that repeats a token, or always has one more, would keep a reading going for ever; and a
//! list that is broken off there must not pass for the whole, for what is missing in it would look
//! gone. So whoever pages goes by [`Pages`], and of a [`Page`] nothing else tells the next token.

use std::collections::HashSet;
use std::fmt::Debug;
use std::hash::{BuildHasher as _, Hash, RandomState};

use super::storage::ListToken;
use crate::domain::{ErrorKind, SourceError};

/// Pages of one list at most: with a hundred rows each this is more than any quota allows.
const MOST: usize = 2_000;

/// The longest token that is sent back, bytes. The services promise at most 100,000 characters.
const LONGEST: usize = 100_000;

/// Tokens of one list that are remembered, by their hash.
const REMEMBERED: usize = 1 << 16;

/// One page of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Page<T> {
    /// Items of the page.
    pub items: Vec<T>,
    next: Option<String>,
}

impl<T> Page<T> {
    /// A page with the token of the next one; `None` or empty on the last page.
    pub fn new(items: Vec<T>, next: Option<String>) -> Self {
        Self { items, next: next.filter(|token| !token.is_empty()) }
    }

    /// The last page.
    pub fn last(items: Vec<T>) -> Self {
        Self { items, next: None }
    }
}

/// Token that requests a page.
pub trait Token: Hash {
    /// Length in bytes. An empty token means that no page follows.
    fn length(&self) -> usize;
}

impl Token for String {
    fn length(&self) -> usize {
        self.len()
    }
}

impl Token for ListToken {
    fn length(&self) -> usize {
        self.at.len() + self.id.as_ref().map_or(0, String::len)
    }
}

/// Iteration over the pages of one list: [`Pages::ask`] returns the token of the next request, and [`Pages::follow`]
/// takes the token from the answer.
#[derive(Debug)]
pub struct Pages<T = String> {
    call: &'static str,
    region: String,
    /// `None` after the last page.
    next: Option<Option<T>>,
    read: usize,
    most: usize,
    seen: HashSet<u64>,
    hash: RandomState,
}

/// Why a list has no end that could be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum Endless {
    #[error("the list leads back to a page that was read before")]
    Loop,
    #[error("the list goes on and on")]
    TooMany,
    #[error("the next page has a token of more than {LONGEST} bytes")]
    Token,
    #[error("the list is cut short and does not say where it goes on")]
    Cut,
}

impl<T: Token> Pages<T> {
    /// Starts before the first page. `call` is the operation as IAM names it, `region` its region, for errors.
    pub fn of(call: &'static str, region: &str) -> Self {
        Self {
            call,
            region: region.to_owned(),
            next: Some(None),
            read: 0,
            most: MOST,
            seen: HashSet::new(),
            hash: RandomState::new(),
        }
    }

    /// Allows any number of pages, for the objects of a bucket.
    #[must_use]
    pub fn of_any_number(self) -> Self {
        Self { most: usize::MAX, ..self }
    }

    /// Token of the next request: `Some(None)` for the first page, `None` after the last.
    pub fn ask(&mut self) -> Option<Option<T>> {
        self.next.take()
    }

    /// Takes the token of the next page from an answer; `None` or an empty token is the end.
    ///
    /// # Errors
    /// A repeated token, or more pages than allowed: the list is incomplete and has no end.
    pub fn follow(&mut self, next: Option<T>) -> Result<(), SourceError> {
        self.read += 1;
        self.next = None;
        let Some(token) = next.filter(|token| token.length() > 0) else { return Ok(()) };
        self.note(&token).map_err(|endless| self.incomplete(endless))?;
        self.next = Some(Some(token));
        Ok(())
    }

    /// Like [`Self::follow`], for answers that state separately, as `is_cut`, whether the list goes on. Err also when
    /// it goes on without a token.
    pub fn follow_cut(&mut self, is_cut: bool, next: Option<T>) -> Result<(), SourceError> {
        self.follow(next.filter(|_| is_cut))?;
        if is_cut && self.next.is_none() { Err(self.incomplete(Endless::Cut)) } else { Ok(()) }
    }

    fn incomplete(&self, why: Endless) -> SourceError {
        let message = format!(
            "the answer from {} makes no sense: {why}; the {} pages so far are not the whole list",
            self.region, self.read
        );
        let fix = "check any AWS_ENDPOINT_URL and proxies; burntop tries again by itself";
        SourceError::new(ErrorKind::Malformed, self.call, &message, fix)
    }

    fn note(&mut self, token: &T) -> Result<(), Endless> {
        if token.length() > LONGEST {
            return Err(Endless::Token);
        }
        if self.read >= self.most {
            return Err(Endless::TooMany);
        }
        let token = self.hash.hash_one(token);
        if self.seen.contains(&token) {
            return Err(Endless::Loop);
        }
        // A very long list is remembered in part, from each power of two on: in the end that meets
        // a circle of any length.
        if self.seen.len() >= REMEMBERED && self.read.is_power_of_two() {
            self.seen.clear();
        }
        if self.seen.len() < REMEMBERED {
            self.seen.insert(token);
        }
        Ok(())
    }
}

impl Pages {
    /// Items of a page; its token is passed to [`Self::follow`]. Err like there.
    pub fn take<I>(&mut self, page: Page<I>) -> Result<Vec<I>, SourceError> {
        self.follow(page.next)?;
        Ok(page.items)
    }

    /// Items of all pages. Err on the first page that fails, and for a list without end.
    pub async fn all<I, F>(
        mut self,
        mut page: impl FnMut(Option<String>) -> F,
    ) -> Result<Vec<I>, SourceError>
    where
        F: Future<Output = Result<Page<I>, SourceError>>,
    {
        let mut items = Vec::new();
        while let Some(token) = self.ask() {
            items.append(&mut self.take(page(token).await?)?);
        }
        Ok(items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl<T> Page<T> {
        /// What the next page is asked with.
        pub(crate) fn next(&self) -> Option<&str> {
            self.next.as_deref()
        }
    }

    fn text(token: &str) -> Option<String> {
        Some(token.to_owned())
    }

    #[test]
    fn a_list_is_asked_with_each_token_in_turn_and_ends_without_one() {
        for last in [None, text("")] {
            let mut pages = Pages::of("ec2:DescribeVolumes", "eu-west-1");
            assert_eq!(pages.ask(), Some(None));
            assert_eq!(pages.follow(text("a")), Ok(()));
            assert_eq!(pages.ask(), Some(text("a")));
            assert_eq!(pages.follow(last), Ok(()));
            assert_eq!(pages.ask(), None);
        }
        assert_eq!(Page::new(vec![1], text("")), Page::last(vec![1]));
    }

    #[test]
    fn a_circle_of_pages_is_an_error_that_names_the_call_and_what_is_missing() {
        let mut pages = Pages::of("ec2:DescribeVolumes", "eu-west-1");
        assert_eq!(pages.follow(text("a")), Ok(()));
        assert_eq!(pages.follow(text("b")), Ok(()));
        let error = pages.follow(text("a")).unwrap_err();
        assert_eq!((error.kind, &*error.operation), (ErrorKind::Malformed, "ec2:DescribeVolumes"));
        let said = "the answer from eu-west-1 makes no sense: the list leads back to a page that \
                    was read before; the 3 pages so far are not the whole list";
        assert_eq!(error.message, said);
    }

    #[test]
    fn tokens_have_a_longest_and_lists_a_last_page() {
        let mut pages = Pages::of("ec2:DescribeVolumes", "eu-west-1");
        let error = pages.follow(text(&"x".repeat(LONGEST + 1))).unwrap_err();
        assert!(error.message.contains("a token of more than"), "{error}");
        let mut pages = Pages::of("ec2:DescribeVolumes", "eu-west-1");
        let followed = (0..).map_while(|n: usize| pages.follow(Some(n.to_string())).ok()).count();
        assert_eq!(followed + 1, MOST, "and the first page has no token");
        assert!(pages.follow(text("more")).unwrap_err().message.contains("goes on and on"));
    }

    #[test]
    fn a_circle_of_any_length_is_met_with_a_bounded_memory() {
        for (before, length) in [(0, 1), (5, 70_000), (150_000, 1), (90_000, 140_000)] {
            let mut pages = Pages::of("s3:ListBucket", "eu-west-1").of_any_number();
            let token = |n: usize| if n < before { n } else { before + (n - before) % length };
            let followed = (0..).take_while(|n| pages.follow(text(&token(*n).to_string())).is_ok());
            let followed = followed.take(2_000_000).count();
            assert!(followed < 4 * (before + length), "{before} {length}: {followed}");
            assert!(pages.seen.len() <= REMEMBERED);
        }
    }

    #[test]
    fn a_list_that_is_cut_short_must_say_where_it_goes_on() {
        let pages = || Pages::of("s3:ListMultipartUploadParts", "eu-west-1");
        assert!(pages().follow_cut(true, text("a")).is_ok());
        let mut whole = pages();
        // S3 names the last part of the last page as well.
        assert_eq!((whole.ask(), whole.follow_cut(false, text("a"))), (Some(None), Ok(())));
        assert_eq!(whole.ask(), None);
        for next in [None, text("")] {
            let error = pages().follow_cut(true, next).unwrap_err();
            assert!(error.message.contains("cut short"), "{error}");
        }
    }

    #[test]
    fn of_two_markers_either_may_move_on() {
        let token = |id: &str| Some(ListToken { at: "key".to_owned(), id: text(id) });
        let mut pages = Pages::of("s3:ListBucketVersions", "eu-west-1").of_any_number();
        assert_eq!(pages.follow(token("1")), Ok(()));
        assert_eq!(pages.follow(token("2")), Ok(()));
        assert!(pages.follow(token("1")).is_err());
    }
}
