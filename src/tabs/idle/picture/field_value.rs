//! Values of the fields of an instance: as value, as cell, for sorting and for search.

use std::borrow::Cow;
use std::sync::Arc;

use jiff::Timestamp;

use super::SCREEN_COLUMNS;
use super::ask::launched_by;
use super::field_table::FIELDS;
use super::field_table::Field;
use crate::domain::{
    CommitmentKind, Lifecycle, Owner, Platform, PriceBasis, Provenance, Rate, SourceId, SourceSet,
    Tenancy, Verdict, VerdictKind,
};
use crate::fleet::{HeldBy, Net, Obstacle, Row};
use crate::tabs::savings::picture::words;
use crate::view::table_field::{TableField, fields};
use crate::view::value::Value;
use crate::view::{FieldSpec, Origin, Role, ViewContext, format, reasons, verdict};

impl TableField for Field {
    type Row = Row;

    const NOUNS: [&'static str; 2] = ["instance", "instances"];

    const SCREEN_COLUMNS: &'static [Self] = SCREEN_COLUMNS;

    const DROPPED_FIRST: &'static [Self] = &[
        Self::Likely,
        Self::CoveredBy,
        Self::Account,
        Self::Region,
        Self::NetUsdPerHour,
        Self::Coverage,
        Self::NetworkPerDay,
        Self::InstanceType,
        Self::Cpu,
        Self::Gpu,
        // Of what is idle it is what is wasted.
        Self::UsdPerHour,
        Self::Team,
        Self::AgainstStop,
    ];

    fields!(FIELDS);

    fn role(self, row: &Row) -> Role {
        let kind = row.verdict.as_ref().map(|v| v.kind);
        match (self, kind) {
            (Self::Verdict, Some(kind)) => verdict::role(kind),
            (
                Self::WastedUsd | Self::WasteUsdPerHour,
                Some(VerdictKind::Idle | VerdictKind::Partial),
            ) => Role::Idle,
            _ if !row.instance.state.is_billed() => Role::Dim,
            (Self::AgainstStop, _) => against_role(row),
            _ => Role::Text,
        }
    }

