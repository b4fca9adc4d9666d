//! The scorecard: each score with its band and what it rests on, and which targets are met.

use super::{line_columns, widest};
use crate::app::Role;
use crate::app::content::{Line, columns, wrap};
use crate::tabs::overview::picture::{Band, Score};
use crate::view::{Symbols, ViewContext, format};

/// Columns before each line below the heading.
const INDENT: usize = 2;

/// Columns that the targets take at least, where there are as many.
const NARROWEST: usize = 40;

/// The scores, a line each, and below them what of their targets is met; the targets are wrapped to `width`.
pub(super) fn lines(scores: &[Score], ctx: &ViewContext, width: usize) -> Vec<Line> {
    let mut lines = vec![Line::of(Role::Heading, "Scorecard")];
    let rests_on = scores.iter().map(|s| columns(&s.rests_on)).max().unwrap_or(0);
    for score in scores {
        let share = ctx.symbols.or_unknown(score.share, |s| {
            let at_most = if score.is_at_most { ctx.symbols.at_most() } else { "" };
            format!("{at_most}{}", format::share(s, 0))
        });
        let (role, grade) = match score.grade {
            Some(grade) => (grade_role(grade), grade.word()),
            None => (Role::Dim, ctx.symbols.unknown()),
        };
        let mut line = Line::new()
            .text("  ")
            .column(Role::Text, score.metric.label(), 28)
            .number(Role::Text, &share, 5)
            .text(" ")
            .column(Role::Dim, score.direction.map_or("", |to| ctx.symbols.direction(to)), 1)
            .text(" ")
            .column(role, grade, 13)
            .column(Role::Dim, &score.rests_on, rests_on);
        let yardstick = score.metric.yardstick();
        let room = width.saturating_sub(line_columns(&line) + 4);
        if columns(yardstick) <= room && ctx.symbols == Symbols::Unicode && !yardstick.is_empty() {
            line = line.with(Role::Dim, format!("    {yardstick}"));
        }
        lines.push(line);
    }
    let width = widest(&lines).max(NARROWEST).min(width);
    lines.extend(targets(scores, width));
    lines
}

/// Which of the published targets are met, in as many lines as that takes.
fn targets(scores: &[Score], width: usize) -> Vec<Line> {
    let of = |score: &Score| {
        let heading = score.direction.map(|to| format!(", {}", to.word())).unwrap_or_default();
        Some(format!("{} {}{heading}", score.metric.label(), score.against()?))
    };
    let told: Vec<String> = scores.iter().filter_map(of).collect();
    if told.is_empty() {
        return Vec::new();
    }
    let text = format!("Targets: {}", told.join("; "));
    let parts = wrap(&text, width.saturating_sub(INDENT)).into_iter();
    parts.map(|part| Line::new().text("  ").with(Role::Dim, part)).collect()
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
    use crate::tabs::overview::picture::overview;
    use crate::tabs::storage::picture::fixture;
    use crate::view::fixture::{ctx, fleet};

    #[test]
    fn the_targets_stand_below_the_scores_and_fit() {
        let o = overview(&fleet(), &ctx()).with_storage(&fixture::fleet());
        let text = |line: &Line| line.spans.iter().map(|span| &*span.text).collect::<String>();
        for width in [20, 80, 200] {
            let lines = lines(&o.scores, &ctx(), width);
            let below = &lines[1 + o.scores.len()..];
            assert!(below.iter().all(|line| line_columns(line) <= width), "{width}");
            let said: Vec<String> = below.iter().map(|line| text(line).trim().to_owned()).collect();
            // 10 TiB that are archived and the volumes are judged; of these 600 GiB are attached to what runs.
            assert_eq!(
                said.join(" "),
                "Targets: GPU utilisation >70%: missed; Spot coverage of GPU hours >60%: missed; active storage >50%: missed"
            );
        }
        assert_eq!(targets(&o.scores[1..2], 80), [], "idle GPU hours have no target");
    }
}
