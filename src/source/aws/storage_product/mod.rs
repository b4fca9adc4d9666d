//! Reading the price list's products of S3 and EBS: which price is which.
//!
//! A usage type is matched whole, after the region's prefix and together with its operation: several
//! begin or end alike and mean something else (`Tables-TimedStorage-ByteHrs`), and some carry two
//! prices (`Requests-Tier3`). Where products disagree the price is not known.

use jiff::Timestamp;
use serde_json::Value;

use crate::domain::Provenance;
use crate::domain::storage::prices::{
    EbsPrices, PriceNote, S3Prices, TierPrices, VolumePrices, VolumeStep,
};
use crate::domain::storage::{Tier, VolumeKind};

/// What a price is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Storage,
    Put,
    Get,
    Transition,
    Retrieval,
    Restore,
    Monitoring,
}

impl What {
    fn word(self) -> &'static str {
        match self {
            Self::Storage => "storage",
            Self::Put => "put_per_1000",
            Self::Get => "get_per_1000",
            Self::Transition => "transition_per_1000",
            Self::Retrieval => "retrieval_per_gib",
            Self::Restore => "restore_per_1000",
            Self::Monitoring => "monitoring_per_1000",
        }
    }

    /// The units in which the price list states it, in small letters.
    fn units(self) -> &'static [&'static str] {
        match self {
            Self::Storage => &["gb-mo", "gb-month"],
            Self::Retrieval => &["gb"],
            Self::Monitoring => &["objects", "object"],
            _ => &["requests", "request", "api requests"],
        }
    }
}

