//! The scorecard: each score with its band and what it rests on, and which targets are met.

use super::{cut, line_columns, widest};
use crate::app::Role;
use crate::app::content::{Line, columns, wrap};
use crate::domain::bill::UnitCost;
use crate::tabs::overview::picture::{Band, Score, unit_against, unit_price, unit_rests_on};
use crate::view::{Symbols, ViewContext, format};

/// Columns before each line below the heading.
const INDENT: usize = 2;

/// Columns of the label, the value and the band of a score.
const LABEL: usize = 28;
const VALUE: usize = 5;
const GRADE: usize = 15;

/// Columns that the targets take at least, where there are as many.
const NARROWEST: usize = 40;

/// The scores and unit costs, a line each, and below them what of their targets is met; the targets are wrapped to `width`.
pub(super) fn lines(
    scores: &[Score],
    units: &[UnitCost],
    ctx: &ViewContext,
    width: usize,
) -> Vec<Line> {
    let mut lines = vec![Line::of(Role::Heading, "Scorecard")];
    let rests_on = scores.iter().map(|s| columns(&s.rests_on)).max().unwrap_or(0);
    for score in scores {
        let share = ctx.symbols.or_unknown(score.share, |s| {
            let at_most = if score.is_at_most { ctx.symbols.at_most() } else { "" };
            format!("{at_most}{}", format::share(s, 0))
        });
        let (role, grade) = match score.grade {
            Some(grade) => (grade_role(grade), grade.word()),
            None => met(score.is_met(), ctx.symbols),
        };
        let mut line = Line::new()
            .text("  ")
            .column(Role::Text, score.metric.label(), LABEL)
            .number(Role::Text, &share, VALUE)
            .text(" ")
            .column(Role::Dim, score.direction.map_or("", |to| ctx.symbols.direction(to)), 1)
            .text(" ")
            .column(role, grade, GRADE)
            .column(Role::Dim, &score.rests_on, rests_on);
        let yardstick = score.metric.yardstick();
        let room = width.saturating_sub(line_columns(&line) + 4);
        if columns(yardstick) <= room && ctx.symbols == Symbols::Unicode && !yardstick.is_empty() {
            line = line.with(Role::Dim, format!("    {yardstick}"));
        }
        lines.push(line);
    }
    lines.extend(units.iter().map(|unit| unit_line(unit, ctx.symbols)));
    let width = widest(&lines).max(NARROWEST).min(width);
    lines.extend(targets(scores, units, ctx.symbols, width));
    lines
}

/// A unit cost in the columns of the scores; its name makes room for its dollars.
fn unit_line(unit: &UnitCost, symbols: Symbols) -> Line {
    let usd = unit_price(unit, symbols);
    let room = (LABEL + VALUE).saturating_sub(columns(&usd));
    let (role, is_met) = met(unit.is_met(), symbols);
    Line::new()
        .text("  ")
        .column(Role::Text, &cut(&unit.name, room.saturating_sub(1), symbols), room)
        .with(Role::Text, usd)
        .text(" ")
        .column(Role::Dim, unit.direction().map_or("", |to| symbols.direction(to)), 1)
        .text(" ")
        .column(role, is_met, GRADE)
        .with(Role::Dim, unit_rests_on(unit))
}

/// Which of the published targets are met, in as many lines as that takes.
fn targets(scores: &[Score], units: &[UnitCost], symbols: Symbols, width: usize) -> Vec<Line> {
    let of = |score: &Score| {
        let heading = score.direction.map(|to| format!(", {}", to.word())).unwrap_or_default();
        Some(format!("{} {}{heading}", score.metric.label(), score.against()?))
    };
    let of_unit = |unit: &UnitCost| {
        let heading = unit.target.and(unit.direction()).map(|to| format!(", {}", to.word()));
        let against = unit_against(unit, symbols)?;
        Some(format!("{} {against}{}", unit.name, heading.unwrap_or_default()))
    };
    let told: Vec<String> =
        scores.iter().filter_map(of).chain(units.iter().filter_map(of_unit)).collect();
    if told.is_empty() {
        return Vec::new();
    }
    let text = format!("Targets: {}", told.join("; "));
    let parts = wrap(&text, width.saturating_sub(INDENT)).into_iter();
    parts.map(|part| Line::new().text("  ").with(Role::Dim, part)).collect()
}

/// What stands in place of a band where there is none: whether the target is met.
fn met(is_met: Option<bool>, symbols: Symbols) -> (Role, &'static str) {
    match is_met {
        Some(true) => (Role::Ok, "target met"),
        Some(false) => (Role::Warn, "target missed"),
        None => (Role::Dim, symbols.unknown()),
    }
}

fn grade_role(grade: Band) -> Role {
    match grade {
        Band::Poor => Role::Crit,
        Band::Average => Role::Warn,
        Band::Good | Band::Elite => Role::Ok,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::bill::UnitBound;
    use crate::tabs::overview::picture::overview;
    use crate::tabs::storage::picture::fixture;
    use crate::view::fixture::{ctx, fleet};

    #[test]
    fn the_targets_stand_below_the_scores_and_fit() {
        let o = overview(&fleet(), &ctx()).with_storage(&fixture::fleet());
        let text = |line: &Line| line.spans.iter().map(|span| &*span.text).collect::<String>();
        for width in [20, 80, 200] {
            let lines = lines(&o.scores, &[], &ctx(), width);
            let below = &lines[1 + o.scores.len()..];
            assert!(below.iter().all(|line| line_columns(line) <= width), "{width}");
            let said: Vec<String> = below.iter().map(|line| text(line).trim().to_owned()).collect();
            // 10 TiB that are archived and the volumes are judged; of these 600 GiB are attached to what runs.
            assert_eq!(
                said.join(" "),
                "Targets: GPU utilisation >70%: missed; Spot coverage of GPU hours >60%: missed; active storage >50%: missed"
            );
        }
        assert_eq!(
            targets(&o.scores[1..2], &[], Symbols::Unicode, 80),
            [],
            "idle GPU hours have no target"
        );
    }
    #[test]
    fn unit_costs_stand_below_the_scores_in_their_columns() {
        let unit = |name: &str, usd| UnitCost {
            name: name.into(),
            period: "2026-11".parse().unwrap(),
            days: 12,
            usd_per_unit: usd,
            bound: UnitBound::Exact,
            usd_before: Some(0.4),
            target: Some(0.45),
            no_counts: None,
            is_of_jobs: false,
        };
        let units = [unit("thousand predictions", Some(0.5128)), unit(&"x".repeat(60), None)];
        let lines = lines(&[], &units, &ctx(), 80);
        let text = |line: &Line| line.spans.iter().map(|span| &*span.text).collect::<String>();
        let said: Vec<String> = lines.iter().map(text).collect();
        assert_eq!(
            said,
            [
                "Scorecard".to_owned(),
                format!(
                    "  {:<26}$0.5128 ↑ {:<15}2026-11, 12 days",
                    "thousand predictions", "target missed"
                ),
                format!("  {}… –   {:<15}nothing counted in 2026-11", "x".repeat(30), "–"),
                "  Targets: thousand predictions ≤$0.45: missed, rising".to_owned(),
            ]
        );
        assert!(lines.iter().all(|line| line_columns(line) <= 80));
    }
}
