//! A bill made instance by instance, without any of the engine's code: regional Reserved Instances,
//! own account first, then one Compute Savings Plan, own account first and deepest discount first.

use super::super::bill::Bill;
use super::fixture::World;
use crate::domain::Commits;

/// What all of it costs, USD/h: of the fleet as the steps left it.
pub fn compute_usd(world: &World, bill: &Bill<'_>) -> f64 {
    let holdings = world.holdings.as_ref().unwrap();
    let mut open: Vec<(String, String, f64)> = Vec::new();
    let mut usd = 0.0;
    for machine in bill.machines.iter().filter(|m| !m.gone) {
        let account = machine.row.instance.scope.account.to_string();
        if machine.on_spot {
            let row = world.spot.iter().find(|r| r.id == machine.row.instance.id).unwrap();
            usd += row.effective.unwrap();
        } else {
            open.push((account, machine.instance_type.to_string(), 1.0));
        }
    }
    // Which of several other accounts a reservation serves first is AWS's choice; the engine goes by
    // account and type.
    open.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    let mut left: Vec<f64> = Vec::new();
    for held in &holdings.items {
        left.push(match &held.commits {
            Commits::Reserved(ri) => {
                usd += f64::from(ri.count) * ri.usd_per_hour.unwrap();
                f64::from(ri.count)
            }
            _ => 0.0,
        });
    }
    for own in [true, false] {
        for (held, left) in holdings.items.iter().zip(&mut left) {
            let Commits::Reserved(ri) = &held.commits else { continue };
            if !own && !holdings.sharing {
                continue;
            }
            for (account, name, part) in &mut open {
                if **name == *ri.instance_type && (**account == *held.account) == own {
                    let take = left.min(*part);
                    *part -= take;
                    *left -= take;
                }
            }
        }
    }
    for held in &holdings.items {
        let Commits::Plan(plan) = &held.commits else { continue };
        usd += plan.usd_per_hour;
        let mut left = plan.usd_per_hour;
        let rate = |name: &str| {
            plan.rates.iter().find(|r| &*r.instance_type == name).map(|r| r.usd_per_hour)
        };
        let mut order: Vec<usize> =
            (0..open.len()).filter(|i| rate(&open[*i].1).is_some()).collect();
        let discount = |i: usize| rate(&open[i].1).unwrap() / world.usd(&open[i].1);
        order.sort_by(|a, b| {
            let own = |i: usize| *open[i].0 != *held.account;
            (own(*a), discount(*a)).partial_cmp(&(own(*b), discount(*b))).unwrap()
        });
        for i in order {
            if *open[i].0 != *held.account && !holdings.sharing {
                continue;
            }
            let rate = rate(&open[i].1).unwrap();
            let take = (left / rate).min(open[i].2);
            left -= take * rate;
            open[i].2 -= take;
        }
    }
    usd + open.iter().map(|(_, name, part)| part * world.usd(name)).sum::<f64>()
}