/// Usage type without the region's prefix, the operations that mean it (empty: none is given), the
/// tiers and the kind of price.
type Rule = (&'static str, &'static [&'static str], &'static [Tier], What);

const ALL_IT: &[Tier] = &[
    Tier::ItFrequent,
    Tier::ItInfrequent,
    Tier::ItArchiveInstant,
    Tier::ItArchive,
    Tier::ItDeepArchive,
];
const STANDARD: &[Tier] = &[Tier::Standard, Tier::ReducedRedundancy];
/// Operations of a plain write and of a plain read, where the list names any.
const WRITES: &[&str] = &["", "PutObject", "PostObject", "CopyObject"];
const READS: &[&str] = &["", "GetObject"];

const RULES: &[Rule] = &[
    ("TimedStorage-ByteHrs", &["", "StandardStorage"], &[Tier::Standard], What::Storage),
    (
        "TimedStorage-INT-FA-ByteHrs",
        &["", "IntelligentTieringFAStorage"],
        &[Tier::ItFrequent],
        What::Storage,
    ),
    (
        "TimedStorage-INT-IA-ByteHrs",
        &["", "IntelligentTieringIAStorage"],
        &[Tier::ItInfrequent],
        What::Storage,
    ),
    (
        "TimedStorage-INT-AIA-ByteHrs",
        &["", "IntelligentTieringAIAStorage"],
        &[Tier::ItArchiveInstant],
        What::Storage,
    ),
    (
        "TimedStorage-INT-AA-ByteHrs",
        &["", "IntelligentTieringAAStorage"],
        &[Tier::ItArchive],
        What::Storage,
    ),
    (
        "TimedStorage-INT-DAA-ByteHrs",
        &["", "IntelligentTieringDAAStorage"],
        &[Tier::ItDeepArchive],
        What::Storage,
    ),
    ("TimedStorage-SIA-ByteHrs", &["", "StandardIAStorage"], &[Tier::StandardIa], What::Storage),
    ("TimedStorage-ZIA-ByteHrs", &["", "OneZoneIAStorage"], &[Tier::OnezoneIa], What::Storage),
    (
        "TimedStorage-GIR-ByteHrs",
        &["", "GlacierInstantRetrievalStorage"],
        &[Tier::GlacierIr],
        What::Storage,
    ),
    ("TimedStorage-GlacierByteHrs", &["", "GlacierStorage"], &[Tier::Glacier], What::Storage),
    ("TimedStorage-GDA-ByteHrs", &["", "DeepArchiveStorage"], &[Tier::DeepArchive], What::Storage),
    (
        "TimedStorage-RRS-ByteHrs",
        &["", "ReducedRedundancyStorage"],
        &[Tier::ReducedRedundancy],
        What::Storage,
    ),
    ("TimedStorage-XZ-ByteHrs", &["", "ExpressOneZoneStorage"], &[Tier::Express], What::Storage),
    ("Requests-Tier1", WRITES, STANDARD, What::Put),
    ("Requests-Tier2", READS, STANDARD, What::Get),
    ("Requests-INT-Tier1", WRITES, ALL_IT, What::Put),
    ("Requests-INT-Tier2", READS, ALL_IT, What::Get),
    ("Requests-SIA-Tier1", WRITES, &[Tier::StandardIa], What::Put),
    ("Requests-SIA-Tier2", READS, &[Tier::StandardIa], What::Get),
    ("Requests-ZIA-Tier1", WRITES, &[Tier::OnezoneIa], What::Put),
    ("Requests-ZIA-Tier2", READS, &[Tier::OnezoneIa], What::Get),
    ("Requests-GIR-Tier1", WRITES, &[Tier::GlacierIr], What::Put),
    ("Requests-GIR-Tier2", READS, &[Tier::GlacierIr], What::Get),
    ("Requests-GLACIER-Tier1", &["PutObject", "PostObject"], &[Tier::Glacier], What::Put),
    ("Requests-GLACIER-Tier2", READS, &[Tier::Glacier], What::Get),
    ("Requests-GDA-Tier1", &["PutObject", "PostObject"], &[Tier::DeepArchive], What::Put),
    ("Requests-GDA-Tier2", READS, &[Tier::DeepArchive], What::Get),
    ("Requests-XZ-Tier1", WRITES, &[Tier::Express], What::Put),
    ("Requests-XZ-Tier2", READS, &[Tier::Express], What::Get),
    ("Requests-Tier4", &["", "S3-SIATransition"], &[Tier::StandardIa], What::Transition),
    ("Requests-Tier4", &["", "S3-ZIATransition"], &[Tier::OnezoneIa], What::Transition),
    ("Requests-Tier4", &["", "S3-INTTransition"], &[Tier::ItFrequent], What::Transition),
    // Not the restore requests that share the usage type.
    ("Requests-Tier3", &["S3-GlacierTransition"], &[Tier::Glacier], What::Transition),
    ("Requests-Tier3", &["S3-GDATransition"], &[Tier::DeepArchive], What::Transition),
    ("Requests-Tier3", &["S3-GIRTransition"], &[Tier::GlacierIr], What::Transition),
    ("Requests-Tier4", &["S3-GIRTransition"], &[Tier::GlacierIr], What::Transition),
    ("Requests-GIR-Tier1", &["S3-GIRTransition"], &[Tier::GlacierIr], What::Transition),
    ("Requests-Tier3", &["RestoreObject"], &[Tier::Glacier], What::Restore),
    ("Requests-GDA-Tier3", &["", "DeepArchiveRestoreObject"], &[Tier::DeepArchive], What::Restore),
    ("Retrieval-SIA", &[""], &[Tier::StandardIa], What::Retrieval),
    ("Retrieval-ZIA", &[""], &[Tier::OnezoneIa], What::Retrieval),
    // Not `Retrieval-SIA-GIR`, which some queries look for.
    ("Retrieval-GIR", &[""], &[Tier::GlacierIr], What::Retrieval),
    ("Retrieval-XZ", &["", "GetObject"], &[Tier::Express], What::Retrieval),
    ("Standard-Retrieval-Bytes", &["RestoreObject"], &[Tier::Glacier], What::Retrieval),
    (
        "Standard-Retrieval-Bytes",
        &["DeepArchiveRestoreObject"],
        &[Tier::DeepArchive],
        What::Retrieval,
    ),
    ("Monitoring-Automation-INT", &[""], &[Tier::ItFrequent], What::Monitoring),
];

/// Tiers that nothing is paid for to read back, at standard speed.
const FREE_TO_READ: [Tier; 7] = [
    Tier::Standard,
    Tier::ReducedRedundancy,
    Tier::ItFrequent,
    Tier::ItInfrequent,
    Tier::ItArchiveInstant,
    Tier::ItArchive,
    Tier::ItDeepArchive,
];

/// S3 prices of a region from the products of `AmazonS3` and `AmazonS3GlacierDeepArchive`.
pub(super) fn s3<'p>(
    products: impl Iterator<Item = &'p str>,
    region: &str,
    now: Timestamp,
) -> S3Prices {
    let mut found: Vec<(Tier, What, Vec<VolumeStep>)> = Vec::new();
    for product in parsed(products, region) {
        for (usage, operations, tiers, what) in RULES {
            if product.usage != *usage || !operations.contains(&product.operation.as_str()) {
                continue;
            }
            let steps = product.steps(what.units(), now);
            if !steps.is_empty() {
                found.extend(tiers.iter().map(|tier| (*tier, *what, steps.clone())));
            }
        }
    }
    let live = Provenance::Live { at: now };
    let mut out = S3Prices::unknown(region, live.clone());
    let mut settled: Vec<(Tier, What)> = Vec::new();
    for (tier, what, steps) in &found {
        if settled.contains(&(*tier, *what)) {
            continue;
        }
        settled.push((*tier, *what));
        let agree = found.iter().all(|(t, w, s)| (t, w) != (tier, what) || s == steps);
        if agree {
            set(&mut out, *tier, *what, steps);
        } else {
            out.notes.push(PriceNote {
                price: format!("{} {}", tier.word(), what.word()),
                provenance: live.clone(),
                is_confirmed: false,
                says: "the price list has several prices for it".to_owned(),
            });
        }
    }
    for tier in FREE_TO_READ.into_iter().map(Tier::index) {
        if !out.tiers[tier].storage.is_empty() {
            out.tiers[tier].retrieval_per_gib = Some(0.0);
        }
    }
    out
}

