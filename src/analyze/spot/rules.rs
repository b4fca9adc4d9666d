//! What is judged by: the user's rules, burntop's own words, and what is assumed where nothing is
//! known.

use std::sync::Arc;

use super::interruptions::ABOVE_20_PER_HOUR;
use crate::domain::Instance;
use crate::fleet::savings::SpotFit;

/// The tag that says whether an instance may run on Spot: `yes`, `partial` or `no`. It goes before
/// every rule.
pub const SPOT_TAG: &str = "burntop:spot";
/// The tag with the minutes that writing a checkpoint takes.
pub const CHECKPOINT_TAG: &str = "burntop:checkpoint-minutes";
/// The tag with the minutes that a restart takes.
pub const RESTART_TAG: &str = "burntop:restart-minutes";

/// What an interruption costs a kind of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WorkKind {
    /// Training: what was done since the last checkpoint.
    Training,
    /// Hyper-parameter search: one trial of many, and the same as training within it.
    Search,
    /// Batch jobs: the job begins anew.
    Batch,
    /// Serving: nothing is done again; the others serve until there is a new one.
    Serving,
    /// People sit at it.
    Interactive,
    /// It keeps state.
    Stateful,
    /// A rule says how it fits, and nothing what it is: counted as training.
    Other,
}

/// A text to compare with, without regard to ASCII case; `*` stands for any rest or part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(String);

impl Pattern {
    /// From what a user wrote.
    pub fn new(text: &str) -> Self {
        Self(text.to_ascii_lowercase())
    }

    /// True when `text` fits.
    pub fn fits(&self, text: &str) -> bool {
        let text = text.to_ascii_lowercase();
        let mut parts = self.0.split('*');
        let first = parts.next().unwrap_or_default();
        let Some(mut rest) = text.strip_prefix(first) else { return false };
        let mut parts = parts.peekable();
        if parts.peek().is_none() {
            return rest.is_empty();
        }
        while let Some(part) = parts.next() {
            if parts.peek().is_none() {
                return rest.ends_with(part);
            }
            let Some(at) = rest.find(part) else { return false };
            rest = &rest[at + part.len()..];
        }
        true
    }

    /// As it stands in the rule, in lower case.
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// A rule of the user. All that it names must fit.
#[derive(Clone, Debug, PartialEq)]
pub struct SpotRule {
    /// A tag with this key (without regard to case) and such a value.
    pub tag: Option<(String, Pattern)>,
    /// Such a name.
    pub name: Option<Pattern>,
    /// How it fits then.
    pub fit: SpotFit,
    /// Why, a clause; clean text.
    pub why: Option<Arc<str>>,
    /// Hours that writing a checkpoint takes.
    pub checkpoint_hours: Option<f64>,
    /// Hours that a restart takes.
    pub restart_hours: Option<f64>,
    /// Part of the time in which there is Spot, 0–1.
    pub availability: Option<f64>,
}

impl SpotRule {
    /// True when it speaks of the instance. A rule that names nothing speaks of none.
    pub fn fits(&self, instance: &Instance) -> bool {
        let tag = self.tag.as_ref().map(|(key, value)| {
            let mut tags = instance.tags.iter();
            tags.any(|(k, v)| k.eq_ignore_ascii_case(key) && value.fits(v))
        });
        let name = self.name.as_ref().map(|name| name.fits(&instance.name));
        (tag.is_some() || name.is_some()) && tag.unwrap_or(true) && name.unwrap_or(true)
    }
}

/// What is taken for true where neither a tag nor a rule says it. Each is named where it counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Assumptions {
    /// Hours that writing a checkpoint takes.
    pub checkpoint_hours: f64,
    /// Hours until work goes on after an interruption: another instance, its image, data, the
    /// checkpoint.
    pub restart_hours: f64,
    /// Hours that a batch job runs; an interruption loses half of it.
    pub job_hours: f64,
    /// Part of the time in which there is Spot, 0–1; the rest runs on demand.
    pub availability: f64,
    /// Interruptions per hour in the band above 20% a month, which has no upper edge, and where no
    /// band is known.
    pub above_20_per_hour: f64,
}

impl Default for Assumptions {
    /// 5 min to write a checkpoint, 15 min to restart, jobs of 1 h, Spot for 70% of the time, one
    /// interruption a day above the last band. All ours. The availability is a guess for scarce GPUs
    /// in a single zone.
    fn default() -> Self {
        Self {
            checkpoint_hours: 5.0 / 60.0,
            restart_hours: 15.0 / 60.0,
            job_hours: 1.0,
            availability: 0.7,
            above_20_per_hour: ABOVE_20_PER_HOUR,
        }
    }
}

/// Which work may run on Spot.
#[derive(Clone, Debug, PartialEq)]
pub struct SpotRules {
    /// The user's rules; the first that fits wins.
    pub own: Vec<SpotRule>,
    /// Tag keys whose value says what kind of work an instance does.
    pub workload_tags: Vec<String>,
    /// What is assumed.
    pub assume: Assumptions,
    /// Instances that stay on demand where only a part may move.
    pub base_instances: u32,
    /// Part of those above the base that stays on demand as well, percent, 0–100.
    pub on_demand_percent: u32,
}

impl Default for SpotRules {
    /// No rules of the user's; a base of 2 and 30% above it stay on demand where only a part moves.
    fn default() -> Self {
        let own = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect();
        Self {
            own: Vec::new(),
            workload_tags: own(&["workload", "workload-type", "workload-class"]),
            assume: Assumptions::default(),
            base_instances: 2,
            on_demand_percent: 30,
        }
    }
}
