//! Differences between bill and live burn, by cause.

use proptest::prelude::*;

use super::super::test_lines::{TestLine, bills};
use super::*;
use crate::domain::bill::PeriodState::{Closed, Open};
use crate::domain::bill::Pricing;
use crate::domain::burn::{BurnSeen, Burnt};

const ACCOUNT: &str = "111111111111";

/// Days from the epoch to 30 September 2026.
const BEFORE: i32 = 20_726;

/// An account seen for `hours` on a day of October: instance-hours, dollars, instance-hours without a price.
fn look(day: i32, account: &str, hours: f64, instances: f64, usd: f64, unpriced: f64) -> BurnDay {
    let burnt = Burnt { usd, instances, unpriced, ..Burnt::default() };
    let for_ms = (hours * 3_600_000.0) as i64;
    let seen = BurnSeen { for_ms, until_ms: 0, teams: vec![(None, burnt)] };
    BurnDay { day: BEFORE + day, account: account.into(), seen }
}

/// Hours of a type on a day, at these rates.
fn line(day: u8, hours: f64, rate: f64, list: f64) -> TestLine {
    TestLine {
        day,
        effective: hours * rate,
        list: Some(hours * list),
        quantity: hours,
        ..TestLine::default()
    }
}

fn of(lines: Vec<TestLine>, looks: &[BurnDay]) -> Vec<ReconcileDay> {
    let scopes = [Scope::new(ACCOUNT, "us-east-1")];
    let live = LiveBurn { days: looks, scopes: &scopes, is_discounted: false };
    reconcile(&bills(lines, Open), &live)
}

/// The causes of the only day, in dollars and cents.
fn causes(lines: Vec<TestLine>, looks: &[BurnDay]) -> Vec<(Cause, String)> {
    let days = of(lines, looks);
    let [day] = &days[..] else { panic!("{days:#?}") };
    day.explained
        .iter()
        .map(|(cause, usd)| (cause.clone(), format!("{:.2}", usd.to_f64())))
        .collect()
}

#[test]
fn what_live_burn_cannot_see_has_a_name() {
    let whole = [look(2, ACCOUNT, 24.0, 24.0, 240.0, 0.0)];
    let lines = vec![
        line(2, 24.0, 10.0, 10.0),
        TestLine { region: "eu-west-1", ..line(2, 5.0, 10.0, 10.0) },
        TestLine { account: "222222222222".into(), ..line(2, 7.0, 10.0, 10.0) },
        TestLine { usage_type: "EBS:VolumeUsage.gp3".into(), ..line(2, 1.0, 33.0, 33.0) },
        TestLine { service: "AmazonS3".into(), usage_type: "x".into(), ..line(2, 1.0, 4.0, 4.0) },
        TestLine { charge: Charge::Credit, ..line(2, 1.0, -3.0, 0.0) },
        TestLine { pricing: Pricing::UnusedCommitment, ..line(2, 1.0, 2.0, 0.0) },
        TestLine { pricing: Pricing::UnusedCapacity, ..line(2, 1.0, 1.0, 0.0) },
        TestLine { charge: Charge::Tax, ..line(0, 1.0, 500.0, 0.0) },
    ];
    let want = [
        (Cause::UnreadAccount("222222222222".into()), "70.00"),
        (Cause::UnreadRegion("eu-west-1".into()), "50.00"),
        (Cause::OtherUse("Amazon Elastic Compute Cloud".into()), "33.00"),
        (Cause::OtherUse("AmazonS3".into()), "4.00"),
        (Cause::OtherCharge(Charge::Credit), "-3.00"),
        (Cause::UnusedCommitments, "2.00"),
        (Cause::UnusedCapacity, "1.00"),
    ];
    assert_eq!(causes(lines, &whole), want.map(|(cause, usd)| (cause, usd.to_owned())));
}

#[test]
fn prices_and_hours_explain_the_instances_that_were_seen() {
    let one = |cause, usd: &str| vec![(cause, usd.to_owned())];
    let lines = |rate| vec![line(2, 48.0, rate, 10.0)];
    let whole = [look(2, ACCOUNT, 24.0, 48.0, 480.0, 0.0)];
    assert_eq!(causes(lines(10.0), &whole), []);
    assert_eq!(causes(lines(8.0), &whole), one(Cause::Discount, "-96.00"));
    let covered = vec![TestLine { pricing: Pricing::SavingsPlan, ..line(2, 48.0, 6.0, 10.0) }];
    assert_eq!(causes(covered, &whole), one(Cause::Commitments, "-192.00"));
    let half = [look(2, ACCOUNT, 12.0, 24.0, 240.0, 0.0)];
    assert_eq!(causes(lines(10.0), &half), one(Cause::NotSeen, "240.00"));
    let fewer = [look(2, ACCOUNT, 24.0, 40.0, 400.0, 0.0)];
    assert_eq!(causes(lines(10.0), &fewer), one(Cause::NotRunningWhenSeen, "80.00"));
    let more = [look(2, ACCOUNT, 24.0, 50.0, 500.0, 0.0)];
    assert_eq!(causes(lines(10.0), &more), one(Cause::NotBilledYet, "-20.00"));
    let unpriced = [look(2, ACCOUNT, 24.0, 48.0, 240.0, 24.0)];
    assert_eq!(causes(lines(10.0), &unpriced), one(Cause::WithoutPrice, "240.00"));
    let dearer = [look(2, ACCOUNT, 24.0, 48.0, 530.0, 0.0)];
    assert_eq!(causes(lines(10.0), &dearer), one(Cause::Unexplained, "-50.00"));
    let spot = vec![TestLine { pricing: Pricing::Spot, ..line(2, 48.0, 4.0, 10.0) }];
    let seen = [look(2, ACCOUNT, 24.0, 48.0, 200.0, 0.0)];
    assert_eq!(causes(spot, &seen), one(Cause::SpotPrice, "-8.00"));
}

