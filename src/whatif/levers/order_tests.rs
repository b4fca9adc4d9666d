//! Savings one after the other: to the cent, never more than there is, whatever their order.

use proptest::prelude::*;

use super::order::{Claim, Pool, Stage, chain};
use super::tests::whole;
use super::{GpuSavings, LeverKind, Levers, Rightsize};

const STAGES: [Stage; 5] =
    [Stage::Rightsize, Stage::Schedule, Stage::Redo, Stage::Spot, Stage::Commit];

fn claim(stage: Stage, before_usd: f64, after_usd: f64) -> Claim {
    Claim { kind: None, what: "a lever", pool: Pool::Compute, stage, before_usd, after_usd }
}

#[test]
fn two_levers_by_hand() {
    let claims = [claim(Stage::Spot, 100.0, 58.0), claim(Stage::Rightsize, 100.0, 300.0 / 7.0)];
    let chain = chain(&[(Pool::Compute, 100.0)], &claims);
    assert!((chain.share() - 0.7514).abs() < 5e-5);
    assert!((chain.naive_share() - 0.9914).abs() < 5e-5);
    // The earlier stage comes first, whatever the list's order.
    assert!((chain.steps[0].saved_usd() - 400.0 / 7.0).abs() < 1e-12);
    assert!((chain.steps[1].saved_usd() - 18.0).abs() < 1e-12);
    let said = chain.correction().unwrap();
    assert!(said.contains("99.1%") && said.contains("75.1%"), "{said}");
    assert!(chain.lines()[1].arithmetic.contains("42% of the $42.86 left"));
}

#[test]
fn a_part_of_the_spend_is_a_part() {
    // A lever on a quarter of the spend that halves it: an eighth.
    let chain = chain(&[(Pool::Compute, 100.0)], &[claim(Stage::Schedule, 25.0, 12.5)]);
    assert!((chain.share() - 0.125).abs() < 1e-12);
    assert_eq!(chain.correction(), None);
}

#[test]
fn more_than_the_whole_is_left_out_and_said() {
    let chain = chain(&[(Pool::Compute, 100.0)], &[claim(Stage::Spot, 150.0, 10.0)]);
    assert!(chain.steps.is_empty() && chain.left_out[0].contains("whole spend is $100.00"));
    assert_eq!(chain.after_usd, 100.0);
}

#[test]
fn the_seed_fleet_in_its_order() {
    let mut levers = Levers { gpu_savings: whole().gpu_savings, ..Default::default() };
    let chain = levers.chain(None).unwrap();
    assert!((12.0 * (chain.before_usd - chain.after_usd) - 1_803_429.0).abs() < 1.0);
    assert!((12.0 * chain.naive_usd() - 2_379_429.0).abs() < 1.0);
    // 20% off the rest by commitments: of what is left, not of today's spend.
    let with = levers.chain(Some(0.2)).unwrap();
    assert!((with.after_usd - 0.8 * chain.after_usd).abs() < 1e-6);
    assert!(with.naive_share() > 1.0);
    levers.remove(LeverKind::GpuSavings);
    assert_eq!(levers.chain(Some(0.2)), None);
}

#[test]
fn the_same_hours_are_not_saved_twice() {
    let chain = whole().chain(None).unwrap();
    let kinds: Vec<_> = chain.steps.iter().filter_map(|step| step.kind).collect();
    assert_eq!(
        kinds,
        [
            LeverKind::Rightsize,
            LeverKind::Autoscale,
            LeverKind::FailedRuns,
            LeverKind::SpotMix,
            LeverKind::Storage,
            LeverKind::Network,
        ]
    );
    assert!(
        chain.left_out.iter().any(|said| said.contains("rightsize removes the same idle hours"))
    );
    assert!(chain.left_out.iter().any(|said| said.contains("spot-mix moves the same hours")));
    assert_eq!(chain.before_usd, 400_000.0 + 17_350.0 + 1_000.0);
}

#[test]
fn what_is_missing_is_said_and_the_rest_counts() {
    let levers = Levers {
        gpu_savings: Some(GpuSavings::default()),
        storage: whole().storage,
        ..Default::default()
    };
    let chain = levers.chain(None).unwrap();
    assert_eq!(chain.steps.len(), 1);
    assert!(chain.left_out[0].starts_with("gpu-savings: monthly_usd is not given"));
}

