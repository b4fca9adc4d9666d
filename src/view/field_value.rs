//! What a row says for a field: as a value, as a cell, in order.

use std::borrow::Cow;
use std::cmp::Ordering;

use jiff::Timestamp;

use super::field::Field;
use super::{ViewContext, format, verdict};
use crate::domain::{Owner, Platform, PriceBasis, Provenance, Rate, Tenancy, Verdict, VerdictKind};
use crate::fleet::Row;
use crate::query::{Kind, Unit};

/// The value of a field in one row, in the unit of the field's kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// Not known, or nothing to know.
    Unknown,
    /// Text.
    Text(Cow<'a, str>),
    /// A finite quantity.
    Number(f64),
    /// A moment.
    Time(Timestamp),
}

impl<'a> Value<'a> {
    fn text(text: &'a str) -> Self {
        if text.is_empty() { Self::Unknown } else { Self::Text(Cow::Borrowed(text)) }
    }

    fn maybe(text: Option<&'a str>) -> Self {
        text.map_or(Self::Unknown, Self::text)
    }

    fn number(number: Option<f64>) -> Self {
        number.filter(|n| n.is_finite()).map_or(Self::Unknown, Self::Number)
    }

    /// The same without borrowing.
    pub fn into_owned(self) -> Value<'static> {
        match self {
            Self::Unknown => Value::Unknown,
            Self::Text(text) => Value::Text(Cow::Owned(text.into_owned())),
            Self::Number(n) => Value::Number(n),
            Self::Time(t) => Value::Time(t),
        }
    }

    /// True when not known.
    pub fn is_unknown(&self) -> bool {
        *self == Self::Unknown
    }
}

impl Field {
    /// The value in `row`, in the unit of the field's kind: percentages 0–100, spans in seconds
    /// up to `ctx.now`.
    pub fn value<'a>(self, row: &'a Row, ctx: &ViewContext) -> Value<'a> {
        let instance = &*row.instance;
        let spec = row.spec.as_deref();
        let judged = row.verdict.as_deref();
        let percent = |p: Option<f32>| Value::number(p.map(f64::from));
        match self {
            Self::UsdPerHour => Value::number(row.usd_per_hour()),
            Self::WastedUsd => Value::number(row.wasted_usd),
            Self::WasteUsdPerHour => Value::number(waste(row)),
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
            Self::Reason => Value::maybe(judged.map(|v| &*v.reason)),
            // A date that cannot be read is not known; the page of the instance shows the tag.
            Self::Expires => {
                let tag = instance.tags.get(super::EXPIRES_TAG);
                tag.and_then(|t| t.trim().parse().ok()).map_or(Value::Unknown, Value::Time)
            }
        }
    }

    /// The value as exports state it: ratios 0–1 instead of percentages, enums in snake case, and
    /// the moment an idle stretch began instead of its length.
    pub fn exported<'a>(self, row: &'a Row, ctx: &ViewContext) -> Value<'a> {
        if self == Self::IdleSince {
            let since = row.verdict.as_deref().and_then(|v| v.idle_since);
            return since.map_or(Value::Unknown, Value::Time);
        }
        match (self.spec().kind, self.value(row, ctx)) {
            // Six digits: a 32-bit percentage has no more, and 0.38 shall not become 0.3799999.
            (Kind::Number(Unit::Percent), Value::Number(p)) => {
                Value::Number((p * 1e4).round() / 1e6)
            }
            (Kind::Choice(_), Value::Text(word)) if word.contains('-') => {
                Value::Text(Cow::Owned(word.replace('-', "_")))
            }
            (_, value) => value,
        }
    }

    /// The text of the cell, not padded and not cut.
    pub fn cell(self, row: &Row, ctx: &ViewContext) -> String {
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
        match self.value(row, ctx) {
            Value::Unknown => ctx.symbols.unknown().to_owned(),
            Value::Text(text) => text.into_owned(),
            Value::Time(t) => t.strftime("%Y-%m-%d %H:%M").to_string(),
            Value::Number(n) => match self.spec().kind {
                Kind::Number(Unit::UsdPerHour) => format::grouped(n, 2),
                Kind::Number(Unit::Usd) => format::usd_total(n),
                // Cut, not rounded: 89.9 % of the datapoints are not the 90 % that a verdict needs.
                Kind::Number(Unit::Percent) if self == Self::Coverage => {
                    format::percent((n + 1e-4).floor())
                }
                Kind::Number(Unit::Percent) => format::percent(n),
                Kind::Number(Unit::Bytes) => format::gib(n),
                Kind::Number(Unit::BytesPerDay) => format::bytes(n),
                Kind::Number(Unit::Seconds) if self == Self::Age => format::age(n as i64),
                Kind::Number(Unit::Seconds) => format::span(n as i64),
                _ => format::count(n),
            },
        }
    }

    /// Ascending order of two rows by this field, with what is not known last; verdicts worst
    /// first, text without regard to ASCII case.
    pub fn compare(self, a: &Row, b: &Row, ctx: &ViewContext) -> Ordering {
        if self == Self::Verdict {
            let rank = |r: &Row| r.verdict.as_ref().map_or(usize::MAX, |v| verdict_rank(v.kind));
            return rank(a).cmp(&rank(b));
        }
        match (self.value(a, ctx), self.value(b, ctx)) {
            (Value::Unknown, Value::Unknown) => Ordering::Equal,
            (Value::Unknown, _) => Ordering::Greater,
            (_, Value::Unknown) => Ordering::Less,
            (Value::Number(x), Value::Number(y)) => x.total_cmp(&y),
            (Value::Time(x), Value::Time(y)) => x.cmp(&y),
            (Value::Text(x), Value::Text(y)) => compare_text(&x, &y),
            // A field has values of one kind.
            _ => Ordering::Equal,
        }
    }
}