    fn origin(row: &Row) -> Origin<'_> {
        Origin::of(&row.instance.scope)
    }

    fn rests_on(self, row: &Row) -> SourceSet {
        use SourceId::{CloudWatch, Ec2, Prices, Spot, Types};
        let spot = row.instance.lifecycle == Lifecycle::Spot;
        SourceSet::of(match self {
            Self::UsdPerHour | Self::PriceBasis if spot => &[Ec2, Spot],
            Self::UsdPerHour | Self::PriceBasis => &[Ec2, Prices],
            Self::WastedUsd | Self::WasteUsdPerHour if spot => &[Ec2, Spot, CloudWatch],
            Self::WastedUsd | Self::WasteUsdPerHour => &[Ec2, Prices, CloudWatch],
            Self::Verdict
            | Self::IdleSince
            | Self::Gpu
            | Self::Cpu
            | Self::NetworkPerDay
            | Self::Coverage
            | Self::IdleGpus
            | Self::Likely
            | Self::Reason => &[Ec2, CloudWatch],
            Self::Gpus | Self::GpuModel | Self::Vcpus | Self::Memory => &[Ec2, Types],
            // Sources of jobs are none of the fleet's.
            Self::Job | Self::User | Self::HeldReadAt | Self::BlockedBy | Self::AgainstStop => &[],
            _ => &[Ec2],
        })
    }

    fn id(row: &Row) -> &Arc<str> {
        &row.instance.id
    }

    fn usd_per_hour(row: &Row) -> Option<f64> {
        row.usd_per_hour()
    }

    fn tag<'a>(row: &'a Row, key: &str) -> Option<&'a str> {
        row.instance.tags.get(key)
    }

    fn value<'a>(self, row: &'a Row, ctx: &ViewContext) -> Value<'a> {
        let instance = &*row.instance;
        let spec = row.spec.as_deref();
        let judged = row.verdict.as_deref();
        let percent = |p: Option<f32>| Value::number(p.map(f64::from));
        match self {
            Self::UsdPerHour => Value::number(row.usd_per_hour()),
            Self::WastedUsd => Value::number(row.wasted_usd),
            Self::WasteUsdPerHour => Value::number(row.waste_usd_per_hour()),
            Self::Verdict => Value::maybe(judged.map(|v| v.kind.name())),
            Self::IdleSince => {
                Value::number(judged.and_then(|v| v.idle_since).map(|t| seconds(t, ctx)))
            }
            Self::Gpu => percent(judged.and_then(|v| v.gpu_percent)),
            Self::Cpu => percent(judged.and_then(|v| v.cpu_percent)),
            Self::NetworkPerDay => Value::number(judged.and_then(|v| v.network_bytes_per_day)),
            Self::Coverage => percent(judged.map(|v| v.coverage * 100.0)),
            Self::Team => Value::maybe(row.team.as_deref()),
            Self::Project => Value::maybe(row.project.as_deref()),
            Self::Environment => Value::maybe(row.environment.as_deref()),
            Self::CostCenter => Value::maybe(row.cost_center.as_deref()),
            Self::Name => Value::text(&instance.name),
            Self::InstanceType => Value::text(&instance.instance_type),
            Self::InstanceId => Value::text(&instance.id),
            Self::Account => Value::text(&instance.scope.account),
            Self::Region => Value::text(&instance.scope.region),
            Self::Az => Value::text(&instance.az),
            Self::State => Value::text(instance.state.word()),
            Self::Lifecycle => Value::text(instance.lifecycle.word()),
            Self::Tenancy => Value::text(tenancy_word(instance.tenancy)),
            Self::Platform => Value::text(platform_word(instance.platform)),
            Self::Gpus => Value::number(row.gpus()),
            Self::IdleGpus => Value::number(judged.and_then(idle_gpus)),
            Self::GpuModel => {
                Value::maybe(spec.and_then(|s| s.accelerator.as_ref()).map(|a| &*a.model))
            }
            Self::Vcpus => Value::number(spec.map(|s| f64::from(s.vcpus))),
            Self::Memory => Value::number(spec.map(|s| s.memory_mib as f64 * 1_048_576.0)),
            Self::Owner => instance
                .owners
                .first()
                .map_or(Value::Unknown, |o| Value::Text(Cow::Owned(owner_words(o)))),
            Self::Age => Value::Number(seconds(instance.born_at(), ctx)),
            Self::LaunchedAt => Value::Time(instance.launched_at),
            Self::PriceBasis => row
                .rate
                .as_ref()
                .map_or(Value::Unknown, |r| Value::Text(Cow::Owned(price_basis(r)))),
            Self::Reason => {
                judged.map_or(Value::Unknown, |v| Value::made(reasons::verdict(&v.reason)))
            }
            // A date that cannot be read is not known; the page of the instance shows the tag.
            Self::Expires => {
                let tag = instance.tags.get(crate::view::EXPIRES_TAG);
                Value::time(tag.and_then(|t| t.trim().parse().ok()))
            }
            Self::NetUsdPerHour => Value::number(row.net_usd_per_hour()),
            Self::NetWasteUsdPerHour => Value::number(row.net_waste_usd_per_hour()),
            Self::CoveredBy => covered_by(row, CommitmentKind::word),
            Self::BilledUsd => Value::number(row.billed_usd),
            Self::Ask => row.ask().map_or(Value::Unknown, |ask| Value::made(ask.name.to_string())),
            Self::AskFrom => Value::maybe(row.ask().map(|ask| ask.from.word())),
            Self::LaunchedBy => launched_by(row).map_or(Value::Unknown, Value::made),
            Self::Likely => Value::maybe(judged.and_then(|v| v.likely.as_ref()).map(|l| l.word())),
            Self::Job => row.held_by.as_deref().map_or(Value::Unknown, held_job),
            Self::User => row.held_by.as_deref().map_or(Value::Unknown, held_user),
            Self::BlockedBy => obstacles(row.blocked_by(), |obstacle| obstacle.guard),
            Self::AgainstStop => obstacles(row.against_stop(), |obstacle| obstacle.guard),
            Self::HeldReadAt => Value::time(row.held_by.as_deref().map(|held| held.read_at)),
        }
    }

    /// The moment an idle stretch began instead of its length; else as everywhere.
    fn exported<'a>(self, row: &'a Row, ctx: &ViewContext) -> Value<'a> {
        if self == Self::IdleSince {
            let since = row.verdict.as_deref().and_then(|v| v.idle_since);
            return Value::time(since);
        }
        self.value(row, ctx).exported(self.spec().kind)
    }

    fn cell(self, row: &Row, ctx: &ViewContext) -> String {
        if self == Self::Verdict {
            return match row.verdict.as_deref() {
                Some(v) => verdict::cell(v, ctx.symbols),
                None if row.instance.state.is_billed() => {
                    format!("{} not judged", ctx.symbols.unknown())
                }
                // There is nothing to judge; the state says why.
                None => format!("{} {}", ctx.symbols.unknown(), row.instance.state.word()),
            };
        }
        let at_least = row.verdict.as_deref().is_some_and(|v| v.idle_since_at_least);
        match (self, self.value(row, ctx)) {
            (Self::IdleSince, value @ Value::Number(_)) => {
                format::bound(value.shown(self.spec().kind, ctx), at_least, ctx.symbols)
            }
            (Self::WastedUsd, value @ Value::Number(_)) => {
                let text = value.shown(self.spec().kind, ctx);
                format::bound(text, row.wasted_at_least(), ctx.symbols)
            }
            (Self::BlockedBy, _) => {
                obstacles(row.blocked_by(), obstacle_word).shown(self.spec().kind, ctx)
            }
            (Self::AgainstStop, _) => {
                obstacles(row.against_stop(), obstacle_word).shown(self.spec().kind, ctx)
            }
            (Self::CoveredBy, _) => {
                covered_by(row, CommitmentKind::short).shown(self.spec().kind, ctx)
            }
            // Cut, not rounded: 89.9% of the datapoints are not the 90% that a verdict needs.
            (Self::Coverage, Value::Number(n)) => format::percent((n + 1e-4).floor(), 0),
            (Self::Age, Value::Number(n)) => format::age(n as i64),
            (_, value) => value.shown(self.spec().kind, ctx),
        }
    }

    /// Verdicts worst first.
    fn ranked<'a>(self, row: &'a Row, ctx: &ViewContext) -> Value<'a> {
        if self == Self::Verdict {
            return Value::number(row.verdict.as_ref().map(|v| verdict_rank(v.kind) as f64));
        }
        self.value(row, ctx)
    }

    /// All owners, each by its kind and by its name; all commitments, each by its kind and id; all jobs and users; all guards
    /// that would block or speak against a stop, each by its name and in words.
    fn several(self, row: &Row) -> Option<impl Iterator<Item = Cow<'_, str>>> {
        let owners = match self {
            Self::Owner => row.instance.owners.as_slice(),
            _ => &[],
        };
        let by = match (self, row.net.as_deref()) {
            (Self::CoveredBy, Some(Net::Known(cover))) => cover.by.as_slice(),
            _ => &[],
        };
        // Where nothing pays, the one text is that nothing does.
        let none = (self == Self::CoveredBy
            && by.is_empty()
            && matches!(row.net.as_deref(), Some(Net::Known(_))))
        .then_some("none");
        let held: &[Arc<str>] = match (self, row.held_by.as_deref()) {
            (Self::Job, Some(held)) => &held.jobs,
            (Self::User, Some(held)) => &held.users,
            _ => &[],
        };
        // Where nobody is known, the one value is that this is unknown.
        let of_stop = matches!(self, Self::BlockedBy | Self::AgainstStop);
        let obstacles = row.against_stop().filter(|_| of_stop).into_iter().flatten();
        let told = obstacles.filter(|obstacle| obstacle.blocks || self == Self::AgainstStop);
        let guards: Vec<&str> = told.flat_map(|o| [o.guard, obstacle_word(o)]).collect();
        let is_several =
            matches!(self, Self::Owner | Self::CoveredBy) || !held.is_empty() || !guards.is_empty();
        is_several.then(|| {
            let owners = owners.iter().flat_map(|o| [o.kind.word(), &*o.name]);
            let all = owners
                .chain(by.iter().flat_map(|b| [b.kind.word(), b.kind.short(), &*b.id]))
                .chain(none);
            all.chain(held.iter().map(|name| &**name)).chain(guards).map(Cow::Borrowed)
        })
    }

    /// The words of the verdicts, in the order of [`VerdictKind::ALL`].
    fn shared_words() -> Vec<[&'static str; 2]> {
        VerdictKind::ALL.map(|v| [verdict::word(v), v.name()]).to_vec()
    }

    fn shared_word(row: &Row) -> Option<usize> {
        row.verdict.as_ref().map(|v| v.kind as usize)
    }

    /// Name, type, team, id, project, environment, cost center, region, account, GPU model,
    /// lifecycle, owners, jobs and users that hold it; numbers are for comparisons.
    fn of_filtered<'a>(
        rows: impl Iterator<Item = &'a Row>,
        compared: &[&FieldSpec],
    ) -> Option<String> {
        let field = Self::AgainstStop.spec();
        if compared.contains(&field) {
            return None;
        }
        let (mut free, mut idle) = (0, 0);
        for mut against in rows.filter_map(Row::against_stop) {
            idle += 1;
            free += usize::from(against.next().is_none());
        }
        let name = field.aliases.first().unwrap_or(&field.name);
        let text = format!("nothing speaks against a stop of {free} of {idle} idle: {name}=none");
        (0 < free && free < idle).then_some(text)
    }

    fn any_text(row: &Row, mut holds: impl FnMut(&str) -> bool) -> bool {
        let instance = &*row.instance;
        let accelerator = row.spec.as_ref().and_then(|s| s.accelerator.as_ref());
        let texts = [
            Some(&instance.name),
            Some(&instance.instance_type),
            row.team.as_ref(),
            Some(&instance.id),
            row.project.as_ref(),
            row.environment.as_ref(),
            row.cost_center.as_ref(),
            Some(&instance.scope.region),
            Some(&instance.scope.account),
            accelerator.map(|a| &a.model),
        ];
        texts.into_iter().flatten().any(|text| holds(text))
            || holds(instance.lifecycle.word())
            || instance.owners.iter().any(|o| holds(&o.name) || holds(o.kind.word()))
            || row
                .held_by
                .iter()
                .any(|held| held.jobs.iter().chain(&held.users).any(|name| holds(name)))
    }
}

