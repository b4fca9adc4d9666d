//! The table of families. Help texts, the table in `docs/watch-metrics.md` and the checks of dashboard and alert rules are
//! made of it or held against it.

use super::family::Family;
use super::family::Fold::{Greatest, Least, Sum};
use super::family::Kind::{Counter, Gauge};

/// Makes a static of each row, and [`ALL`] of all.
macro_rules! families {
    ($($id:ident $name:literal $kind:ident $fold:ident [$($label:literal),*] $unit:literal $help:literal;)*) => {
        $(
            #[doc = $help]
            pub(super) static $id: Family = Family {
                name: $name,
                kind: $kind,
                fold: $fold,
                labels: &[$($label),*],
                unit: $unit,
                help: $help,
            };
        )*

        /// All families, in the order of the page.
        pub static ALL: &[&Family] = &[$(&$id),*];
    };
}

families! {
    BURN "burntop_burn_usd_per_hour" Gauge Sum ["account", "region"] "USD/h"
        "Price of running instances at their own rates (list price; Spot: the zone's price), before commitments. Without those that have no price.";
    UNPRICED "burntop_unpriced_instances" Gauge Sum ["account", "region"] "instances"
        "Running instances without a known price, which sums of dollars leave out.";
    USE_BURN "burntop_use_burn_usd_per_hour" Gauge Sum ["use"] "USD/h"
        "The burn by what it is spent on; the rows add up to it.";
    WASTE "burntop_waste_usd_per_hour" Gauge Sum ["reason"] "USD/h"
        "List price of instances that idle, and of the idle GPUs of partly idle ones.";
    WASTE_UNKNOWN "burntop_waste_unknown_instances" Gauge Sum [] "instances"
        "Running instances whose waste is not known: without a price, not judged yet, too new, or with too little evidence.";
    WASTED "burntop_wasted_usd" Gauge Sum [] "USD"
        "Dollars wasted by what idles now since it began to, at today's rates; a lower bound where the beginning was not seen.";
    INSTANCES "burntop_instances" Gauge Sum ["verdict"] "instances"
        "Running instances by verdict; unjudged = not judged yet.";
    INSTANCE_GPUS "burntop_instance_gpus" Gauge Sum [] "GPUs"
        "GPU equivalents of running instances, by their types. Without those of unknown type.";
    IDLE_INSTANCE_GPUS "burntop_idle_instance_gpus" Gauge Sum [] "GPUs"
        "GPU equivalents of idle instances and of the idle GPUs of partly idle ones, by their verdicts.";
    UNKNOWN_TYPE "burntop_unknown_type_instances" Gauge Sum [] "instances"
        "Running instances of a type that is not known, whose GPUs are in no sum.";
    TEAM_BURN "burntop_team_burn_usd_per_hour" Gauge Sum ["team"] "USD/h"
        "The burn by team, from the tags of instances; the rows add up to it.";
    TEAM_WASTE "burntop_team_waste_usd_per_hour" Gauge Sum ["team"] "USD/h"
        "The waste of idle and partly idle instances by team; the rows add up to it.";
    TYPE_BURN "burntop_type_burn_usd_per_hour" Gauge Sum ["instance_type"] "USD/h"
        "The burn by instance type; the rows add up to it.";
    TYPE_WASTE "burntop_type_waste_usd_per_hour" Gauge Sum ["instance_type"] "USD/h"
        "The waste of idle and partly idle instances by type; the rows add up to it.";
    TYPE_INSTANCES "burntop_type_instances" Gauge Sum ["instance_type"] "instances"
        "Running instances by type.";

    GPUS "burntop_gpus" Gauge Sum ["state"] "GPUs"
        "GPU equivalents by state, of GPUs that telemetry shows now; a MIG slice is a fraction of one.";
    GPU_BURN "burntop_gpu_usd_per_hour" Gauge Sum ["state"] "USD/h"
        "Price of GPUs by state: their share of the price of their instance. Without those that have no price.";
    GPU_UNPRICED "burntop_unpriced_gpus" Gauge Sum ["state"] "GPUs and slices"
        "GPUs and MIG slices without a known price, which sums of dollars leave out.";
    GPU_WASTE "burntop_gpu_waste_usd_per_hour" Gauge Sum ["state"] "USD/h"
        "Price of GPUs that are idle, stalled, or unhealthy and quiet, by telemetry. Without those of unknown waste.";
    GPU_WASTE_UNKNOWN "burntop_waste_unknown_gpus" Gauge Sum ["state"] "GPUs and slices"
        "GPUs and MIG slices whose waste is not known.";
    GPU_EFFECTIVE "burntop_gpu_effective_ratio" Gauge Sum [] "0–1"
        "Mean effective activity, weighted by GPU equivalents, of GPUs whose activity is known.";
    BLIND_INSTANCES "burntop_blind_instances" Gauge Sum [] "instances"
        "Running instances with accelerators that report no or not all devices.";
    BLIND_GPUS "burntop_blind_gpus" Gauge Sum [] "devices"
        "Devices of running instances that report no telemetry.";
    BLIND_BURN "burntop_blind_usd_per_hour" Gauge Sum [] "USD/h"
        "Price of devices that report no telemetry. Without those that have no price.";

    BILL "burntop_bill_usd_per_hour" Gauge Sum ["part", "is_waste"] "USD/h"
        "The bill now by part, net of commitments, with storage and other resources. Absent while commitments are not known.";
    BILL_UNPRICED "burntop_bill_unpriced" Gauge Sum ["part"] "instances, commitments, resources"
        "What of a part of the bill has no price and is in none of its dollars.";
    BILL_UNREAD "burntop_bill_unread_parts" Gauge Sum [] "parts"
        "Parts of the bill that were not read and are in no figure: buckets, volumes.";
    SAVINGS "burntop_savings_usd_per_hour" Gauge Sum ["step"] "USD/h"
        "What could be saved by step, each on what the former leave, net of commitments. Absent where not known.";
    COMMITMENT "burntop_commitment_usd_per_hour" Gauge Sum ["kind"] "USD/h"
        "Cost of commitments in force, upfront spread over the term. Without those of unknown price.";
    UNUSED "burntop_commitment_unused_usd_per_hour" Gauge Sum ["kind"] "USD/h"
        "Cost of what nothing uses now of commitments in force. Without those of which it is not known.";
    UNUSED_UNKNOWN "burntop_commitment_unused_unknown" Gauge Sum ["kind"] "commitments"
        "Commitments in force of which the unused part is not known.";
    UTILISATION "burntop_commitment_utilisation_ratio" Gauge Sum [] "0–1"
        "Used share of what is paid for commitments, over the observed hours.";
    COVERAGE "burntop_commitment_coverage_ratio" Gauge Sum [] "0–1"
        "Share of coverable usage that commitments cover, at on-demand value.";

    BUDGET_LIMIT "burntop_budget_limit_usd" Gauge Sum ["budget"] "USD"
        "What may be spent in the current period of a budget.";
    BUDGET_SPENT "burntop_budget_spent_usd" Gauge Sum ["budget"] "USD"
        "What is spent so far in the current period of a budget.";
    BUDGET_USED "burntop_budget_used_ratio" Gauge Greatest ["budget"] "0–1, and more"
        "Spent share of a budget; of other the highest of the budgets in it.";
    BUDGET_FORECAST "burntop_budget_forecast_usd" Gauge Sum ["budget"] "USD"
        "What the end of the period is expected to be. Absent where nothing is foreseen, and for other.";

    SOURCE_UP "burntop_source_up" Gauge Least ["source", "account", "region"] "0 or 1"
        "1 = the last request to the source was answered, 0 = it failed. Absent where it was not asked in this run; of other the least.";
    SOURCE_AGE "burntop_source_age_seconds" Gauge Greatest ["source", "account", "region"] "seconds"
        "Age at the time of the round of what is shown of the source. Absent where it was never read; of other the greatest.";
    SOURCE_COVERAGE "burntop_source_coverage_ratio" Gauge Least ["source", "account", "region"] "0–1"
        "Share of the requested facts that the source answered. Absent where it failed or was not asked; of other the least.";

    OWN_COST "burntop_own_cost_usd_today" Gauge Sum [] "USD"
        "What burntop's own billed calls cost on this UTC day, all its processes together. Absent where the ledger cannot tell.";
    OWN_CAP "burntop_own_cost_cap_usd" Gauge Sum [] "USD"
        "The cap of a UTC day, at which billed sources stop.";
    OWN_UNKNOWN "burntop_own_cost_unknown" Gauge Sum [] "0 or 1"
        "1 = what was spent today is not known, and billed sources rest.";

    ALERTS "burntop_alerts" Gauge Sum ["rule", "severity", "state"] "alerts"
        "Alerts by rule, severity and state.";
    DELIVERIES "burntop_deliveries_total" Counter Sum ["sink", "result"] "messages, tries"
        "Messages by sink: sent, and dead = given up; failed = tries that failed.";
    QUEUED "burntop_deliveries_queued" Gauge Sum ["sink"] "messages"
        "Messages that wait to be sent, those to be tried again among them.";

    LAST_ROUND "burntop_watch_last_round_timestamp_seconds" Gauge Greatest [] "seconds since 1970"
        "Time of the round that the figures are of.";
    INTERVAL "burntop_watch_interval_seconds" Gauge Greatest [] "seconds"
        "Time between two rounds. Absent of a single round.";
    DURATION "burntop_watch_round_duration_seconds" Gauge Greatest [] "seconds"
        "How long the last round took.";
    ROUNDS "burntop_watch_rounds_total" Counter Sum ["result"] "rounds"
        "Rounds by result; failed = nothing could be read.";
    FOLDED "burntop_label_values_folded" Gauge Sum ["label"] "values"
        "Values of a label that are put together as other; of accounts and of sources, pairs of account and region.";
    BUILD_INFO "burntop_build_info" Gauge Greatest ["version", "commit"] "1"
        "The build that answers, always 1.";
}

/// A family by its name; `None` for none of ours.
#[cfg(test)]
pub(super) fn named(name: &str) -> Option<&'static Family> {
    ALL.iter().copied().find(|family| family.name == name)
}
