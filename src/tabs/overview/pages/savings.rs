//! What could be saved, on the Overview: the waterfall and the order of work.

use super::{cut, line_columns};
use crate::analyze::waterfall::{Task, TaskKind};
use crate::app::Role;
use crate::app::content::{Line, Target, columns, wrap};
use crate::app::{SavingsList, Tab};
use crate::domain::HOURS_PER_MONTH;
use crate::fleet::savings::{Effort, Risk, Step, StepKind};
use crate::tabs::overview::picture::Saved;
use crate::tabs::storage::picture::words::{effort, risk};
use crate::view::{Symbols, ViewContext, format, reasons};

/// Columns of the labels of the waterfall, of its dollars per hour and per month, and of a level.
const LABEL: usize = 19;
const HOUR: usize = 12;
const MONTH: usize = 12;
const LEVEL: usize = 7;

/// Most columns of a bar: beyond them it says no more.
const BAR: usize = 48;

/// From this width on, what a step says of itself stands under the waterfall.
const NOTES: usize = 110;

/// The heading, where there is room with what its dollars are of, and without.
const TITLES: [&str; 2] = ["Savings in turn, each on what the former left", "Savings in turn"];

/// The waterfall; nothing before it was worked out.
pub(super) fn waterfall(saved: &Saved, ctx: &ViewContext, width: usize) -> Vec<Line> {
    let w = &saved.waterfall;
    let shape = Shape::of(width);
    let room = 2 + LABEL + shape.bar;
    let title = TITLES.into_iter().find(|title| columns(title) < room).unwrap_or(TITLES[1]);
    let mut heading =
        Line::new().column(Role::Heading, title, room).number(Role::Dim, "saves", HOUR);
    if shape.month > 0 {
        heading = heading.number(Role::Dim, "a month", shape.month);
    }
    if shape.levels {
        heading = heading.text("  ").column(Role::Dim, "effort", LEVEL).with(Role::Dim, "risk");
    }
    let mut lines = vec![heading];
    // Before the first instance was read, and in an account that has none; while a part of the whole is known.
    let nothing = (w.before <= 0.0).then_some("  nothing that bills was read yet");
    if let Some(text) = w.early.then_some("  reading what it rests on").or(nothing) {
        lines.push(Line::of(Role::Dim, text));
        return lines;
    }
    let scale = Scale { most: w.before, width: shape.bar.saturating_sub(2) };
    lines.push(shape.total("the bill now", &scale, w.before, ctx));
    for step in &w.steps {
        lines.push(shape.step(step, &scale, ctx));
    }
    lines.push(shape.total("the bill after", &scale, w.after(), ctx));
    let share = (w.before > 0.0).then(|| w.saves() / w.before);
    let mut said = format!(
        "{} saved, {}/month, {} of the bill",
        format::usd_per_hour(w.saves()),
        format::usd_total(w.saves() * HOURS_PER_MONTH),
        ctx.symbols.or_unknown(share, |s| format::share(s, 0)),
    );
    if w.net_unknown.is_some() {
        said.push_str(", at list price");
    }
    let left = saved.left_out();
    if !left.is_empty() {
        said.push_str(", ");
        said.push_str(&left);
    }
    if let Some(naive) = saved.naive() {
        said.push_str("; ");
        said.push_str(&naive);
    }
    said.push('.');
    let dim = |part: String| Line::of(Role::Dim, format!("  {part}"));
    lines.extend(wrap(&said, width.saturating_sub(2)).into_iter().map(dim));
    if let Some(potential) = &w.potential {
        let said = wrap(&reasons::potential(potential), width.saturating_sub(2));
        let said = said.into_iter().map(dim).enumerate();
        let list = Target::List(SavingsList::Models);
        lines.extend(said.map(|(at, line)| if at == 0 { line.to(list.clone()) } else { line }));
    }
    if width >= NOTES {
        for step in &w.steps {
            for note in &step.notes {
                let text = format!("{}: {}", step.kind.label(), reasons::step_note(*note));
                lines.extend(wrap(&text, width.saturating_sub(2)).into_iter().map(dim));
            }
        }
    }
    lines
}

/// How wide the parts of a line are.
struct Shape {
    bar: usize,
    month: usize,
    levels: bool,
}

impl Shape {
    fn of(width: usize) -> Self {
        let levels = 2 * LEVEL + 2;
        let fixed = 2 + LABEL + HOUR;
        let month = if width >= fixed + MONTH { MONTH } else { 0 };
        let has_levels = width >= fixed + month + levels + 2;
        let room = width.saturating_sub(fixed + month + if has_levels { levels } else { 0 });
        Self { bar: room.min(BAR), month, levels: has_levels }
    }

    fn money(&self, line: Line, role: Role, usd: f64) -> Line {
        let line = line.number(role, &format::usd_per_hour(usd), HOUR);
        match self.month {
            0 => line,
            month => line.number(role, &format::usd_total(usd * HOURS_PER_MONTH), month),
        }
    }