/// How what speaks against a stop looks, as on the page of the instance: what blocks it for sure apart from what may, or warns.
fn against_role(row: &Row) -> Role {
    let all = row.obstacles.as_deref().unwrap_or_default();
    match all {
        [] => Role::Text,
        all if all.iter().any(|obstacle| obstacle.blocks && obstacle.is_sure) => Role::Crit,
        _ => Role::Warn,
    }
}

/// An obstacle, as short as a cell takes it.
fn obstacle_word(obstacle: &Obstacle) -> &'static str {
    match obstacle.blocks {
        true => reasons::blocked_by(obstacle.guard),
        false => reasons::warned_of(obstacle.guard),
    }
}

/// Obstacles, each word once; `none` where none is known, unknown where nobody looked.
fn obstacles<'a>(
    all: Option<impl Iterator<Item = &'a Obstacle>>,
    word: fn(&Obstacle) -> &'static str,
) -> Value<'static> {
    let Some(all) = all else { return Value::Unknown };
    let mut words: Vec<&str> = Vec::new();
    for word in all.map(word) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    match &words[..] {
        [] => Value::text("none"),
        [one] => Value::made((*one).to_owned()),
        all => Value::made(all.join(", ")),
    }
}

/// The job that holds an instance, or how many do; unknown where the only one has no name.
fn held_job(held: &HeldBy) -> Value<'_> {
    match (&held.jobs[..], held.count()) {
        ([], _) => Value::Unknown,
        ([one], 1) => Value::text(one),
        (_, count) => Value::Text(Cow::Owned(format::plural(count, "job"))),
    }
}

