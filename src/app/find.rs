//! Finding words: in the lines that fill the body, and among the entries of a chooser.

use super::content::Line;
use super::keymap::{Action, Context, Key};
use super::{App, Effect, Level, Notice, Page, Popup, Tab, column_entries};
use crate::query::contains_folded;

/// What is searched for in lines, and where it was found last.
#[derive(Clone, Debug, Default)]
pub(super) struct Find {
    /// Words as typed; empty before the first search.
    words: String,
    /// Where they were found last; `None` where they were not, and once `esc` was pressed.
    found: Option<Found>,
}

/// A line of a page.
#[derive(Clone, Copy, Debug)]
struct Found {
    /// Index of the line.
    line: usize,
    /// Tab below the page.
    tab: Tab,
    /// Number of pages open.
    depth: usize,
}

impl App {
    /// True where lines of text fill the body that can be searched; the help has a search of its own.
    pub fn shows_lines(&self) -> bool {
        let is_help = self.page().is_some_and(|opened| matches!(opened.page, Page::Help));
        !is_help && !self.is_drawn_by_screen()
    }

    /// Index of the line that was found last; `None` without one, on another page, and where it says something else by now.
    pub fn found_line(&self) -> Option<usize> {
        let Found { line, tab, depth } = self.find.found?;
        let is_here = tab == self.tab && depth == self.pages.len() && self.shows_lines();
        let says = |of: &Line| has_words(&text_of(of), &self.find.words);
        (is_here && self.body.lines.get(line).is_some_and(says)).then_some(line)
    }

    /// Asks for the words to find in the lines on screen.
    pub(super) fn open_find_words(&mut self) {
        self.ask_for("find: ", "", Self::find_words);
    }

    /// Goes to the next line that has the words typed, or those of the last search where none are. Fails where no line has them.
    fn find_words(&mut self, text: &str) -> Result<Vec<Effect>, String> {
        let words = match text.trim() {
            "" => self.find.words.clone(),
            words => words.to_owned(),
        };
        if words.is_empty() || self.go_to_words(&words, true) {
            return Ok(Vec::new());
        }
        Err(no_line(&words))
    }

    /// Goes to the next line that has the words of the last search, or to the one before.
    pub(super) fn find_again(&mut self, forward: bool) {
        let words = self.find.words.clone();
        if words.is_empty() {
            self.say(Notice::new(Level::Info, "nothing was searched for yet"));
        } else if !self.go_to_words(&words, forward) {
            self.say(Notice::new(Level::Warn, no_line(&words)));
        }
    }

    /// Takes the mark from the line that was found.
    pub(super) fn forget_found(&mut self) {
        self.find.found = None;
    }

    /// Brings the next line with these words on screen, or the one before, round and round; false where none has them.
    fn go_to_words(&mut self, words: &str, forward: bool) -> bool {
        self.prepare();
        let lines = self.body.lines.iter().enumerate();
        let has = lines.filter(|(_, line)| has_words(&text_of(line), words));
        let hits: Vec<usize> = has.map(|(at, _)| at).collect();
        let (top, height) = (self.text_body().1, self.body_height());
        let seen = top..top + height;
        let last = self.found_line().filter(|at| seen.contains(at));
        let next = if forward {
            let from = last.map_or(top, |at| at + 1);
            hits.iter().position(|at| *at >= from).unwrap_or(0)
        } else {
            let before = last.unwrap_or(top);
            let nearest = hits.iter().rposition(|at| *at < before);
            nearest.unwrap_or(hits.len().saturating_sub(1))
        };
        let Some(line) = hits.get(next).copied() else { return false };
        let found = Found { line, tab: self.tab, depth: self.pages.len() };
        self.find = Find { words: words.to_owned(), found: Some(found) };
        if !seen.contains(&line) {
            // With some lines before it, which say what it is about.
            let scroll = line.saturating_sub(height / 3).min(self.last_scroll());
            match self.pages.last_mut() {
                Some(opened) => opened.scroll = scroll,
                None => self.text_scroll = scroll,
            }
        }
        if self.pages.is_empty() {
            self.take_nearest(line);
        }
        self.say_found(next + 1, hits.len());
        true
    }

