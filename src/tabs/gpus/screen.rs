//! What the cockpit asks of the GPUs tab.

use std::sync::Arc;

use super::picture::heat::HeatStep;
use super::picture::{GpuField, GpuGrouping, HeatZoom};
use super::state::GpuLook;
use super::{commands, pages};
use crate::app::command::CommandSpec;
use crate::app::content::Line;
use crate::app::keymap::{Action, Context};
use crate::app::screen::{Hints, Screen};
use crate::app::{App, Effect, GroupingSpec, List, ListSpec, Page, Picture, Tab};
use crate::fleet::Row;
use crate::tabs::gpus::TAB;
use crate::view::{TableField, ViewContext, format};

/// Screen of the GPUs tab.
pub(crate) struct GpuScreen;

impl Screen for GpuScreen {
    fn tab(&self) -> Tab {
        TAB
    }

    fn key(&self) -> Option<Action> {
        Some(Action::TabGpus)
    }

    fn needs_account(&self) -> bool {
        false
    }

    fn follow(&self, app: &mut App) -> Vec<Effect> {
        app.go_to_gpus(app.tabs.gpus.look);
        Vec::new()
    }

    fn contexts(&self, app: &App) -> &'static [Context] {
        if self.is_drawn(app) {
            return &[Context::Gpus, Context::Table, Context::Main, Context::Move, Context::Any];
        }
        &[Context::Gpus, Context::Main, Context::Move, Context::Any]
    }

    fn hints(&self, app: &App) -> Hints {
        if app.shows_heat() {
            // Of the whole fleet there is nothing to zoom out of.
            return match app.tabs.gpus.heat().zoom() {
                HeatZoom::Fleet => &[
                    (Action::Heat, "table"),
                    (Action::Enter, "zoom in"),
                    (Action::Act, ""),
                    (Action::Filter, ""),
                    (Action::HalfDown, "next group"),
                    (Action::Distribution, "GPUs by use"),
                ],
                _ => &[
                    (Action::Heat, "table"),
                    (Action::Enter, "zoom in"),
                    (Action::Back, "zoom out"),
                    (Action::Act, ""),
                    (Action::Filter, ""),
                    (Action::HalfDown, "next group"),
                    (Action::Distribution, "GPUs by use"),
                ],
            };
        }
        if !self.shows_table(app) {
            return &[
                (Action::Missing, "telemetry missing"),
                (Action::Log, ""),
                (Action::Refresh, ""),
            ];
        }
        if app.tabs.gpus.table.marked().is_some() {
            return &[
                (Action::Act, ""),
                (Action::Mark, ""),
                (Action::Unmark, ""),
                (Action::Filter, ""),
                (Action::Sort, ""),
                (Action::Export, ""),
            ];
        }
        macro_rules! on_head {
            ($group:literal) => {
                &[
                    (Action::Enter, "fold"),
                    (Action::Group, $group),
                    (Action::Heat, ""),
                    (Action::Filter, ""),
                    (Action::Export, ""),
                    (Action::CopyId, ""),
                    (Action::Sort, ""),
                    (Action::FoldAll, ""),
                    (Action::Act, ""),
                    (Action::Distribution, "GPUs by use"),
                    (Action::Missing, "telemetry missing"),
                ]
            };
        }
        macro_rules! on_row {
            ($group:literal) => {
                &[
                    (Action::Enter, ""),
                    (Action::Group, $group),
                    (Action::Heat, ""),
                    (Action::Filter, ""),
                    (Action::Export, ""),
                    (Action::CopyId, ""),
                    (Action::Mark, ""),
                    (Action::Act, ""),
                    (Action::Sort, ""),
                    (Action::Distribution, "GPUs by use"),
                    (Action::Missing, "telemetry missing"),
                    (Action::Columns, ""),
                ]
            };
        }
        // What the rows are grouped by after the key.
        macro_rules! grouped {
            ($hints:ident) => {
                match app.next_grouping() {
                    GpuGrouping::Node => $hints!("by node"),
                    GpuGrouping::Team => $hints!("by team"),
                    GpuGrouping::Owner => $hints!("by owner"),
                    GpuGrouping::Job => $hints!("by job"),
                    GpuGrouping::Model => $hints!("by model"),
                    GpuGrouping::State => $hints!("by state"),
                    GpuGrouping::Flat => $hints!("no groups"),
                }
            };
        }
        if app.tabs.gpus.table.current_head().is_some() {
            grouped!(on_head)
        } else {
            grouped!(on_row)
        }
    }

    fn act_first(&self, app: &mut App, action: Action) -> Option<Vec<Effect>> {
        if !app.shows_heat() {
            return None;
        }
        if action == Action::Filter {
            app.open_filter();
        } else if !app.act_on_heat(action) {
            return None;
        }
        Some(Vec::new())
    }

    fn owns(&self) -> &'static [Context] {
        &[Context::Gpus]
    }

    fn act(&self, app: &mut App, action: Action) -> Vec<Effect> {
        app.act_on_gpus(action);
        Vec::new()
    }

    fn enter(&self, app: &mut App) -> Vec<Effect> {
        app.enter_gpus()
    }

    fn level(&self, app: &App) -> usize {
        app.gpu_level()
    }

    fn back(&self, app: &mut App) -> bool {
        app.back_on_gpus()
    }

    fn wheel(&self, app: &mut App, lines: isize) -> bool {
        let step = if lines > 0 { HeatStep::Down } else { HeatStep::Up };
        app.step_heat(step, lines.unsigned_abs());
        true
    }

    fn click(&self, app: &mut App, at: (u16, u16), line: u16) -> Option<Vec<Effect>> {
        // The second click on a cell goes in.
        app.shows_heat().then(|| match app.click_heat(at.0, line) {
            Some(true) => app.enter(),
            _ => Vec::new(),
        })
    }

    fn glossary(&self) -> Vec<(&'static str, &'static str)> {
        pages::WORDS.into()
    }

    /// A slice is a row as well, and so is a part of a GPU: then there are more rows than GPUs.
    fn counted(&self, app: &App) -> Option<String> {
        let rows = app.gpu_rows();
        let tab = app.gpu_tab();
        let all = tab.said()?.pulse.sums.equivalents;
        if (all - rows.len() as f64).abs() < 1e-9 {
            return None;
        }
        let shown = tab.table().order().iter().filter_map(|at| rows.get(*at as usize));
        let shown: f64 = shown.map(|row| row.equivalents).sum();
        Some(format!("rows, {} of {} GPUs", format::count(shown), format::count(all)))
    }

    fn strip(&self, app: &App, width: usize) -> Vec<Line> {
        pages::strip(app, width)
    }

    fn strip_height(&self, app: &App, body: u16) -> u16 {
        match app.tabs.gpus.look {
            GpuLook::Table => body.saturating_sub(3) / 3,
            GpuLook::Heat => u16::from(body > 5),
        }
    }

    fn list<'a>(&self, app: &'a App) -> &'a List {
        &app.tabs.gpus.table
    }

    fn list_mut<'a>(&self, app: &'a mut App) -> &'a mut List {
        &mut app.tabs.gpus.table
    }

    fn lists(&self) -> Vec<&'static ListSpec> {
        vec![&ListSpec {
            name: "gpus",
            rows: "GPUs",
            fields: GpuField::table,
            list: |app| &app.tabs.gpus.table,
            list_mut: |app| &mut app.tabs.gpus.table,
            show: |app| app.go_to_gpus(GpuLook::Table),
            grouping: Some(GroupingSpec {
                names: || GpuGrouping::ALL.map(GpuGrouping::name).to_vec(),
                by: |app| app.tabs.gpus.grouping().name(),
                group: |app, name| app.group_gpus(GpuGrouping::from_name(name).unwrap_or_default()),
            }),
        }]
    }

    fn commands(&self) -> &'static [CommandSpec] {
        commands::COMMANDS
    }

    /// The table, as long as there are GPUs: those of a host need no cloud account.
    fn shows_table(&self, app: &App) -> bool {
        self.is_drawn(app) && app.tabs.gpus.look == GpuLook::Table
    }

    fn is_drawn(&self, app: &App) -> bool {
        !app.gpu_rows().is_empty()
    }

    fn sync(&self, app: &mut App) {
        app.sync_gpus();
    }

    fn sum_up(&self, app: &mut App) {
        app.sum_up_gpus();
    }

    fn after_update(&self, app: &mut App, effects: &mut Vec<Effect>) {
        app.after_update_focus(effects);
    }

    fn prepare(&self, app: &mut App) -> bool {
        let heat = app.shows_heat();
        if heat {
            app.sync_heat();
        }
        heat
    }

    fn lines(&self, app: &App, width: usize) -> Vec<Line> {
        pages::empty(app, width)
    }

    fn context(&self, app: &App) -> ViewContext {
        app.gpu_context()
    }

    fn row<'a>(&self, app: &'a App) -> Option<&'a Arc<Row>> {
        app.instance(&app.instance_of_gpu()?.instance.id)
    }

    fn marked_instances(&self, app: &App) -> Vec<Arc<str>> {
        app.instances_of_marks().cloned().collect()
    }

    fn marks_of(&self, app: &App, instance: &Arc<str>) -> Vec<Arc<str>> {
        app.marks_of_instance(instance).cloned().collect()
    }

    fn id_to_copy(&self, app: &App) -> Option<(String, String)> {
        let gpu = app.current_gpu().map(|row| row.id.to_string());
        let id = gpu.or_else(|| Some(app.current_row()?.instance.id.to_string()))?;
        Some((id.clone(), id))
    }

    fn row_to_copy(&self, app: &App) -> Option<(Arc<str>, Picture)> {
        app.current_gpu_picture().or_else(|| {
            let id = app.current_row()?.instance.id.clone();
            Some((id.clone(), app.instance_picture(&id)?))
        })
    }

    fn picture(&self, app: &App) -> Option<Picture> {
        app.gpu_picture()
    }

    fn page_picture(&self, app: &App, page: &Page) -> Option<Picture> {
        match page {
            Page::Gpu { id, .. } => app.one_gpu(id),
            _ => None,
        }
    }

    fn forget(&self, app: &mut App) {
        app.gpus = None;
        app.tabs.gpus.forget();
    }

    fn page_hints(&self, page: &Page) -> Hints {
        match page {
            Page::Gpu { .. } => &[
                (Action::Back, ""),
                (Action::Act, "act on its instance"),
                (Action::Right, "next"),
                (Action::Left, "previous"),
                (Action::CopyId, ""),
                (Action::CopyRow, ""),
            ],
            _ => crate::app::screen::PAGE_HINTS,
        }
    }

    fn act_on_page(&self, app: &mut App, action: Action) -> Option<Vec<Effect>> {
        matches!(action, Action::Left | Action::Right)
            .then(|| app.next_gpu(action == Action::Right))
    }

    fn page_lines(&self, app: &App, page: &Page, width: usize) -> Vec<Line> {
        match page {
            Page::Gpu { id, history, .. } => pages::page(app, id, history.as_deref(), width),
            Page::Distribution => pages::distribution(app, width),
            Page::Missing => pages::missing(app, width),
            _ => Vec::new(),
        }
    }

    fn page_row<'a>(&self, app: &'a App, page: &Page) -> Option<&'a Arc<Row>> {
        match page {
            Page::Gpu { .. } => self.row(app),
            _ => None,
        }
    }
}
