//! The lifecycle rules of a bucket: those that would save something, those that are there, and what is wrong with these.

use super::parts::{finding, heading, paragraph, with_key};
use crate::analyze::storage::findings::{rule_of, rule_of_estimate};
use crate::analyze::storage::lifecycle::lint::{LintContext, Sizes, lint};
use crate::analyze::storage::lifecycle::{Severity, print};
use crate::app::content::Line;
use crate::app::{Action, App, Role};
use crate::domain::storage::LifecycleRule;
use crate::domain::text::clean;
use crate::fleet::storage::BucketRow;
use crate::tabs::storage::picture::words;
use crate::view::format;

/// The page.
pub(super) fn lines(app: &App, name: &str, width: usize) -> Vec<Line> {
    let mut lines = vec![Line::of(Role::Heading, format!("Lifecycle of {name}"))];
    let found = app.storage().and_then(|f| Some((f, f.bucket(name)?)));
    let Some((fleet, row)) = found else { return lines };
    wanted(app, row, width, &mut lines);
    heading("Rules of the bucket", &mut lines);
    let Some(facts) = &row.facts else {
        paragraph(
            Role::Warn,
            "Not known: no account that is read has this bucket.",
            width,
            &mut lines,
        );
        return lines;
    };
    let lifecycle = match &facts.lifecycle {
        Ok(Some(lifecycle)) => lifecycle,
        Ok(None) => {
            paragraph(
                Role::Text,
                "No rule: nothing moves, nothing is deleted, and parts of uploads that were never completed stay for ever.",
                width,
                &mut lines,
            );
            return lines;
        }
        Err(error) => {
            paragraph(Role::Warn, &format!("Not known: {error}. {}", error.fix), width, &mut lines);
            return lines;
        }
    };
    for (i, rule) in lifecycle.rules.iter().enumerate() {
        let id =
            if rule.id.is_empty() { format!("#{}", i + 1) } else { clean(&rule.id).into_owned() };
        let role = if rule.enabled { Role::Accent } else { Role::Dim };
        let off = if rule.enabled { "" } else { " (disabled)" };
        lines.push(Line::new().text("  ").with(role, format!("{id}{off}")));
        paragraph(Role::Text, &print::summary(rule), width.saturating_sub(2), &mut lines);
    }
    if let Some(size) = lifecycle.minimum_size {
        paragraph(
            Role::Dim,
            &format!("Smallest objects that move: {}", size.api()),
            width,
            &mut lines,
        );
    }
    let scan = fleet.scans.get(&row.name);
    let prices = fleet.s3_prices.get(&row.scope.region);
    let sizes = scan.zip(prices).map(|(scan, prices)| Sizes { tree: &scan.tree, prices });
    let ctx = LintContext {
        versioning: facts.versioning.as_ref().ok().copied(),
        reads_per_month: None,
        sizes,
    };
    let findings = lint(lifecycle, &[], &ctx);
    if findings.is_empty() {
        heading("The linter finds nothing wrong", &mut lines);
    } else {
        heading("What the linter says", &mut lines);
    }
    for f in findings {
        let role = match f.severity {
            Severity::Error => Role::Crit,
            Severity::Warning => Role::Warn,
            Severity::Info => Role::Dim,
        };
        let usd = f.usd_per_month.map_or(String::new(), |usd| {
            let word = if usd < 0.0 { "saves" } else { "costs" };
            format!("  {word} {}/month", words::usd(usd.abs()))
        });
        lines.push(
            Line::new()
                .text("  ")
                .with(role, f.severity.word())
                .with(Role::Accent, format!("  {}{usd}", f.rule)),
        );
        paragraph(Role::Text, &f.message, width.saturating_sub(2), &mut lines);
    }
    lines
}

/// The rules that would save something, each below what it saves and why.
fn wanted(app: &App, row: &BucketRow, width: usize, lines: &mut Vec<Line>) {
    let ctx = app.storage_context();
    let rule = |rule: &LifecycleRule, lines: &mut Vec<Line>| {
        let text = format!("rule: {}", print::summary(rule));
        paragraph(Role::Accent, &text, width.saturating_sub(2), lines);
    };
    let estimate = row.estimate.as_ref();
    let of_estimate = estimate.and_then(|of| Some((of, rule_of_estimate(of)?)));
    let of_findings: Vec<_> =
        row.findings.iter().filter_map(|of| Some((of, rule_of(of)?))).collect();
    if of_findings.is_empty() && of_estimate.is_none() {
        heading("No rule is known that would save something", lines);
    } else {
        let text = "Rules that would save something, to copy";
        heading(with_key(app, text, Action::CopyId), lines);
    }
    for (of, wanted) in &of_findings {
        finding(of, &ctx, width, lines);
        rule(wanted, lines);
    }
    if let Some((of, wanted)) = &of_estimate {
        for sentence in words::estimate(of) {
            paragraph(Role::Text, &sentence, width, lines);
        }
        rule(wanted, lines);
    }
    let others = row.findings.len() - of_findings.len();
    if others > 0 {
        let text = format!("{} that no rule can end", format::plural(others, "finding"));
        lines.push(Line::new());
        paragraph(Role::Dim, &with_key(app, &text, Action::BucketFindings), width, lines);
    }
    plan_hint(&row.name, width, lines);
}

/// Which command puts copied rules among those of a bucket.
pub(super) fn plan_hint(name: &str, width: usize, lines: &mut Vec<Line>) {
    lines.push(Line::new());
    let text = format!(
        "`burntop storage lifecycle plan --bucket {name} RULES` merges the rules of the file RULES (JSON or XML, as S3 takes \
         them) into those of the bucket without touching these, simulates them, and writes the difference."
    );
    paragraph(Role::Dim, &text, width, lines);
}
