//! The fields of a proposal for a smaller size.

use std::borrow::Cow;
use std::sync::Arc;

use super::words;
use crate::fleet::savings::{CannotTell, Proposal, SizeVerdict};
use crate::query::Unit;
use crate::tabs::storage::picture::spec::{
    by, choice, field_enum, fields, number, text, time, wide,
};
use crate::view::{FieldSpec, TableField, Value, ViewContext};

field_enum! {
    /// A field of a proposal.
    ProposalField {
        Net, Gross, UsdPerHour, From, To, ToUsdPerHour, Verdict, WorthlessUntil, Effort, Risk,
        Name, Team, NeedGpus, NeedGpuMemory, NeedVcpus, NeedMemory, NeedNetwork, NeedNvme, NeedEfa,
        Says, Id, Account, Region, Az,
    }
}

const MIB: f64 = 1_048_576.0;
const YES: [&str; 2] = ["no", "yes"];
const VERDICTS: [&str; 6] = [
    "smaller",
    CannotTell::PreAllocated.word(),
    CannotTell::NoGpuMemory.word(),
    CannotTell::NoPrice.word(),
    CannotTell::NothingSmaller.word(),
    CannotTell::Accelerator.word(),
];

use ProposalField as F;

static FIELDS: [FieldSpec; F::ALL.len()] = [
    by(
        'n',
        number!(
            F::Net,
            "net_usd_per_hour",
            &["net", "saves"],
            "NET/h",
            8,
            Unit::UsdPerHour,
            "What the bill falls by, commitments considered; may be 0 or negative.",
        ),
    ),
    by(
        'g',
        number!(
            F::Gross,
            "gross_usd_per_hour",
            &["gross"],
            "GROSS/h",
            8,
            Unit::UsdPerHour,
            "What it saves at list price.",
        ),
    ),
    by(
        'h',
        number!(
            F::UsdPerHour,
            "usd_per_hour",
            &["$", "usd", "burn"],
            "$/h",
            8,
            Unit::UsdPerHour,
            "What the instance costs now.",
        ),
    ),
    by('f', text!(F::From, "from", &["type"], "FROM", 16, "The instance type now.")),
    by('o', text!(F::To, "to", &["proposed"], "TO", 16, "The instance type proposed.")),
    number!(
        F::ToUsdPerHour,
        "to_usd_per_hour",
        &["to_usd"],
        "TO $/h",
        8,
        Unit::UsdPerHour,
        "On-demand price of the type proposed.",
    ),
    by(
        'v',
        choice!(
            F::Verdict,
            "verdict",
            &["status"],
            "VERDICT",
            15,
            &VERDICTS,
            "Whether a smaller size is proposed, or why none can be.",
        ),
    ),
    by(
        'w',
        time!(
            F::WorthlessUntil,
            "worthless_until",
            &["worthless"],
            "WORTHLESS UNTIL",
            16,
            "When the commitment ends that makes the proposal worthless.",
        ),
    ),
    by('e', choice!(F::Effort, "effort", &[], "EFFORT", 6, &words::EFFORTS, "Work that it takes.")),
    by('k', choice!(F::Risk, "risk", &[], "RISK", 6, &words::EFFORTS, "What may go wrong.")),
    wide(by('a', text!(F::Name, "name", &[], "NAME", 16, "The instance's name, or its id."))),
    wide(by('t', text!(F::Team, "team", &[], "TEAM", 8, "Team, from its tags."))),
    number!(
        F::NeedGpus,
        "need_gpus",
        &["gpus"],
        "GPUS",
        4,
        Unit::Count,
        "GPUs that did something."
    ),
    number!(
        F::NeedGpuMemory,
        "need_gpu_memory",
        &["gpu_memory"],
        "GPU MEM",
        8,
        Unit::Bytes,
        "Memory per GPU at its highest.",
    ),
    number!(
        F::NeedVcpus,
        "need_vcpus",
        &["vcpus"],
        "VCPUS",
        5,
        Unit::Count,
        "vCPUs at the busiest hour, with headroom.",
    ),
    number!(F::NeedMemory, "need_memory", &["memory"], "MEMORY", 9, Unit::Bytes, "Memory needed."),
    number!(
        F::NeedNetwork,
        "need_network_gbps",
        &["gbps"],
        "Gbit/s",
        6,
        Unit::Count,
        "Network at its busiest hour, Gbit/s.",
    ),
    choice!(
        F::NeedNvme,
        "need_local_nvme",
        &["nvme"],
        "NVME",
        4,
        &YES,
        "Whether instance store is used or may be.",
    ),
    choice!(F::NeedEfa, "need_efa", &["efa"], "EFA", 3, &YES, "Whether EFA is or may be used."),
    wide(text!(F::Says, "says", &["reason"], "SAYS", 30, "What must hold, what was kept and why.")),
    by('i', text!(F::Id, "id", &["instance_id"], "ID", 19, "Instance id.")),
    text!(F::Account, "account", &[], "ACCOUNT", 12, "Account id."),
    by('r', text!(F::Region, "region", &[], "REGION", 14, "Region.")),
    text!(F::Az, "az", &["zone"], "ZONE", 15, "Availability zone."),
];