    /// Says which of the lines with the words it is, and by which key the next one is reached: where the key for it means
    /// something else, by the one that asks for words, to which none are typed.
    fn say_found(&mut self, nth: usize, all: usize) {
        let finds = |key: &&Key| self.action_in_body(**key) == Some(Action::FindNext);
        let key = self.keymap.keys(Action::FindNext).iter().find(finds).map(Key::to_string);
        let asks = || Some(format!("{} enter", self.keymap.keys(Action::FindText).first()?));
        let next = key.or_else(asks);
        let next = next.map_or_else(String::new, |keys| format!("; {keys} goes to the next"));
        let words = &self.find.words;
        let text = match all {
            1 => format!("the only line with {words}"),
            _ => format!("line {nth} of {all} with {words}{next}"),
        };
        self.say(Notice::new(Level::Info, text));
    }

    /// True for a key that finds or filters where nothing else has it; none that may be a choice in a box.
    pub(super) fn finds(&self, key: Key) -> bool {
        let is_letter = key.text().is_some_and(char::is_alphanumeric);
        !is_letter && self.keymap.lookup(key, &[Context::Lines]) == Some(Action::FindText)
    }

    /// In a box with entries the key that finds asks for an entry. A question is left as by `esc`, and the key does what it does
    /// below: what is typed after it never answers the question.
    pub(super) fn find_in_popup(&mut self, key: Key) -> Vec<Effect> {
        match self.popup.take() {
            Some(Popup::Ask(question)) => (question.leave)(self),
            Some(Popup::Sort | Popup::ConfirmRefresh { .. }) | None => {}
            chooser => {
                self.popup = chooser;
                self.ask_for("find: ", "", Self::find_entry);
                return Vec::new();
            }
        }
        self.on_key(key)
    }

    /// Puts the cursor of a box on the next entry that has these words. Fails where none has.
    fn find_entry(&mut self, text: &str) -> Result<Vec<Effect>, String> {
        let entries = self.entries_of_box();
        let Some(
            Popup::Columns { cursor }
            | Popup::Presets { cursor }
            | Popup::Narrow { cursor, .. }
            | Popup::Choose { cursor, .. },
        ) = &mut self.popup
        else {
            return Ok(Vec::new());
        };
        let (from, count) = (*cursor, entries.len());
        let others = (1..=count).map(|step| (from + step) % count);
        let mut found = others.filter(|at| has_words(&entries[*at], text));
        match found.next() {
            Some(at) => *cursor = at,
            None if text.trim().is_empty() => {}
            None => return Err(format!("no entry here has `{}`", text.trim())),
        }
        Ok(Vec::new())
    }

    /// Texts of the entries of the box that is open; empty for a question.
    fn entries_of_box(&self) -> Vec<String> {
        match &self.popup {
            Some(Popup::Columns { .. }) => {
                let list = self.list();
                let all = column_entries(list.table(), list.columns()).into_iter();
                all.map(|(field, _)| format!("{} {}", field.name, field.header)).collect()
            }
            Some(Popup::Presets { .. }) => {
                self.presets.iter().map(|(name, source)| format!("{name} {source}")).collect()
            }
            Some(Popup::Narrow { not, .. }) => {
                self.choices().iter().map(|choice| choice.label(*not)).collect()
            }
            Some(Popup::Choose { of, .. }) => {
                (of.entries)(self).into_iter().map(|(text, _)| text).collect()
            }
            _ => Vec::new(),
        }
    }
}

fn text_of(line: &Line) -> String {
    line.spans.iter().map(|span| &*span.text).collect()
}

/// True when a text has each of the words, ignoring case: what stands in columns has blanks between.
fn has_words(text: &str, words: &str) -> bool {
    words.split_whitespace().all(|word| contains_folded(text, &word.to_lowercase()))
}

fn no_line(words: &str) -> String {
    format!("no line here has `{words}`")
}

#[cfg(test)]
mod tests {
    use crate::app::fixture::{app, init, press};
    use crate::app::{App, Effect, Msg, Page, Popup, PromptKind};
    use crate::tabs;

    const SIZE: (u16, u16) = (80, 24);

