//! Values of the fields of a GPU: as value, as cell, for sorting and for search.

use std::borrow::Cow;
use std::sync::Arc;

use super::field_table::GpuField;
use super::field_table::{BANDS, FIELDS, IN_JOB, NOT_JUDGED, RUNGS, STATES};
use super::words;
use crate::analyze::gpu::Band;
use crate::domain::{GpuSignal, GpuState, Rung, SourceSet};
use crate::fleet::{GpuRow, Row};
use crate::tabs::idle::picture::Field;
use crate::tabs::idle::picture::field_value::price_basis;
use crate::view::table_field::{TableField, fields};
use crate::view::value::Value;
use crate::view::{Origin, Role, ViewContext, format, reasons};

/// Bytes in a MiB.
const MIB: f64 = 1_048_576.0;

impl TableField for GpuField {
    type Row = GpuRow;

    const NOUNS: [&'static str; 2] = ["GPU", "GPUs"];

    const SCREEN_COLUMNS: &'static [Self] = super::DEFAULT_COLUMNS;

    const DROPPED_FIRST: &'static [Self] = &[
        Self::Rung,
        Self::Util,
        Self::TempC,
        Self::Power,
        Self::Model,
        Self::Owner,
        Self::Mem,
        Self::Team,
    ];

    fields!(FIELDS);

    fn role(self, row: &GpuRow) -> Role {
        let state = row.verdict.state;
        match self {
            Self::State => words::role(state),
            Self::WastedUsd | Self::WasteUsdPerHour if state.is_idle() => Role::Idle,
            _ => Role::Text,
        }
    }

