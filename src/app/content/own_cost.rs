//! What burntop itself has spent on billed API calls today.

use super::{Line, columns, wrap};
use crate::app::Role;
use crate::app::msg::OwnCost;
use crate::view::format;

/// Dollars with as many decimals as a hundredth of a cent needs: single calls cost that little.
fn fine_usd(amount: f64) -> String {
    format!("${}", format::grouped(amount, 4))
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
    let name_width = cost.calls.iter().map(|c| columns(&c.0)).max().unwrap_or(0).max(5);
    lines.push(
        Line::new()
            .column(Role::Heading, "API", name_width)
            .number(Role::Heading, "UNITS", 12)
            .number(Role::Heading, "USD", 12),
    );
    for (name, units, usd) in &cost.calls {
        lines.push(
            Line::new()
                .column(Role::Text, name, name_width)
                .number(Role::Text, &format::grouped(*units as f64, 0), 12)
                .number(Role::Text, &fine_usd(*usd), 12),
        );
    }
    if cost.calls.is_empty() {
        lines.push(Line::of(Role::Dim, "nothing billed so far"));
    }
    lines.push(Line::new().column(Role::Heading, "today", name_width + 12).number(
        Role::Heading,
        &fine_usd(cost.today_usd),
        12,
    ));
    lines.push(Line::new().column(Role::Dim, "daily cap", name_width + 12).number(
        Role::Dim,
        &fine_usd(cost.cap_usd),
        12,
    ));
    lines.push(Line::new());
    let (role, text) = if let Some(trouble) = &cost.trouble {
        (Role::Warn, trouble.as_str())
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

    #[test]
    fn a_ledger_that_nobody_can_read_is_named_in_place_of_the_cap() {
        let cost = OwnCost {
            cap_usd: 1.0,
            trouble: Some("it lies at ledger.db.broken-7; delete it".into()),
            ..OwnCost::default()
        };
        assert!(cost.is_capped(), "nothing is spent, and nothing may be");
        let said = format!("{:?}", lines(Some(&cost), 200));
        assert!(said.contains("ledger.db.broken-7"), "{said}");
        assert!(!said.contains("rest until midnight"), "{said}");
    }
}