    /// What a cockpit was started over.
    type Start = fn((u16, u16)) -> App;

    /// Every tab with rows, and each of them before anything is read.
    const STARTS: [Start; 10] = [
        app,
        |size| App::new(init(None, size)),
        tabs::savings::state::fixture::app,
        tabs::storage::state::fixture::app,
        tabs::gpus::state::fixture::app,
        tabs::bill::state::fixture::app,
        tabs::teams::state::fixture::app,
        tabs::network::state::fixture::app,
        tabs::jobs::state::fixture::app,
        tabs::whatif::state::fixture::app,
    ];

    /// Ways to each tab, page and box.
    const PLACES: [&str; 31] = [
        "1",
        "2",
        "2m",
        "3",
        "4",
        "5",
        "6",
        "7",
        "8",
        "9",
        "H",
        "!",
        "$",
        "?",
        "?A",
        "3<enter>",
        "2<enter>",
        "2D",
        "2b",
        "3c",
        "3.",
        "3s",
        "p",
        "4<enter>",
        "9<enter>",
        "6<enter>",
        "5<enter>",
        "7x",
        "8i",
        "3a",
        ":guide<enter>",
    ];

    /// True for what is asked for by the way, whatever is typed.
    fn is_reading(effect: &Effect) -> bool {
        matches!(
            effect,
            Effect::ReadBills(_)
                | Effect::ReadJobs(_)
                | Effect::ReadJobSources
                | Effect::ReadActions(_)
                | Effect::ReadDemand(_)
        )
    }

    #[test]
    fn after_the_key_that_finds_what_is_typed_runs_nothing_on_any_tab_page_or_box() {
        let mut finds = 0;
        for (number, start) in STARTS.into_iter().enumerate() {
            for place in PLACES {
                let mut app = start(SIZE);
                press(&mut app, place);
                app.prepare();
                let (tab, pages) = (app.tab(), app.pages.len());
                let effects = press(&mut app, "/xe f");
                let way = format!("{number} {place}");
                let line = app.prompt().map(|prompt| prompt.line.text().to_owned());
                assert_eq!(line.as_deref(), Some("xe f"), "{way}");
                assert!(effects.iter().all(is_reading), "{way}: {effects:?}");
                assert!(!app.is_frozen(), "{way}");
                assert_eq!((app.tab(), app.pages.len()), (tab, pages), "{way}");
                finds += 1;
                press(&mut app, "<esc>");
                assert!(app.prompt().is_none(), "{way}");
            }
        }
        assert_eq!(finds, STARTS.len() * PLACES.len());
    }

    /// The line under the mark of what was found, as text.
    fn found(app: &mut App) -> Option<String> {
        app.prepare();
        let line = app.found_line()?;
        Some(super::text_of(&app.text_body().0[line]))
    }

    #[test]
    fn words_are_found_in_the_lines_of_the_overview_one_after_the_other() {
        let mut app = tabs::savings::state::fixture::app(SIZE);
        app.prepare();
        let lines: Vec<String> = app.text_body().0.iter().map(super::text_of).collect();
        let hits: Vec<&String> =
            lines.iter().filter(|line| line.to_lowercase().contains("idle")).collect();
        assert!(hits.len() > 2, "{lines:?}");
        press(&mut app, "/IDLE<enter>");
        assert!(app.prompt().is_none());
        let mut seen = vec![found(&mut app).unwrap()];
        for _ in 1..hits.len() {
            press(&mut app, "n");
            seen.push(found(&mut app).unwrap());
            let (at, (_, top, _)) = (app.found_line().unwrap(), app.text_body());
            assert!((top..top + app.body_height()).contains(&at), "it is on screen");
        }
        assert_eq!(seen, hits.into_iter().cloned().collect::<Vec<_>>());
        // Round and round, the other way as well; nothing typed goes on.
        press(&mut app, "n");
        assert_eq!(found(&mut app).as_ref(), seen.first());
        press(&mut app, "N");
        assert_eq!(found(&mut app).as_ref(), seen.last());
        press(&mut app, "/<enter>");
        assert_eq!(found(&mut app).as_ref(), seen.first());
        let text = app.notice().unwrap().text.clone();
        assert!(text.starts_with("line 1 of ") && text.ends_with("; n goes to the next"), "{text}");
        // What nothing has is said, and the line stays open.
        press(&mut app, "/no such words<enter>");
        let error = app.prompt().unwrap().error.clone().unwrap();
        assert_eq!(error.message, "no line here has `no such words`");
        press(&mut app, "<esc><esc>");
        assert_eq!(found(&mut app), None);
    }

