//! What commands do, and what leaves the cockpit as a picture.

use super::command::{self, Command, Known, Until, Wish};
use super::{
    App, Effect, ExportFormat, Level, Notice, Page, Picture, Popup, Regions, SavedView, Tab,
};
use crate::act::plan::Verb;
use crate::view::{Field, Filter, Sort, TableField};

/// The names that exist at this moment, owned.
pub(super) struct Names {
    presets: Vec<String>,
    views: Vec<String>,
    regions: Vec<String>,
}

impl Names {
    pub(super) fn known(&self) -> Known<'_> {
        Known { presets: &self.presets, views: &self.views, regions: &self.regions }
    }
}

impl App {
    pub(super) fn known_names(&self) -> Names {
        Names {
            presets: self.presets.iter().map(|p| p.0.clone()).collect(),
            views: self.views.iter().map(|v| v.name.clone()).collect(),
            regions: self.extent.regions.clone(),
        }
    }

    pub(super) fn understand(&self, text: &str) -> Result<Command, String> {
        let command = command::parse(text, &self.known_names().known())?;
        match &command {
            Command::Filter(filter) => {
                Filter::<Field>::parse(filter).map(|_| ()).map_err(|e| e.to_string())?;
            }
            Command::Export(..) if self.picture().is_none() => {
                return Err("there is nothing here to export".into());
            }
            _ => {}
        }
        Ok(command)
    }

    pub(super) fn run(&mut self, command: Command) -> Vec<Effect> {
        match command {
            Command::Overview => self.go_to_tab(Tab::Overview),
            Command::Idle => self.go_to_tab(Tab::Idle),
            Command::Filter(text) => {
                if self.table.filter_by(&text).is_ok() {
                    self.go_to_tab(Tab::Idle);
                    self.filter_history.push(text.trim());
                }
            }
            Command::Sort(field, descending) => {
                self.go_to_tab(Tab::Idle);
                let mut sort = field.map_or_else(Sort::default, Sort::by);
                sort.descending = descending.unwrap_or(sort.descending);
                self.table.sort = sort;
            }
            Command::Columns(fields) if fields.is_empty() => {
                self.go_to_tab(Tab::Idle);
                self.popup = Some(Popup::Columns { cursor: 0 });
            }
            Command::Columns(fields) => {
                self.go_to_tab(Tab::Idle);
                self.table.set_columns(fields);
            }
            Command::Region(regions) => {
                let what = match &regions {
                    Regions::All => "all enabled regions".to_owned(),
                    Regions::These(codes) => codes.join(", "),
                };
                self.say(Notice::new(Level::Info, format!("reading {what}")));
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
            Command::Save(name) => return self.save_view(&name),
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
                if expires <= self.now {
                    let text = "a mark expires in the future: `mark 4d` or `mark 2026-12-24`";
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
        let hidden = if self.frozen.is_some() { "; the frozen picture hides it" } else { "" };
        self.say(Notice::new(Level::Info, format!("judging by {name}{hidden}")));
        vec![Effect::SetPreset(name)]
    }

    /// What is on screen as rows: the table as filtered and sorted, the instance of a why page,
    /// or the overview.
    pub(super) fn picture(&self) -> Option<Picture> {
        let fleet = self.shown()?.clone();
        let now = self.view_context().now;
        let columns = self.table.columns().to_vec();
        match self.page().map(|o| &o.page) {
            Some(Page::Why { instance, .. }) => {
                let at = fleet.rows.iter().position(|r| r.instance.id == *instance)?;
                let rows = vec![u32::try_from(at).ok()?];
                let columns = Field::ALL.to_vec();
                Some(Picture { view: "idle", fleet, rows, columns, filter: String::new(), now })
            }
            Some(_) => None,
            None if self.tab == Tab::Idle => {
                let rows = self.table.order().to_vec();
                let filter = self.table.filter_text().to_owned();
                Some(Picture { view: "idle", fleet, rows, columns, filter, now })
            }
            None => {
                let rows = (0..u32::try_from(fleet.rows.len()).ok()?).collect();
                let filter = String::new();
                Some(Picture { view: "overview", fleet, rows, columns, filter, now })
            }
        }
    }

    /// The name of a file that says what it holds and when it was made.
    pub(super) fn export_name(&self, format: ExportFormat) -> String {
        let view = self.picture().map_or("burntop", |p| p.view);
        let time = self.view_context().now.strftime("%Y%m%dT%H%MZ");
        format!("burntop-{view}-{time}.{}", format.extension())
    }

    fn export(&mut self, format: ExportFormat, path: Option<String>) -> Vec<Effect> {
        self.sync_table();
        let Some(picture) = self.picture() else { return Vec::new() };
        let path = path.unwrap_or_else(|| self.export_name(format));
        vec![Effect::Export { path, format, picture }]
    }

    fn use_view(&mut self, name: &str) {
        let Some(view) = self.views.iter().find(|v| v.name == name).cloned() else { return };
        if let Err(error) = self.table.filter_by(&view.filter) {
            let text = format!("view {name}: filter {error}");
            self.say(Notice::new(Level::Error, text));
            return;
        }
        self.go_to_tab(Tab::Idle);
        // A field that this version does not know leaves the fleet's own order.
        let field = Field::from_name(&view.sort);
        let descending = field.is_some() && view.descending;
        self.table.sort = Sort { field, descending };
        // A column that this version does not know is left out, the others stay.
        let columns = view.columns.iter().filter_map(|c| Field::from_name(c)).collect();
        self.table.set_columns(columns);
    }

    pub(super) fn save_view(&mut self, name: &str) -> Vec<Effect> {
        if name.is_empty() {
            self.say(Notice::new(Level::Warn, "a view needs a name; nothing was saved"));
            return Vec::new();
        }
        let view = SavedView {
            name: name.to_owned(),
            filter: self.table.filter_text().to_owned(),
            sort: self.table.sort.field.map(|f| f.spec().name.to_owned()).unwrap_or_default(),
            descending: self.table.sort.descending,
            columns: self.table.columns().iter().map(|f| f.spec().name.to_owned()).collect(),
        };
        match self.views.iter_mut().find(|v| v.name == view.name) {
            Some(old) => *old = view.clone(),
            None => self.views.push(view.clone()),
        }
        vec![Effect::SaveView(view)]
    }
}
