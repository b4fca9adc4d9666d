//! The table of the fields of a GPU.

use crate::domain::{GpuState, Rung};
use crate::view::table_field::field_table;

/// What filters take for an unallocated GPU that a job has by its scheduler, beside its state.
pub(super) const IN_JOB: &str = "idle_in_job";
/// Names of the states, in the order of [`GpuState::ALL`], and [`IN_JOB`].
pub(super) const STATES: [&str; GpuState::ALL.len() + 1] = [
    "unhealthy",
    "stalled",
    "held_idle",
    "unallocated_idle",
    "inefficient",
    "unknown",
    "stale",
    "busy",
    IN_JOB,
];
/// Verdicts of an instance in the order of their kinds, and the word where it has none.
const JUDGED: [&str; 8] =
    ["idle", "partial", "underused", "unknown", "too_new", "busy", "exempt", NOT_JUDGED];
/// What an instance without a verdict is.
pub(super) const NOT_JUDGED: &str = "not_judged";
/// Letters of the evidence as filters and exports have them, in the order of [`Rung::ALL`].
pub(super) const RUNGS: [&str; Rung::ALL.len()] = ["a", "b", "c", "d", "e"];
const WORKLOADS: [&str; 2] = ["training", "inference"];
/// Names of the bands, worst first.
pub(super) const BANDS: [&str; 4] = ["poor", "average", "good", "elite"];

