//! What can be watched: the lists of the reports, each with the fields that an alert is made of.

use crate::query::{Kind, Op, Unit, comparison};
use crate::tabs::bill::picture::AnomalyField;
use crate::tabs::gpus::picture::GpuField;
use crate::tabs::idle::picture::Field;
use crate::tabs::jobs::picture::{JobField, RepeatField, ZombieField};
use crate::tabs::network::picture::NetworkField;
use crate::tabs::overview::picture::TrendField;
use crate::tabs::savings::picture::{CommitmentField, ProposalField, ResourceField, SpotField};
use crate::tabs::storage::picture::{BlockField, BucketField, FindingField};
use crate::tabs::teams::picture::{AllocationField, BudgetField, QuotaField, UnitField};
use crate::view::{FieldSpec, FieldTable, TableField as _};

use super::own_cost::OwnCostField;
use super::source_state::SourceField;

/// What has to be read for a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reads {
    /// Nothing but what every round knows: ages of sources, the ledger.
    Nothing,
    /// Instances, net of commitments.
    Fleet,
    /// All sources of GPUs.
    Gpus,
    /// Commitments, the Spot market, resources and storage.
    Savings,
    /// Imported bills.
    Bills,
    /// Sources of jobs, and what is kept of them.
    Jobs,
    /// Jobs, and all sources of GPUs.
    JobsOnGpus,
}

/// A list that rules can name. Fields are named as in its table; a test holds them to it.
#[derive(Debug)]
pub struct WatchView {
    /// Its name in rules: that of the report.
    pub name: &'static str,
    /// Its fields.
    pub table: fn() -> &'static dyn FieldTable,
    /// What has to be read.
    pub reads: Reads,
    /// Fields that say what a row is, in this order.
    pub what: &'static [&'static str],
    /// Field with the team; `None` where rows have none.
    pub team: Option<&'static str>,
    /// Field with how long it has been so, or since when; `None` where rows do not know.
    pub since: Option<&'static str>,
    /// Field with the dollars so far.
    pub usd: Option<&'static str>,
    /// Field with the dollars by time, in the unit of the field.
    pub rate: Option<&'static str>,
    /// True where dollars by time of several rows may be added up.
    pub adds_up: bool,
    /// The evidence: fields of the first line, of the second.
    pub why: [&'static [&'static str]; 2],
    /// Fields with who may be asked, the best first.
    pub ask: &'static [&'static str],
    /// The command that shows a row: its words, then `--filter` with this field.
    pub command: &'static [&'static str],
    /// The field of that filter; words of `command` after it are `tail`.
    pub by: &'static str,
    /// What follows the filter.
    pub tail: &'static [&'static str],
    /// Words of its fields for what nobody knows: they end nothing.
    pub unknown: &'static [&'static str],
    /// Field that is known of rows that are over, of which such a word ends what was; `None` where there are none.
    pub over: Option<&'static str>,
    /// Field with the instance that a row is on; `None` where rows are on none.
    pub on: Option<&'static str>,
}

/// What most lists have not.
const VIEW: WatchView = WatchView {
    name: "",
    table: Field::table,
    reads: Reads::Nothing,
    what: &[],
    team: None,
    since: None,
    usd: None,
    rate: None,
    adds_up: true,
    why: [&[], &[]],
    ask: &[],
    command: &[],
    by: "id",
    tail: &[],
    unknown: &["unknown", "stale", "not_judged"],
    over: None,
    on: None,
};

