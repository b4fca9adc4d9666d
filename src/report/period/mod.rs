//! `burntop report`: a week or a month with the one before it, and the fleet at its end.
//!
//! Every format is made of the same sections. What the fleet is now are the sections of the Overview, what was foreseen and
//! what is odd the lists of budgets and anomalies: their figures cannot differ from those of the other views.

mod past;
mod section;

use serde_json::{Map, Value as Json, json};

use super::acting::Run;
use super::html::{Page, Section};
use super::sheet::{Cell, Column, Sheet};
use super::trend::TrendOf;
use super::{List, Notes, OverviewReport, Report, markdown, text, troubles_of};
use crate::analyze::trend::{Period, PeriodKind};
use crate::domain::text::clean;
use crate::domain::{BurnDay, Reading};
use crate::tabs::bill::picture::AnomalyField;
use crate::tabs::teams::picture::BudgetField;
use crate::view::{Align, Value, ViewContext};
use section::Part;

/// Sections of the Overview that the report has, with the titles that they have here.
const OF_OVERVIEW: [(&str, &str); 5] = [
    ("finding", "Top findings now, $/h at list price, of commitments what is paid"),
    ("ladder", "Bill now, USD per hour; ! is waste"),
    ("waterfall", "Savings in turn now, each on what the former left"),
    ("team", "Teams now"),
    ("score", "Scorecard"),
];

/// Sections that are told in lines, with how many of their rows.
const TOLD: [(&str, usize); 3] = [("spend", usize::MAX), ("finding", 5), ("forecast", 5)];

/// A report of a week or a month.
#[derive(Clone, Debug)]
pub struct PeriodReport {
    /// The period.
    pub period: Period,
    /// What was burnt by day and account, as far back as it is kept.
    pub days: Vec<BurnDay>,
    /// What was done and what became of it, as a trend has it.
    pub done: TrendOf,
    /// The fleet now.
    pub overview: OverviewReport,
    /// Anomalies of the newest bill. Err in words where no bill can be read.
    pub anomalies: Result<List<AnomalyField>, String>,
    /// Budgets of the newest bill with where they end; `None` where none are configured. Err in words where no bill can
    /// be read.
    pub budgets: Result<Option<List<BudgetField>>, String>,
    /// Runs of the audit log, whenever they were; empty where it could not be read.
    pub runs: Vec<Run>,
}

impl PeriodReport {
    /// Its title: `burntop, week 2026-W47: 2026-11-16 to 2026-11-22 (UTC)`.
    fn title(&self) -> String {
        let (kind, name) = (self.period.kind.word(), self.period.name());
        let (first, last) = (self.period.first_day(), self.period.last_day());
        format!("burntop, {kind} {name}: {first} to {last} (UTC)")
    }

    /// Its title, and what matters most of it in lines of text: where the whole has no room.
    pub fn told(&self, ctx: &ViewContext) -> (String, Vec<String>) {
        let mut lines = Vec::new();
        for part in self.parts(ctx) {
            let Some((_, most)) = TOLD.iter().find(|(name, _)| *name == part.name) else {
                continue;
            };
            lines.push(format!("{}:", part.title));
            for row in part.sheet.rows.iter().take(*most) {
                let cells =
                    part.sheet.columns.iter().zip(row).filter(|(_, cell)| !cell.shown.is_empty());
                // Texts speak for themselves, figures do not.
                let words = cells.map(|(column, cell)| match column.align {
                    Align::Left => cell.shown.clone(),
                    Align::Right => format!("{} {}", column.header.to_lowercase(), cell.shown),
                });
                let words: Vec<String> = words.collect();
                lines.push(format!("- {}", clean(&words.join(", "))));
            }
            lines.extend(part.notes.iter().filter(|note| note.starts_with('!')).cloned());
        }
        (self.title(), lines)
    }

    /// All sections in their order; what has neither rows nor notes is left out.
    fn parts(&self, ctx: &ViewContext) -> Vec<Part> {
        let mut parts = vec![
            self.coverage(ctx),
            self.spend(ctx),
            self.by_day(ctx),
            self.periods(ctx),
            self.saved(ctx),
            self.teams(ctx),
        ];
        let wanted = OF_OVERVIEW.map(|(section, _)| section);
        let mut now = self.overview.parts(&wanted, ctx);
        for (section, title) in OF_OVERVIEW {
            let Some(at) = now.iter().position(|part| part.section == section) else { continue };
            let part = now.swap_remove(at);
            let (sheet, rows) = (part.sheet, part.rows);
            parts.push(Part { name: section, title, sheet, rows, notes: Vec::new(), chart: None });
        }
        parts.extend([self.forecast(ctx), self.odd(ctx), self.actions(ctx)]);
        parts.retain(|part| !part.sheet.rows.is_empty() || !part.notes.is_empty());
        parts
    }

    /// Budgets with where they end.
    fn forecast(&self, ctx: &ViewContext) -> Part {
        let part = Part::named("forecast", "Forecast: budgets by the newest bill");
        match &self.budgets {
            Ok(Some(list)) => part.list(list, ctx),
            Ok(None) => part.saying("no budget is configured: `[[budgets]]` has them"),
            Err(why) => part.saying(&format!("! not known: {}", clean(why))),
        }
    }