    fn total(&self, label: &str, scale: &Scale, usd: f64, ctx: &ViewContext) -> Line {
        let glyph = if ctx.symbols == Symbols::Ascii { "=" } else { "▒" };
        let line = Line::new()
            .text("  ")
            .column(Role::Dim, &cut(label, LABEL - 1, ctx.symbols), LABEL)
            .column(Role::Dim, &glyph.repeat(scale.at(usd)), self.bar);
        self.money(line, Role::Dim, usd)
    }

    fn step(&self, step: &Step, scale: &Scale, ctx: &ViewContext) -> Line {
        let nothing = step.saves() <= 0.0;
        let role = if nothing { Role::Dim } else { Role::Ok };
        let line = Line::new()
            .text("  ")
            .column(Role::Text, &cut(step.kind.label(), LABEL - 1, ctx.symbols), LABEL)
            .column(role, &scale.bar(step, ctx.symbols), self.bar);
        let mut line = match step.known() {
            Some(usd) => self.money(line, if nothing { Role::Dim } else { Role::Text }, usd),
            None => {
                let unknown = ctx.symbols.unknown();
                let line = line.number(Role::Dim, unknown, HOUR);
                if self.month == 0 { line } else { line.number(Role::Dim, unknown, self.month) }
            }
        };
        if self.levels && step.items > 0 {
            line = line
                .text("  ")
                .column(effort_role(step.effort), effort(step.effort), LEVEL)
                .column(risk_role(step.risk), risk(step.risk), LEVEL);
        }
        line.to(target(step.kind))
    }
}

/// Dollars as columns.
struct Scale {
    most: f64,
    width: usize,
}

impl Scale {
    fn at(&self, usd: f64) -> usize {
        if self.most <= 0.0 {
            return 0;
        }
        (usd / self.most * self.width as f64).round().clamp(0.0, self.width as f64) as usize
    }

    /// A bar from what is left to what was there: it hangs under the end of the one above. What is
    /// not nothing is at least a stroke.
    fn bar(&self, step: &Step, symbols: Symbols) -> String {
        let (from, to) = (self.at(step.after), self.at(step.before));
        let (full, thin) = if symbols == Symbols::Ascii { ("#", "|") } else { ("█", "▏") };
        let filled = match to - from.min(to) {
            0 if step.saves() > 0.0 && self.width > 0 => thin.to_owned(),
            n => full.repeat(n),
        };
        format!("{}{filled}", " ".repeat(from.min(self.width.saturating_sub(1))))
    }
}

fn effort_role(effort: Effort) -> Role {
    if effort == Effort::High { Role::Warn } else { Role::Dim }
}

fn risk_role(risk: Risk) -> Role {
    match risk {
        Risk::Low => Role::Dim,
        Risk::Medium => Role::Warn,
        Risk::High => Role::Crit,
    }
}

/// Where a step is done.
fn target(kind: StepKind) -> Target {
    match kind {
        StepKind::Idle | StepKind::PartlyIdle => Target::Tab(Tab::Idle),
        StepKind::Network => Target::Tab(Tab::Network),
        StepKind::FailedRuns => Target::Tab(Tab::Jobs),
        StepKind::RightSize => Target::List(SavingsList::Proposals),
        StepKind::Spot => Target::List(SavingsList::Spot),
        StepKind::Storage => Target::Tab(Tab::Storage),
        StepKind::Commitments => Target::Tab(Tab::WhatIf),
    }
}

/// The order of work; nothing where there is nothing to do.
pub(super) fn sequence(saved: &Saved, ctx: &ViewContext, width: usize) -> Vec<Line> {
    const WHAT: usize = 31;
    const PLACE: usize = 17;
    if saved.sequence.is_empty() {
        return Vec::new();
    }
    let levels = 4 + WHAT + MONTH + 2 * LEVEL + PLACE <= width;
    let mut lines = vec![Line::new().column(Role::Heading, "Order of work", 4 + WHAT).number(
        Role::Dim,
        "a month",
        MONTH - 2,
    )];
    if levels {
        let heading = lines.remove(0).text("  ").column(Role::Dim, "effort", LEVEL);
        lines.push(heading.column(Role::Dim, "risk", LEVEL).with(Role::Dim, "where"));
    }
    for (i, task) in saved.sequence.iter().enumerate() {
        let month = ctx.symbols.or_unknown(task.usd_per_month, format::usd_total);
        let mut line = Line::new()
            .text(format!("  {} ", i + 1))
            .column(Role::Text, &cut(task.kind.label(), WHAT - 1, ctx.symbols), WHAT)
            .number(Role::Text, &month, MONTH - 2);
        if levels {
            line = line
                .text("  ")
                .column(effort_role(task.effort), effort(task.effort), LEVEL)
                .column(risk_role(task.risk), risk(task.risk), LEVEL)
                .with(Role::Dim, task.kind.place().screen);
        }
        let why = why(task);
        if line_columns(&line) + 2 + columns(&why) <= width.min(120) {
            line = line.with(Role::Dim, format!("  {why}"));
        }
        lines.push(line.to(place(task.kind)));
    }
    lines
}