fn set(out: &mut S3Prices, tier: Tier, what: What, steps: &[VolumeStep]) {
    let Some(first) = steps.first() else { return };
    let each_1000 = Some(first.usd * 1000.0);
    let prices: &mut TierPrices = &mut out.tiers[tier.index()];
    match what {
        What::Storage => prices.storage = steps.to_vec(),
        What::Put => prices.put_per_1000 = each_1000,
        What::Get => prices.get_per_1000 = each_1000,
        What::Transition => prices.transition_per_1000 = each_1000,
        What::Retrieval => prices.retrieval_per_gib = Some(first.usd),
        What::Restore => prices.restore_per_1000 = each_1000,
        What::Monitoring => out.monitoring_per_1000 = each_1000,
    }
}

/// EBS prices of a region from products of `AmazonEC2`.
pub(super) fn ebs<'p>(
    products: impl Iterator<Item = &'p str>,
    region: &str,
    now: Timestamp,
) -> EbsPrices {
    let mut out = EbsPrices::unknown(region, Provenance::Live { at: now });
    let mut found: Vec<(String, f64)> = Vec::new();
    for product in parsed(products, region) {
        let Some(name) = product.usage.strip_prefix("EBS:") else { continue };
        // Throughput is sold by the GiB/s, of which a MiB/s is a part.
        let (units, part): (&[&str], f64) = match name {
            "VolumeP-Throughput.gp3" if product.has_unit("gibps-mo", now) => {
                (&["gibps-mo"], 1024.0)
            }
            "VolumeP-Throughput.gp3" => (&["mibps-mo"], 1.0),
            n if n.starts_with("VolumeP-IOPS") => (&["iops-mo"], 1.0),
            "SnapshotArchiveRetrieval" => (&["gb"], 1.0),
            _ => (&["gb-mo", "gb-month"], 1.0),
        };
        if let [step] = product.steps(units, now)[..] {
            found.push((name.to_owned(), step.usd / part));
        }
    }
    let price = |name: &str| -> Option<f64> {
        let mut all = found.iter().filter(|(n, _)| n == name).map(|(_, usd)| *usd);
        let first = all.next()?;
        all.all(|usd| (usd - first).abs() < 1e-12).then_some(first)
    };
    for (kind, name) in [
        (VolumeKind::Gp2, "gp2"),
        (VolumeKind::Gp3, "gp3"),
        (VolumeKind::Io1, "piops"),
        (VolumeKind::Io2, "io2"),
        (VolumeKind::St1, "st1"),
        (VolumeKind::Sc1, "sc1"),
        (VolumeKind::Magnetic, ""),
    ] {
        let dot = if name.is_empty() { "" } else { "." };
        let mut prices = VolumePrices {
            gib: price(&format!("VolumeUsage{dot}{name}")),
            ..VolumePrices::default()
        };
        let step = |from_gib: f64, usd: Option<f64>| usd.map(|usd| VolumeStep { from_gib, usd });
        let iops = price(&format!("VolumeP-IOPS.{name}"));
        match kind {
            VolumeKind::Gp3 => {
                prices.iops = step(3000.0, iops).map_or_else(Vec::new, from_nothing);
                let mibps = price("VolumeP-Throughput.gp3");
                prices.mibps = step(125.0, mibps).map_or_else(Vec::new, from_nothing);
            }
            VolumeKind::Io2 => {
                // All three or none: a part would price large volumes wrongly.
                let more = [
                    step(0.0, iops),
                    step(32_000.0, price("VolumeP-IOPS.io2.tier2")),
                    step(64_000.0, price("VolumeP-IOPS.io2.tier3")),
                ];
                prices.iops = more.into_iter().collect::<Option<Vec<_>>>().unwrap_or_default();
            }
            VolumeKind::Io1 => prices.iops = step(0.0, iops).into_iter().collect(),
            _ => {}
        }
        if prices.gib.is_some() {
            out.kinds.push((kind, prices));
        }
    }
    out.snapshot_gib = price("SnapshotUsage");
    out.archive_gib = price("SnapshotArchiveStorage");
    out.archive_restore_gib = price("SnapshotArchiveRetrieval");
    out
}

