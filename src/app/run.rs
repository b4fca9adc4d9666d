//! What commands do, and what leaves the cockpit as a picture.

use std::sync::Arc;

use super::command::{self, Command, Known, Until, Wish};
use super::{
    App, Effect, GpuLook, Level, Notice, Page, Picture, Popup, Regions, SavedView, Tab, alone,
    shown,
};
use crate::act::plan::{SHORTEST_GRACE, Verb};
use crate::fleet::Fleet;
use crate::report::{Format, Instances, OverviewReport};
use crate::tabs::idle::picture::Field;
use crate::view::{FieldTable, Filter};

/// The names that exist at this moment, owned.
pub(super) struct Names {
    presets: Vec<String>,
    views: Vec<String>,
    regions: Vec<String>,
    scenarios: Vec<String>,
    fields: &'static dyn FieldTable,
}

impl Names {
    pub(super) fn known(&self) -> Known<'_> {
        Known {
            presets: &self.presets,
            views: &self.views,
            regions: &self.regions,
            scenarios: &self.scenarios,
            fields: self.fields,
        }
    }
}

impl App {
    pub(super) fn known_names(&self) -> Names {
        Names {
            presets: self.presets.iter().map(|p| p.0.clone()).collect(),
            views: self.views.iter().map(|v| v.name.clone()).collect(),
            regions: self.extent.regions.clone(),
            scenarios: self.whatif.saved().to_vec(),
            fields: self.list().table(),
        }
    }

    pub(super) fn understand(&self, text: &str) -> Result<Command, String> {
        let command = command::parse(text, &self.known_names().known())?;
        match &command {
            Command::Filter(_) | Command::Sort(..) | Command::Columns(_)
                if self.tab == Tab::WhatIf =>
            {
                return Err("there is no table here: go to another tab first, like 3".into());
            }
            Command::Export(format, _) if self.tab == Tab::WhatIf => {
                self.check_plan_export(*format)?;
            }
            Command::Filter(filter) => {
                Filter::parse(self.list().table(), filter).map_err(|e| e.to_string())?;
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
            Command::Guide => self.open_guide(),
            Command::Savings(look) => self.go_to_savings(look),
            Command::Tab(tab) => return tab.screen().open(self),
            Command::Gpus => self.go_to_gpus(GpuLook::Table),
            Command::Storage(look) => self.go_to_storage(look),
            Command::WhatIf(chart) => return self.go_to_whatif(chart),
            Command::Demand(from) => return self.read_demand(from),
            Command::Load(name) => return self.load_scenario(name),
            Command::Rename(name) => {
                return match self.rename_scenario(&name) {
                    Ok(effects) => effects,
                    Err(why) => {
                        self.say(Notice::new(Level::Warn, why));
                        Vec::new()
                    }
                };
            }
            Command::Note(text) => self.note_scenario(&text),
            Command::Heat => self.go_to_gpus(GpuLook::Heat),
            Command::Group(by) => {
                self.go_to_gpus(GpuLook::Table);
                self.group_gpus(by);
            }
            Command::Filter(text) => {
                if self.list_mut().filter_by(&text).is_ok() {
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

    /// What is on screen: the table as filtered and sorted, the row of a page, or the overview.
    pub(super) fn picture(&self) -> Option<Picture> {
        // A plan is no rows: see `plan_picture`.
        if self.tab == Tab::WhatIf {
            return None;
        }
        if self.tab == Tab::Storage {
            return self.shows_storage_table().then(|| self.storage_picture()).flatten();
        }
        if self.is_on_savings() {
            return self.shows_savings_table().then(|| self.savings_picture()).flatten();
        }
        if let Some(gpus) = self.gpu_picture() {
            return Some(gpus);
        }
        let fleet = self.shown()?.clone();
        let now = self.view_context().now;
        match self.page().map(|o| &o.page) {
            Some(Page::Why { instance, .. }) => self.instance_picture(instance),
            Some(_) => None,
            None if self.tab == Tab::Idle => {
                let list = shown::<Field>(&self.table, self.instances_of(fleet));
                Some(Picture::new(list, now))
            }
            None => {
                let report = OverviewReport {
                    fleet,
                    gpus: self.gpus().cloned().unwrap_or_default(),
                    storage: self.storage().cloned(),
                    savings: self.savings().cloned(),
                    preset: self.preset.clone(),
                    filter: String::new(),
                };
                Some(Picture::new(report, now))
            }
        }
    }

    /// One instance.
    pub(super) fn instance_picture(&self, id: &str) -> Option<Picture> {
        let fleet = self.shown()?;
        let row = fleet.rows.iter().find(|r| *r.instance.id == *id)?;
        let list = alone::<Field>(row, self.instances_of(fleet.clone()));
        Some(Picture::new(list, self.view_context().now))
    }

    fn instances_of(&self, fleet: Arc<Fleet>) -> Instances {
        Instances { fleet, preset: self.preset.clone() }
    }

    /// The name of a file that says what it holds and when it was made.
    pub(super) fn export_name(&self, format: Format) -> String {
        let picture = self.picture();
        let view = picture.as_ref().map_or("burntop", |p| p.view());
        let time = self.view_context().now.strftime("%Y%m%dT%H%MZ");
        format!("burntop-{view}-{time}.{}", format.extension())
    }

    fn export(&mut self, format: Format, path: Option<String>) -> Vec<Effect> {
        if self.tab == Tab::WhatIf {
            return self.export_plan(format, path);
        }
        self.sync_table();
        let Some(picture) = self.picture() else { return Vec::new() };
        let path = path.unwrap_or_else(|| self.export_name(format));
        vec![Effect::Export { path, format, picture }]
    }

    fn use_view(&mut self, name: &str) {
        let Some(view) = self.views.iter().find(|v| v.name == name).cloned() else { return };
        let shown = match view.gpus {
            None => self.table.look_as(&view),
            Some(_) => self.gpu_tab.table.look_as(&view),
        };
        if let Err(error) = shown {
            self.say(Notice::new(Level::Error, format!("view {name}: filter {error}")));
            return;
        }
        match view.gpus {
            None => self.go_to_tab(Tab::Idle),
            Some(grouping) => {
                self.go_to_gpus(GpuLook::Table);
                self.group_gpus(grouping);
            }
        }
    }

    pub(super) fn save_view(&mut self, name: &str) -> Vec<Effect> {
        if name.is_empty() {
            self.say(Notice::new(Level::Warn, "a view needs a name; nothing was saved"));
            return Vec::new();
        }
        if self.tab == Tab::WhatIf {
            return self.save_scenario(name).unwrap_or_else(|why| {
                self.say(Notice::new(Level::Warn, why));
                Vec::new()
            });
        }
        let view = match self.tab {
            Tab::Gpus => {
                let gpus = Some(self.gpu_tab.grouping());
                SavedView { gpus, ..self.gpu_tab.table.view(name) }
            }
            Tab::Storage => {
                self.say(Notice::new(Level::Warn, "views of the Storage tab are not kept"));
                return Vec::new();
            }
            Tab::Overview if self.is_on_savings() => {
                self.say(Notice::new(Level::Warn, "views of the lists of savings are not kept"));
                return Vec::new();
            }
            Tab::Overview | Tab::Idle | Tab::WhatIf => self.table.view(name),
        };
        match self.views.iter_mut().find(|v| v.name == view.name) {
            Some(old) => *old = view.clone(),
            None => self.views.push(view.clone()),
        }
        vec![Effect::SaveView(view)]
    }
}
