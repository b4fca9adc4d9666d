//! Going to a family or an input by a part of its name, and setting the input on the way.

use crate::app::{App, Effect};
use crate::domain::suggest::nearest;
use crate::tabs::whatif::picture::{Group, Peaks, Row, input};
use crate::whatif::Scenario;

impl App {
    /// A line for the name of a family or an input.
    pub(super) fn open_find(&mut self) {
        self.ask_for("find, or set (growth=30%): ", "", Self::find_input);
    }

    /// Brings the cursor to what has these words in its name, and sets the value behind a `=`. Fails where nothing has, and
    /// where the value cannot be taken.
    fn find_input(&mut self, text: &str) -> Result<Vec<Effect>, String> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name.trim(), Some(value)),
            None => (text.trim(), None),
        };
        let words = name.to_lowercase();
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let tab = &self.tabs.whatif;
        let Some(scenario) = tab.scenario() else { return Ok(Vec::new()) };
        let Some((group, line)) = find(scenario, tab.group(), tab.peaks(), &words) else {
            let only = scenario.only.as_ref();
            let only = only.map_or_else(String::new, |only| format!(": only {only} is here"));
            let meant = meant(scenario, tab.peaks(), &words);
            let hint = meant.map_or_else(String::new, |word| format!("; did you mean `{word}`?"));
            return Err(format!("no family and no input has `{name}` in its name{only}{hint}"));
        };
        let rows = input::rows(scenario, group);
        let effects = match (value, line.and_then(|line| rows.get(line))) {
            (None, _) => Vec::new(),
            (Some(value), Some(Row::Input(input))) => self.take_value(*input, value)?,
            (Some(_), _) => return Err(format!("which input of it? `{name} growth=30%`")),
        };
        let tab = &mut self.tabs.whatif;
        tab.group = group;
        if let Group::Family(at) = group {
            tab.family = at;
        }
        tab.cursor = line.unwrap_or(0);
        tab.stay_inside();
        self.leave_heading(true);
        Ok(effects)
    }
}

/// A family by a part of its name, else an input with its line, first of the group on screen, else of both a word each:
/// `p4d growth`.
fn find(
    scenario: &Scenario,
    at: Group,
    peaks: &Peaks,
    words: &str,
) -> Option<(Group, Option<usize>)> {
    let groups = || input::groups(scenario);
    let family = |part: &str| {
        let has = |at: usize| scenario.families[at].name.to_lowercase().contains(part);
        groups().find(|group| matches!(group, Group::Family(at) if has(*at)))
    };
    let line = |group: Group, part: &str| {
        let rows = input::rows(scenario, group);
        let has = |row: &Row| match row {
            Row::Input(input) => input.slider(scenario, peaks).name.to_lowercase().contains(part),
            Row::Heading(_) => false,
        };
        rows.iter().position(has).map(|line| (group, Some(line)))
    };
    if let Some(group) = family(words) {
        return Some((group, None));
    }
    let others = groups().filter(|group| *group != at);
    let mut all = std::iter::once(at).chain(others);
    all.find_map(|group| line(group, words)).or_else(|| {
        let (first, rest) = words.split_once(char::is_whitespace)?;
        line(family(first)?, rest.trim())
    })
}

/// The word of an input's name that is nearest to one of these words; short ones are near to too many.
fn meant(scenario: &Scenario, peaks: &Peaks, words: &str) -> Option<String> {
    let name = |row: &Row| match row {
        Row::Input(input) => Some(input.slider(scenario, peaks).name.to_lowercase()),
        Row::Heading(_) => None,
    };
    let mut names = Vec::new();
    for group in input::groups(scenario) {
        names.extend(input::rows(scenario, group).iter().filter_map(name));
    }
    let known: Vec<&str> = names.iter().flat_map(|name| name.split_whitespace()).collect();
    let mut others = words.split_whitespace().filter(|word| !known.contains(word));
    let long = || known.iter().copied().filter(|word| word.len() > 3);
    others.find_map(|word| nearest(word, long())).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::after;
    use super::*;
    use crate::app::fixture::press;
    use crate::tabs::whatif::picture::Input;

    fn found(keys: &str) -> (Group, Option<Input>) {
        let app = after((120, 40), keys);
        (app.whatif().group(), app.whatif().input())
    }

    #[test]
    fn a_family_is_found_by_its_name_with_the_cursor_on_its_first_input() {
        let first = |family| (Group::Family(family), Some(Input::Bought(family, 0)));
        assert_eq!(found("7/g5<enter>"), first(1));
        assert_eq!(found("7jjj/P4D<enter>"), first(0));
    }

    #[test]
    fn an_input_is_found_in_the_group_on_screen_before_others() {
        assert_eq!(found("7]/growth<enter>"), (Group::Family(1), Some(Input::Growth(1))));
        assert_eq!(found("7/caution<enter>"), (Group::Future, Some(Input::Caution)));
        assert_eq!(found("7/g5 growth<enter>"), (Group::Family(1), Some(Input::Growth(1))));
    }

    #[test]
    fn an_input_that_is_found_is_set_and_can_be_taken_back() {
        let growth = |app: &App| {
            app.whatif().scenario().unwrap().families.iter().map(|f| f.growth).collect::<Vec<_>>()
        };
        let mut app = after((120, 40), "7/g5 growth=45%<enter>");
        assert_eq!(growth(&app), [0.3, 0.45, 0.3]);
        assert_eq!(app.whatif().input(), Some(Input::Growth(1)));
        press(&mut app, "u");
        assert_eq!(growth(&app), [0.3; 3]);
        // What cannot be taken moves nothing.
        for (typed, says) in [
            ("growth=much", "much"),
            ("p4d=3", "which input of it? `p4d growth=30%`"),
            ("h100=3", "no family and no input has `h100` in its name"),
        ] {
            press(&mut app, &format!("/{typed}<enter>"));
            let error = app.prompt().unwrap().error.clone().unwrap().message;
            assert!(error.contains(says), "{error}");
            press(&mut app, "<esc>");
            assert_eq!((growth(&app), app.whatif().group()), (vec![0.3; 3], Group::Family(1)));
        }
    }

    #[test]
    fn what_nothing_is_called_is_said_and_moves_nothing() {
        let mut app = after((120, 40), "7jj");
        let before = app.whatif().cursor();
        press(&mut app, "/h100<enter>");
        let error = app.prompt().unwrap().error.clone().unwrap();
        assert_eq!(error.message, "no family and no input has `h100` in its name");
        press(&mut app, "<esc>");
        assert_eq!(app.whatif().cursor(), before);
        press(&mut app, "/p4d growht<enter>");
        let error = app.prompt().unwrap().error.clone().unwrap();
        let says = "no family and no input has `p4d growht` in its name; did you mean `growth`?";
        assert_eq!(error.message, says);
    }
}
