//! Which key does what: the table of actions, its defaults and the user's changes.

mod action;
mod key;

use std::collections::{BTreeMap, HashMap};

pub use action::{Action, ActionSpec, Context};
pub use key::{Key, KeyError};

use crate::domain::suggest::nearest;

/// The keys in force.
#[derive(Clone, Debug)]
pub struct Keymap {
    /// Keys per action, in the order of [`Action::ALL`]; the first is the one shown.
    keys: Vec<Vec<Key>>,
    /// Actions by key; several where contexts do not overlap.
    by_key: HashMap<Key, Vec<Action>>,
}

/// A mistake in the `[keys]` of the configuration, whose other entries stay in force.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeymapProblem {
    /// No action has this name.
    #[error("unknown action `{name}` in [keys]{}", suggestion.map_or_else(String::new, |s| format!(", did you mean `{s}`?")))]
    UnknownAction {
        /// Name in the configuration.
        name: String,
        /// The most similar action; `None` where none is similar.
        suggestion: Option<&'static str>,
    },
    /// A key name that cannot be parsed.
    #[error("[keys] {action}: {error}")]
    BadKey {
        /// Name of the action.
        action: &'static str,
        /// The mistake.
        error: KeyError,
    },
    /// One key for two actions that may be in force at the same time; the first one keeps it.
    #[error("[keys] `{key}` means both `{first}` and `{second}`; `{first}` keeps it")]
    Conflict {
        /// Name of the key.
        key: String,
        /// Action that keeps it.
        first: &'static str,
        /// Action that loses it.
        second: &'static str,
    },
    /// A key that belongs to another action, which the configuration does not mention.
    #[error(
        "[keys] `{key}` is a key of `{from}`: give `{from}` another one, or `{from} = []`{}",
        free_in_words(free)
    )]
    Taken {
        /// Name of the key.
        key: String,
        /// Action that it was given to.
        by: &'static str,
        /// Action that would lose it.
        from: &'static str,
        /// The first keys that are free for the action that would lose it.
        free: Vec<String>,
    },
}

/// Keys that an error names where one is taken, at most.
const FREE_NAMED: usize = 6;

/// The end of an error that names keys that are free; empty without any.
fn free_in_words(free: &[String]) -> String {
    if free.is_empty() { String::new() } else { format!("; free are {}", free.join(" ")) }
}

impl KeymapProblem {
    /// Name of the action that the mistake is listed under.
    pub fn action(&self) -> &str {
        match self {
            Self::UnknownAction { name, .. } => name,
            Self::BadKey { action, .. } => action,
            Self::Conflict { second, .. } => second,
            Self::Taken { by, .. } => by,
        }
    }
}

impl Default for Keymap {
    fn default() -> Self {
        Self::with_overrides(&BTreeMap::new()).0
    }
}

