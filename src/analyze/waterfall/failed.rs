//! Failed runs: time of instances that attempts lost which failed again and again, on what the steps before leave.

use std::collections::{HashMap, HashSet};

use jiff::{SignedDuration, Timestamp};

use super::Done;
use super::bill::{Bill, Machine};
use crate::analyze::savings::SavingsInput;
use crate::domain::gpu::dns_names;
use crate::domain::jobs::{AvoidableLoss, AvoidableRuns};
use crate::fleet::savings::{Effort, Risk, StepNote};

/// Takes the share of their time that instances lost to such runs: of those that are left, on the type and at the price that
/// they have by now. What a step before stopped or drained has none left to lose.
pub(super) fn take(bill: &mut Bill<'_>, input: &SavingsInput<'_>) -> Done {
    let mut done = Done::default();
    let Some(runs) = input.fleet.book.failed_runs.as_deref() else { return done };
    let found = Found::of(runs, &bill.machines, input.now);
    let (mut units, mut flat) = (bill.units.clone(), bill.flat);
    let mut counted: HashSet<u32> = HashSet::new();
    for (machine, lost) in bill.machines.iter().zip(&found.of) {
        if lost.share <= 0.0 {
            continue;
        }
        let list = machine.row.usd_per_hour().unwrap_or(0.0) * lost.share;
        done.gross_alone += list;
        if machine.gone {
            continue;
        }
        let usd = match machine.meter {
            Some(meter) => bill.price[meter].inspect(|_| {
                units[meter] = (units[meter] - lost.share).max(0.0);
            }),
            None => machine.flat.inspect(|usd| flat -= usd * lost.share),
        };
        match usd {
            Some(usd) => {
                counted.extend(&lost.attempts);
                done.levels.add(Effort::Medium, Risk::Low, usd * lost.share);
            }
            None => done.unknown += lost.attempts.len() as u32,
        }
    }
    bill.set_units(units, flat.max(0.0));
    let is_bound = |loss: &&AvoidableLoss| loss.is_upper_bound && counted.contains(&loss.attempt);
    let bounds: HashSet<u32> =
        runs.losses.iter().filter(is_bound).map(|loss| loss.attempt).collect();
    done.items = counted.len() as u32;
    done.unknown += found.elsewhere;
    if done.items > 0 {
        done.notes.push(StepNote::FailedAgain { days: runs.days, bounds: bounds.len() as u32 });
    }
    done
}

/// What a machine lost.
#[derive(Clone, Debug, Default)]
struct Lost {
    /// Share of its time, 0–1.
    share: f64,
    /// Numbers of the attempts.
    attempts: HashSet<u32>,
}

/// What machines lost.
struct Found {
    /// By machine, in their order.
    of: Vec<Lost>,
    /// Number of attempts none of whose nodes is a machine that runs.
    elsewhere: u32,
}

impl Found {
    fn of(runs: &AvoidableRuns, machines: &[Machine<'_>], now: Timestamp) -> Self {
        let by_name = by_name(machines);
        let back = SignedDuration::from_hours(24 * i64::from(runs.days));
        let mut of = vec![Lost::default(); machines.len()];
        let (mut all, mut placed) = (HashSet::new(), HashSet::new());
        for loss in &runs.losses {
            all.insert(loss.attempt);
            let at = loss.host.as_deref().and_then(|host| by_name.get(host).copied().flatten());
            let Some(at) = at else { continue };
            let machine = machines[at].row;
            // An address or a name was another instance's before this one began.
            let launched = machine.instance.launched_at;
            let Some(gpus) = machine.gpus().filter(|gpus| *gpus > 0.0) else { continue };
            if loss.ended_at <= launched {
                continue;
            }
            let hours = now.duration_since(launched).min(back).as_secs_f64() / 3600.0;
            if hours > 0.0 {
                of[at].share += loss.gpu_time.hours() / gpus / hours;
                of[at].attempts.insert(loss.attempt);
                placed.insert(loss.attempt);
            }
        }
        // Several attempts that each name a whole node they shared take no more than the node.
        of.iter_mut().for_each(|lost| lost.share = lost.share.min(1.0));
        Self { of, elsewhere: all.difference(&placed).count() as u32 }
    }
}

/// Machines by id, private address, names in the private DNS and name; `None` for a name of several.
fn by_name<'a>(machines: &[Machine<'a>]) -> HashMap<&'a str, Option<usize>> {
    let mut names: HashMap<&str, Option<usize>> = HashMap::new();
    for (at, machine) in machines.iter().enumerate() {
        let instance = &*machine.row.instance;
        let own = [Some(&*instance.id), instance.private_ip.as_deref(), Some(&*instance.name)];
        let own = own.into_iter().flatten().chain(dns_names(instance));
        for name in own.filter(|name| !name.is_empty()) {
            let known = names.entry(name).or_insert(Some(at));
            if *known != Some(at) {
                *known = None;
            }
        }
    }
    names
}