/// A step that begins where the included ends.
fn from_nothing(step: VolumeStep) -> Vec<VolumeStep> {
    vec![VolumeStep { from_gib: 0.0, usd: 0.0 }, step]
}

/// A product of the region itself.
struct Product {
    /// Usage type without the region's prefix.
    usage: String,
    operation: String,
    json: Value,
}

fn parsed<'p>(
    products: impl Iterator<Item = &'p str>,
    region: &str,
) -> impl Iterator<Item = Product> {
    products.filter_map(move |text| {
        let json: Value = serde_json::from_str(text).ok()?;
        let attribute = |name: &str| {
            json.pointer("/product/attributes")?.get(name)?.as_str().map(str::to_owned)
        };
        // A Local Zone or an Outpost has prices of its own.
        let here = attribute("regionCode").is_some_and(|r| r == region)
            && attribute("locationType").is_none_or(|t| t == "AWS Region");
        let service = json.get("serviceCode").and_then(Value::as_str);
        let service = service.map(str::to_owned).or_else(|| attribute("servicecode"));
        // CloudWatch and DynamoDB sell a `TimedStorage-ByteHrs` as well.
        let ours = ["AmazonS3", "AmazonS3GlacierDeepArchive", "AmazonEC2"];
        if !here || !service.is_some_and(|s| ours.contains(&s.as_str())) {
            return None;
        }
        let usage = without_region(&attribute("usagetype")?).to_owned();
        let operation = attribute("operation").unwrap_or_default();
        Some(Product { usage, operation, json })
    })
}

/// A usage type without the prefix of its region: `EUC1-TimedStorage-ByteHrs`. The prefix is not the
/// region's code, and us-east-1 has none or `USE1`.
fn without_region(usage: &str) -> &str {
    let Some((prefix, rest)) = usage.split_once('-') else { return usage };
    let letters = prefix.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = prefix.bytes().skip(letters).filter(u8::is_ascii_digit).count();
    let is_region = (2..=4).contains(&letters) && digits <= 2 && letters + digits == prefix.len();
    if is_region { rest } else { usage }
}

impl Product {
    /// Dollar prices of the terms in force, in one of these units, ascending by volume. Empty when
    /// there is none, or when two stand at the same volume.
    fn steps(&self, units: &[&str], now: Timestamp) -> Vec<VolumeStep> {
        let mut out: Vec<VolumeStep> = self
            .dimensions(now)
            .filter(|d| units.contains(&unit(d).as_str()))
            .filter_map(|d| {
                let usd: f64 = d.pointer("/pricePerUnit/USD")?.as_str()?.parse().ok()?;
                let from = d.get("beginRange").and_then(Value::as_str).unwrap_or("0");
                let from_gib: f64 = from.parse().ok()?;
                let holds = usd.is_finite() && usd > 0.0 && from_gib.is_finite() && from_gib >= 0.0;
                holds.then_some(VolumeStep { from_gib, usd })
            })
            .collect();
        out.sort_by(|a, b| a.from_gib.total_cmp(&b.from_gib));
        out.dedup();
        let climbs = out.windows(2).all(|w| w[0].from_gib < w[1].from_gib);
        let begins = out.first().is_some_and(|s| s.from_gib.abs() < 1e-9);
        if climbs && begins { out } else { Vec::new() }
    }

    fn has_unit(&self, wanted: &str, now: Timestamp) -> bool {
        self.dimensions(now).any(|d| unit(d) == wanted)
    }

    fn dimensions(&self, now: Timestamp) -> impl Iterator<Item = &Value> {
        let terms = self.json.pointer("/terms/OnDemand").and_then(Value::as_object);
        let in_force = move |term: &&Value| {
            let from = term.get("effectiveDate").and_then(Value::as_str);
            from.and_then(|d| d.parse::<Timestamp>().ok()).is_none_or(|d| d <= now)
        };
        terms
            .into_iter()
            .flat_map(serde_json::Map::values)
            .filter(in_force)
            .filter_map(|term| term.get("priceDimensions")?.as_object())
            .flat_map(serde_json::Map::values)
    }
}

fn unit(dimension: &Value) -> String {
    dimension.get("unit").and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase()
}

#[cfg(test)]
mod tests;