/// Whose job holds an instance, or how many users' do.
fn held_user(held: &HeldBy) -> Value<'_> {
    match &held.users[..] {
        [] => Value::Unknown,
        [one] => Value::text(one),
        users => Value::Text(Cow::Owned(format::plural(users.len(), "user"))),
    }
}

/// Place of a verdict in the order worst first.
fn verdict_rank(kind: VerdictKind) -> usize {
    VerdictKind::ALL.iter().position(|k| *k == kind).unwrap_or(usize::MAX)
}

fn seconds(since: Timestamp, ctx: &ViewContext) -> f64 {
    ctx.now.duration_since(since).as_secs_f64().max(0.0)
}

/// What pays for an instance, its kind as `word` names it; `none` where it is known that nothing does.
fn covered_by(row: &Row, word: fn(CommitmentKind) -> &'static str) -> Value<'_> {
    match row.net.as_deref() {
        Some(Net::Known(cover)) if cover.by.is_empty() => Value::text("none"),
        Some(Net::Known(cover)) => Value::Text(Cow::Owned(words::covered_by(cover, word))),
        Some(Net::Unknown(_)) | None => Value::Unknown,
    }
}

fn idle_gpus(verdict: &Verdict) -> Option<f64> {
    verdict.idle_gpus.map(f64::from)
}

/// Name of a tenancy in filters and JSON.
pub fn tenancy_word(tenancy: Tenancy) -> &'static str {
    match tenancy {
        Tenancy::Shared => "shared",
        Tenancy::Dedicated => "dedicated",
        Tenancy::Host => "host",
    }
}

