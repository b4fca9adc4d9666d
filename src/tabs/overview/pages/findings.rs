//! The costliest findings, of all kinds in one list.

use std::sync::Arc;

use super::cut;
use crate::app::content::{Line, Target, columns};
use crate::app::{Role, SavingsList, Tab};
use crate::tabs::overview::picture::{Finding, FindingOf, Group, Overview};
use crate::tabs::savings::state::SavingsPage;
use crate::view::{ViewContext, format};

/// What the columns are, and at which basis: the first of these that fits.
const COLUMNS: [&str; 3] = [
    "  waste/h, so far, since, team; at list price, a commitment at what is paid for it",
    "  waste/h, so far, since, team; mostly at list price",
    "  waste/h, so far, since, team",
];

/// Columns of the dollars per hour and of those wasted so far.
const MONEY: usize = 10;

/// Most columns of a team.
const TEAM: usize = 10;

/// The block: a heading and a line per finding, which leads to its page.
pub(super) fn lines(overview: &Overview, ctx: &ViewContext, width: usize) -> Vec<Line> {
    const TITLE: &str = "Costliest findings";
    let heading = Line::of(Role::Heading, TITLE);
    if overview.findings.is_empty() {
        let spoken = |t: &Group| t.waste_unknown < t.instances;
        let said = if overview.running == 0 || overview.teams.iter().any(spoken) {
            Line::of(Role::Ok, "  nothing is known to be wasted")
        } else {
            Line::of(Role::Dim, "  no verdict yet")
        };
        return vec![heading, said];
    }
    let room = width.saturating_sub(columns(TITLE));
    let said = COLUMNS.into_iter().find(|said| columns(said) <= room).unwrap_or(COLUMNS[2]);
    let mut lines = vec![heading.with(Role::Dim, cut(said, room, ctx.symbols))];
    let shape = Shape::of(overview, ctx, width);
    lines.extend(overview.findings.iter().map(|f| shape.line(f, ctx)));
    lines
}

/// Columns of the texts of the findings, so that they line up and never touch.
struct Shape {
    since: usize,
    team: usize,
    name: usize,
    what: usize,
}

impl Shape {
    /// The fewest and most columns of a name.
    const NAME: (usize, usize) = (18, 32);

    fn of(overview: &Overview, ctx: &ViewContext, width: usize) -> Self {
        let widest = |text: &dyn Fn(&Finding) -> String| {
            overview.findings.iter().map(|f| columns(&text(f))).max().unwrap_or(0)
        };
        let since = widest(&|f| since(f, ctx)) + 1;
        let team = widest(&|f| team(f, ctx)).min(TEAM) + 2;
        let what = widest(&|f| f.what.clone());
        let room = width.saturating_sub(2 + 2 * MONEY + since + 2 + team);
        let name = (widest(&|f| f.name.to_string()) + 2)
            .min(room.saturating_sub(what).clamp(Self::NAME.0, Self::NAME.1));
        Self { since, team, name, what: room.saturating_sub(name) }
    }

    fn line(&self, finding: &Finding, ctx: &ViewContext) -> Line {
        let wasted = ctx.symbols.or_unknown(finding.wasted_usd, |usd| {
            format::bound(format::usd_total(usd), finding.wasted_at_least, ctx.symbols)
        });
        let fit = |text: &str, room: usize| cut(text, room, ctx.symbols);
        Line::new()
            .text("  ")
            .number(Role::Text, &format::usd_per_hour(finding.usd_per_hour), MONEY)
            .number(Role::Text, &wasted, MONEY)
            .number(Role::Dim, &since(finding, ctx), self.since)
            .text("  ")
            .column(Role::Dim, &fit(&team(finding, ctx), self.team - 2), self.team)
            .column(Role::Text, &fit(&finding.name, self.name.saturating_sub(2)), self.name)
            .with(Role::Idle, fit(&finding.what, self.what))
            .to(target(&finding.of))
    }
}

fn since(finding: &Finding, ctx: &ViewContext) -> String {
    finding.since.map_or_else(
        || ctx.symbols.unknown().to_owned(),
        |(at, at_least)| {
            let span = format::span(ctx.now.duration_since(at).as_secs());
            format::bound(span, at_least, ctx.symbols)
        },
    )
}

fn team(finding: &Finding, ctx: &ViewContext) -> String {
    finding.team.as_deref().unwrap_or(ctx.symbols.unknown()).to_owned()
}

/// Where a finding is opened.
fn target(of: &FindingOf) -> Target {
    let saving = |list, id: &Arc<str>| Target::Saving(SavingsPage { list, id: id.clone() });
    match of {
        FindingOf::Instance(id) | FindingOf::Gpus(id) => Target::Instance(id.clone()),
        FindingOf::HostGpus(_) => Target::Tab(Tab::Gpus),
        FindingOf::Network(id, kind) => Target::Network(id.clone(), *kind),
        FindingOf::Resource(id) => saving(SavingsList::Resources, id),
        FindingOf::Commitment(id) => saving(SavingsList::Commitments, id),
        FindingOf::Storage(subject) => Target::Storage(subject.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::line_columns;
    use super::*;
    use crate::domain::storage::Subject;
    use crate::fleet::savings::PathKind;
    use crate::tabs::gpus::picture::fixture as gpu_fixture;
    use crate::tabs::overview::picture::overview;
    use crate::tabs::savings::picture::fixture::savings;
    use crate::tabs::storage::picture::fixture as storage_fixture;
    use crate::view::fixture::{ctx, fleet};

    #[test]
    fn lines_fit_and_each_leads_to_its_page() {
        let mut o = overview(&fleet(), &ctx())
            .with_gpus(&fleet(), &gpu_fixture::gpus())
            .with_storage(&storage_fixture::fleet())
            .with_savings(&savings());
        let kinds = ["storage", "network", "resource", "commitment", "gpus", "instance"];
        for (finding, kind) in o.findings.iter_mut().zip(kinds) {
            let id: Arc<str> = "an-id".into();
            finding.of = match kind {
                "storage" => FindingOf::Storage(Subject::Bucket(id)),
                "network" => FindingOf::Network(id, PathKind::Nat),
                "resource" => FindingOf::Resource(id),
                "commitment" => FindingOf::Commitment(id),
                "gpus" => FindingOf::HostGpus(id),
                _ => FindingOf::Instance(id),
            };
        }
        for width in [60, 80, 120, 200] {
            let lines = lines(&o, &ctx(), width);
            assert_eq!(lines.len(), 1 + o.findings.len());
            assert!(lines.iter().all(|l| line_columns(l) <= width), "{width}: {lines:#?}");
            assert!(lines[1..].iter().all(|l| l.target.is_some()));
            let is_path =
                |target: &Target| matches!(target, Target::Network(id, _) if **id == *"an-id");
            assert!(lines.iter().any(|l| l.target.as_ref().is_some_and(is_path)));
        }
    }
}
