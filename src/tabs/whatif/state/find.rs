//! Going to a family or an input by a part of its name.

use crate::app::{App, Effect};
use crate::tabs::whatif::picture::{Group, Peaks, Row, input};
use crate::whatif::Scenario;

impl App {
    /// A line for the name of a family or an input.
    pub(super) fn open_find(&mut self) {
        self.ask_for("find a family or an input: ", "", Self::find_input);
    }

    /// Brings the cursor to what has these words in its name. Fails where nothing has.
    fn find_input(&mut self, text: &str) -> Result<Vec<Effect>, String> {
        let words = text.trim().to_lowercase();
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let tab = &mut self.tabs.whatif;
        let found = tab.scenario().and_then(|of| find(of, tab.group(), tab.peaks(), &words));
        let Some((group, cursor)) = found else {
            return Err(format!("no family and no input has `{}` in its name", text.trim()));
        };
        tab.group = group;
        if let Group::Family(at) = group {
            tab.family = at;
        }
        tab.cursor = cursor;
        tab.stay_inside();
        self.leave_heading(true);
        Ok(Vec::new())
    }
}

/// A family by a part of its name, else an input, first of the group on screen, else of both a word each: `p4d growth`.
fn find(scenario: &Scenario, at: Group, peaks: &Peaks, words: &str) -> Option<(Group, usize)> {
    let family = |part: &str| {
        let has = |name: &str| name.to_lowercase().contains(part);
        scenario.families.iter().position(|family| has(&family.name)).map(Group::Family)
    };
    let line = |group: Group, part: &str| {
        let rows = input::rows(scenario, group);
        let has = |row: &Row| match row {
            Row::Input(input) => input.slider(scenario, peaks).name.to_lowercase().contains(part),
            Row::Heading(_) => false,
        };
        rows.iter().position(has).map(|line| (group, line))
    };
    if let Some(group) = family(words) {
        return Some((group, 0));
    }
    let others = input::groups(scenario).filter(|group| *group != at);
    let mut groups = std::iter::once(at).chain(others);
    groups.find_map(|group| line(group, words)).or_else(|| {
        let (first, rest) = words.split_once(char::is_whitespace)?;
        line(family(first)?, rest.trim())
    })
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
    fn what_nothing_is_called_is_said_and_moves_nothing() {
        let mut app = after((120, 40), "7jj");
        let before = app.whatif().cursor();
        press(&mut app, "/h100<enter>");
        let error = app.prompt().unwrap().error.clone().unwrap();
        assert_eq!(error.message, "no family and no input has `h100` in its name");
        press(&mut app, "<esc>");
        assert_eq!(app.whatif().cursor(), before);
    }
}
