//! Against the bill of the What-if view, written apart from this: one type of usage a name, no zones,
//! no sizes, no room.

use proptest::prelude::*;

use super::*;
use crate::fleet::Applier;
use crate::fleet::commitments::tests::make::*;
use crate::whatif::supply::plans::{Plan, PlanKind, Reserved, Usage, bill};

const ACCOUNTS: [&str; 3] = [A, B, C];
/// Families without size flexibility.
const TYPES: [&str; 4] = ["g5.xlarge", "g6.xlarge", "p5.48xlarge", "inf2.xlarge"];

proptest! {
    #[test]
    fn the_hour_costs_what_the_simulator_says(
        amounts in prop::collection::vec(0.0..9.0f64, 12),
        list in prop::collection::vec(0.5..9.0f64, 4),
        parts in prop::collection::vec(0.2..1.0f64, 8),
        plans in prop::collection::vec((any::<bool>(), 0..3usize, 0.0..20.0f64), 0..4),
        reserved in prop::collection::vec((0..3usize, 0..4usize, 1..6u32), 0..4),
        sharing: bool,
    ) {
        let mut usage = Vec::new();
        let mut meters = Vec::new();
        for (account, owner) in ACCOUNTS.iter().enumerate() {
            for (of, name) in TYPES.iter().enumerate() {
                meters.push(meter(owner, "us-east-1a", name));
                usage.push(Usage {
                    what: (*name).to_owned(),
                    account: (*owner).to_owned(),
                    units: amounts[4 * account + of],
                    on_demand: list[of],
                });
            }
        }
        // The simulator takes equals in the order of the list, the applier in that of the names.
        usage.sort_by(|a, b| (&a.account, &a.what).cmp(&(&b.account, &b.what)));
        meters.sort_by(|a, b| {
            (&a.scope.account, &a.instance_type).cmp(&(&b.scope.account, &b.instance_type))
        });
        let units: Vec<f64> = usage.iter().map(|usage| usage.units).collect();
        let rates = |narrow: bool| -> Vec<(&str, f64)> {
            let at = if narrow { 0 } else { 4 };
            // A narrow plan is for one family.
            let names = TYPES.iter().enumerate().take(if narrow { 1 } else { 4 });
            names.map(|(of, name)| (*name, list[of] * parts[at + of])).collect()
        };
        let (mut theirs, mut ours) = (Vec::new(), Vec::new());
        for (n, (narrow, owner, usd)) in plans.iter().enumerate() {
            let (id, owner, rates) = (format!("p-{n}"), ACCOUNTS[*owner], rates(*narrow));
            ours.push(if *narrow {
                ec2_plan(&id, owner, "g5", *usd, &rates)
            } else {
                compute(&id, owner, *usd, &rates)
            });
            theirs.push(Plan {
                kind: if *narrow { PlanKind::Instance } else { PlanKind::Compute },
                account: owner.to_owned(),
                usd_per_hour: *usd,
                rates: rates.into_iter().map(|(of, rate)| (of.to_owned(), rate)).collect(),
            });
        }
        let mut kept = Vec::new();
        for (n, (owner, of, count)) in reserved.iter().enumerate() {
            ours.push(regional(&format!("r-{n}"), ACCOUNTS[*owner], *count, TYPES[*of], 0.3));
            kept.push(Reserved {
                what: TYPES[*of].to_owned(),
                account: ACCOUNTS[*owner].to_owned(),
                units: f64::from(*count),
                rate: 0.3,
            });
        }
        // Of equals the first owner's reservation comes first.
        kept.sort_by(|a, b| a.account.cmp(&b.account));
        theirs.sort_by(|a, b| a.account.cmp(&b.account));
        let expected = bill(&usage, &kept, &theirs, sharing);
        let book = prices(&TYPES.iter().copied().zip(list.iter().copied()).collect::<Vec<_>>());
        let holdings = Holdings { sharing, ..held(ours) };
        let applied = Applier::new(meters, &holdings, &book, now()).apply(&units);
        prop_assert!((applied.committed_usd - expected.committed_usd).abs() < 1e-9);
        prop_assert!(
            (applied.on_demand_usd - expected.on_demand_usd).abs() < 1e-6,
            "{} is not {}", applied.on_demand_usd, expected.on_demand_usd
        );
    }
}