/// All of them.
pub static VIEWS: [WatchView; 20] = [
    WatchView {
        name: "idle",
        table: Field::table,
        reads: Reads::Fleet,
        what: &["instance_type", "instance_id", "name"],
        team: Some("team"),
        since: Some("idle_since"),
        usd: Some("wasted_usd"),
        rate: Some("waste_usd_per_hour"),
        why: [&["reason"], &["verdict", "gpu", "cpu", "coverage", "region"]],
        ask: &["ask", "launched_by"],
        command: &["burntop", "plan", "idle"],
        by: "instance_id",
        tail: &["--out", "plan.json"],
        ..VIEW
    },
    WatchView {
        name: "gpus",
        table: GpuField::table,
        reads: Reads::Gpus,
        what: &["model", "node", "gpu_index"],
        team: Some("team"),
        since: Some("idle_since"),
        usd: Some("wasted_usd"),
        rate: Some("waste_usd_per_hour"),
        why: [&["reason"], &["state", "effective", "owner", "job", "age_s"]],
        ask: &["user", "owner"],
        command: &["burntop", "gpus"],
        by: "uuid",
        on: Some("instance_id"),
        ..VIEW
    },
    WatchView {
        name: "commitments",
        table: CommitmentField::table,
        reads: Reads::Savings,
        what: &["kind", "covers"],
        rate: Some("unused_usd_per_hour"),
        why: [&["finding"], &["utilisation", "left", "ends"]],
        command: &["burntop", "commitments"],
        ..VIEW
    },
    WatchView {
        name: "rightsize",
        table: ProposalField::table,
        reads: Reads::Savings,
        what: &["name", "from", "to"],
        team: Some("team"),
        rate: Some("net_usd_per_hour"),
        adds_up: false,
        why: [&["says"], &["risk", "effort"]],
        command: &["burntop", "rightsize"],
        ..VIEW
    },
    WatchView {
        name: "spot",
        table: SpotField::table,
        reads: Reads::Savings,
        what: &["name", "type"],
        team: Some("team"),
        rate: Some("net_usd_per_hour"),
        adds_up: false,
        why: [&["says"], &["fit", "best_zone", "interruption"]],
        command: &["burntop", "spot"],
        ..VIEW
    },
    WatchView {
        name: "resources",
        table: ResourceField::table,
        reads: Reads::Savings,
        what: &["kind", "name"],
        team: Some("team"),
        since: Some("idle_since"),
        usd: Some("wasted_usd"),
        rate: Some("waste_usd_per_hour"),
        why: [&["reason"], &["fix"]],
        command: &["burntop", "resources"],
        ..VIEW
    },
    WatchView {
        name: "buckets",
        table: BucketField::table,
        reads: Reads::Savings,
        what: &["name"],
        team: Some("team"),
        rate: Some("savings"),
        why: [&["bytes", "growth", "tiers"], &["usd_per_month", "lifecycle", "findings"]],
        command: &["burntop", "storage", "buckets"],
        by: "name",
        ..VIEW
    },
    WatchView {
        name: "ebs",
        table: BlockField::table,
        reads: Reads::Savings,
        what: &["what", "id", "name"],
        team: Some("team"),
        rate: Some("savings"),
        why: [&["finding"], &["kind", "bytes", "used", "age"]],
        command: &["burntop", "storage", "ebs"],
        ..VIEW
    },
    WatchView {
        name: "findings",
        table: FindingField::table,
        reads: Reads::Savings,
        what: &["kind", "about"],
        rate: Some("usd_per_month"),
        adds_up: false,
        why: [&["says"], &["fix"]],
        command: &["burntop", "overview"],
        by: "",
        ..VIEW
    },
    WatchView {
        name: "network",
        table: NetworkField::table,
        reads: Reads::Savings,
        what: &["path", "from", "to", "resource"],
        rate: Some("usd_per_month"),
        why: [&["why"], &["bytes", "avoidable_usd_per_month", "confidence"]],
        command: &["burntop", "network", "--live"],
        by: "",
        ..VIEW
    },
    WatchView {
        name: "budgets",
        table: BudgetField::table,
        reads: Reads::Bills,
        what: &["name", "period"],
        usd: Some("spent_usd"),
        rate: Some("burn_usd_per_day"),
        adds_up: false,
        why: [&["state", "spent_share", "limit_usd"], &["forecast_p50_usd", "exceeds_on"]],
        command: &["burntop", "budgets"],
        by: "name",
        ..VIEW
    },
    WatchView {
        name: "units",
        table: UnitField::table,
        reads: Reads::Bills,
        what: &["name"],
        usd: Some("usd"),
        // Filters of two may hold the same dollars.
        adds_up: false,
        why: [&["usd_per_unit", "target", "trend"], &["count", "days", "uncounted_days"]],
        command: &["burntop", "units"],
        by: "name",
        ..VIEW
    },
    WatchView {
        name: "teams",
        table: AllocationField::table,
        reads: Reads::Bills,
        what: &["key", "untagged"],
        team: Some("key"),
        usd: Some("usd"),
        why: [&["share", "budget_share", "budget_usd"], &["direct_usd", "shared_usd", "gpu_hours"]],
        command: &["burntop", "teams"],
        by: "key",
        ..VIEW
    },
    WatchView {
        name: "jobs",
        table: JobField::table,
        reads: Reads::Jobs,
        what: &["job_id", "name", "state"],
        team: Some("team"),
        since: Some("state_since"),
        usd: Some("usd"),
        why: [&["cause", "exit", "reason", "fix"], &["gpus", "gpu_hours", "lost_usd", "ended_at"]],
        ask: &["user"],
        command: &["burntop", "jobs"],
        by: "job_id",
        unknown: &["unknown", "doubtful"],
        over: Some("ended_at"),
        ..VIEW
    },
    WatchView {
        name: "repeats",
        table: RepeatField::table,
        reads: Reads::Jobs,
        what: &["kind", "key"],
        usd: Some("lost_usd"),
        // An attempt may be in several.
        adds_up: false,
        why: [&["what"], &["attempts", "lost_gpu_hours", "fix"]],
        command: &["burntop", "jobs", "repeats"],
        by: "key",
        ..VIEW
    },
    WatchView {
        name: "zombies",
        table: ZombieField::table,
        reads: Reads::JobsOnGpus,
        what: &["what", "node", "gpu"],
        since: Some("since"),
        usd: Some("usd"),
        rate: Some("usd_per_hour"),
        why: [&["holder", "user"], &[]],
        ask: &["user"],
        command: &["burntop", "jobs", "zombies"],
        by: "node",
        on: Some("instance_id"),
        ..VIEW
    },
    WatchView {
        name: "quotas",
        table: QuotaField::table,
        reads: Reads::Fleet,
        what: &["team", "of", "type"],
        team: Some("team"),
        since: Some("since"),
        why: [&["state", "limit", "used", "over"], &["unknown"]],
        command: &["burntop", "quotas"],
        by: "team",
        ..VIEW
    },
    WatchView {
        name: "anomalies",
        table: AnomalyField::table,
        reads: Reads::Bills,
        what: &["key", "since"],
        usd: Some("difference_usd"),
        why: [&["expected_usd", "actual_usd", "score"], &["resources"]],
        command: &["burntop", "bill", "anomalies"],
        by: "key",
        ..VIEW
    },
    WatchView {
        name: "trend",
        table: TrendField::table,
        reads: Reads::Fleet,
        what: &["length", "period"],
        usd: Some("burn_usd"),
        // A week holds its days.
        adds_up: false,
        why: [&["waste_usd", "waste_share", "saved_usd"], &["gpus", "usd_per_hour", "coverage"]],
        command: &["burntop", "trend", "--by", "day"],
        by: "",
        ..VIEW
    },
    WatchView {
        name: "sources",
        table: SourceField::table,
        what: &["source", "account", "region"],
        since: Some("age"),
        why: [&["message"], &["fix"]],
        command: &["burntop", "doctor"],
        by: "",
        // One that fails in part or whole still fails.
        unknown: &["failed", "part"],
        ..VIEW
    },
];