    fn origin(row: &GpuRow) -> Origin<'_> {
        let scope = row.node.instance.as_deref().map(|r| Cow::Borrowed(&r.instance.scope));
        Origin { scope, told: &row.told }
    }

    fn rests_on(self, row: &GpuRow) -> SourceSet {
        let instance = row.node.instance.as_deref();
        let price = || instance.map(|r| Field::UsdPerHour.rests_on(r)).unwrap_or_default();
        // What the best source said is what is shown.
        let telemetry = || SourceSet::of(row.told.first().map(|t| t.source).as_slice());
        match self {
            Self::UsdPerHour | Self::PriceBasis => price(),
            Self::InstanceVerdict => {
                instance.map(|r| Field::Verdict.rests_on(r)).unwrap_or_default()
            }
            Self::WastedUsd | Self::WasteUsdPerHour => telemetry().and(price()),
            Self::Account
            | Self::Region
            | Self::InstanceId
            | Self::Name
            | Self::InstanceType
            | Self::Team
            | Self::Node
            | Self::GpuIndex
            | Self::Uuid
            | Self::Model
            | Self::Mig
            | Self::Gpus
            | Self::Age
            | Self::Sources => SourceSet::default(),
            _ => telemetry(),
        }
    }

    fn id(row: &GpuRow) -> &Arc<str> {
        &row.id
    }

    fn usd_per_hour(row: &GpuRow) -> Option<f64> {
        row.usd_per_hour
    }

    fn tag<'a>(row: &'a GpuRow, key: &str) -> Option<&'a str> {
        row.node.instance.as_deref()?.instance.tags.get(key)
    }

    fn value<'a>(self, row: &'a GpuRow, ctx: &ViewContext) -> Value<'a> {
        let sample = &row.sample;
        let (identity, owner) = (&*sample.identity, &*sample.owner);
        let box_ = row.node.instance.as_deref();
        match self {
            Self::UsdPerHour => Value::number(row.usd_per_hour),
            Self::WastedUsd => Value::number(row.wasted_usd),
            Self::WasteUsdPerHour => Value::number(row.waste_usd_per_hour),
            Self::State => Value::text(STATES[row.verdict.state as usize]),
            Self::IdleSince => Value::since(row.verdict.idle_since, ctx.now),
            Self::Effective => percent(row.verdict.activity.map(|a| a.effective)),
            Self::Rung => Value::text(RUNGS[row.verdict.rung as usize]),
            Self::Util => signal(row, GpuSignal::Util),
            Self::SmActive => signal(row, GpuSignal::SmActive),
            Self::GrEngine => signal(row, GpuSignal::GrEngine),
            Self::TensorActive => signal(row, GpuSignal::Tensor),
            Self::DramActive => signal(row, GpuSignal::Dram),
            Self::NeuronCore => signal(row, GpuSignal::NeuronCore),
            Self::Enc => signal(row, GpuSignal::Enc),
            Self::Dec => signal(row, GpuSignal::Dec),
            Self::Mem => share(row, GpuSignal::MemUsed, GpuSignal::MemTotal),
            Self::MemUsed => bytes(row, GpuSignal::MemUsed),
            Self::MemTotal => bytes(row, GpuSignal::MemTotal),
            Self::Power => share(row, GpuSignal::Power, GpuSignal::PowerLimit),
            Self::PowerW => plain(row, GpuSignal::Power),
            Self::PowerLimitW => plain(row, GpuSignal::PowerLimit),
            Self::TempC => plain(row, GpuSignal::Temp),
            Self::Xid => plain(row, GpuSignal::Xid),
            Self::Throttle => match sample.throttle.map(|t| t.words().join(", ")) {
                Some(words) if !words.is_empty() => Value::Text(Cow::Owned(words)),
                _ => Value::Unknown,
            },
            Self::Owner => {
                owner.words().map_or(Value::Unknown, |words| Value::Text(Cow::Owned(words)))
            }
            Self::Namespace => Value::maybe(owner.namespace.as_deref()),
            Self::Pod => Value::maybe(owner.pod.as_deref()),
            Self::Job => Value::maybe(owner.job.as_deref()),
            Self::User => Value::maybe(owner.user.as_deref()),
            Self::Processes => Value::number(sample.processes.as_ref().map(|p| p.len() as f64)),
            Self::Team => Value::maybe(row.team.as_deref()),
            Self::Node => Value::text(&row.node.name),
            Self::GpuIndex => Value::number(identity.index.map(f64::from)),
            Self::Uuid => Value::maybe(identity.uuid.as_deref()),
            Self::Model => Value::text(&row.model),
            Self::Mig => match &identity.mig {
                Some(mig) if mig.profile.is_empty() => {
                    Value::Text(Cow::Owned(format!("gi{}", mig.gpu_instance)))
                }
                Some(mig) => Value::text(&mig.profile),
                None => Value::Unknown,
            },
            Self::Gpus => Value::number(Some(row.equivalents)),
            Self::Workload => Value::maybe(words::workload(row.verdict.workload)),
            Self::Band => Value::maybe(band(row).map(Band::name)),
            Self::Account => Value::maybe(box_.map(|r| &*r.instance.scope.account)),
            Self::Region => Value::maybe(box_.map(|r| &*r.instance.scope.region)),
            Self::InstanceId => {
                let told = || identity.host.instance_id.as_deref();
                Value::maybe(box_.map(|r| &*r.instance.id).or_else(told))
            }
            Self::Name => Value::maybe(box_.map(|r| &*r.instance.name)),
            Self::InstanceVerdict => {
                let kind = |r: &Row| r.verdict.as_ref().map_or(NOT_JUDGED, |v| v.kind.name());
                Value::maybe(box_.map(kind))
            }
            Self::InstanceType => Value::maybe(box_.map(|r| &*r.instance.instance_type)),
            Self::PriceBasis => match box_.and_then(|r: &Row| r.rate.as_ref()) {
                Some(rate) => Value::Text(Cow::Owned(price_basis(rate))),
                None => Value::Unknown,
            },
            Self::Age => {
                let age = ctx.now.duration_since(sample.taken_at).as_secs_f64();
                Value::number(Some(age.max(0.0)))
            }
            Self::Sources => match sources(row).collect::<Vec<_>>().join(",") {
                none if none.is_empty() => Value::Unknown,
                names => Value::Text(Cow::Owned(names)),
            },
            Self::Disagreement => Value::text(&row.disagreement),
            Self::Reason => Value::made(reasons::gpu_row(row)),
            Self::Advice => reasons::gpu_row_advice(row).map_or(Value::Unknown, Value::made),
        }
    }

    fn exported<'a>(self, row: &'a GpuRow, ctx: &ViewContext) -> Value<'a> {
        if self == Self::IdleSince {
            return Value::time(row.verdict.idle_since);
        }
        self.value(row, ctx).exported(self.spec().kind)
    }

    fn cell(self, row: &GpuRow, ctx: &ViewContext) -> String {
        let value = self.value(row, ctx);
        match (self, &value) {
            (Self::State, _) => words::cell(row, ctx.symbols),
            (Self::Rung, _) => row.verdict.rung.letter().to_string(),
            (Self::IdleSince, Value::Number(_)) if row.verdict.idle_since_at_least => {
                format::bound(value.shown(self.spec().kind, ctx), true, ctx.symbols)
            }
            (Self::WastedUsd, Value::Number(_)) => {
                let text = value.shown(self.spec().kind, ctx);
                format::bound(text, row.wasted_at_least(), ctx.symbols)
            }
            (Self::Node, Value::Text(_)) => row.node.short_name().to_owned(),
            (Self::GpuIndex, Value::Number(n)) => match &row.sample.identity.mig {
                // All slices have the index of their GPU: what tells them apart is theirs alone.
                Some(mig) => format!("{n}.{}", mig.gpu_instance),
                None => value.shown(self.spec().kind, ctx),
            },
            (Self::Age, Value::Number(n)) => format::age(*n as i64),
            (Self::PowerW | Self::PowerLimitW | Self::TempC, Value::Number(n)) => {
                format::grouped(*n, 0)
            }
            (Self::Band, _) => {
                band(row).map_or_else(|| ctx.symbols.unknown().to_owned(), |b| b.word().to_owned())
            }
            _ => value.shown(self.spec().kind, ctx),
        }
    }

    fn ranked<'a>(self, row: &'a GpuRow, ctx: &ViewContext) -> Value<'a> {
        match self {
            Self::State => Value::Number(f64::from(row.verdict.state as u8)),
            Self::Rung => Value::Number(f64::from(row.verdict.rung as u8)),
            Self::Band => Value::number(band(row).map(|b| f64::from(b as u8))),
            Self::GpuIndex => Value::number(row.sample.identity.index.map(|index| {
                let slice = row.sample.identity.mig.as_ref().map_or(0, |m| m.gpu_instance.min(99));
                f64::from(index) + f64::from(slice) / 100.0
            })),
            _ => self.value(row, ctx),
        }
    }

    fn several(self, row: &GpuRow) -> Option<impl Iterator<Item = Cow<'_, str>>> {
        let owner = &row.sample.owner;
        let texts: [Option<&str>; 5] = match self {
            Self::Owner => [
                owner.namespace.as_deref(),
                owner.pod.as_deref(),
                owner.container.as_deref(),
                owner.job.as_deref(),
                owner.user.as_deref(),
            ],
            // As many as there can be kinds of sources.
            Self::Sources => {
                let mut names = sources(row);
                std::array::from_fn(|_| names.next())
            }
            Self::State if reasons::gpu_is_scheduled(row) => {
                [Some(row.verdict.state.name()), Some(IN_JOB), None, None, None]
            }
            Self::Throttle => [None; 5],
            _ => return None,
        };
        let reasons = match row.sample.throttle {
            Some(throttle) if self == Self::Throttle => throttle.words(),
            _ => Vec::new(),
        };
        Some(texts.into_iter().flatten().chain(reasons).map(Cow::Borrowed))
    }

    fn any_text(row: &GpuRow, mut holds: impl FnMut(&str) -> bool) -> bool {
        let owner = &row.sample.owner;
        let instance = row.node.instance.as_deref().map(|r| &*r.instance);
        let texts = [
            Some(&row.node.name),
            row.team.as_ref(),
            owner.namespace.as_ref(),
            owner.pod.as_ref(),
            owner.job.as_ref(),
            owner.user.as_ref(),
            Some(&row.model),
            row.sample.identity.uuid.as_ref(),
            row.sample.identity.mig.as_ref().map(|m| &m.profile),
            instance.map(|i| &i.id),
            instance.map(|i| &i.name),
            instance.map(|i| &i.instance_type),
            instance.map(|i| &i.scope.region),
            instance.map(|i| &i.scope.account),
        ];
        texts.into_iter().flatten().any(|text| holds(text))
    }

    fn shared_words() -> Vec<[&'static str; 2]> {
        let in_job = [words::IDLE_IN_JOB, GpuState::UnallocatedIdle.name()];
        let states = GpuState::ALL.map(|s| [words::word(s), s.name()]);
        states.into_iter().chain([in_job]).collect()
    }

    fn shared_word(row: &GpuRow) -> Option<usize> {
        let state = row.verdict.state as usize;
        Some(if reasons::gpu_is_scheduled(row) { GpuState::ALL.len() } else { state })
    }
}

