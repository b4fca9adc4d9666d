//! Exact dollars of an event, and the resources behind it.

use std::cmp::Reverse;
use std::sync::Arc;

use jiff::civil::Date;

use super::calendar::Calendar;
use super::findings::Finding;
use super::series::AllSeries;
use super::{Anomaly, AnomalyKey, AnomalyKind};
use crate::domain::bill::{Bill, NameId, Usd};
use crate::domain::hash::FastMap;

/// Resources that are named.
const NAMED: usize = 5;

/// A resource of an event.
#[derive(Clone, Copy, Debug)]
struct Part {
    usd: Usd,
    first: Date,
    last: Date,
}

/// What the bills say of an event.
#[derive(Clone, Debug, Default)]
struct Evidence {
    actual: Usd,
    resources: FastMap<Arc<str>, Part>,
}

/// Events with what the bills say of them.
pub(super) fn anomalies(
    bills: &[Arc<Bill>],
    calendar: &Calendar,
    series: &AllSeries,
    found: Vec<Finding>,
) -> Vec<Anomaly> {
    let mut by_series: FastMap<usize, Vec<usize>> = FastMap::default();
    let mut is_in_one = vec![false; calendar.days.len()];
    for (number, finding) in found.iter().enumerate() {
        is_in_one[finding.run.first..=finding.run.last].fill(true);
        for place in finding.node.from..finding.node.to {
            by_series.entry(place).or_default().push(number);
        }
    }
    let mut all: Vec<Evidence> = found.iter().map(|_| Evidence::default()).collect();
    for (number, bill) in bills.iter().enumerate() {
        let Some(month) = calendar.month(bill.head.period) else { continue };
        for cell in &bill.cells {
            let day = calendar.day(month, cell.day).filter(|day| is_in_one[*day]);
            let place = day.and_then(|_| series.place(number, bill, &cell.key));
            let Some((day, events)) = day.zip(place.and_then(|place| by_series.get(&place))) else {
                continue;
            };
            for event in events {
                let run = &found[*event].run;
                if (run.first..=run.last).contains(&day) {
                    all[*event].actual += cell.sums.effective;
                }
            }
        }
        let mut of_bill: FastMap<(usize, NameId), Part> = FastMap::default();
        for cell in bill.resources.iter().filter(|cell| !cell.resource.is_none()) {
            let place = series.place(number, bill, &cell.key);
            let Some(events) = place.and_then(|place| by_series.get(&place)) else { continue };
            let [Some(first), Some(last)] =
                [cell.days.0, cell.days.1].map(|day| calendar.day(month, day))
            else {
                continue;
            };
            let part = Part {
                usd: cell.sums.effective,
                first: calendar.days[first].date,
                last: calendar.days[last].date,
            };
            for event in events {
                // What ended on the day before a drop is part of it.
                let run = &found[*event].run;
                if first <= run.last && last + 1 >= run.first {
                    let known = of_bill.entry((*event, cell.resource));
                    known.and_modify(|known| known.add(&part)).or_insert(part);
                }
            }
        }
        for ((event, name), part) in of_bill {
            if let Some(name) = bill.shared_name(name) {
                let known = all[event].resources.entry(name.clone());
                known.and_modify(|known| known.add(&part)).or_insert(part);
            }
        }
    }
    found.iter().zip(all).map(|(finding, said)| anomaly(calendar, series, finding, said)).collect()
}

impl Part {
    fn add(&mut self, other: &Self) {
        self.usd += other.usd;
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
    }
}

fn anomaly(
    calendar: &Calendar,
    series: &AllSeries,
    finding: &Finding,
    evidence: Evidence,
) -> Anomaly {
    let run = &finding.run;
    let [since, last] = [run.first, run.last].map(|day| calendar.days[day].date);
    let until = (!run.is_on).then_some(last);
    let [account, service, usage_type, tag] = series.key(&finding.node);
    let all: Vec<(Arc<str>, Part)> = evidence.resources.into_iter().collect();
    let day_before = since.yesterday().unwrap_or(since);
    let is_cause = |part: &Part| match run.kind {
        AnomalyKind::Spike => part.first >= since,
        AnomalyKind::Drop => part.last == day_before || part.last == since,
        AnomalyKind::Drift => false,
    };
    let has_cause = all.iter().any(|(_, part)| is_cause(part));
    let mut resources: Vec<(Arc<str>, Usd)> = all
        .into_iter()
        .filter(|(_, part)| !has_cause || is_cause(part))
        .map(|(name, part)| (name, part.usd))
        .collect();
    resources.sort_by(|a, b| (Reverse(a.1), &a.0).cmp(&(Reverse(b.1), &b.0)));
    resources.truncate(NAMED);
    let expected = Usd::from_f64((finding.expected * 100.0).round() / 100.0).unwrap_or_default();
    Anomaly {
        since,
        until,
        kind: run.kind,
        key: AnomalyKey { account, service, usage_type, tag },
        expected,
        actual: evidence.actual,
        score: run.score,
        resources,
    }
}