/// What burntop itself costs, a list of one row.
pub static OWN_COST: WatchView = WatchView {
    name: "own_cost",
    table: OwnCostField::table,
    what: &["day"],
    usd: Some("spent_usd"),
    why: [&["spent_share", "cap_usd"], &["dearest"]],
    command: &["burntop", "doctor"],
    by: "",
    ..VIEW
};

/// All lists that rules can name.
pub fn all() -> impl Iterator<Item = &'static WatchView> {
    VIEWS.iter().chain(std::iter::once(&OWN_COST))
}

/// The list of that name; `None` where there is none.
pub fn view(name: &str) -> Option<&'static WatchView> {
    all().find(|view| view.name == name)
}

/// The fields that a view names, found in its table.
pub struct ViewFields {
    /// What a row is.
    pub what: Vec<&'static FieldSpec>,
    /// Its team; `None` where rows have none.
    pub team: Option<&'static FieldSpec>,
    /// Since when it is so; `None` where rows do not know.
    pub since: Option<&'static FieldSpec>,
    /// Dollars so far; `None` where rows have none.
    pub usd: Option<&'static FieldSpec>,
    /// Dollars by time; `None` where rows have none.
    pub rate: Option<&'static FieldSpec>,
    /// The evidence, by line.
    pub why: [Vec<&'static FieldSpec>; 2],
    /// Who may be asked.
    pub ask: Vec<&'static FieldSpec>,
    /// What a row is found by; `None` where a command shows all of them.
    pub by: Option<&'static FieldSpec>,
    /// What is known of rows that are over.
    pub over: Option<&'static FieldSpec>,
    /// The instance that a row is on.
    pub on: Option<&'static FieldSpec>,
}

impl WatchView {
    /// Its fields.
    pub fn fields(&self) -> ViewFields {
        let all = |names: &[&str]| names.iter().filter_map(|name| self.field(name)).collect();
        let one = |name: Option<&str>| name.and_then(|name| self.field(name));
        ViewFields {
            what: all(self.what),
            team: one(self.team),
            since: one(self.since),
            usd: one(self.usd),
            rate: one(self.rate),
            why: self.why.map(all),
            ask: all(self.ask),
            by: self.field(self.by),
            over: one(self.over),
            on: one(self.on),
        }
    }