    /// What the bill charges out of the ordinary.
    fn odd(&self, ctx: &ViewContext) -> Part {
        let part = Part::named("anomaly", "Anomalies of the newest bill");
        match &self.anomalies {
            Ok(list) if list.rows.is_empty() => part.list(list, ctx).saying("none"),
            Ok(list) => part.list(list, ctx),
            Err(why) => part.saying(&format!("! not known: {}", clean(why))),
        }
    }
}

impl Report for PeriodReport {
    fn view(&self) -> &'static str {
        "report"
    }

    fn basis(&self) -> String {
        format!("of the period: {}; now: {}", self.done.basis(), self.overview.basis())
    }

    fn readings(&self) -> &[Reading] {
        self.overview.readings()
    }

    fn rows(&self, ctx: &ViewContext, most: usize) -> Vec<Json> {
        let of = |part: Part| {
            let section = part.name;
            part.rows.into_iter().map(move |row| with_section(section, row))
        };
        self.parts(ctx).into_iter().flat_map(of).take(most).collect()
    }

    fn beside(&self, ctx: &ViewContext) -> Vec<(&'static str, Json)> {
        let period = |of: Period| {
            json!({
                "name": of.name(),
                "from": of.begins().to_string(),
                "to": of.ends().to_string(),
            })
        };
        let notes: Map<String, Json> = self
            .parts(ctx)
            .into_iter()
            .filter(|part| !part.notes.is_empty())
            .map(|part| (part.name.to_owned(), json!(part.notes)))
            .collect();
        let kind = match self.period.kind {
            PeriodKind::Day => "daily",
            PeriodKind::Week => "weekly",
            PeriodKind::Month => "monthly",
        };
        vec![
            ("kind", json!(kind)),
            ("period", period(self.period)),
            ("before", period(self.period.before())),
            ("notes", Json::Object(notes)),
        ]
    }

    /// All sections in one table: a column for each field of any.
    fn records(&self, ctx: &ViewContext) -> Sheet {
        let parts = self.parts(ctx);
        let mut columns = vec![Column { name: "section", header: "SECTION", align: Align::Left }];
        for column in parts.iter().flat_map(|part| &part.sheet.columns) {
            if columns.iter().all(|known| known.name != column.name) {
                columns.push(column.clone());
            }
        }
        let unknown = || Cell { shown: String::new(), value: Value::Unknown };
        let mut rows = Vec::new();
        for part in &parts {
            for row in &part.sheet.rows {
                let of = |column: &Column| {
                    let at = part.sheet.columns.iter().position(|own| own.name == column.name);
                    at.and_then(|at| row.get(at)).cloned().unwrap_or_else(unknown)
                };
                let mut cells = vec![Cell::text(part.name)];
                cells.extend(columns.iter().skip(1).map(of));
                rows.push(cells);
            }
        }
        Sheet { columns, rows }
    }

    fn notes(&self, _: &ViewContext) -> Notes {
        let mut lines = vec![format!("basis: {}", self.basis())];
        lines.extend(troubles_of(self.rests_on()));
        Notes::Below(lines)
    }

    fn text(&self, ctx: &ViewContext) -> String {
        let mut out = format!("{}\n\n", self.title());
        for part in self.parts(ctx) {
            out.extend([part.title, "\n"]);
            if !part.sheet.rows.is_empty() {
                out.push_str(&text::table(&part.sheet, ctx.width));
            }
            out.push_str(&Notes::Below(part.notes).text());
            out.push('\n');
        }
        out + &self.notes(ctx).text()
    }

    fn markdown(&self, ctx: &ViewContext) -> String {
        let mut out = format!("# {}\n\n", markdown::escape(&self.title()));
        for part in self.parts(ctx) {
            out.extend(["## ", part.title, "\n\n"]);
            if !part.sheet.rows.is_empty() {
                out.extend([markdown::table(&part.sheet), "\n".to_owned()]);
            }
            for note in &part.notes {
                out.extend([&*markdown::escape(note), "\n\n"]);
            }
        }
        out + self.notes(ctx).markdown().trim_start()
    }

    fn html(&self, ctx: &ViewContext) -> String {
        let parts = self.parts(ctx);
        let sections = parts.iter().map(|part| Section {
            id: part.name,
            title: part.title,
            chart: part.chart.as_ref(),
            sheet: &part.sheet,
            notes: &part.notes,
        });
        let mut notes = vec![format!("made {:.0} by burntop", ctx.now)];
        notes.extend(self.notes(ctx).lines());
        Page { title: &self.title(), sections: sections.collect(), notes: &notes }.html()
    }
}

/// A row behind the name of its section.
fn with_section(section: &str, row: Json) -> Json {
    let mut out: Map<String, Json> = [("section".to_owned(), json!(section))].into_iter().collect();
    if let Json::Object(fields) = row {
        out.extend(fields.into_iter().filter(|(name, _)| name != "section"));
    }
    Json::Object(out)
}