/// Names of the kinds of sources that report the GPU, the most detailed first, each once.
pub fn sources(row: &GpuRow) -> impl Iterator<Item = &'static str> + '_ {
    let told = &row.told;
    told.iter()
        .enumerate()
        .filter(|(i, t)| told[..*i].iter().all(|earlier| earlier.source != t.source))
        .map(|(_, t)| t.source.word())
}

/// The band of the GPU's use; `None` without a known kind of work or use.
pub(super) fn band(row: &GpuRow) -> Option<Band> {
    Band::of(row.verdict.workload, row.verdict.activity?.effective)
}

fn percent(ratio: Option<f32>) -> Value<'static> {
    Value::number(ratio.map(|r| f64::from(r) * 100.0))
}

fn signal(row: &GpuRow, signal: GpuSignal) -> Value<'static> {
    percent(row.sample.signals.get(signal))
}

fn plain(row: &GpuRow, signal: GpuSignal) -> Value<'static> {
    // Three digits: 32 bits hold 70.3 as 70.30000305.
    let cut = |v: f32| (f64::from(v) * 1e3).round() / 1e3;
    Value::number(row.sample.signals.get(signal).map(cut))
}

fn bytes(row: &GpuRow, signal: GpuSignal) -> Value<'static> {
    Value::number(row.sample.signals.get(signal).map(|mib| f64::from(mib) * MIB))
}

/// `part` over `whole`, percent.
fn share(row: &GpuRow, part: GpuSignal, whole: GpuSignal) -> Value<'static> {
    let get = |s| row.sample.signals.get(s).map(f64::from);
    let ratio = |(part, whole): (f64, f64)| (whole > 0.0).then(|| part / whole * 100.0);
    Value::number(get(part).zip(get(whole)).and_then(ratio))
}

// The table names them in the order of the enums.
const _: () = {
    assert!(Rung::E as usize == RUNGS.len() - 1);
    assert!(GpuState::Busy as usize == STATES.len() - 2);
    assert!(Band::Elite as usize == BANDS.len() - 1);
};
