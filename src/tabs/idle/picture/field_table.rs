//! The table of the fields of an instance.

use crate::domain::LikelyReason;
use crate::fleet::AskFrom;
use crate::view::table_field::field_table;

/// Names of the verdicts, in the order of `VerdictKind::ALL`.
pub(crate) const VERDICTS: [&str; 7] =
    ["idle", "partial", "underused", "unknown", "too_new", "busy", "exempt"];
/// Names of the likely reasons.
pub(crate) const LIKELY: [&str; 7] = LikelyReason::NAMES;
/// Names of the states, in the order of `InstanceState`.
pub(crate) const STATES: [&str; 7] =
    ["pending", "running", "stopping", "stopped", "shutting-down", "terminated", "unknown"];
/// Names of the lifecycles, in their order.
pub(crate) const LIFECYCLES: [&str; 4] = ["on-demand", "spot", "scheduled", "capacity-block"];
/// Names of the tenancies, in their order.
pub(crate) const TENANCIES: [&str; 3] = ["shared", "dedicated", "host"];
/// Names of the platforms, in their order.
pub(crate) const PLATFORMS: [&str; 6] = ["linux", "windows", "rhel", "suse", "ubuntu-pro", "other"];

/// Where the name of a person to ask comes from.
pub(crate) const ASK_FROM: [&str; 2] = [AskFrom::WORDS[0], AskFrom::WORDS[1]];

