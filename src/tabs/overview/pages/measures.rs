//! The GPUs by two measures on screen, and what leads from the one to the other.

use super::{cut, line_columns};
use crate::app::Role;
use crate::app::Tab;
use crate::app::content::{Line, Target, columns};
use crate::tabs::gpus::picture::words;
use crate::tabs::overview::picture::{GpuUse, Measures, Piece, PieceKind};
use crate::view::{ViewContext, format};

/// Columns of the labels, of a number of GPUs, and of dollars per hour.
const LABEL: usize = 38;
const GPUS: usize = 12;
const MONEY: usize = 14;

/// The lines that lead from the waste of the ladder to the one seen live, and the pieces summed up in each.
static STEPS: [(&str, &[PieceKind]); 6] = [
    ("waste above, at list price", &[PieceKind::Judged]),
    ("less instances without GPUs", &[PieceKind::WithoutGpus]),
    (
        "and idle now, not judged idle",
        &[PieceKind::HeldIdle, PieceKind::Unallocated, PieceKind::NotJudged],
    ),
    (
        "less judged idle, not seen idle now",
        &[PieceKind::AtWork, PieceKind::Unknown, PieceKind::Unseen],
    ),
    ("and stalled, or unhealthy and quiet", &[PieceKind::Broken]),
    ("= waste live now, by telemetry", &[PieceKind::Live]),
];

/// Lines of the comparison; they lead to the GPUs tab.
pub(super) fn lines(measures: &Measures, ctx: &ViewContext, width: usize) -> Vec<Line> {
    let label = LABEL.min(width.saturating_sub(GPUS + MONEY)).max(8);
    let here = |line: Line| line.to(Target::Tab(Tab::Gpus));
    let mut lines = vec![here(
        Line::new().column(Role::Heading, "GPUs", label).number(Role::Dim, "judged", GPUS).number(
            Role::Dim,
            "live now",
            GPUS,
        ),
    )];
    let named = |text: &str, role| {
        Line::new().text("  ").column(role, &cut(text, label - 2, ctx.symbols), label - 2)
    };
    let gpus = |gpus: f64, is_told: bool| {
        let text = ctx.symbols.or_unknown(is_told.then_some(gpus), format::count);
        Line::new().number(Role::Text, &text, GPUS).spans
    };
    for (i, of) in GpuUse::ALL.into_iter().enumerate() {
        let (judged, live) = (measures.judged[i], measures.live[i]);
        if judged + live > 0.0 {
            let mut line = named(of.label(), Role::Text);
            line.spans.extend(gpus(judged, of.is_judged()));
            line.spans.extend(gpus(live, of.is_live()));
            lines.push(line);
        }
    }
    let all = format::count(measures.all());
    let line = named("all of running instances", Role::Dim);
    let line = line.number(Role::Dim, &all, GPUS).number(Role::Dim, &all, GPUS);
    let sliced = (measures.slices > 0).then(|| {
        let slices = format::plural(measures.slices as usize, "slice");
        format!("  {} of them in {slices}", format::count(measures.sliced))
    });
    lines.push(noted(line, Role::Dim, sliced, width));
    lines.extend(outside(measures, width));
    let step = |label: &str, of: Piece, is_end: bool| {
        let sign = match (is_end, of.gpus < -1e-9 || of.usd_per_hour < -1e-9) {
            (true, _) => "",
            (_, true) => "-",
            (_, false) => "+",
        };
        let signed = |text: String| format!("{sign}{text}");
        let has_gpus = of.gpus.abs() > 1e-9;
        let count = if has_gpus { signed(format::count(of.gpus.abs())) } else { String::new() };
        let usd = of.known().map(f64::abs);
        let usd = ctx.symbols.or_unknown(usd, |usd| signed(format::usd_per_hour(usd)));
        let role = if is_end { Role::Heading } else { Role::Text };
        let line = named(label, role).number(role, &count, GPUS).number(role, &usd, MONEY);
        noted(line, Role::Warn, of.left_out().map(|text| format!("  {text}")), width)
    };
    for (label, kinds) in &STEPS {
        let Some(of) = measures.of_pieces(kinds) else { continue };
        let is_end = matches!(of.kind, PieceKind::Judged | PieceKind::Live);
        if is_end {
            lines.push(here(step(label, of, true)));
        } else if !of.is_nothing() {
            lines.push(step(label, of, false));
        }
    }
    lines
}

/// The line with a note behind it, where there is one and it fits.
fn noted(line: Line, role: Role, note: Option<String>, width: usize) -> Line {
    match note.filter(|note| line_columns(&line) + columns(note) <= width) {
        Some(note) => line.with(role, note),
        None => line,
    }
}

/// What neither column has.
fn outside(measures: &Measures, width: usize) -> Option<Line> {
    let gpus = words::gpus(measures.outside, 0, 0.0);
    // While instances are read, theirs may be among them.
    let text = format!("  {gpus} of no running instance that is known, in neither column");
    (measures.outside > 0.0 && columns(&text) <= width).then(|| Line::of(Role::Dim, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tabs::gpus::picture::fixture::gpus;
    use crate::tabs::overview::picture::overview;
    use crate::view::fixture::{ctx, fleet};

    #[test]
    fn both_measures_have_a_column_and_fit_into_any_width() {
        let o = overview(&fleet(), &ctx()).with_gpus(&fleet(), &gpus());
        let measures = o.measures.unwrap();
        for width in 34..200 {
            for line in lines(&measures, &ctx(), width) {
                assert!(line_columns(&line) <= width, "{width}: {line:?}");
            }
        }
        let text = |line: &Line| line.spans.iter().map(|s| &*s.text).collect::<String>();
        let heading = text(&lines(&measures, &ctx(), 78)[0]);
        assert!(heading.contains("judged") && heading.contains("live now"), "{heading}");
    }

    #[test]
    fn every_piece_is_in_one_line() {
        for kind in PieceKind::ALL {
            let of_it = STEPS.iter().filter(|(_, kinds)| kinds.contains(&kind)).count();
            assert_eq!(of_it, 1, "{kind:?}");
        }
        let o = overview(&fleet(), &ctx()).with_gpus(&fleet(), &gpus());
        let measures = o.measures.unwrap();
        let (last, before) = STEPS.split_last().unwrap();
        let sum = |kinds: &[PieceKind]| measures.of_pieces(kinds).unwrap();
        let usd: f64 = before.iter().map(|(_, kinds)| sum(kinds).usd_per_hour).sum();
        assert!((usd - sum(last.1).usd_per_hour).abs() < 1e-9, "{usd}");
        let gpus: f64 = before.iter().map(|(_, kinds)| sum(kinds).gpus).sum();
        assert!((gpus - sum(last.1).gpus).abs() < 1e-9, "{gpus}");
    }
}
