//! What keys do in the help.

use super::content::help::HelpView;
use super::{App, Page};

impl App {
    /// Asks for the words to search all of the help for; those of the last search are replaced by what is typed.
    pub(super) fn search_help(&mut self) {
        let words = self.help.words.clone();
        self.ask_for_name("search the help: ", &words, |app, text| {
            let words = text.trim().to_owned();
            app.look_at_help(HelpView { words, ..app.help });
            Ok(Vec::new())
        });
    }

    /// Shows everything, or again what concerns the page alone.
    pub(super) fn turn_help(&mut self) {
        let all = !self.help.all;
        self.look_at_help(HelpView { all, words: String::new() });
    }

    /// Goes one step back within the help; false where it stands as it was opened.
    pub(super) fn back_in_help(&mut self) -> bool {
        let is_open = self.page().is_some_and(|opened| matches!(opened.page, Page::Help));
        if !is_open || self.help == HelpView::default() {
            return false;
        }
        // A search ends first; what was seen before it comes back.
        let all = self.help.all && !self.help.words.is_empty();
        self.look_at_help(HelpView { all, words: String::new() });
        true
    }

    /// Looks at the help from its first line on.
    fn look_at_help(&mut self, view: HelpView) {
        self.help = view;
        if let Some(opened) = self.pages.last_mut() {
            opened.scroll = 0;
        }
    }
}