    #[test]
    fn a_line_that_leads_somewhere_is_gone_into_once_it_is_found() {
        let mut app = app(SIZE);
        press(&mut app, "/train-7b-old<enter>");
        app.prepare();
        // What leads nowhere may have the name too.
        for _ in 0..9 {
            if app.text_body().2 != app.found_line() {
                press(&mut app, "n");
                app.prepare();
            }
        }
        assert_eq!(app.text_body().2, app.found_line());
        press(&mut app, "<enter>");
        assert!(matches!(app.page().unwrap().page, Page::Why { .. }));
        // On the page nothing is found yet.
        assert_eq!(found(&mut app), None);
        press(&mut app, "n<esc>");
        app.prepare();
        assert!(app.page().is_none());
    }

    #[test]
    fn pages_of_text_are_searched_too() {
        let mut app = app(SIZE);
        press(&mut app, "$/getmetric<enter>");
        let line = found(&mut app).unwrap();
        assert!(line.contains("GetMetricData"), "{line}");
        press(&mut app, "<esc>");
        assert!(app.page().is_none() && found(&mut app).is_none());
    }

    #[test]
    fn a_box_with_entries_goes_to_the_one_that_is_named_and_a_question_is_left() {
        let mut app = app(SIZE);
        press(&mut app, "p/mean<enter>");
        assert_eq!(app.popup(), Some(&Popup::Presets { cursor: 2 }));
        press(&mut app, "/no such<enter>");
        assert!(app.prompt().unwrap().error.is_some());
        press(&mut app, "<esc><esc>3c/cost_center<enter>");
        let Some(Popup::Columns { cursor }) = app.popup() else { panic!("{:?}", app.popup()) };
        let list = app.list();
        let entries = crate::app::column_entries(list.table(), list.columns());
        assert_eq!(entries[*cursor].0.name, "cost_center");
        press(&mut app, "<esc>");
        // Of one that costs money nothing typed is the answer.
        app.update(Msg::RefreshCost(Some(0.12)));
        let effects = press(&mut app, "r/team=nlp<enter>");
        assert_eq!((effects, app.popup()), (Vec::new(), None));
        assert_eq!(app.list().filter_text(), "team=nlp");
        // A key that names a column to sort by is none that filters.
        press(&mut app, "s/");
        let kind = &app.prompt().unwrap().kind;
        assert!(matches!(kind, PromptKind::Filter { .. }), "{kind:?}");
    }

    #[test]
    fn where_n_means_something_else_the_key_that_finds_leads_on_and_one_line_promises_no_other() {
        let mut app = tabs::network::state::fixture::app((120, 40));
        press(&mut app, "<enter>");
        app.prepare();
        let lines: Vec<String> = app.text_body().0.iter().map(super::text_of).collect();
        let hits = |word: &str| lines.iter().filter(|line| super::has_words(line, word)).count();
        let is_plain = |word: &&str| word.chars().all(|c| c.is_ascii_alphanumeric());
        let words = || lines.iter().flat_map(|line| line.split_whitespace()).filter(is_plain);
        let word = words().find(|word| hits(word) > 1).unwrap();
        let all = hits(word);
        press(&mut app, &format!("/{word}<enter>"));
        let text = app.notice().unwrap().text.clone();
        assert_eq!(text, format!("line 1 of {all} with {word}; / enter goes to the next"));
        press(&mut app, "/<enter>");
        let text = app.notice().unwrap().text.clone();
        assert!(text.starts_with(&format!("line 2 of {all} ")), "{text}");
        let word = words().find(|word| hits(word) == 1).unwrap();
        press(&mut app, &format!("/{word}<enter>"));
        assert_eq!(app.notice().unwrap().text, format!("the only line with {word}"));
    }
}
