//! The guide: which instance a model needs, asked with sliders.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::analyze::rightsize::guide::{Guide, GuideAsk, Precision, Task, recommend};
use crate::app::keymap::Action;
use crate::app::{App, Effect, Page, turned};
use crate::tabs::savings::lists::SavingsList;
use crate::tabs::savings::picture::{GuideRow, guide_number, guide_rows, guide_set, guide_step};

/// Inputs of the guide, and the cursor.
#[derive(Clone, Debug, Default)]
pub struct GuideForm {
    /// Inputs of the guide.
    pub(crate) ask: GuideAsk,
    /// The row that the cursor is on.
    pub(crate) cursor: usize,
    /// Region of the prices; `None` for the region in which most runs.
    pub(crate) region: Option<Arc<str>>,
}

impl GuideForm {
    /// Inputs of the guide.
    pub fn ask(&self) -> &GuideAsk {
        &self.ask
    }

    /// Index of the input under the cursor.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// The input under the cursor.
    pub fn row(&self) -> GuideRow {
        guide_rows().nth(self.cursor).unwrap_or(GuideRow::Task)
    }
}

impl App {
    /// The form of the guide.
    pub fn guide(&self) -> &GuideForm {
        &self.tabs.savings.guide
    }

    /// True on the page of the guide.
    pub fn on_guide(&self) -> bool {
        matches!(self.page().map(|o| &o.page), Some(Page::Guide))
    }

    /// Opens the guide.
    pub(crate) fn open_guide(&mut self) {
        self.open(Page::Guide);
    }

    /// Regions of the fleet, where most runs first.
    fn guide_regions(&self) -> Vec<Arc<str>> {
        let mut running: BTreeMap<&Arc<str>, usize> = BTreeMap::new();
        for row in self.shown().iter().flat_map(|f| &f.rows) {
            *running.entry(&row.instance.scope.region).or_default() += 1;
        }
        let mut all: Vec<(usize, &Arc<str>)> = running.into_iter().map(|(r, n)| (n, r)).collect();
        all.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        all.into_iter().map(|(_, region)| region.clone()).collect()
    }

    /// Region of the prices; `None` where no region was chosen and nothing runs anywhere.
    pub fn guide_region(&self) -> Option<Arc<str>> {
        let chosen = self.tabs.savings.guide.region.clone();
        chosen.or_else(|| self.guide_regions().into_iter().next())
    }

    /// Answer of the guide; `None` before there are prices.
    pub fn guide_answer(&self) -> Option<Guide> {
        let (fleet, region) = (self.shown()?, self.guide_region()?);
        let book = &fleet.book;
        Some(recommend(&self.tabs.savings.guide.ask, &book.types, &book.prices, &region, None))
    }

    /// What a key does on the page; `None` where it means what it means elsewhere.
    pub(crate) fn act_on_guide(&mut self, action: Action) -> Option<Vec<Effect>> {
        let last = guide_rows().len() - 1;
        match action {
            Action::Down | Action::Up => {
                let form = &mut self.tabs.savings.guide;
                let step = if action == Action::Down { 1 } else { -1 };
                form.cursor = form.cursor.saturating_add_signed(step).min(last);
            }
            Action::Top => self.tabs.savings.guide.cursor = 0,
            Action::Raise | Action::Right => self.move_guide(true, 1),
            Action::Lower | Action::Left => self.move_guide(false, 1),
            Action::RaiseMore => self.move_guide(true, 3),
            Action::LowerMore => self.move_guide(false, 3),
            Action::SetValue | Action::Enter => self.type_in_guide(),
            // The keys that go through charts elsewhere go through the lists here: the guide stands behind the last.
            Action::NextChart => return Some(self.turn_from_guide(None)),
            Action::PreviousChart => {
                return Some(self.turn_from_guide(SavingsList::ALL.last().copied()));
            }
            _ => return None,
        }
        // The inputs stand at the top.
        if self.on_guide()
            && let Some(opened) = self.pages.last_mut()
        {
            opened.scroll = 0;
        }
        Some(Vec::new())
    }

    fn move_guide(&mut self, up: bool, times: i32) {
        let row = self.tabs.savings.guide.row();
        let regions = self.guide_regions();
        let now = self.guide_region();
        let form = &mut self.tabs.savings.guide;
        match row {
            GuideRow::Task => form.ask.task = turned(&Task::ALL, form.ask.task, up),
            GuideRow::Precision => {
                form.ask.precision = turned(&Precision::ALL, form.ask.precision, up);
            }
            GuideRow::Region => {
                let at = regions.iter().position(|r| Some(r) == now.as_ref()).unwrap_or(0);
                let step = if up { 1 } else { regions.len().saturating_sub(1) };
                if !regions.is_empty() {
                    form.region = regions.get((at + step) % regions.len()).cloned();
                }
            }
            GuideRow::Number(spec) => {
                let next = guide_step(spec, form.ask.value(spec.input), up, times);
                // What a key leads to is in the range of the input.
                let _ = form.ask.set(spec.input, next);
            }
        }
    }

    fn type_in_guide(&mut self) {
        let form = &self.tabs.savings.guide;
        let now = match form.row() {
            GuideRow::Task => form.ask.task.word().to_owned(),
            GuideRow::Precision => form.ask.precision.word().to_owned(),
            GuideRow::Region => match self.guide_region() {
                Some(region) => region.to_string(),
                None => self.appearance().symbols.unknown().to_owned(),
            },
            GuideRow::Number(spec) => {
                let value = form.ask.value(spec.input);
                self.appearance().symbols.or_unknown(value, |v| spec.unit.show(v))
            }
        };
        self.ask_for_value("", &now, |app, text| app.set_guide(text).map(|()| Vec::new()));
    }

    /// Takes what was typed for the input under the cursor in.
    pub(crate) fn set_guide(&mut self, text: &str) -> Result<(), String> {
        let row = self.tabs.savings.guide.row();
        let regions = self.guide_regions();
        let form = &mut self.tabs.savings.guide;
        match row {
            GuideRow::Task => guide_set(&mut form.ask, "task", text),
            GuideRow::Precision => guide_set(&mut form.ask, "precision", text),
            GuideRow::Region => {
                let found = regions.iter().find(|r| ***r == *text.trim());
                let Some(region) = found else {
                    return Err(format!("a region that is read: {}", regions.join(", ")));
                };
                form.region = Some(region.clone());
                Ok(())
            }
            GuideRow::Number(spec) => {
                let number = guide_number(spec, text)?;
                form.ask.set(spec.input, number).map_err(|e| e.to_string())
            }
        }
    }
}