    /// A field of its table; `None` where it has none of that name.
    pub fn field(&self, name: &str) -> Option<&'static FieldSpec> {
        (self.table)().find(name)
    }
}

/// Dollars a day of a field in its own unit; `None` where the field holds no dollars by time.
pub fn per_day(field: &FieldSpec, value: f64) -> Option<f64> {
    match (field.kind, field.unit) {
        (Kind::Number(Unit::UsdPerHour), _) => Some(value * HOURS_OF_DAY),
        (Kind::Number(Unit::Usd), "$/day") => Some(value),
        (Kind::Number(Unit::Usd), _) if field.name.ends_with("usd_per_month") => {
            Some(value * HOURS_OF_DAY / HOURS_OF_MONTH)
        }
        (Kind::Number(Unit::Usd), "$/month") => Some(value * HOURS_OF_DAY / HOURS_OF_MONTH),
        _ => None,
    }
}

const HOURS_OF_DAY: f64 = 24.0;

/// A month, as everywhere in burntop.
const HOURS_OF_MONTH: f64 = 730.0;

/// The filter that a row is found by.
pub fn filter_of(field: &str, value: &str) -> String {
    comparison(field, Op::Eq, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_that_a_view_names_is_in_its_table() {
        for view in all() {
            let singles = [view.team, view.since, view.usd, view.rate, view.over, view.on];
            let singles = singles.into_iter().flatten();
            let by = Some(view.by).filter(|by| !by.is_empty());
            let named = singles.chain(view.what.iter().copied()).chain(view.ask.iter().copied());
            for name in named.chain(view.why.concat()).chain(by) {
                let field = view.field(name).unwrap_or_else(|| panic!("{}: {name}", view.name));
                // By its own name: an alias may be of another field in another version.
                assert_eq!(field.name, name, "{}", view.name);
            }
            if let Some(rate) = view.rate.and_then(|name| view.field(name)) {
                assert!(per_day(rate, 1.0).is_some(), "{}: {}", view.name, rate.unit);
            }
        }
    }

    #[test]
    fn dollars_a_day_follow_from_the_unit_of_the_field() {
        let rate = |view: &str| {
            let view = super::view(view).unwrap();
            per_day(view.rate.and_then(|name| view.field(name)).unwrap(), 73.0).unwrap()
        };
        assert_eq!(rate("idle"), 1752.0);
        assert_eq!(rate("budgets"), 73.0);
        assert!((rate("ebs") - 2.4).abs() < 1e-12);
        let waste = Field::WastedUsd.spec();
        assert_eq!(per_day(waste, 73.0), None, "dollars so far are no rate");
    }
}
