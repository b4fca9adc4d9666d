//! Ten thousand instances under five hundred commitments.

use super::fixture::{World, plan, reserved};
use crate::domain::VerdictKind;
use crate::fleet::savings::SpotFit;

#[test]
fn ten_thousand_instances_are_worked_out() {
    let names: Vec<(String, f64)> =
        (0..40).map(|i| (format!("t{i}.xlarge"), 1.0 + f64::from(i) * 0.7)).collect();
    let types: Vec<(&str, f64)> = names.iter().map(|(n, usd)| (&**n, *usd)).collect();
    let mut w = World::new(&types);
    for i in 0..10_000_usize {
        let (id, t) = (format!("i-{i:05}"), (i * 7) % 40);
        let kind = match i % 10 {
            0 => VerdictKind::Idle,
            1 | 2 => VerdictKind::Underused,
            _ => VerdictKind::Busy,
        };
        w.run(&id, &format!("{:012}", i % 12), types[t].0, kind);
        w.instances[i].az = ["us-east-1a", "us-east-1b", "us-east-1c"][i % 3].into();
        let usd = types[t].1;
        if (1..=2).contains(&(i % 10)) && t > 5 {
            w.proposals.reserve(1);
            propose(&mut w, i, types[t - 5]);
        }
        if i % 3 == 0 {
            spot(&mut w, i, usd);
        }
    }
    for i in 0..480_usize {
        let (name, usd) = types[(i * 3) % 40];
        let account = format!("{:012}", i % 12);
        w.hold(reserved(&format!("ri-{i}"), &account, name, 1 + (i % 12) as u32, usd * 0.6));
    }
    let rates: Vec<(&str, f64)> = types.iter().map(|(n, usd)| (*n, usd * 0.7)).collect();
    for i in 0..20 {
        w.hold(plan(&format!("sp-{i}"), &format!("{:012}", i % 12), 300.0, &rates));
    }
    w.ran_all_week();
    // No time is asserted: the applier under it is measured in `benches/commitments.rs`.
    let found = w.with(|input| {
        super::super::waterfall(input, &w.proposals, &w.spot, &w.resources, &[], &[])
    });
    assert!(found.saves() > 0.0);
}

fn propose(w: &mut World, i: usize, to: (&str, f64)) {
    let mut small = World::new(&[]);
    small.prices.clone_from(&w.prices);
    small.instances.push(w.instances[i].clone());
    let id = w.instances[i].id.to_string();
    small.propose(&id, to.0);
    w.proposals.append(&mut small.proposals);
}

fn spot(w: &mut World, i: usize, usd: f64) {
    let mut small = World::new(&[]);
    small.prices.clone_from(&w.prices);
    small.instances.push(w.instances[i].clone());
    let id = w.instances[i].id.to_string();
    let fit = if i.is_multiple_of(2) { SpotFit::Yes } else { SpotFit::Partial };
    small.may_spot(&id, fit, usd * 0.4, usd * 0.5);
    w.spot.append(&mut small.spot);
}