#[test]
fn accounts_that_only_one_side_has_are_told_apart() {
    let looks =
        [look(2, ACCOUNT, 24.0, 24.0, 240.0, 0.0), look(2, "333333333333", 24.0, 1.0, 9.0, 0.0)];
    let want = [(Cause::UnbilledAccount("333333333333".into()), "-9.00".to_owned())];
    assert_eq!(causes(vec![line(2, 24.0, 10.0, 10.0)], &looks), want);
}

#[test]
fn days_begin_with_the_first_look_and_one_that_nobody_looked_at_has_no_live_burn() {
    let lines: Vec<TestLine> = (1..=4).map(|day| line(day, 24.0, 10.0, 10.0)).collect();
    let days = of(lines.clone(), &[look(3, ACCOUNT, 24.0, 24.0, 240.0, 0.0)]);
    assert_eq!(days.iter().map(|day| day.day.day()).collect::<Vec<_>>(), [3, 4]);
    assert_eq!((days[0].live, days[1].live), (Some(Usd::whole(240)), None));
    assert_eq!(days[1].explained, [(Cause::NotSeen, Usd::whole(240))]);
    assert_eq!(of(lines, &[]), []);
}

#[test]
fn at_private_prices_a_discount_explains_nothing() {
    let looks = [look(2, ACCOUNT, 24.0, 24.0, 192.0, 0.0)];
    let scopes = [Scope::new(ACCOUNT, "us-east-1")];
    let live = LiveBurn { days: &looks, scopes: &scopes, is_discounted: true };
    let days = reconcile(&bills([line(2, 24.0, 8.0, 10.0)], Closed), &live);
    assert_eq!(days[0].explained, []);
}

#[test]
fn burn_at_the_rates_of_a_bill_has_no_discount_left_and_burn_at_list_prices_has_it() {
    let lines = || vec![line(2, 24.0, 8.0, 10.0)];
    assert_eq!(causes(lines(), &[look(2, ACCOUNT, 24.0, 24.0, 192.0, 0.0)]), []);
    let at_list = causes(lines(), &[look(2, ACCOUNT, 24.0, 24.0, 240.0, 0.0)]);
    assert_eq!(at_list, [(Cause::Discount, "-48.00".to_owned())]);
}

proptest! {
    #[test]
    fn the_causes_add_up_to_the_difference(
        raw in prop::collection::vec(
            (1..6_u8, 0..3_usize, 0..2_usize, 0..4_usize, 0..5_usize, -1.0..900.0_f64, 0.0..99.0_f64),
            1..40,
        ),
        seen in prop::collection::vec(
            (1..6_i32, 0..3_usize, 0.0..24.0_f64, 0.0..99.0_f64, 0.0..5_000.0_f64, 0.0..9.0_f64),
            1..8,
        ),
    ) {
        let accounts = [ACCOUNT, "222222222222", "333333333333"];
        let lines = raw.iter().map(|(day, account, region, usage, pricing, usd, hours)| TestLine {
            account: accounts[*account].into(),
            region: ["us-east-1", "eu-west-1"][*region],
            usage_type: ["BoxUsage:p5.48xlarge", "SpotUsage:g6.xlarge", "NatGateway-Bytes", "x"][*usage].into(),
            pricing: Pricing::ALL[*pricing],
            ..line(*day, *hours, *usd, usd * 1.25)
        });
        let looks: Vec<BurnDay> = seen
            .iter()
            .map(|(day, account, hours, n, usd, none)| look(*day, accounts[*account], *hours, *n, *usd, *none))
            .collect();
        let lines: Vec<TestLine> = lines.collect();
        let whole: Usd = bills(lines.clone(), Open)[0].cells.iter().map(|cell| cell.sums.effective).sum();
        let days = of(lines, &looks);
        for day in &days {
            let explained: Usd = day.explained.iter().map(|(_, usd)| *usd).sum();
            prop_assert_eq!(day.bill - day.live.unwrap_or_default(), explained);
        }
        let first = looks.iter().filter(|l| l.seen.for_ms > 0).map(|look| look.day).min();
        if first == Some(BEFORE + 1) {
            prop_assert_eq!(days.iter().map(|day| day.bill).sum::<Usd>(), whole);
        }
    }
}