#[test]
fn a_committed_type_saves_nothing_until_it_ends() {
    let mut levers = Levers { rightsize: whole().rightsize, ..Default::default() };
    let free = levers.chain(None).unwrap();
    // Five p4d against four g6e, a month.
    let right = 730.0 * (5.0 * 21.957_642 - 4.0 * 15.065_59);
    assert!((free.before_usd - free.after_usd - right).abs() < 1e-6);
    if let Some(Rightsize { moves }) = &mut levers.rightsize {
        moves[0].committed_months = Some(7.0);
    }
    let chain = levers.chain(None).unwrap();
    assert_eq!(chain.before_usd, chain.after_usd);
    let sheet = levers.get(LeverKind::Rightsize).unwrap().sheet().unwrap();
    assert_eq!(sheet.number("saved_now_usd_per_month"), Some(0.0));
    assert!((sheet.number("saved_usd_per_month").unwrap() - right).abs() < 1e-6);
    assert!(sheet.notes[0].contains("7 months"));
}

fn any_claims() -> impl Strategy<Value = Vec<(usize, f64, f64)>> {
    prop::collection::vec((0usize..5, 0.0..=1.0f64, 0.0..=1.0f64), 0..7)
}

proptest! {
    #[test]
    fn never_more_than_there_is_and_to_the_cent(
        whole in 1.0..1e7f64, raw in any_claims(), storage in 0.0..1e6f64,
    ) {
        let claims: Vec<Claim> = raw.iter()
            .map(|(stage, reach, left)| claim(STAGES[*stage], whole * reach, whole * reach * left))
            .collect();
        let chain = chain(&[(Pool::Compute, whole), (Pool::Storage, storage)], &claims);
        prop_assert!(chain.after_usd >= -1e-9 && chain.share() <= 1.0 + 1e-12);
        let steps: f64 = chain.steps.iter().map(super::order::Step::saved_usd).sum();
        prop_assert!((steps - (chain.before_usd - chain.after_usd)).abs() < 0.005);
        prop_assert!(chain.steps.iter().all(|step| step.saved_usd() >= -1e-9));
        prop_assert!(chain.naive_usd() >= steps - 1e-6);
        // What is left is the product of what each leaves: no order but the product's.
        let product: f64 = raw.iter().map(|(_, reach, left)| 1.0 - reach * (1.0 - left)).product();
        prop_assert!((chain.after_usd - storage - whole * product).abs() < 1e-6 * whole);
    }

    #[test]
    fn the_order_of_the_list_does_not_matter(whole in 1.0..1e7f64, raw in any_claims()) {
        let claims: Vec<Claim> = raw.iter()
            .map(|(stage, reach, left)| claim(STAGES[*stage], whole * reach, whole * reach * left))
            .collect();
        let backwards: Vec<Claim> = claims.iter().rev().cloned().collect();
        let pools = [(Pool::Compute, whole)];
        let apart = chain(&pools, &claims).after_usd - chain(&pools, &backwards).after_usd;
        prop_assert!(apart.abs() < 1e-9 * whole);
    }

    #[test]
    fn a_lever_that_costs_is_the_only_negative_step(extra in 0.001..0.5f64, cut in 0.0..1.0f64) {
        let costs = Claim { after_usd: 50.0 * (1.0 + extra), ..claim(Stage::Schedule, 50.0, 0.0) };
        let chain = chain(&[(Pool::Compute, 100.0)], &[costs, claim(Stage::Spot, 100.0, 100.0 * cut)]);
        prop_assert!(chain.steps[0].saved_usd() < 0.0);
        prop_assert!(chain.steps[1].saved_usd() >= 0.0);
    }

    #[test]
    fn whole_instances_never_save_more_than_free_ones(
        used in 0.0..=1.0f64, target in 0.1..=1.0f64, count in 1u32..200,
    ) {
        let free = GpuSavings {
            monthly_usd: Some(1000.0), utilisation: Some(used), target: Some(target),
            ..Default::default()
        };
        let whole = GpuSavings { instances: Some(f64::from(count)), ..free.clone() };
        let (free, whole) = (free.saved().unwrap(), whole.saved().unwrap());
        prop_assert!(whole.saved_usd() <= free.saved_usd() + 1e-6);
        // Load is conserved: what is left does the same work, at most at the target.
        let left = whole.instances.unwrap();
        prop_assert!((left * whole.utilisation - f64::from(count) * used).abs() < 1e-6 || left == 0.0);
        prop_assert!(used > target || whole.utilisation <= target + 1e-6);
    }
}
