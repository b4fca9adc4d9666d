//! The parts of a GPU's page that are a list of facts.

use super::detail::{Fact, Health};
use super::field_table::GpuField;
use super::history;
use crate::domain::gpu::{SignalUnit, XidOrigin, xid};
use crate::domain::{GpuReason, GpuSignal, HostNames};
use crate::fleet::GpuRow;
use crate::tabs::idle::picture::field_value::price_basis;
use crate::view::table_field::TableField;
use crate::view::{ViewContext, format, reasons};

fn fact(label: &'static str, value: impl Into<String>) -> Fact {
    Fact { label, value: value.into() }
}

/// Facts about its identity; those not known are left out.
pub(super) fn identity(row: &GpuRow, ctx: &ViewContext) -> Vec<Fact> {
    let identity = &*row.sample.identity;
    let mut facts = vec![fact("node", row.node.name.to_string())];
    let mut known = |label, field: GpuField| {
        if !field.value(row, ctx).is_unknown() {
            facts.push(fact(label, field.cell(row, ctx)));
        }
    };
    known("index", GpuField::GpuIndex);
    known("model", GpuField::Model);
    known("slice", GpuField::Mig);
    known("UUID", GpuField::Uuid);
    if !identity.pci_bus_id.is_empty() {
        facts.push(fact("PCI bus", identity.pci_bus_id.to_string()));
    }
    let HostNames { address, .. } = &identity.host;
    facts.extend(address.as_deref().map(|a| fact("address", a)));
    if (row.equivalents - 1.0).abs() > 1e-9 {
        facts.push(fact("GPU equivalents", format::count(row.equivalents)));
    }
    facts
}

/// The instance it sits in; empty when no instance of the accounts read has it.
pub(super) fn instance(row: &GpuRow, ctx: &ViewContext) -> Vec<Fact> {
    let Some(joined) = row.node.instance.as_deref() else { return Vec::new() };
    let instance = &*joined.instance;
    let mut facts = vec![
        fact("instance", instance.id.to_string()),
        fact("type", instance.instance_type.to_string()),
        fact("account, region", instance.scope.to_string()),
    ];
    if !instance.name.is_empty() {
        facts.push(fact("name", instance.name.to_string()));
    }
    if let Some(held) = joined.held_by.as_deref() {
        facts.push(fact("its jobs", reasons::held_by(held, ctx.now)));
    }
    facts.push(fact("its verdict", crate::tabs::idle::picture::Field::Verdict.cell(joined, ctx)));
    facts
}

/// Facts about its owner.
pub(super) fn owner(row: &GpuRow) -> Vec<Fact> {
    let owner = &row.sample.owner;
    let all = [
        ("team", &row.team),
        ("namespace", &owner.namespace),
        ("pod", &owner.pod),
        ("container", &owner.container),
        ("job", &owner.job),
        ("user", &owner.user),
    ];
    let known = all.into_iter().filter_map(|(label, text)| Some(fact(label, text.as_deref()?)));
    let mut facts: Vec<Fact> = known.collect();
    if owner.is_nobody() {
        let words = match row.verdict.reason {
            GpuReason::JobsUnread => "not known yet: jobs are being read",
            _ if row.sample.names_owners => "nobody",
            _ => "no source says",
        };
        facts.push(fact("owner", words));
    }
    facts
}

/// Facts about its price and how it is derived.
pub(super) fn price(row: &GpuRow, ctx: &ViewContext) -> Vec<Fact> {
    let known = |value, words: fn(f64) -> String| ctx.symbols.or_unknown(value, words);
    let mut facts = vec![fact("burns", known(row.usd_per_hour, format::usd_per_hour))];
    match row.node.instance.as_deref() {
        Some(joined) => {
            if let (Some(usd), Some(gpus)) = (joined.usd_per_hour(), joined.gpus()) {
                let (of, own) = (format::count(gpus), format::count(row.equivalents));
                let usd = format::usd_per_hour(usd);
                facts.push(fact("share", format!("{own} of {of} GPU equivalents at {usd}")));
            }
            let basis = joined.rate.as_ref().map(price_basis);
            facts.push(fact("price", basis.unwrap_or_else(|| "not known".to_owned())));
        }
        None => facts.push(fact("price", "no instance of the accounts read")),
    }
    facts.push(fact("of it wasted", known(row.waste_usd_per_hour, format::usd_per_hour)));
    if row.verdict.state.is_idle() {
        let at_least = row.wasted_at_least();
        let wasted = ctx
            .symbols
            .or_unknown(row.wasted_usd, |usd| format::at_least(format::usd_total(usd), at_least));
        facts.push(fact("wasted since idle", wasted));
    }
    facts
}