impl Keymap {
    /// The default keys with the user's changes: action name → keys, which replace all default keys of that
    /// action (none = no key). An error is reported where two actions are given one key, and where a key is
    /// taken from an action that the changes do not mention, so that nobody finds out by pressing it.
    pub fn with_overrides(changes: &BTreeMap<String, Vec<String>>) -> (Self, Vec<KeymapProblem>) {
        let mut problems = Vec::new();
        let mut given: HashMap<Action, Vec<Key>> = HashMap::new();
        for (name, keys) in changes {
            let Some(action) = Action::from_name(name) else {
                problems.push(KeymapProblem::UnknownAction {
                    name: crate::domain::text::clean(name).into_owned(),
                    suggestion: nearest(name, Action::ALL.iter().map(|spec| spec.name)),
                });
                continue;
            };
            let mut list = Vec::new();
            for key in keys {
                match Key::parse(key) {
                    Ok(key) => list.push(key),
                    Err(error) => {
                        problems.push(KeymapProblem::BadKey { action: action.spec().name, error });
                    }
                }
            }
            given.insert(action, list);
        }
        let mut map = Self { keys: vec![Vec::new(); Action::ALL.len()], by_key: HashMap::new() };
        for spec in Action::ALL {
            for key in given.get(&spec.action).into_iter().flatten() {
                if let Some(first) = map.bind(*key, spec.action) {
                    problems.push(KeymapProblem::Conflict {
                        key: key.to_string(),
                        first: first.spec().name,
                        second: spec.name,
                    });
                }
            }
        }
        for spec in Action::ALL.iter().filter(|s| !given.contains_key(&s.action)) {
            for key in spec.keys.iter().filter_map(|k| Key::parse(k).ok()) {
                let same = |by: Action| {
                    [Action::Quit, Action::Interrupt].contains(&by)
                        && [Action::Quit, Action::Interrupt].contains(&spec.action)
                };
                if let Some(by) = map.bind(key, spec.action).filter(|by| !same(*by)) {
                    problems.push(KeymapProblem::Taken {
                        key: key.to_string(),
                        by: by.spec().name,
                        from: spec.name,
                        free: Vec::new(),
                    });
                }
            }
        }
        // What is free is known when all have theirs.
        for problem in &mut problems {
            if let KeymapProblem::Taken { from, free, .. } = problem {
                let context = Action::from_name(from).map(|action| action.spec().context);
                let keys = map.free(context).into_iter().take(FREE_NAMED);
                *free = keys.map(|key| key.to_string()).collect();
            }
        }
        (map, problems)
    }

    /// Binds `key` unless an action in an overlapping context has it, which is returned.
    fn bind(&mut self, key: Key, action: Action) -> Option<Action> {
        let holders = self.by_key.entry(key).or_default();
        let taken =
            holders.iter().find(|a| a.spec().context.overlaps(action.spec().context)).copied();
        if let Some(holder) = taken {
            (holder != action).then_some(holder)
        } else {
            holders.push(action);
            self.keys[action as usize].push(key);
            None
        }
    }

    /// Single keys that mean nothing wherever an action of this context may be in force, `None` = anywhere. Where one types,
    /// a character is never free.
    pub fn free(&self, context: Option<Context>) -> Vec<Key> {
        let is_typed_in = matches!(context, Some(Context::Text | Context::Any));
        let is_free = |key: &Key| {
            let mut holders = self.by_key.get(key).into_iter().flatten();
            let is_near = |holder: &Action| {
                context.is_none_or(|context| context.overlaps(holder.spec().context))
            };
            !(holders.any(is_near) || is_typed_in && key.text().is_some())
        };
        Key::singles().filter(is_free).collect()
    }

    /// Action of `key` in the contexts in force; `None` without one.
    pub fn lookup(&self, key: Key, contexts: &[Context]) -> Option<Action> {
        self.by_key.get(&key)?.iter().find(|a| contexts.contains(&a.spec().context)).copied()
    }

