//! What commands do, and what leaves the cockpit as a picture.

use super::command::{self, Command, Until, Wish};
use super::jump::How;
use super::{App, Effect, Level, Notice, Page, Picture, Popup};
use crate::act::plan::{SHORTEST_GRACE, Verb};
use crate::domain::Regions;
use crate::report::Format;
use crate::view::Filter;

impl App {
    pub(super) fn understand(&self, text: &str) -> Result<Command, String> {
        let command = command::parse(text, self)?;
        match &command {
            Command::Filter(_) | Command::Sort(..) | Command::Columns(_)
                if !self.screen().has_list() =>
            {
                return Err("there is no table here: go to another tab first, like 3".into());
            }
            Command::Filter(filter) => {
                Filter::parse(self.list().table(), filter).map_err(|e| e.to_string())?;
            }
            Command::Export(format, _) => self.screen().check_export(self, *format)?,
            Command::Save(name) => self.warn_of_replacing(name)?,
            _ => {}
        }
        Ok(command)
    }

    pub(super) fn run(&mut self, command: Command) -> Vec<Effect> {
        match command {
            Command::Tab(_) | Command::Own(_) | Command::View(_) => {
                self.go_by(How::Command, |app| app.run_here(command))
            }
            command => self.run_here(command),
        }
    }

    fn run_here(&mut self, command: Command) -> Vec<Effect> {
        match command {
            Command::Tab(tab) => return tab.screen().open(self),
            Command::Own(deed) => {
                return deed.apply(self, "").unwrap_or_else(|why| {
                    self.say(Notice::new(Level::Warn, why));
                    Vec::new()
                });
            }
            Command::Filter(text) => {
                if self.list_mut().filter_by(&text).is_ok() {
                    self.forget_lines();
                    self.screen().go_to_list(self);
                    self.filter_history.push(text.trim());
                }
            }
            Command::Sort(field, descending) => {
                self.screen().go_to_list(self);
                self.list_mut().sort_by_name(field, descending);
            }
            Command::Columns(names) => {
                self.screen().go_to_list(self);
                if names.is_empty() {
                    self.popup = Some(Popup::Columns { cursor: 0 });
                } else {
                    self.list_mut().show_columns(&names);
                }
            }
            Command::Region(regions) => {
                let what = match &regions {
                    Regions::Home => "the home region".to_owned(),
                    Regions::Named(codes) => codes.join(", "),
                    Regions::Enabled => "all enabled regions".to_owned(),
                };
                self.say(Notice::new(Level::Info, format!("reading {what}")));
                // What is known of the past is of those that are left.
                self.burn_past = None;
                self.looked_back = None;
                return vec![Effect::SetRegions(regions)];
            }
            Command::Theme(theme) => {
                self.appearance.theme = theme;
                // Every cell may look different: what is on screen is no base for a difference.
                return vec![Effect::Redraw];
            }
            Command::Preset(name) => return self.set_preset(name),
            Command::Export(format, path) => return self.export(format, path),
            Command::View(name) => self.use_view(&name),
            Command::Save(name) => return self.save(&name),
            Command::Log => self.open(Page::Log),
            Command::Cost => self.open(Page::OwnCost),
            Command::Help => self.open(Page::Help),
            Command::Refresh => return self.refresh(),
            Command::Freeze => self.toggle_freeze(),
            Command::Mouse(on) => {
                self.mouse = on;
                return vec![Effect::SetMouse(on)];
            }
            Command::Act(wish) => return self.act_on_command(wish),
            Command::Quit => return self.quit(false),
        }
        Vec::new()
    }

    /// A verb as a command goes straight to its checks.
    fn act_on_command(&mut self, wish: Wish) -> Vec<Effect> {
        let verb = match wish {
            Wish::Stop => Verb::Stop,
            Wish::Terminate { decrement } => Verb::Terminate { decrement },
            Wish::Start => Verb::Start,
            Wish::Unmark => Verb::Unmark,
            Wish::Mark { until, reason } => {
                let expires = match until {
                    Until::In(time) => self.now.saturating_add(time).unwrap_or(self.now),
                    Until::At(moment) => moment,
                };
                if expires.duration_since(self.now) < SHORTEST_GRACE {
                    let text = "a mark gives an hour at least: `mark 4d` or `mark 2026-12-24`";
                    self.say(Notice::new(Level::Warn, text));
                    return Vec::new();
                }
                self.prepare();
                let reason = reason.unwrap_or_else(|| self.mark_reason());
                Verb::Mark { expires, reason }
            }
        };
        self.open_sheet(Some(verb))
    }

    pub(super) fn set_preset(&mut self, name: String) -> Vec<Effect> {
        if name == self.preset {
            return Vec::new();
        }
        let hidden = if self.is_frozen() { "; the frozen picture hides it" } else { "" };
        self.say(Notice::new(Level::Info, format!("judging by {name}{hidden}")));
        vec![Effect::SetPreset(name)]
    }

    /// The name of a file that says what it holds and when it was made.
    pub(super) fn export_name(&self, picture: &Picture, format: Format) -> String {
        let what = self.screen().export_stem(self, picture);
        // To the second, unlike what is drawn: two files may be written within a minute.
        let time = self.now().strftime("%Y%m%dT%H%M%SZ");
        format!("burntop-{what}-{time}.{}", format.extension())
    }

    fn export(&mut self, format: Format, path: Option<String>) -> Vec<Effect> {
        self.sync_table();
        let Some(picture) = self.picture() else { return Vec::new() };
        let path = path.unwrap_or_else(|| self.export_name(&picture, format));
        if self.screen().export_waits(self, format, &path) {
            return Vec::new();
        }
        vec![Effect::Export { path, format, picture }]
    }

    /// Keeps what is on screen under a name: the way its list is looked at, or a scenario.
    pub(super) fn save(&mut self, name: &str) -> Vec<Effect> {
        if name.is_empty() {
            self.say(Notice::new(Level::Warn, "a view needs a name; nothing was saved"));
            return Vec::new();
        }
        self.screen().save(self, name).unwrap_or_else(|why| {
            self.say(Notice::new(Level::Warn, why));
            Vec::new()
        })
    }
}