field_table! {
    /// A field of a GPU.
    pub enum GpuField => FIELDS {
        UsdPerHour number(UsdPerHour) "usd_per_hour" ["$", "usd", "burn", "rate", "price", "cost"] "$/h" 7 by('h')
            "The GPU's share of its instance's price: price by the instance's GPU equivalents, times its own.";
        WastedUsd number(Usd) "wasted_usd" ["wasted"] "WASTED" 8 unit("$") by('w')
            "Dollars since the idle spell began, at today's rate.";
        WasteUsdPerHour number(UsdPerHour) "waste_usd_per_hour" ["waste"] "WASTE/h" 8
            "The part of $/h that buys nothing: all of an idle or stalled GPU.";
        State choice(STATES) "state" ["status", "verdict"] "STATE" 13 by('s')
            "What the GPU does for its money: unhealthy, stalled, held_idle, unallocated_idle, inefficient, unknown, stale or busy; \
             a filter takes idle for both idle ones, and idle_in_job for those of unallocated_idle that a job has by its scheduler.";
        IdleSince number(Seconds) "idle_since" ["idle", "since"] "IDLE" 7 by('i')
            "How long the idle spell has lasted; in exports, when it began. A leading > (≥): nobody looked before.";
        Effective number(Percent) "effective" ["gpu", "act", "activity", "eff"] "ACT" 4 by('a')
            "Effective use by the best evidence there is: the largest of what its engines do.";
        Rung choice(RUNGS) "rung" ["evidence"] "RG" 2 by('r')
            "The evidence: A SM active, B graphics engine active, C utilisation capped by power, D power alone, E none.";
        Util number(Percent) "util" ["utilization", "gpu_util"] "UTIL" 4 by('u')
            "Share of time with a kernel resident, as the driver counts; one thread is enough for 100%.";
        SmActive number(Percent) "sm_active" ["sm"] "SM" 4
            "Share of cycles with a warp on a multiprocessor, mean over all of them.";
        GrEngine number(Percent) "gr_engine_active" ["gr"] "GR" 4
            "Share of time the graphics or compute engine is active.";
        TensorActive number(Percent) "tensor_active" ["tensor"] "TENSOR" 6
            "Share of cycles in which a tensor pipe is active.";
        DramActive number(Percent) "dram_active" ["dram"] "DRAM" 4
            "Share of cycles in which device memory is read or written; about 80% can be reached.";
        NeuronCore number(Percent) "neuroncore" ["neuron"] "NEURON" 6
            "Mean utilisation of the NeuronCores of a Trainium or Inferentia device.";
        Enc number(Percent) "enc" ["encoder"] "ENC" 4 "Use of the video encoder.";
        Dec number(Percent) "dec" ["decoder"] "DEC" 4 "Use of the video decoder.";
        Mem number(Percent) "mem" ["memory", "mem%"] "MEM" 4 by('m')
            "Device memory in use, of what there is.";
        MemUsed number(Bytes) "mem_used" [] "MEM USED" 8 "Device memory in use.";
        MemTotal number(Bytes) "mem_total" [] "MEM TOTAL" 9 "Device memory there is.";
        Power number(Percent) "power" ["pwr", "tdp"] "PWR" 4 by('p')
            "Power drawn, of the limit in force.";
        PowerW number(Count) "power_w" ["watts"] "WATTS" 5 unit("W") "Power drawn.";
        PowerLimitW number(Count) "power_limit_w" ["limit"] "LIMIT" 5 unit("W")
            "Power limit in force.";
        TempC number(Count) "temp_c" ["temp", "temperature"] "TEMP" 4 unit("°C") by('e')
            "Temperature of the chip.";
        Xid number(Count) "xid" [] "XID" 4 by('x')
            "The last XID error, which stays until the driver is loaded anew; 0 when there was none.";
        Throttle text "throttle" ["clocks"] "THROTTLE" 14 wide
            "Why the clocks are as they are, most serious reason first.";
        Owner text "owner" ["who"] "OWNER" 18 wide by('o')
            "Whose work runs: namespace and pod, user, job; a filter looks at each of them.";
        Namespace text "namespace" ["ns"] "NAMESPACE" 12 wide
            "Kubernetes namespace of the pod that holds the GPU.";
        Pod text "pod" [] "POD" 18 wide "The pod that holds the GPU.";
        Job text "job" [] "JOB" 10 wide "The job that holds the GPU.";
        User text "user" [] "USER" 10 wide "The user whose work runs.";
        Processes number(Count) "processes" ["procs"] "PROCS" 5
            "Processes that hold a context on the GPU.";
        Team text "team" [] "TEAM" 8 wide by('t')
            "Team, by the instance's tags, else by a rule over the owner.";
        Node text "node" ["host"] "NODE" 14 key wide by('n')
            "The host: the node's name, else the instance's.";
        GpuIndex number(Count) "gpu_index" ["index", "idx"] "GPU" 4 key smallest_first by('g')
            "Index on its host, as the driver counts; of a slice also the id of its GPU instance: 7.1.";
        Uuid text "uuid" ["id"] "UUID" 40 "The physical device as the driver names it.";
        Model text "model" ["gpu_model"] "MODEL" 8 wide by('l') "Model of the GPU.";
        Mig text "mig" ["slice"] "MIG" 10 "Profile of the slice, where the GPU is partitioned.";
        Gpus number(Count) "gpus" ["equivalents"] "GPUS" 5
            "GPU equivalents: 1, a fraction of a GPU, or a slice's share.";
        Workload choice(WORKLOADS) "workload" ["work"] "WORK" 9 by('k')
            "Kind of work, by tag or rule: training or inference.";
        Band choice(BANDS) "band" [] "BAND" 7 by('b')
            "Effective use against the field, for a known kind of work: poor, average, good or elite.";
        Account text "account" ["acct"] "ACCOUNT" 12 by('c') "Account id.";
        Region text "region" [] "REGION" 12 wide "Region.";
        InstanceId text "instance_id" ["instance"] "INSTANCE" 19 "Instance id.";
        Name text "name" [] "NAME" 16 wide "The instance's Name tag.";
        InstanceVerdict choice(JUDGED) "instance_verdict" ["judged"] "JUDGED" 10
            "Verdict of the instance that holds the GPU: not_judged while it has none; none of a GPU of no instance.";
        InstanceType text "instance_type" ["type"] "TYPE" 14 wide by('y') "Instance type.";
        PriceBasis text "price_basis" ["basis"] "PRICE" 34
            "What the price is and where it comes from.";
        Age number(Seconds) "age_s" ["age"] "AGE" 4 "Age of the newest reading.";
        Sources text "sources" ["source"] "SOURCES" 10 wide "Who told of the GPU, best first.";
        Disagreement text "disagreement" ["disagree"] "DISAGREEMENT" 24 wide
            "What sources disagree about.";
        Reason text "reason" ["why"] "REASON" 30 wide "Why the state is what it is, one sentence.";
        Advice text "advice" [] "ADVICE" 30 wide by('d') "What to do about it, one sentence.";
    }
}
