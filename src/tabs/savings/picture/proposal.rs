//! The fields of a proposal for a smaller size.

use std::borrow::Cow;
use std::sync::Arc;

use super::words;
use crate::domain::{SourceId, SourceSet};
use crate::fleet::savings::{CannotTell, Proposal, Risk, SizeVerdict};
use crate::view::table_field::{field_table, fields};
use crate::view::{Origin, Role, TableField, Value, ViewContext, reasons};

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

field_table! {
    /// A field of a proposal.
    pub enum ProposalField => FIELDS {
        Net number(UsdPerHour) "net_usd_per_hour" ["net", "saves"] "NET/h" 8 by('n')
            "What the bill falls by, commitments considered; may be 0 or negative.";
        Gross number(UsdPerHour) "gross_usd_per_hour" ["gross"] "GROSS/h" 8 by('g')
            "What it saves at list price.";
        UsdPerHour number(UsdPerHour) "usd_per_hour" ["$", "usd", "burn"] "$/h" 8 by('h')
            "What the instance costs now.";
        From text "from" ["type"] "FROM" 16 by('f') "The instance type now.";
        To text "to" ["proposed"] "TO" 16 by('o') "The instance type proposed.";
        ToUsdPerHour number(UsdPerHour) "to_usd_per_hour" ["to_usd"] "TO $/h" 8
            "On-demand price of the type proposed.";
        Verdict choice(VERDICTS) "verdict" ["status"] "VERDICT" 15 by('v')
            "Whether a smaller size is proposed, or why none can be.";
        WorthlessUntil time "worthless_until" ["worthless"] "WORTHLESS UNTIL" 16 by('w')
            "When the commitment ends that makes the proposal worthless.";
        Effort choice(words::LEVELS) "effort" [] "EFFORT" 6 by('e') "Work that it takes.";
        Risk choice(words::LEVELS) "risk" [] "RISK" 6 by('k') "What may go wrong.";
        Name text "name" [] "NAME" 16 key wide by('a') "The instance's name, or its id.";
        Team text "team" [] "TEAM" 8 wide by('t') "Team, from its tags.";
        NeedGpus number(Count) "need_gpus" ["gpus"] "GPUS" 4 "GPUs that did something.";
        NeedGpuMemory number(Bytes) "need_gpu_memory" ["gpu_memory"] "GPU MEM" 8
            "Memory per GPU at its highest.";
        NeedVcpus number(Count) "need_vcpus" ["vcpus"] "VCPUS" 5
            "vCPUs at the busiest hour, with headroom.";
        NeedMemory number(Bytes) "need_memory" ["memory"] "MEMORY" 9 "Memory needed.";
        NeedNetwork number(Count) "need_network_gbps" ["gbps"] "Gbit/s" 6
            "Network at its busiest hour, Gbit/s.";
        NeedNvme choice(YES) "need_local_nvme" ["nvme"] "NVME" 4
            "Whether instance store is used or may be.";
        NeedEfa choice(YES) "need_efa" ["efa"] "EFA" 3 "Whether EFA is or may be used.";
        Notes text "says" ["reason"] "SAYS" 30 wide "What must hold, what was kept and why.";
        Id text "id" ["instance_id"] "ID" 19 by('i') "Instance id.";
        Account text "account" [] "ACCOUNT" 12 "Account id.";
        Region text "region" [] "REGION" 14 by('r') "Region.";
        Az text "az" ["zone"] "ZONE" 15 "Availability zone.";
    }
}

use ProposalField as F;

impl TableField for ProposalField {
    type Row = Proposal;

    const NOUNS: [&'static str; 2] = ["proposal", "proposals"];

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
        F::Notes,
    ];
    const DROPPED_FIRST: &'static [Self] =
        &[F::Notes, F::WorthlessUntil, F::Effort, F::Team, F::Risk, F::Verdict];

    fields!(FIELDS);

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
            F::WorthlessUntil => Value::time(row.worthless_until),
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
            F::Notes => row.says.first().map_or(Value::Unknown, |n| Value::made(reasons::size(n))),
            F::Id => Value::text(&row.id),
            F::Account => Value::text(&row.scope.account),
            F::Region => Value::text(&row.scope.region),
            F::Az => Value::text(&row.az),
        }
    }

    /// Efforts and risks least first.
    fn ranked<'a>(self, row: &'a Proposal, ctx: &ViewContext) -> Value<'a> {
        match self {
            F::Effort => Value::Number(f64::from(row.effort as u8)),
            F::Risk => Value::Number(f64::from(row.risk as u8)),
            _ => self.value(row, ctx),
        }
    }

    fn several(self, row: &Proposal) -> Option<impl Iterator<Item = Cow<'_, str>>> {
        (self == F::Notes).then(|| row.says.iter().map(|n| Cow::Owned(reasons::size(n))))
    }

    fn role(self, row: &Proposal) -> Role {
        match self {
            F::Net if row.net_usd_per_hour.is_some_and(|usd| usd > 0.0) => Role::Idle,
            F::Risk if row.risk == Risk::High => Role::Warn,
            F::WorthlessUntil => Role::Warn,
            _ if matches!(row.verdict, SizeVerdict::Cannot(_)) => Role::Dim,
            _ => Role::Text,
        }
    }

    fn origin(row: &Proposal) -> Origin<'_> {
        Origin::of(&row.scope)
    }

    fn rests_on(self, _: &Proposal) -> SourceSet {
        let is_money = matches!(self, F::Net | F::Gross);
        SourceSet::of(if is_money { &[SourceId::CloudWatch, SourceId::Commitments] } else { &[] })
    }

    fn id(row: &Proposal) -> &Arc<str> {
        &row.id
    }

    fn usd_per_hour(row: &Proposal) -> Option<f64> {
        row.usd_per_hour
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