impl TableField for ProposalField {
    type Row = Proposal;

    const SCREEN_COLUMNS: &'static [Self] = &[
        F::Net,
        F::Gross,
        F::From,
        F::To,
        F::Verdict,
        F::Effort,
        F::Risk,
        F::Team,
        F::Name,
        F::WorthlessUntil,
        F::Says,
    ];
    const DROPPED_FIRST: &'static [Self] =
        &[F::Says, F::WorthlessUntil, F::Effort, F::Team, F::Risk, F::Verdict];

    fields!(ProposalField);

    fn value<'a>(self, row: &'a Proposal, _: &ViewContext) -> Value<'a> {
        let need = &row.need;
        let yes = |is: bool| Value::text(YES[usize::from(is)]);
        let smaller = match &row.verdict {
            SizeVerdict::Smaller { to, usd_per_hour, .. } => Some((to, *usd_per_hour)),
            SizeVerdict::Cannot(_) => None,
        };
        match self {
            F::Net => Value::number(row.net_usd_per_hour),
            F::Gross => Value::number(row.gross_usd_per_hour),
            F::UsdPerHour => Value::number(row.usd_per_hour),
            F::From => Value::text(&row.from),
            F::To => Value::maybe(smaller.map(|(to, _)| &**to)),
            F::ToUsdPerHour => Value::number(smaller.map(|(_, usd)| usd)),
            F::Verdict => Value::text(words::size_verdict(&row.verdict)),
            F::WorthlessUntil => row.worthless_until.map_or(Value::Unknown, Value::Time),
            F::Effort => Value::text(words::effort(row.effort)),
            F::Risk => Value::text(words::risk(row.risk)),
            F::Name => Value::text(&row.name),
            F::Team => Value::maybe(row.team.as_deref()),
            F::NeedGpus => Value::number(need.gpus.map(f64::from)),
            F::NeedGpuMemory => Value::number(need.gpu_memory_mib.map(|m| m as f64 * MIB)),
            F::NeedVcpus => Value::number(need.vcpus),
            F::NeedMemory => Value::number(need.memory_mib.map(|m| m as f64 * MIB)),
            F::NeedNetwork => Value::number(need.network_gbps),
            F::NeedNvme => yes(need.local_nvme),
            F::NeedEfa => yes(need.efa),
            F::Says => Value::maybe(row.says.first().map(|s| &**s)),
            F::Id => Value::text(&row.id),
            F::Account => Value::text(&row.scope.account),
            F::Region => Value::text(&row.scope.region),
            F::Az => Value::text(&row.az),
        }
    }

    /// Efforts and risks least first.
    fn ranked<'a>(self, row: &'a Proposal, ctx: &ViewContext) -> Value<'a> {
        match self {
            F::Effort => Value::Number(words::effort_rank(row.effort)),
            F::Risk => Value::Number(words::risk_rank(row.risk)),
            _ => self.value(row, ctx),
        }
    }

    fn several(self, row: &Proposal) -> Option<impl Iterator<Item = Cow<'_, str>>> {
        (self == F::Says).then(|| row.says.iter().map(|s| Cow::Borrowed(&**s)))
    }

    fn id(row: &Proposal) -> &Arc<str> {
        &row.id
    }

    fn usd_per_hour(row: &Proposal) -> Option<f64> {
        row.usd_per_hour
    }

    fn tag<'a>(_: &'a Proposal, _: &str) -> Option<&'a str> {
        None
    }

    fn any_text(row: &Proposal, mut holds: impl FnMut(&str) -> bool) -> bool {
        let to = match &row.verdict {
            SizeVerdict::Smaller { to, .. } => Some(to),
            SizeVerdict::Cannot(_) => None,
        };
        holds(&row.name)
            || holds(&row.from)
            || to.is_some_and(|to| holds(to))
            || row.team.as_ref().is_some_and(|team| holds(team))
            || holds(&row.id)
            || holds(&row.scope.region)
            || holds(&row.scope.account)
            || holds(words::size_verdict(&row.verdict))
    }
}
