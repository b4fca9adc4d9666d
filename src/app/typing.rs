//! What happens in the line where one types.

use super::keymap::Action;
use super::{App, Deed, Effect, Prompt, PromptError, PromptKind, command};
use crate::query::QueryError;
use crate::view::complete::{complete, last_term};

impl App {
    /// Opens the prompt for the filter, with the filter in force: what is typed takes its place, and other edits go on with it.
    pub(crate) fn open_filter(&mut self) {
        let text = self.list().filter_text().to_owned();
        let kind = PromptKind::Filter { before: text.clone() };
        self.prompt = Some(Prompt::proposing(kind, "", &text));
    }

    pub(super) fn on_paste(&mut self, text: &str) {
        if self.prompt.is_none() && self.dialog().is_some() {
            self.on_paste_in_dialog(text);
        } else if let Some(prompt) = &mut self.prompt {
            prompt.line.insert(text);
            self.typed();
        }
    }

    pub(super) fn act_in_prompt(&mut self, action: Action) -> Vec<Effect> {
        let Some(prompt) = &mut self.prompt else { return Vec::new() };
        match action {
            Action::Accept => return self.accept(),
            Action::Cancel => {
                if let Some(Prompt { kind: PromptKind::Filter { before }, .. }) = self.prompt.take()
                    && self.list_mut().filter_by(&before).is_err()
                {
                    self.list_mut().clear_filter();
                }
                self.filter_history.leave();
                self.command_history.leave();
            }
            Action::Complete | Action::CompleteBack => {
                let typed = prompt.line.text().to_owned();
                if prompt.completions.is_empty() {
                    // Where nothing is begun, what there is is shown first, and nothing of it taken.
                    let term = last_term(prompt.line.before());
                    let only_shows = term.is_empty() || term.ends_with(['=', '~', ',']);
                    match prompt.kind {
                        PromptKind::Command => self.complete_command(),
                        PromptKind::Filter { .. } => {
                            self.complete_filter();
                            let found = self.prompt.as_ref().map_or(0, |p| p.completions.len());
                            if only_shows && found > 1 {
                                if let Some(prompt) = &mut self.prompt {
                                    prompt.error = None;
                                }
                                return Vec::new();
                            }
                        }
                        PromptKind::SaveView | PromptKind::Own { .. } => {}
                    }
                }
                if let Some(prompt) = &mut self.prompt {
                    prompt.complete(action == Action::Complete);
                    // One candidate needs no second choice: go on with what follows it.
                    if prompt.completions.len() == 1 {
                        prompt.completions.clear();
                        prompt.chosen = None;
                    }
                    let text = prompt.line.text().to_owned();
                    // A name alone is no filter yet, and no mistake: the one in force stays.
                    if matches!(prompt.kind, PromptKind::Filter { .. }) && text != typed {
                        prompt.error = None;
                        let _ = self.list_mut().filter_by(&text);
                    }
                }
            }
            Action::HistoryBack | Action::HistoryForward => {
                let history = match prompt.kind {
                    PromptKind::Filter { .. } => &mut self.filter_history,
                    PromptKind::Command => &mut self.command_history,
                    PromptKind::SaveView | PromptKind::Own { .. } => return Vec::new(),
                };
                if action == Action::HistoryBack {
                    history.back(&mut prompt.line);
                } else {
                    history.forward(&mut prompt.line);
                }
                self.typed();
            }
            edit => {
                // Nothing to delete in an empty command line: leave it, as vi does.
                if edit == Action::Backspace
                    && prompt.line.text().is_empty()
                    && matches!(prompt.kind, PromptKind::Command)
                {
                    self.prompt = None;
                } else if prompt.line.apply(edit) {
                    self.typed();
                }
            }
        }
        Vec::new()
    }

    /// The text changed: apply a filter that parses, say what is wrong with one that does not.
    pub(super) fn typed(&mut self) {
        let Some(prompt) = &mut self.prompt else { return };
        prompt.error = None;
        prompt.completions.clear();
        prompt.chosen = None;
        self.apply_filter();
    }

