//! What happened over all trials.

use std::collections::BTreeMap;
use std::fmt;

#[derive(Default)]
pub struct Counts {
    pub trials: u64,
    pub kills: u64,
    pub restarts: u64,
    pub kill_places: BTreeMap<&'static str, u64>,
    pub runs: u64,
    pub confirmed: u64,
    pub write_calls: u64,
    pub write_ids: u64,
    pub effects: BTreeMap<&'static str, u64>,
    pub blocked: BTreeMap<String, u64>,
    pub refusals: BTreeMap<String, u64>,
    pub outcomes: BTreeMap<&'static str, u64>,
    pub reconciled: BTreeMap<&'static str, u64>,
    pub races: BTreeMap<&'static str, u64>,
    pub faults: BTreeMap<&'static str, u64>,
    pub errors: BTreeMap<String, u64>,
    pub torn: u64,
}

fn merge<K: Ord>(into: &mut BTreeMap<K, u64>, from: BTreeMap<K, u64>) {
    for (key, count) in from {
        *into.entry(key).or_default() += count;
    }
}

impl Counts {
    pub fn hit(&mut self, fault: &'static str) {
        *self.faults.entry(fault).or_default() += 1;
    }

    pub fn race(&mut self, what: &'static str) {
        *self.races.entry(what).or_default() += 1;
    }

    pub fn add(&mut self, other: Self) {
        self.trials += other.trials;
        self.kills += other.kills;
        self.restarts += other.restarts;
        self.runs += other.runs;
        self.confirmed += other.confirmed;
        self.write_calls += other.write_calls;
        self.write_ids += other.write_ids;
        self.torn += other.torn;
        merge(&mut self.kill_places, other.kill_places);
        merge(&mut self.effects, other.effects);
        merge(&mut self.blocked, other.blocked);
        merge(&mut self.refusals, other.refusals);
        merge(&mut self.outcomes, other.outcomes);
        merge(&mut self.reconciled, other.reconciled);
        merge(&mut self.races, other.races);
        merge(&mut self.faults, other.faults);
        merge(&mut self.errors, other.errors);
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn table<K: fmt::Display>(
            f: &mut fmt::Formatter<'_>,
            name: &str,
            rows: &BTreeMap<K, u64>,
        ) -> fmt::Result {
            writeln!(f, "{name}: {}", rows.values().sum::<u64>())?;
            for (key, count) in rows {
                writeln!(f, "  {count:>8}  {key}")?;
            }
            Ok(())
        }
        writeln!(f, "trials: {}", self.trials)?;
        writeln!(f, "runs: {}, rows confirmed: {}", self.runs, self.confirmed)?;
        writeln!(f, "write calls: {}, for {} instances", self.write_calls, self.write_ids)?;
        writeln!(f, "restarts: {}, half-written lines found: {}", self.restarts, self.torn)?;
        table(f, "kills", &self.kill_places)?;
        table(f, "faults", &self.faults)?;
        table(f, "changes in the cloud", &self.effects)?;
        table(f, "rows blocked by the preflight", &self.blocked)?;
        table(f, "rows refused at the last look", &self.refusals)?;
        table(f, "outcomes", &self.outcomes)?;
        table(f, "outcomes found at a later start", &self.reconciled)?;
        table(f, "races that nobody can see", &self.races)?;
        table(f, "runs that ended with an error", &self.errors)
    }
}