/// Byte order without regard to ASCII case.
pub(super) fn compare_text(a: &str, b: &str) -> Ordering {
    a.bytes().map(|b| b.to_ascii_lowercase()).cmp(b.bytes().map(|b| b.to_ascii_lowercase()))
}

/// Place of a verdict in the order worst first.
pub(super) fn verdict_rank(kind: VerdictKind) -> usize {
    VerdictKind::ALL.iter().position(|k| *k == kind).unwrap_or(usize::MAX)
}

fn seconds(since: Timestamp, ctx: &ViewContext) -> f64 {
    ctx.now.duration_since(since).as_secs_f64().max(0.0)
}

/// Waste where the verdict speaks of it; elsewhere there is nothing to state, which is not 0.
pub(super) fn waste(row: &Row) -> Option<f64> {
    let kind = row.verdict.as_ref()?.kind;
    match kind {
        VerdictKind::Unknown | VerdictKind::TooNew => None,
        _ => row.waste_usd_per_hour(),
    }
}

fn idle_gpus(verdict: &Verdict) -> Option<f64> {
    verdict.idle_gpus.map(f64::from)
}

/// The filter and JSON word for a tenancy.
pub fn tenancy_word(tenancy: Tenancy) -> &'static str {
    match tenancy {
        Tenancy::Shared => "shared",
        Tenancy::Dedicated => "dedicated",
        Tenancy::Host => "host",
    }
}

/// The filter and JSON word for a platform.
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

/// An owner in words: `asg train-workers`.
pub fn owner_words(owner: &Owner) -> String {
    format!("{} {}", owner.kind.word(), owner.name).trim_end().to_owned()
}

/// The word of a price basis.
pub fn basis_word(basis: PriceBasis) -> &'static str {
    match basis {
        PriceBasis::OnDemandList => "on-demand list",
        PriceBasis::Spot => "spot",
    }
}

/// A price's basis, provenance and date in words: `on-demand list, embedded 2026-07-01`.
pub fn price_basis(rate: &Rate) -> String {
    let basis = basis_word(rate.basis);
    match &rate.provenance {
        Provenance::Live { at } => format!("{basis}, live {}", at.strftime("%Y-%m-%d")),
        Provenance::Embedded { date } => format!("{basis}, embedded {date}"),
        Provenance::Demo => format!("{basis}, demo"),
    }
}