    /// Puts the filter that is typed in force, or says what is wrong with it.
    fn apply_filter(&mut self) {
        let Some(prompt) = &self.prompt else { return };
        if !matches!(prompt.kind, PromptKind::Filter { .. }) {
            return;
        }
        let text = prompt.line.text().to_owned();
        let list = self.list_mut();
        let Err(QueryError { column, message }) = list.filter_by(&text) else { return };
        // The name of a field is no word to search for: what stands before it counts. What is no filter leaves the one in force.
        let _ = list.filter_by(before_comparison(&text, column));
        if let Some(prompt) = &mut self.prompt {
            prompt.error = Some(PromptError { column: Some(column), message });
        }
    }

    fn accept(&mut self) -> Vec<Effect> {
        // A completion may have left a filter that cannot be parsed yet.
        self.apply_filter();
        let Some(prompt) = &self.prompt else { return Vec::new() };
        let text = prompt.line.text().to_owned();
        match &prompt.kind {
            // A filter with an error stays open: what is in force is not what is typed.
            PromptKind::Filter { .. } if prompt.error.is_some() => {}
            PromptKind::Filter { before } => {
                if text.trim() != *before {
                    self.forget_lines();
                }
                self.prompt = None;
                self.filter_history.push(text.trim());
            }
            PromptKind::SaveView => match self.warn_of_replacing(text.trim()) {
                Ok(()) => {
                    self.prompt = None;
                    return self.save(text.trim());
                }
                Err(message) => self.keep_open(message),
            },
            PromptKind::Own { take, .. } => match take.clone().apply(self, &text) {
                Ok(effects) => {
                    self.prompt = None;
                    return effects;
                }
                Err(message) => self.keep_open(message),
            },
            PromptKind::Command if text.trim().is_empty() => self.prompt = None,
            PromptKind::Command => match self.understand(&text) {
                Ok(command) => {
                    self.prompt = None;
                    self.command_history.push(text.trim());
                    return self.run(command);
                }
                Err(message) => self.keep_open(message),
            },
        }
        Vec::new()
    }

    /// Says why what was typed is not done; it can be typed otherwise.
    fn keep_open(&mut self, message: String) {
        if let Some(prompt) = &mut self.prompt {
            prompt.error = Some(PromptError { column: None, message });
        }
    }

    /// Fails where saving under this name takes the place of what is kept, with a warning that says so; no more once the
    /// warning stands in the prompt: enter pressed again means it.
    pub(crate) fn warn_of_replacing(&self, name: &str) -> Result<(), String> {
        let Some(kept) = self.screen().replaces(self, name) else { return Ok(()) };
        let key = self.keymap.keys(Action::Accept).first();
        let again = key.map_or_else(String::new, |key| format!(": {key} again replaces it"));
        let warning = format!("{kept} is kept already{again}");
        let error = self.prompt.as_ref().and_then(|prompt| prompt.error.as_ref());
        let is_said = error.is_some_and(|error| error.message == warning);
        if is_said { Ok(()) } else { Err(warning) }
    }

    fn complete_command(&mut self) {
        let Some(prompt) = &self.prompt else { return };
        let completions = command::complete(prompt.line.before(), self);
        if let Some(prompt) = &mut self.prompt {
            prompt.completions = completions;
        }
    }

    fn complete_filter(&mut self) {
        let Some(prompt) = &self.prompt else { return };
        let (list, before) = (self.list(), prompt.line.before());
        let rows = list.rows().map(|rows| &**rows);
        let completions = complete(before, list.table(), rows, &self.table_context());
        if let Some(prompt) = &mut self.prompt {
            prompt.completions = completions;
        }
    }

    /// Opens a prompt for text that a tab needs; `take` receives it.
    pub(crate) fn ask_for(
        &mut self,
        label: impl Into<String>,
        text: &str,
        take: impl Fn(&mut Self, &str) -> Result<Vec<Effect>, String> + Send + Sync + 'static,
    ) {
        let kind = PromptKind::Own { label: label.into(), take: Deed::of(take) };
        self.prompt = Some(Prompt::new(kind, text));
    }

    /// A line for a name with one proposed in it: what is typed takes its place, and other edits go on with it.
    pub(crate) fn ask_for_name(
        &mut self,
        label: impl Into<String>,
        proposed: &str,
        take: impl Fn(&mut Self, &str) -> Result<Vec<Effect>, String> + Send + Sync + 'static,
    ) {
        let kind = PromptKind::Own { label: label.into(), take: Deed::of(take) };
        self.prompt = Some(Prompt::proposing(kind, "", proposed));
    }

