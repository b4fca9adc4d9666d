//! What commands do, and what leaves the cockpit as a picture.

use super::command::{self, Command, Fields, Known, Until, Wish};
use super::savings::SavingsLook;
use super::{
    App, Effect, ExportFormat, GpuLook, Level, Notice, Page, Picture, Popup, Regions, SavedView,
    Tab, Table,
};
use crate::act::plan::{SHORTEST_GRACE, Verb};
use crate::query::QueryError;
use crate::view::gpu::{GpuField, GpuGrouping};
use crate::view::{Field, Filter, Sort, TableField};

/// The names that exist at this moment, owned.
pub(super) struct Names {
    presets: Vec<String>,
    views: Vec<String>,
    regions: Vec<String>,
    scenarios: Vec<String>,
    fields: Fields,
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
            fields: match self.tab {
                Tab::Gpus => Fields::of::<GpuField>(),
                Tab::Storage => self.storage_fields(),
                Tab::Overview => self.savings_fields(),
                Tab::Idle | Tab::WhatIf => Fields::of::<Field>(),
            },
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
            Command::Filter(filter) if self.tab == Tab::Gpus => {
                Filter::<GpuField>::parse(filter).map(|_| ()).map_err(|e| e.to_string())?;
            }
            Command::Filter(filter) if self.tab == Tab::Storage => {
                self.check_storage_filter(filter)?;
            }
            Command::Filter(filter) if self.is_on_savings() => {
                self.check_savings_filter(filter)?;
            }
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
            Command::Overview => self.go_to_savings(SavingsLook::Overview),
            Command::Guide => self.open_guide(),
            Command::Savings(look) => self.go_to_savings(look),
            Command::Idle => self.go_to_tab(Tab::Idle),
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
                if on_table!(self, |table, rows| table.filter_by(&text)).is_ok() {
                    self.go_to_table();
                    self.filter_history.push(text.trim());
                }
            }
            Command::Sort(field, descending) => {
                self.go_to_table();
                on_table!(self, |table, rows| table.sort_by_name(field, descending));
            }
            Command::Columns(names) => {
                self.go_to_table();
                if names.is_empty() {
                    self.popup = Some(Popup::Columns { cursor: 0 });
                } else {
                    on_table!(self, |table, rows| table.show_columns(&names));
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

    /// The table that commands about tables mean: that of the tab on screen, else that of the
    /// instances.
    fn go_to_table(&mut self) {
        match self.tab {
            Tab::Gpus => self.go_to_gpus(GpuLook::Table),
            Tab::Storage => {
                self.pages.clear();
                self.popup = None;
            }
            Tab::Overview if self.is_on_savings() => {
                self.pages.clear();
                self.popup = None;
            }
            Tab::Overview | Tab::Idle | Tab::WhatIf => self.go_to_tab(Tab::Idle),
        }
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
        let hidden = if self.frozen.is_some() { "; the frozen picture hides it" } else { "" };
        self.say(Notice::new(Level::Info, format!("judging by {name}{hidden}")));
        vec![Effect::SetPreset(name)]
    }

    /// What is on screen as rows: the table as filtered and sorted, the instance of a why page,
    /// or the overview.
    pub(super) fn picture(&self) -> Option<Picture> {
        let fleet = self.shown().cloned();
        // A plan is no rows: see `plan_picture`.
        if self.tab == Tab::WhatIf {
            return None;
        }
        if self.tab == Tab::Storage {
            let rows = self.shows_storage_table().then(|| self.storage_picture()).flatten()?;
            return Some(self.picture_of_storage(rows));
        }
        if self.is_on_savings() {
            let rows = self.shows_savings_table().then(|| self.savings_picture()).flatten()?;
            return Some(self.picture_of_savings(rows));
        }
        if let Some(gpus) = self.gpu_picture() {
            let empty = Picture::of("gpus", fleet.unwrap_or_default(), self.gpu_context().now);
            let filter = match self.page() {
                Some(_) => String::new(),
                None => self.gpu_tab.table().filter_text().to_owned(),
            };
            return Some(Picture { filter, gpus: Some(gpus), ..empty });
        }
        let fleet = fleet?;
        let now = self.view_context().now;
        let columns = self.table.columns().to_vec();
        match self.page().map(|o| &o.page) {
            Some(Page::Why { instance, .. }) => {
                let at = fleet.rows.iter().position(|r| r.instance.id == *instance)?;
                let rows = vec![u32::try_from(at).ok()?];
                let columns = Field::ALL.to_vec();
                Some(Picture { rows, columns, ..Picture::of("idle", fleet, now) })
            }
            Some(_) => None,
            None if self.tab == Tab::Idle => {
                let rows = self.table.order().to_vec();
                let filter = self.table.filter_text().to_owned();
                Some(Picture { rows, columns, filter, ..Picture::of("idle", fleet, now) })
            }
            None => {
                let rows = (0..u32::try_from(fleet.rows.len()).ok()?).collect();
                Some(Picture { rows, columns, ..Picture::of("overview", fleet, now) })
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
            None => put(&mut self.table, &view),
            Some(_) => put(&mut self.gpu_tab.table, &view),
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
            Tab::Gpus => kept(&self.gpu_tab.table, name, Some(self.gpu_tab.grouping())),
            Tab::Storage => {
                self.say(Notice::new(Level::Warn, "views of the Storage tab are not kept"));
                return Vec::new();
            }
            Tab::Overview if self.is_on_savings() => {
                self.say(Notice::new(Level::Warn, "views of the lists of savings are not kept"));
                return Vec::new();
            }
            Tab::Overview | Tab::Idle | Tab::WhatIf => kept(&self.table, name, None),
        };
        match self.views.iter_mut().find(|v| v.name == view.name) {
            Some(old) => *old = view.clone(),
            None => self.views.push(view.clone()),
        }
        vec![Effect::SaveView(view)]
    }
}

/// Looks at a table as a view says. What this version does not know is left out: a field to sort
/// by leaves the fleet's own order, of the columns the others stay.
fn put<F: TableField>(table: &mut Table<F>, view: &SavedView) -> Result<(), QueryError> {
    table.filter_by(&view.filter)?;
    let field = F::from_name(&view.sort);
    table.sort = Sort { field, descending: field.is_some() && view.descending };
    table.set_columns(view.columns.iter().filter_map(|c| F::from_name(c)).collect());
    Ok(())
}

/// How a table is looked at.
fn kept<F: TableField>(table: &Table<F>, name: &str, gpus: Option<GpuGrouping>) -> SavedView {
    SavedView {
        name: name.to_owned(),
        gpus,
        filter: table.filter_text().to_owned(),
        sort: table.sort.field.map(|f| f.spec().name.to_owned()).unwrap_or_default(),
        descending: table.sort.descending,
        columns: table.columns().iter().map(|f| f.spec().name.to_owned()).collect(),
    }
}