    /// Keys of an action, the one to show first; empty where the user removed them all.
    pub fn keys(&self, action: Action) -> &[Key] {
        &self.keys[action as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(changes: &[(&str, &[&str])]) -> (Keymap, Vec<KeymapProblem>) {
        let own = |keys: &[&str]| keys.iter().map(|k| (*k).to_owned()).collect();
        Keymap::with_overrides(
            &changes.iter().map(|(name, keys)| ((*name).to_owned(), own(keys))).collect(),
        )
    }

    #[test]
    fn defaults_parse_and_do_not_conflict() {
        let map = Keymap::default();
        for spec in Action::ALL {
            // A default that were taken would be missing here.
            assert_eq!(map.keys(spec.action).len(), spec.keys.len(), "{}", spec.name);
        }
    }

    #[test]
    fn a_key_means_what_the_context_says() {
        let map = Keymap::default();
        let space = Key::parse("space").unwrap();
        assert_eq!(map.lookup(space, &[Context::Move, Context::Table]), Some(Action::Mark));
        assert_eq!(
            map.lookup(space, &[Context::Move, Context::Columns]),
            Some(Action::ToggleColumn)
        );
        assert_eq!(map.lookup(space, &[Context::Text]), None);
    }

    #[test]
    fn a_given_key_replaces_and_takes() {
        let (map, problems) = changed(&[("filter", &["f"]), ("freeze", &[])]);
        assert_eq!(problems, []);
        let f = Key::parse("f").unwrap();
        assert_eq!(map.lookup(f, &[Context::Table, Context::Main]), Some(Action::Filter));
        assert_eq!(map.keys(Action::Freeze), []);
        let slash = Key::parse("/").unwrap();
        assert_eq!(map.lookup(slash, &[Context::Table, Context::Main]), None);
    }

    #[test]
    fn a_key_is_not_taken_from_an_action_that_is_not_named() {
        let (_, problems) = changed(&[("filter", &["f"])]);
        let [KeymapProblem::Taken { key, by, from, free }] = &problems[..] else {
            panic!("{problems:?}");
        };
        assert_eq!((key.as_str(), *by, *from), ("f", "filter", "freeze"));
        assert!(free.contains(&"v".to_owned()), "{free:?}");
        assert_eq!(problems[0].action(), "filter");
        let text = problems[0].to_string();
        assert!(text.contains("`freeze = []`; free are "), "{text}");
        // One that is in force while one types is offered no character.
        let (_, problems) = changed(&[("filter", &["ctrl-l"])]);
        let text = problems[0].to_string();
        assert!(text.contains("`redraw = []`; free are f2 "), "{text}");
        // Both quit: nothing is lost.
        assert_eq!(changed(&[("quit", &["q", "ctrl-c"])]).1, []);
    }

    #[test]
    fn a_key_is_free_where_nothing_that_may_be_in_force_with_it_has_it() {
        let (map, _) = changed(&[("freeze", &[]), ("mouse", &["v"])]);
        let is_free = |key: &str, context| map.free(context).contains(&Key::parse(key).unwrap());
        assert!(is_free("f", None), "taken away from its action");
        assert!(!is_free("v", None) && !is_free("v", Some(Context::Table)), "given away");
        // On the Storage tab alone: free in the table of no tab that it is a key of.
        assert!(!is_free("t", None) && !is_free("t", Some(Context::Table)));
        assert!(is_free("t", Some(Context::Gpus)) && is_free("f5", Some(Context::Text)));
        assert!(!is_free("E", Some(Context::Text)), "it is typed");
        // What is said to be free can be given without a word.
        for key in Keymap::default().free(Some(Context::Jobs)) {
            assert_eq!(changed(&[("jobs-key", &[&key.to_string()])]).1, [], "{key}");
        }
    }

    mod hostile {
        use super::*;

        #[test]
        fn no_action_loses_a_key_without_a_word() {
            let mut inputs = 0_u32;
            for taker in [Action::Down, Action::Act, Action::Filter, Action::Heat, Action::Suspend]
            {
                for spec in Action::ALL.iter().filter(|s| s.action != taker) {
                    for key in spec.keys {
                        inputs += 1;
                        let (map, problems) = changed(&[(taker.spec().name, &[key])]);
                        for other in Action::ALL.iter().filter(|s| s.action != taker) {
                            let has_all = map.keys(other.action).len() == other.keys.len();
                            let told = problems.iter().any(|p| {
                                matches!(p, KeymapProblem::Taken { from, .. } if *from == other.name)
                            });
                            assert!(
                                has_all || told,
                                "{key} to {}: {}",
                                taker.spec().name,
                                other.name
                            );
                        }
                    }
                }
            }
            println!("hostile: keys given to another action: {inputs} inputs");
            assert!(inputs >= 500, "{inputs}");
        }
    }

    #[test]
    fn problems_are_told_and_the_rest_stands() {
        let (map, problems) =
            changed(&[("fliter", &["x"]), ("sort", &["ctrl-", "ctrl-x"]), ("mark", &["ctrl-x"])]);
        let texts: Vec<_> = problems.iter().map(ToString::to_string).collect();
        insta::assert_debug_snapshot!(texts);
        assert_eq!(map.keys(Action::Sort), [Key::parse("ctrl-x").unwrap()]);
        assert_eq!(map.keys(Action::Mark), []);
    }
}