/// Name of a platform in filters and JSON.
pub fn platform_word(platform: Platform) -> &'static str {
    match platform {
        Platform::Linux => "linux",
        Platform::Windows => "windows",
        Platform::Rhel => "rhel",
        Platform::Suse => "suse",
        Platform::UbuntuPro => "ubuntu-pro",
        Platform::Other => "other",
    }
}

/// Label of an owner: `asg train-workers`.
pub fn owner_words(owner: &Owner) -> String {
    format!("{} {}", owner.kind.word(), owner.name).trim_end().to_owned()
}

/// Label of a price basis.
pub fn basis_word(basis: PriceBasis) -> &'static str {
    match basis {
        PriceBasis::OnDemandList => "on-demand list",
        PriceBasis::Spot => "spot",
        PriceBasis::Private => "private rate",
    }
}

/// Label of a price's basis, provenance and date: `on-demand list, embedded 2026-07-01`.
pub fn price_basis(rate: &Rate) -> String {
    let basis = basis_word(rate.basis);
    match &rate.provenance {
        Provenance::Live { at } => format!("{basis}, live {}", at.strftime("%Y-%m-%d")),
        Provenance::Embedded { date } => format!("{basis}, embedded {date}"),
        Provenance::Demo => format!("{basis}, demo"),
        Provenance::Configured => format!("{basis}, configured"),
        Provenance::Bill { period } => format!("{basis}, bill of {period}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_of_a_bill_names_its_month() {
        let rate = Rate {
            usd_per_hour: 1.0,
            basis: PriceBasis::Private,
            provenance: Provenance::Bill { period: "2026-11".parse().unwrap() },
        };
        assert_eq!(price_basis(&rate), "private rate, bill of 2026-11");
    }

    #[test]
    fn verdicts_are_numbered_as_they_are_listed() {
        for (i, kind) in VerdictKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, i);
        }
    }
}
