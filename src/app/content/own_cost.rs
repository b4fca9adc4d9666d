//! What burntop itself has spent on billed API calls today.

use super::{Line, columns, wrap};
use crate::app::Role;
use crate::domain::OwnCost;
use crate::domain::own_cost::usd_of_micro;
use crate::view::format;

/// Dollars to a hundredth of a cent: single calls cost that little.
fn fine(amount: f64) -> String {
    format::usd_fine(amount, 4)
}

/// Lines of the own-cost page; `cost` is `None` while the ledger has not been read.
pub fn lines(cost: Option<&OwnCost>, width: usize) -> Vec<Line> {
    let Some(cost) = cost else {
        return vec![Line::of(Role::Dim, "The ledger has not been read yet.")];
    };
    let mut lines = vec![
        Line::of(
            Role::Text,
            "burntop's own billed API calls today (UTC), all its processes on this machine",
        ),
        Line::new(),
    ];
    let name_width = cost.apis.iter().map(|api| columns(&api.name)).max().unwrap_or(0).max(5);
    lines.push(
        Line::new()
            .column(Role::Heading, "API", name_width)
            .number(Role::Heading, "UNITS", 12)
            .number(Role::Heading, "USD", 12),
    );
    for api in &cost.apis {
        lines.push(
            Line::new()
                .column(Role::Text, &api.name, name_width)
                .number(Role::Text, &format::grouped(api.units as f64, 0), 12)
                .number(Role::Text, &fine(usd_of_micro(api.micro_usd)), 12),
        );
    }
    if cost.apis.is_empty() {
        lines.push(Line::of(Role::Dim, "nothing billed so far"));
    }
    lines.push(Line::new().column(Role::Heading, "today", name_width + 12).number(
        Role::Heading,
        &fine(cost.today_usd()),
        12,
    ));
    lines.push(Line::new().column(Role::Dim, "daily cap", name_width + 12).number(
        Role::Dim,
        &fine(cost.cap_usd()),
        12,
    ));
    lines.push(Line::new());
    let unknown = cost.trouble.as_ref().map(|t| format!("{}. {}", t.why, t.fix));
    let (role, text) = if let Some(unknown) = &unknown {
        (Role::Warn, unknown.as_str())
    } else if cost.is_capped() {
        (
            Role::Warn,
            "The cap is reached: billed sources rest until midnight UTC; what is shown stays and \
             ages. `own_cost.cap_usd_per_day` in the config file raises it.",
        )
    } else {
        (
            Role::Dim,
            "At the cap, billed sources rest until midnight UTC. EC2, STS, pricing and ListMetrics \
             calls are free; GetMetricData is billed per metric requested, up to five statistics of it \
             included; queries of Amazon's Prometheus by the samples that they process.",
        )
    };
    lines.extend(wrap(text, width).into_iter().map(|l| Line::of(role, l)));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::own_cost::SpendingUnknown;

    #[test]
    fn a_ledger_that_nobody_can_read_is_named_in_place_of_the_cap() {
        let cost = OwnCost {
            cap_micro_usd: 1_000_000,
            trouble: Some(SpendingUnknown {
                why: "it lies at ledger.db.broken-7".into(),
                fix: "Delete it.",
            }),
            ..OwnCost::default()
        };
        assert!(cost.is_capped(), "nothing is spent, and nothing may be");
        let said = format!("{:?}", lines(Some(&cost), 200));
        assert!(said.contains("ledger.db.broken-7"), "{said}");
        assert!(!said.contains("rest until midnight"), "{said}");
    }
}
