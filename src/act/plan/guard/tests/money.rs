//! Capacity and savings.

use super::{Spoil, TERMINATE, passes, says};
use crate::act::plan::fixture::{GuardFixture, passing};
use crate::act::plan::{Guard, Severity, Verb};
use crate::domain::{Lifecycle, Tenancy};

fn of_type(kind: &'static str) -> impl Fn(&mut GuardFixture) {
    move |s: &mut GuardFixture| {
        s.item(|i| i.instance_type = kind.into());
        s.instance(|i| i.instance_type = kind.into());
        s.spec(|t| t.name = kind.into());
    }
}

#[test]
fn what_may_not_be_had_again() {
    let scarce = [
        "p2.xlarge",
        "p3.2xlarge",
        "p3dn.24xlarge",
        "p4d.24xlarge",
        "p4de.24xlarge",
        "p5.48xlarge",
        "p5en.48xlarge",
        "p6-b200.48xlarge",
        "trn1.32xlarge",
        "trn2.48xlarge",
        "g6e.48xlarge",
        "g7e.48xlarge",
        "dl1.24xlarge",
        "inf2.48xlarge",
    ];
    for kind in scarce {
        for verb in [Verb::Stop, TERMINATE, Verb::Start] {
            passes(&verb, of_type(kind));
            let said = says(&verb, Guard::Capacity, of_type(kind));
            assert_eq!(said.len(), 1, "{kind}");
            assert_eq!(said[0].0, Severity::Warn);
        }
    }
    for kind in
        ["g4dn.xlarge", "g5.2xlarge", "g6e.xlarge", "m7i.48xlarge", "t3.micro", "inf2.xlarge"]
    {
        assert!(says(&Verb::Stop, Guard::Capacity, of_type(kind)).is_empty(), "{kind}");
    }
}

#[test]
fn the_list_price_is_saved_and_what_is_not_known_said() {
    for verb in [Verb::Stop, TERMINATE] {
        let row = passes(&verb, |_| {});
        assert_eq!(row.stakes.saves_usd_per_hour, Some(2.744));
        let said = says(&verb, Guard::Saving, |_| {});
        assert_eq!(said[0].0, Severity::Note);
        let text = &said[0].1;
        assert!(text.starts_with("saves $2.74/h: on-demand list price"), "{text}");
        assert!(text.contains("Savings Plans and reservations: not known"), "{text}");
        // Spot has no commitments to be net of.
        let spot = says(&verb, Guard::Saving, |s| s.instance(|i| i.lifecycle = Lifecycle::Spot));
        assert!(!spot[0].1.contains("Savings Plans"), "{spot:?}");
    }
    for price in [None, Some(f64::NAN), Some(-1.0)] {
        let mut odd = passing(Verb::Stop);
        odd.item(|i| i.usd_per_hour = price);
        assert_eq!(odd.check().stakes.saves_usd_per_hour, None);
    }
    for verb in [Verb::Start, Verb::Unmark] {
        assert_eq!(passes(&verb, |_| {}).stakes, crate::act::plan::Stakes::default());
    }
}

#[test]
fn what_a_commitment_pays_for_saves_less_net_than_gross() {
    let with = |net: Option<f64>, by: &'static str| {
        says(&Verb::Stop, Guard::Saving, move |s: &mut GuardFixture| {
            s.item(|i| (i.net_usd_per_hour, i.covered_by) = (net, by.to_owned()));
        })
    };
    let all = with(Some(2.744), "");
    assert_eq!(all[0].0, Severity::Note);
    assert_eq!(all[0].1, "saves $2.74/h: on-demand list price, live");
    let half = with(Some(1.2), "Compute SP sp-1");
    assert_eq!(half[0].0, Severity::Note);
    assert!(half[0].1.ends_with("live; net $1.20/h, Compute SP sp-1 is paid on"), "{half:?}");
    // Who acts to save should know that nothing is saved.
    let none = with(Some(0.0), "Compute SP sp-1");
    assert_eq!(none[0].0, Severity::Warn);
    assert!(none[0].1.starts_with("saves $2.74/h gross and nothing net: "), "{none:?}");
    assert!(none[0].1.ends_with("Compute SP sp-1 is paid on"), "{none:?}");
}

#[test]
fn what_is_paid_anyway_saves_nothing() {
    let paid: &[Spoil<GuardFixture>] = &[
        ("cr-1 goes on billing", |s| s.instance(|i| i.capacity_reservation = Some("cr-1".into()))),
        ("prepaid", |s| s.instance(|i| i.lifecycle = Lifecycle::CapacityBlock)),
        ("schedule", |s| s.instance(|i| i.lifecycle = Lifecycle::Scheduled)),
        ("host goes on billing", |s| s.instance(|i| i.tenancy = Tenancy::Host)),
    ];
    for (why, spoil) in paid {
        for verb in [Verb::Stop, TERMINATE] {
            let row = passes(&verb, spoil);
            assert_eq!(row.stakes.saves_usd_per_hour, Some(0.0), "{why}");
            let said = says(&verb, Guard::Saving, spoil);
            assert_eq!(said[0].0, Severity::Warn);
            assert!(said[0].1.starts_with("saves $0: ") && said[0].1.contains(why), "{said:?}");
        }
    }
    // A dedicated instance is billed by itself.
    let row = passes(&Verb::Stop, |s| s.instance(|i| i.tenancy = Tenancy::Dedicated));
    assert_eq!(row.stakes.saves_usd_per_hour, Some(2.744));
}