/// The gauges that are no activity; what is not known is not listed.
pub(super) fn gauges(row: &GpuRow) -> Vec<Fact> {
    let get = |s| row.sample.signals.get(s).map(f64::from);
    let of = |part: GpuSignal, whole: GpuSignal| {
        let part_words = quantity(part, get(part)?);
        Some(match get(whole).filter(|w| *w > 0.0) {
            Some(most) => {
                let percent = format::share(get(part)? / most, 0);
                format!("{part_words} of {} ({percent})", quantity(whole, most))
            }
            None => part_words,
        })
    };
    let one = |s: GpuSignal| Some(quantity(s, get(s)?));
    [
        ("memory", of(GpuSignal::MemUsed, GpuSignal::MemTotal)),
        ("power", of(GpuSignal::Power, GpuSignal::PowerLimit)),
        ("SM clock", of(GpuSignal::SmClock, GpuSignal::SmClockMax)),
        ("memory clock", one(GpuSignal::MemClock)),
        ("temperature", one(GpuSignal::Temp)),
        ("memory temperature", one(GpuSignal::MemTemp)),
        ("PCIe sent", one(GpuSignal::PcieTx)),
        ("PCIe received", one(GpuSignal::PcieRx)),
        ("NVLink", one(GpuSignal::Nvlink)),
    ]
    .into_iter()
    .filter_map(|(label, value)| Some(Fact { label, value: value? }))
    .collect()
}

/// A value of a signal with its unit.
fn quantity(signal: GpuSignal, value: f64) -> String {
    match signal.unit() {
        SignalUnit::Ratio => format::share(value, 0),
        SignalUnit::Mebibytes => format::gib(value * 1_048_576.0),
        SignalUnit::BytesPerSecond => format!("{}/s", format::bytes(value)),
        SignalUnit::Number => format::count(value),
        SignalUnit::Watts | SignalUnit::Joules | SignalUnit::Celsius | SignalUnit::Megahertz => {
            format!("{} {}", format::grouped(value, 0), history::unit(signal))
        }
    }
}

/// Errors and throttling; those that no source reports are left out.
pub(super) fn health(row: &GpuRow) -> Vec<Health> {
    let get = |s| row.sample.signals.get(s);
    let mut lines = Vec::new();
    if let Some(code) = get(GpuSignal::Xid) {
        lines.push(xid_line(code as u32));
    }
    let mut count = |label, signal, none: &str, some: &dyn Fn(u32) -> String| {
        if let Some(value) = get(signal) {
            let is_bad = value > 0.0;
            let text = if is_bad { some(value as u32) } else { none.to_owned() };
            lines.push(Health { label, text, is_bad });
        }
    };
    count("ECC", GpuSignal::EccUncorrected, "no uncorrected error", &|n| {
        let errors = format::plural(n as usize, "uncorrected error");
        format!("{errors} since the driver was loaded")
    });
    count("row remapping", GpuSignal::RemapFailure, "has not failed", &|_| {
        "failed: the GPU is to be replaced".to_owned()
    });
    count("recovery", GpuSignal::RecoveryAction, "the driver asks for nothing", &|n| {
        format!("the driver asks for {}", recovery(n))
    });
    if let Some(throttle) = row.sample.throttle {
        let words = throttle.words().join(", ");
        let text = if words.is_empty() { "nothing holds them back".to_owned() } else { words };
        lines.push(Health { label: "clocks", text, is_bad: throttle.is_slowed() });
    }
    lines
}

fn xid_line(code: u32) -> Health {
    let (text, is_bad) = match (code, xid(code)) {
        (0, _) => ("none since the driver was loaded".to_owned(), false),
        (_, Some(known)) => {
            let sticky = "; the last one, it stays until the driver is loaded anew";
            let (meaning, origin) = (known.meaning, known.origin.word());
            (format!("{code}: {meaning} ({origin}){sticky}"), known.origin == XidOrigin::Hardware)
        }
        (_, None) => (format!("{code}: see NVIDIA's XID catalogue"), false),
    };
    Health { label: "XID", text, is_bad }
}

/// The actions of `gpu_recovery_action` (NVML `nvmlDeviceGpuRecoveryAction_t`).
fn recovery(action: u32) -> String {
    match action {
        1 => "a reset of the GPU".to_owned(),
        2 => "a restart of the node".to_owned(),
        3 => "the GPU to be drained of work".to_owned(),
        4 => "the GPU to be drained and reset".to_owned(),
        n => format!("recovery action {n}"),
    }
}
