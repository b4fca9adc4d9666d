//! The GPUs by two measures on screen, and what leads from the one to the other.

use super::{cut, line_columns};
use crate::app::Role;
use crate::app::Tab;
use crate::app::content::{Line, Target, columns};
use crate::tabs::gpus::picture::words;
use crate::tabs::overview::picture::{GpuUse, Measures, PieceKind};
use crate::view::{ViewContext, format};

/// Columns of the labels, of a number of GPUs, and of dollars per hour.
const LABEL: usize = 38;
const GPUS: usize = 12;
const MONEY: usize = 14;

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
    lines.push(line.number(Role::Dim, &all, GPUS).number(Role::Dim, &all, GPUS));
    lines.extend(notes(measures, ctx, width));
    let piece = |kind: PieceKind, is_end: bool| {
        let of = measures.of_piece(kind);
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
        let line = named(kind.label(), role).number(role, &count, GPUS).number(role, &usd, MONEY);
        let left_out = of.left_out().map(|text| format!("  {text}"));
        match left_out.filter(|text| line_columns(&line) + columns(text) <= width) {
            Some(text) => line.with(Role::Warn, text),
            None => line,
        }
    };
    lines.push(here(piece(PieceKind::Judged, true)));
    for kind in PieceKind::ALL {
        let is_end = matches!(kind, PieceKind::Judged | PieceKind::Live);
        if !is_end && !measures.of_piece(kind).is_nothing() {
            lines.push(piece(kind, false));
        }
    }
    lines.push(here(piece(PieceKind::Live, true)));
    lines
}

/// What the columns leave out, slices, and how much of the live GPUs' time is of use.
fn notes(measures: &Measures, ctx: &ViewContext, width: usize) -> Option<Line> {
    let dot = ctx.symbols.separator();
    let mut parts = Vec::new();
    if let Some(effective) = measures.effective {
        parts.push(format!("effective {}", format::share(effective, 0)));
    }
    if measures.slices > 0 {
        parts.push(words::gpus(measures.sliced, measures.slices, measures.sliced));
    }
    if measures.outside > 0.0 {
        let outside = words::gpus(measures.outside, 0, 0.0);
        parts.push(format!("{outside} of no running instance, in neither column"));
    }
    let mut text = String::from("  live:");
    for (i, part) in parts.iter().enumerate() {
        let part = if i == 0 { format!(" {part}") } else { format!(" {dot} {part}") };
        if columns(&text) + columns(&part) <= width {
            text.push_str(&part);
        }
    }
    (!parts.is_empty()).then(|| Line::of(Role::Dim, text))
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
}
