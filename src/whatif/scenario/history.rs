//! Undo and redo.

use std::sync::Arc;

use super::Scenario;

/// The most steps back that are kept.
const STEPS: usize = 200;

/// A scenario with its undo and redo steps.
#[derive(Clone, Debug)]
pub struct History {
    now: Arc<Scenario>,
    back: Vec<Arc<Scenario>>,
    forth: Vec<Arc<Scenario>>,
    /// What the last change was of: more of the same belongs to it.
    last: Option<String>,
}

impl History {
    /// A history that begins with this scenario and has no steps.
    pub fn new(scenario: Scenario) -> Self {
        Self { now: Arc::new(scenario), back: Vec::new(), forth: Vec::new(), last: None }
    }

    /// The current scenario.
    pub fn now(&self) -> &Arc<Scenario> {
        &self.now
    }

    /// Replaces the current scenario. Consecutive changes of the same `input` are one undo step, so that a held
    /// key is undone at once. An equal scenario is no change.
    pub fn change(&mut self, scenario: Scenario, input: Option<&str>) {
        if *self.now == scenario {
            return;
        }
        let goes_on = input.is_some() && input == self.last.as_deref();
        let before = std::mem::replace(&mut self.now, Arc::new(scenario));
        if !goes_on {
            if self.back.len() == STEPS {
                self.back.remove(0);
            }
            self.back.push(before);
        }
        self.forth.clear();
        self.last = input.map(str::to_owned);
    }

    /// Undoes the last step; false when there is none.
    pub fn undo(&mut self) -> bool {
        let Some(before) = self.back.pop() else { return false };
        self.forth.push(std::mem::replace(&mut self.now, before));
        self.last = None;
        true
    }

    /// Redoes the step undone last; false when there is none.
    pub fn redo(&mut self) -> bool {
        let Some(after) = self.forth.pop() else { return false };
        self.back.push(std::mem::replace(&mut self.now, after));
        self.last = None;
        true
    }

    /// How many changes can be undone and redone.
    #[cfg(test)]
    pub fn steps(&self) -> (usize, usize) {
        (self.back.len(), self.forth.len())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn named(name: &str) -> Scenario {
        Scenario { name: name.to_owned(), ..Scenario::default() }
    }

    #[test]
    fn a_held_slider_is_one_step() {
        let mut history = History::new(named("0"));
        history.change(named("1"), Some("commit"));
        history.change(named("2"), Some("commit"));
        history.change(named("3"), Some("growth"));
        history.change(named("3"), Some("note"));
        assert_eq!(history.steps(), (2, 0));
        assert!(history.undo());
        assert_eq!(history.now().name, "2");
        assert!(history.undo());
        assert_eq!(history.now().name, "0");
        assert!(!history.undo());
        assert!(history.redo() && history.redo());
        assert_eq!(history.now().name, "3");
        assert!(!history.redo());
        assert!(history.undo());
        history.change(named("4"), Some("growth"));
        assert!(!history.redo(), "what was taken back is gone after another change");
    }

    proptest! {
        /// Whatever was done: undoing everything ends at the beginning, redoing it where it was.
        #[test]
        fn back_and_forth(names in proptest::collection::vec("[a-d]", 0..300)) {
            let mut history = History::new(named("start"));
            for name in &names {
                history.change(named(name), None);
            }
            let last = history.now().name.clone();
            let steps = history.steps().0;
            prop_assert!(steps <= STEPS);
            while history.undo() {}
            if names.len() <= STEPS {
                prop_assert_eq!(&history.now().name, "start");
            }
            while history.redo() {}
            prop_assert_eq!(&history.now().name, &last);
            prop_assert_eq!(history.steps().0, steps);
        }
    }
}
