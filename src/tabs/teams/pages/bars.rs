//! Bars of the first rows: dollars of teams, what is spent of budgets and where they end, what runs of quotas, what has all tags.

use crate::app::content::Line;
use crate::app::{App, Role};
use crate::domain::bill::Usd;
use crate::tabs::bill::pages::bar;
use crate::tabs::teams::lists::TeamsList;
use crate::tabs::teams::picture::{BudgetItem, BudgetStanding, QuotaItem, QuotaStanding};
use crate::tabs::teams::state::rows_of;
use crate::view::{Symbols, format};

/// Columns of a name, of its figure, and of everything with the bar.
const NAME: usize = 18;
const FIGURE: usize = 14;
const WIDE: usize = 2 + NAME + FIGURE + 2 + 24 + 22;

/// Bars at most.
const AT_MOST: usize = 6;

/// Signs of what is there, what comes or is shared, and what is too much.
fn signs(symbols: Symbols) -> [&'static str; 2] {
    match symbols {
        Symbols::Unicode => ["█", "▓"],
        Symbols::Ascii => ["#", "+"],
    }
}

/// A line per row, as many as there is room for; none on a narrow screen.
pub(super) fn bars(app: &App, room: usize, width: usize) -> Vec<Line> {
    let tab = app.teams_tab();
    let rows = tab.rows();
    let symbols = app.appearance().symbols;
    if width < WIDE {
        return Vec::new();
    }
    let mut lines: Vec<Line> = match tab.look() {
        TeamsList::Teams => teams(app, symbols),
        TeamsList::Budgets => {
            let all = rows_of(rows.budgets.as_ref());
            all.iter().map(|row| budget(row, symbols)).collect()
        }
        TeamsList::Quotas => {
            let all = rows_of(rows.quotas.as_ref());
            all.iter().map(|row| quota(row, symbols)).collect()
        }
        TeamsList::Tags => tags(app, symbols).into_iter().collect(),
        TeamsList::Units | TeamsList::People => Vec::new(),
    };
    lines.truncate(room.min(AT_MOST));
    lines
}

fn begin(name: &str, figure: &str) -> Line {
    Line::new()
        .text("  ")
        .column(Role::Text, name, NAME)
        .number(Role::Text, figure, FIGURE)
        .text("  ")
}

fn teams(app: &App, symbols: Symbols) -> Vec<Line> {
    let all = rows_of(app.teams_tab().rows().allocation.as_ref());
    let most = all.iter().map(|row| row.of.usd().to_f64()).fold(0.0, f64::max);
    let [own, shared] = signs(symbols);
    let line = |row: &std::sync::Arc<crate::tabs::teams::picture::AllocationItem>| {
        let name = row.of.key.as_deref().or(row.of.lack.map(crate::analyze::teams::Lack::word));
        let role = if row.of.lack.is_some() { Role::Idle } else { Role::Ok };
        let parts = [(row.of.direct, (own, role)), (row.of.shared, (shared, Role::Dim))];
        let line = begin(name.unwrap_or_default(), &format::usd(row.of.usd().to_f64()));
        let total = row.total.to_f64();
        let share = (total > 0.0).then(|| row.of.usd().to_f64() / total);
        let share = symbols.or_unknown(share, |share| format::share(share, 0));
        bar(line, &parts, most).with(Role::Dim, share)
    };
    all.iter().map(line).collect()
}

fn budget(row: &BudgetItem, symbols: Symbols) -> Line {
    let of = &row.of;
    let [spent, ahead] = signs(symbols);
    let role = match row.standing() {
        BudgetStanding::Over => Role::Crit,
        BudgetStanding::AtLevel | BudgetStanding::WillExceed => Role::Warn,
        BudgetStanding::Fine => Role::Ok,
    };
    let end = row.expected().map_or(of.spent, |end| end.max(of.spent));
    let parts = [(of.spent, (spent, role)), (end - of.spent, (ahead, Role::Dim))];
    let most = of.budget.limit.max(end).to_f64();
    let name = if row.aws.is_some() { "AWS: " } else { "" };
    let name = format!("{name}{}", of.budget.name);
    let line = begin(&name, &format::usd(of.spent.to_f64()));
    let share = format::share(of.share(), 0);
    let text = format!("{share} of {}", format::usd(of.budget.limit.to_f64()));
    bar(line, &parts, most).with(role, text)
}

fn quota(row: &QuotaItem, symbols: Symbols) -> Line {
    let of = &row.of;
    let [used, _] = signs(symbols);
    let role = if row.standing() == QuotaStanding::Over { Role::Crit } else { Role::Ok };
    let figure = |value: f64| format::trimmed(value, 2);
    let amount = Usd::from_f64(of.used).unwrap_or_default();
    let what = of.quota.instance_type.as_deref().unwrap_or(of.quota.of.word()).replace('_', " ");
    let line = begin(&of.quota.team, &figure(of.used));
    let text = format!("of {} {what}", figure(of.quota.limit));
    bar(line, &[(amount, (used, role))], of.quota.limit.max(of.used)).with(role, text)
}

fn tags(app: &App, symbols: Symbols) -> Option<Line> {
    let of = &app.teams_tab().rows().tags.as_ref()?.of;
    let [taggable, compliant, _] = of.sums;
    let [has, lacks] = signs(symbols);
    let parts = [(compliant, (has, Role::Ok)), (taggable - compliant, (lacks, Role::Idle))];
    let share = symbols.or_unknown(of.share, |share| format::share(share, 0));
    let line = begin("all tags", &format::usd(compliant.to_f64()));
    Some(bar(line, &parts, taggable.to_f64()).with(Role::Dim, share))
}