fn why(task: &Task) -> String {
    match (task.kind.step(), task.count) {
        (None, _) => reasons::task(task),
        (Some(_), n) => {
            format!("{} {}", format::grouped(f64::from(n), 0), format::noun(n as usize, "item"))
        }
    }
}

fn place(kind: TaskKind) -> Target {
    match kind {
        TaskKind::See => Target::Tab(Tab::Gpus),
        TaskKind::UseCommitments => Target::List(SavingsList::Commitments),
        TaskKind::Models => Target::List(SavingsList::Models),
        TaskKind::Stop
        | TaskKind::Storage
        | TaskKind::Network
        | TaskKind::FailedRuns
        | TaskKind::PartlyIdle
        | TaskKind::RightSize
        | TaskKind::Spot
        | TaskKind::Commit => kind.step().map_or(Target::Tab(Tab::WhatIf), target),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(before: f64, after: f64) -> Step {
        Step {
            kind: StepKind::Idle,
            before,
            after,
            gross_alone: 0.0,
            items: 1,
            unknown: 0,
            effort: Effort::Low,
            risk: Risk::Low,
            notes: Vec::new(),
        }
    }

    #[test]
    fn bars_hang_from_each_other() {
        let scale = Scale { most: 100.0, width: 20 };
        assert_eq!(
            scale.bar(&step(100.0, 75.0), Symbols::Unicode),
            format!("{}█████", " ".repeat(15))
        );
        assert_eq!(
            scale.bar(&step(75.0, 25.0), Symbols::Ascii),
            format!("{}{}", " ".repeat(5), "#".repeat(10))
        );
        assert_eq!(scale.bar(&step(25.0, 24.9), Symbols::Ascii), "     |");
        assert_eq!(scale.bar(&step(25.0, 25.0), Symbols::Ascii).trim(), "");
        assert_eq!(Scale { most: 0.0, width: 20 }.bar(&step(0.0, 0.0), Symbols::Ascii), "");
        for width in 0..60 {
            let scale = Scale { most: 100.0, width };
            for (a, b) in [(100.0, 0.0), (100.0, 99.9), (0.1, 0.0), (50.0, 20.0)] {
                assert!(columns(&scale.bar(&step(a, b), Symbols::Unicode)) <= width);
            }
        }
    }

    #[test]
    fn what_models_could_save_stands_below_the_sum_and_leads_to_its_list() {
        use crate::fleet::savings::Potential;
        use crate::tabs::overview::picture::overview;
        use crate::view::fixture::{ctx, fleet};
        let ctx = ctx();
        let o = overview(&fleet(), &ctx)
            .with_savings(&crate::tabs::savings::picture::fixture::savings());
        let mut saved = o.saved.unwrap();
        let text = |saved: &Saved| -> Vec<(String, Option<Target>)> {
            let of = |line: &Line| line.spans.iter().map(|s| s.text.as_ref()).collect::<String>();
            waterfall(saved, &ctx, 78).iter().map(|line| (of(line), line.target.clone())).collect()
        };
        let without = text(&saved);
        let found = Potential { up_to_usd_per_hour: 10.0, workloads: 2, scripts: 0 };
        saved.waterfall.potential = Some(found);
        let with = text(&saved);
        // Nothing above it changes: it is no step, and in no sum.
        let rest: Vec<_> = with.iter().filter(|line| !without.contains(line)).collect();
        assert!(
            rest[0].0.contains("Potential, in no figure above: 2 models at low use"),
            "{rest:?}"
        );
        assert_eq!(rest[0].1, Some(Target::List(SavingsList::Models)));
        assert!(without.iter().all(|line| with.contains(line)));
        assert_eq!(with.len(), without.len() + rest.len());
        assert_eq!(saved.waterfall.after(), 350.0);
    }

    #[test]
    fn the_blocks_fit_into_any_width_and_lead_to_their_lists() {
        use crate::tabs::overview::picture::overview;
        use crate::view::fixture::{ctx, fleet};
        let ctx = ctx();
        let o = overview(&fleet(), &ctx)
            .with_savings(&crate::tabs::savings::picture::fixture::savings());
        let saved = o.saved.as_ref().unwrap();
        for width in 34..220 {
            for line in waterfall(saved, &ctx, width) {
                assert!(line_columns(&line) <= width, "{width}: {line:?}");
            }
            for line in sequence(saved, &ctx, width.max(48)) {
                assert!(line_columns(&line) <= width.max(48), "{width}: {line:?}");
            }
        }
        let targets: Vec<Target> =
            waterfall(saved, &ctx, 78).into_iter().filter_map(|l| l.target).collect();
        let want = [
            Target::Tab(Tab::Idle),
            Target::Tab(Tab::Idle),
            Target::List(SavingsList::Proposals),
            Target::List(SavingsList::Spot),
            Target::Tab(Tab::Storage),
            Target::Tab(Tab::WhatIf),
        ];
        assert_eq!(targets, want);
    }
}