field_table! {
    /// A field of a row.
    pub enum Field => FIELDS {
        UsdPerHour number(UsdPerHour) "usd_per_hour" ["$", "usd", "burn", "rate", "price", "cost"] "$/h" 8 by('h')
            "What the instance burns now at its list or spot price; 0 when it is not running.";
        WastedUsd number(Usd) "wasted_usd" ["wasted"] "WASTED" 8 unit("$") by('w')
            "Dollars burned since the idle stretch began, times the idle share of the GPUs, at today's rate.";
        WasteUsdPerHour number(UsdPerHour) "waste_usd_per_hour" ["waste"] "WASTE/h" 8 by('s')
            "The part of $/h that goes to idle capacity: all of an idle instance, k of n GPUs of a partly idle one.";
        Verdict choice(VERDICTS) "verdict" ["status"] "VERDICT" 12 by('v')
            "What burntop concludes: idle, partial, underused, unknown, too_new, busy or exempt.";
        IdleSince number(Seconds) "idle_since" ["idle", "since"] "SINCE" 7 by('i')
            "How long the uninterrupted idle stretch has lasted, ≥ where it may be longer; in exports, when it began.";
        Gpu number(Percent) "gpu" ["gpu_percent", "gpu%", "util"] "GPU" 4 by('g')
            "Mean GPU activity over all seen GPUs and judged hours: share of time with a kernel resident.";
        Cpu number(Percent) "cpu" ["cpu_percent", "cpu%"] "CPU" 4 by('c')
            "Mean CPU over the judged hours, of all vCPUs.";
        NetworkPerDay number(BytesPerDay) "network_per_day" ["network", "net"] "NET/d" 7 by('n')
            "Mean network bytes per day, in plus out.";
        Coverage number(Percent) "coverage" ["cov"] "COV" 4 smallest_first by('o')
            "The lowest share of datapoints that came, over the signals the preset needs.";
        Team text "team" [] "TEAM" 8 wide by('t') "Team, from tags.";
        Project text "project" ["proj"] "PROJECT" 10 wide by('j') "Project, from tags.";
        Environment text "environment" ["env", "stage"] "ENV" 6 wide by('e')
            "Environment, from tags.";
        CostCenter text "cost_center" ["cost-center", "costcenter", "cc"] "COST CENTER" 11 wide
            "Cost center, from tags.";
        Name text "name" [] "NAME" 16 key wide by('a') "The Name tag.";
        InstanceType text "instance_type" ["type"] "TYPE" 14 wide by('y') "Instance type.";
        InstanceId text "instance_id" ["id", "instance"] "INSTANCE" 19 "Instance id.";
        Account text "account" ["acct"] "ACCOUNT" 12 by('u') "Account id.";
        Region text "region" [] "REGION" 12 wide by('r') "Region.";
        Az text "az" ["zone"] "ZONE" 12 wide by('z') "Availability zone.";
        State choice(STATES) "state" [] "STATE" 13 "EC2's instance state.";
        Lifecycle choice(LIFECYCLES) "lifecycle" ["market"] "MARKET" 14 by('k')
            "How the capacity was bought: on-demand, spot, scheduled or capacity-block.";
        Tenancy choice(TENANCIES) "tenancy" [] "TENANCY" 9 "Shared, dedicated or host.";
        Platform choice(PLATFORMS) "platform" ["os"] "OS" 10
            "Operating system and licensed software that the price includes.";
        Gpus number(Count) "gpus" ["gpu_count"] "GPUS" 5 by('p')
            "GPUs or accelerators; a fraction for fractional types.";
        IdleGpus number(Count) "idle_gpus" [] "IDLE GPUS" 9 by('l')
            "GPUs that were idle for the minimum stretch.";
        GpuModel text "gpu_model" ["model"] "MODEL" 12 wide by('m') "GPU or accelerator model.";
        Vcpus number(Count) "vcpus" ["vcpu", "cores"] "VCPU" 5 "vCPUs of the type.";
        Memory number(Bytes) "memory" ["mem", "ram"] "MEMORY" 9 unit("GiB") "Memory of the type.";
        Owner text "owner" ["managed_by"] "OWNER" 16 wide
            "What manages the instance and may replace it: group, cluster, queue or stack.";
        Age number(Seconds) "age" [] "AGE" 4
            "Time since the oldest of launch and root volume attachment.";
        LaunchedAt time "launched_at" ["launched"] "LAUNCHED" 16 unit("UTC") by('d')
            "Last launch; a stop and start resets it.";
        PriceBasis text "price_basis" ["basis"] "PRICE BASIS" 28 wide
            "List or spot price, who says so and of which date.";
        Reason text "reason" [] "REASON" 30 wide "Why the verdict is what it is.";
        Expires time "expires" ["marked_until"] "EXPIRES" 16 unit("UTC") smallest_first by('x')
            "From when on a marked instance may be stopped: its tag burntop:expires.";
        NetUsdPerHour number(UsdPerHour) "net_usd_per_hour" ["net_usd", "net_rate", "saves"] "NET OFF" 8 by('f')
            "What the whole bill falls by when this instance alone stops, commitments considered; $/h is gross.";
        NetWasteUsdPerHour number(UsdPerHour) "net_waste_usd_per_hour" ["net_waste"] "NET WASTE" 9
            "The part of the net that goes to idle capacity, commitments considered.";
        Likely choice(LIKELY) "likely" ["why", "likely_reason"] "LIKELY" 19
            "Why a box likely stands idle or does little, from its hours: a guess, never a verdict. forgotten: nobody uses it, as far back as one sees or since some day.";
        CoveredBy text "covered_by" ["covered", "commitment"] "COVERED BY" 13 wide by('b')
            "The commitments that pay for the instance: kind, id, and the share where it is a part.";
        BilledUsd number(Usd) "billed_usd" ["billed"] "BILLED" 9 unit("$")
            "What the newest bill says it cost in its month so far, net of discounts and commitments.";
        Job text "job" ["jobs"] "JOB" 10 wide
            "The job that holds it now, by the last reading of a source of jobs; of several their number, and a filter looks at each.";
        User text "user" ["users"] "USER" 10 wide
            "Whose job holds it now; of several users their number, and a filter looks at each.";
        HeldReadAt time "held_read_at" [] "HELD READ AT" 16 unit("UTC")
            "When the source of jobs was read that tells who holds it.";
        Ask text "ask" [] "ASK" 16 wide
            "A person to ask: by a tag of the instance, else who launched it by CloudTrail, where that was looked up.";
        AskFrom choice(ASK_FROM) "ask_from" [] "ASK FROM" 9
            "Where the name of the person comes from: a tag, or the launch.";
        LaunchedBy text "launched_by" ["launcher"] "LAUNCHED BY" 20 wide
            "Who or what launched it by CloudTrail, services and programs too, where that was looked up.";
        BlockedBy text "blocked_by" ["blocked"] "BLOCKED BY" 12 wide
            "Guards that would block a stop of an idle instance now, as far as it is known without a call: jobs, recheck, owner, group and others; none where nothing is known to. The check before a stop asks for the rest.";
        AgainstStop text "against_stop" ["against"] "AGAINST STOP" 12 wide
            "All that is known to speak against stopping an idle instance now: the guards that would block it (blocked_by), then those that warn: instance_store where its data are erased, capacity where the type is hard to get again, saving where nothing is saved net, spot, owner, production; none where there is neither.";
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::query::{Kind, Unit};
    use crate::view::{Align, TableField};

    #[test]
    fn each_field_stands_at_its_place() {
        for (i, field) in Field::ALL.into_iter().enumerate() {
            assert_eq!(field as usize, i);
            assert_eq!(Field::of(field.spec()), Some(field));
        }
    }

    #[test]
    fn names_and_aliases_are_unique_and_found_in_any_case() {
        let mut seen = HashSet::new();
        for field in Field::ALL {
            let spec = field.spec();
            for name in std::iter::once(&spec.name).chain(spec.aliases) {
                assert!(seen.insert(name.to_lowercase()), "{name} twice");
                assert_eq!(Field::table().find(&name.to_uppercase()), Some(spec), "{name}");
            }
        }
        for (alias, field) in [
            ("env", Field::Environment),
            ("gpu", Field::Gpu),
            ("gpus", Field::Gpus),
            ("$", Field::UsdPerHour),
            ("idle", Field::IdleSince),
        ] {
            assert_eq!(Field::table().find(alias), Some(field.spec()));
        }
        assert_eq!(Field::table().find("nonsense"), None);
    }

    #[test]
    fn sort_keys_are_unique_letters_of_their_heading() {
        let mut seen = HashSet::new();
        for spec in Field::ALL.map(Field::spec) {
            let Some(key) = spec.sort_key else { continue };
            assert!(seen.insert(key), "{key} sorts two fields");
            assert!(spec.header.to_lowercase().contains(key), "{key} is not in {}", spec.header);
            assert_eq!(Field::table().by_sort_key(key), Some(spec));
        }
        for field in crate::tabs::idle::picture::DEFAULT_COLUMNS {
            assert!(field.spec().sort_key.is_some(), "{} cannot be sorted", field.spec().name);
        }
    }

    #[test]
    fn headings_fit_and_numbers_are_right_aligned() {
        for spec in Field::ALL.map(Field::spec) {
            assert!(spec.header.len() <= usize::from(spec.width), "{}", spec.name);
            let number = matches!(spec.kind, Kind::Number(_));
            assert_eq!(spec.align == Align::Right, number, "{}", spec.name);
            assert!(spec.doc.ends_with('.'), "{}", spec.name);
            let money = matches!(spec.kind, Kind::Number(Unit::Usd | Unit::UsdPerHour));
            assert!(!money || spec.unit.starts_with('$'), "{}", spec.name);
        }
    }
}
