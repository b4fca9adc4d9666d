//! What tabs ask of the bills that are kept, beside the screen, and what came of it: the newest question of a tab and the answer
//! that it shows meanwhile.

use std::sync::Arc;

use crate::tabs::bill::picture::{BillPicture, BillQuestion};
use crate::tabs::network::picture::{NetworkPicture, NetworkQuestion};
use crate::tabs::teams::picture::TeamsQuestion;
use crate::tabs::teams::state::TeamsPicture;

/// A question of a tab to the bills that are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BillsQuestion {
    /// What was paid, for what and by whom.
    Bill(BillQuestion),
    /// Where bytes went.
    Network(NetworkQuestion),
    /// Whose the dollars are, and what they may be.
    Teams(TeamsQuestion),
}

/// An answer; the error is the reason why there is none, one sentence; clean text.
pub type Answered<A> = Result<Arc<A>, String>;

/// What the bills answer to a [`BillsQuestion`], with the question.
#[derive(Clone, Debug)]
pub enum BillsAnswer {
    /// What was paid.
    Bill(BillQuestion, Answered<BillPicture>),
    /// Where bytes went.
    Network(NetworkQuestion, Answered<NetworkPicture>),
    /// Whose the dollars are.
    Teams(TeamsQuestion, Answered<TeamsPicture>),
}

/// The questions of a tab and the answer that it shows.
#[derive(Clone, Debug)]
pub struct Asking<Q, A> {
    /// Question that was asked last; `None` where it is to be asked again.
    asked: Option<Q>,
    /// Question that the answer is of; `None` before the first answer.
    answered: Option<Q>,
    answer: Option<Arc<A>>,
    trouble: Option<String>,
}

impl<Q, A> Default for Asking<Q, A> {
    fn default() -> Self {
        Self { asked: None, answered: None, answer: None, trouble: None }
    }
}

impl<Q: Clone + PartialEq, A> Asking<Q, A> {
    /// Answer to the last question that had one; `None` before the first.
    pub fn answer(&self) -> Option<&Arc<A>> {
        self.answer.as_ref()
    }

    /// Why nothing can be answered, one sentence; `None` while it can.
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// True while the answer is of an earlier question than the last one.
    pub fn is_behind(&self) -> bool {
        self.answer.is_some() && self.answered != self.asked
    }

    /// True for the question that was asked last: answers to others are dropped.
    pub fn is_newest(&self, question: &Q) -> bool {
        self.asked.as_ref() == Some(question)
    }

    /// Asks anew at the next [`Self::ask`], whatever the question.
    pub fn ask_again(&mut self) {
        self.asked = None;
    }

    /// The question, where it is to be asked now: it is another one than the last.
    pub fn ask(&mut self, question: Q) -> Option<Q> {
        if self.is_newest(&question) {
            return None;
        }
        self.asked = Some(question.clone());
        Some(question)
    }

    /// Takes the answer to the newest question in.
    pub fn take(&mut self, answer: Arc<A>) {
        self.answered.clone_from(&self.asked);
        self.answer = Some(answer);
        self.trouble = None;
    }

    /// Takes in that the newest question has no answer. Where an earlier one has, that stays on screen and the reason is
    /// returned, to be said.
    pub fn fail(&mut self, why: String) -> Option<String> {
        if self.answer.is_some() {
            self.asked.clone_from(&self.answered);
            return Some(why);
        }
        self.trouble = Some(why);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_asked_once_and_the_old_answer_stays_until_the_new_one() {
        let mut asking: Asking<u8, &str> = Asking::default();
        assert_eq!((asking.ask(1), asking.ask(1)), (Some(1), None));
        assert!(!asking.is_behind() && asking.answer().is_none());
        asking.take(Arc::new("one"));
        assert_eq!(asking.ask(2), Some(2));
        assert!(asking.is_behind() && !asking.is_newest(&1));
        assert_eq!(asking.answer().map(|answer| **answer), Some("one"));
        asking.take(Arc::new("two"));
        assert!(!asking.is_behind());
        asking.ask_again();
        assert_eq!(asking.ask(2), Some(2), "another process may have changed what is kept");
    }

    #[test]
    fn what_has_no_answer_leaves_the_last_one_or_says_why_there_is_none() {
        let mut asking: Asking<u8, &str> = Asking::default();
        asking.ask(1);
        assert_eq!(asking.fail("unreadable".into()), None);
        assert_eq!(asking.trouble(), Some("unreadable"));
        asking.take(Arc::new("one"));
        assert_eq!(asking.trouble(), None);
        asking.ask(2);
        assert_eq!(asking.fail("no such key".into()), Some("no such key".into()));
        assert!(!asking.is_behind() && asking.is_newest(&1));
    }
}