    /// A line for a value that is `now` so. It begins empty and the value stands in its label: what is typed takes its place, and is
    /// never put behind it. Nothing typed leaves it as it is.
    pub(crate) fn ask_for_value(
        &mut self,
        name: &str,
        now: &str,
        take: impl Fn(&mut Self, &str) -> Result<Vec<Effect>, String> + Send + Sync + 'static,
    ) {
        self.ask_for(format!("{name}now {now}: "), "", move |app, text| match text.trim() {
            "" => Ok(Vec::new()),
            text => take(app, text),
        });
    }
}

/// The part of a filter before the comparison in which its mistake is, without the `and` or `not` that joins them.
fn before_comparison(text: &str, column: usize) -> &str {
    let end = text.char_indices().nth(column.saturating_sub(1)).map_or(text.len(), |(at, _)| at);
    let mut rest = &text[..text[..end].rfind(char::is_whitespace).unwrap_or(0)];
    loop {
        rest = rest.trim_end();
        let last = rest.rsplit(char::is_whitespace).next().unwrap_or_default();
        if !["and", "or", "not"].iter().any(|word| last.eq_ignore_ascii_case(word)) {
            return rest;
        }
        rest = &rest[..rest.len() - last.len()];
    }
}

#[cfg(test)]
mod tests {
    use crate::app::fixture::{app, press};
    use crate::ui::golden::screen;

    #[test]
    fn an_error_in_a_filter_is_read_whole_at_80_columns() {
        for filter in
            ["waste=x", "verdict=zzzz", "idle>3dayz", "idle>3 fortnights", "bogus=3", "name>3"]
        {
            let mut app = app((80, 24));
            press(&mut app, &format!("3/{filter}"));
            let error = app.prompt().unwrap().error.clone().unwrap();
            let seen = screen(&mut app);
            // Lines of the rule, joined.
            let shown = seen.lines().filter(|line| line.starts_with("── "));
            let shown: Vec<&str> = shown.map(|line| line.trim_matches(['─', ' '])).collect();
            assert!(shown.join(" ").contains(&error.message), "{}\n{seen}", error.message);
            assert!(seen.contains(&format!("/ {filter}")), "{seen}");
        }
    }

    #[test]
    fn where_nothing_is_begun_tab_shows_what_there_is_and_takes_the_first_at_the_second_press() {
        let mut app = app((80, 24));
        let line = |app: &crate::app::App| app.prompt().unwrap().line.text().to_owned();
        press(&mut app, "3/team=nlp <tab>");
        assert_eq!(line(&app), "team=nlp ");
        assert!(app.prompt().unwrap().completions.len() > 10);
        press(&mut app, "<ctrl-u>team=<tab>");
        assert_eq!(line(&app), "team=");
        let first = app.prompt().unwrap().completions[0].clone();
        press(&mut app, "<tab>");
        assert_eq!(line(&app), first);
        press(&mut app, "<ctrl-u>tea<tab>");
        assert_eq!(line(&app), "team=");
    }

    #[test]
    fn what_completes_a_filter_and_what_is_said_of_it_is_read_whole_at_80_columns() {
        let mut app = crate::tabs::storage::state::fixture::app((80, 24));
        press(&mut app, "4/tiers=<tab>");
        let all = app.prompt().unwrap().completions.clone();
        assert!(all.len() > 12, "{all:?}");
        let seen = screen(&mut app);
        for line in &all {
            let word = line.strip_prefix("tiers=").unwrap();
            assert!(seen.split_whitespace().any(|seen| seen == word), "{word}:\n{seen}");
        }
        // A word behind a value is no part of it, and that is said with what would be.
        press(&mut app, "<ctrl-u>team=a b");
        let seen = screen(&mut app);
        assert!(seen.contains("`b` is searched for in all texts"), "{seen}");
        assert!(seen.contains("team=\"a b\""), "{seen}");
        // An example where nothing is to be said.
        press(&mut app, "<ctrl-u>");
        assert!(screen(&mut app).contains("name=a,b or $>10"));
    }
}
