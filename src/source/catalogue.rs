//! The embedded catalogues: instance types and list prices, each row with its source and date.
//!
//! They stand in until an API has answered, and where none can be asked. Where the rows come from
//! and under which licence is told in `assets/README.md`.

use std::sync::{Arc, LazyLock};

use jiff::civil::Date;
use serde::Deserialize;

use crate::domain::{
    Accelerator, AcceleratorKind, Offer, Platform, PriceBasis, Provenance, Rate, ResourceKind,
    Tenancy, TypeSpec,
};

const TYPES_CSV: &str = include_str!("../../assets/instance-types.csv");
const PRICES_CSV: &str = include_str!("../../assets/prices.csv");
const FAMILIES: &str = include_str!("../../assets/families.txt");
const RESOURCE_PRICES_CSV: &str = include_str!("../../assets/resource-prices.csv");

static TYPES: LazyLock<Vec<TypeSpec>> = LazyLock::new(|| {
    let mut types: Vec<_> = rows::<TypeRow>(TYPES_CSV).map(TypeRow::into_spec).collect();
    types.sort_by(|a, b| a.name.cmp(&b.name));
    types
});

static OFFERS: LazyLock<Vec<Offer>> = LazyLock::new(|| {
    let mut offers = offers_of(PRICES_CSV);
    offers.sort_by(|a, b| (&a.region, &a.instance_type).cmp(&(&b.region, &b.instance_type)));
    offers
});

/// All instance types of the catalogue, sorted by name: every GPU and accelerator family, and the
/// common CPU families.
pub fn type_specs() -> &'static [TypeSpec] {
    &TYPES
}

/// Instance type named `name`; `None` when the catalogue lacks it.
pub fn type_spec(name: &str) -> Option<&'static TypeSpec> {
    TYPES.binary_search_by(|t| (*t.name).cmp(name)).ok().map(|i| &TYPES[i])
}

/// Families of instance types in the price lists, sorted; newer ones are missing.
pub fn families() -> impl Iterator<Item = &'static str> {
    FAMILIES.lines()
}

/// On-demand list prices of the catalogue (Linux, shared tenancy), sorted by region and type.
pub fn offers() -> &'static [Offer] {
    &OFFERS
}

/// The list price of a type in a region in USD per hour; `None` when the catalogue has none.
pub fn list_price(region: &str, instance_type: &str) -> Option<f64> {
    dated_list_price(region, instance_type).map(|(usd, _)| usd)
}

/// List price of a type in a region, USD/h, with the date of the list; `None` when the catalogue lacks it. Prices of
/// other regions are never substituted.
pub fn dated_list_price(region: &str, instance_type: &str) -> Option<(f64, Date)> {
    let found = OFFERS
        .binary_search_by(|o| (&*o.region, &*o.instance_type).cmp(&(region, instance_type)))
        .ok()?;
    match OFFERS[found].rate.provenance {
        Provenance::Embedded { date } => Some((OFFERS[found].rate.usd_per_hour, date)),
        _ => None,
    }
}

/// List price of a resource's billed unit in a region, USD per unit and hour; `None` when the catalogue lacks it.
pub fn resource_price(region: &str, kind: ResourceKind, what: &str) -> Option<f64> {
    let mut all = rows::<ResourcePriceRow>(RESOURCE_PRICES_CSV);
    all.find(|r| r.region == region && r.kind == kind && r.what == what).map(|r| r.usd_per_hour)
}

/// The rows that parse. The text is part of the binary, and a test holds every line against this.
fn rows<T: for<'de> Deserialize<'de>>(text: &'static str) -> impl Iterator<Item = T> {
    csv::Reader::from_reader(text.as_bytes()).into_deserialize().filter_map(Result::ok)
}

#[derive(Deserialize)]
struct ResourcePriceRow {
    region: String,
    kind: ResourceKind,
    what: String,
    usd_per_hour: f64,
    // Where it comes from is for the reader of the file; a row without them does not parse.
    #[expect(dead_code, reason = "every row names its source")]
    source: String,
    #[expect(dead_code, reason = "every row has a date")]
    date: Date,
}

#[derive(Deserialize)]
struct TypeRow {
    r#type: Arc<str>,
    vcpus: u32,
    memory_mib: u64,
    kind: Option<AcceleratorKind>,
    model: Arc<str>,
    devices: u32,
    equivalents: f64,
    accel_memory_mib: u64,
    instance_store_gb: u64,
    network: Arc<str>,
    date: Date,
}

impl TypeRow {
    fn into_spec(self) -> TypeSpec {
        TypeSpec {
            name: self.r#type,
            vcpus: self.vcpus,
            memory_mib: self.memory_mib,
            accelerator: self.kind.map(|kind| Accelerator {
                kind,
                model: self.model,
                devices: self.devices,
                equivalents: self.equivalents,
                memory_mib: self.accel_memory_mib,
            }),
            instance_store_gb: self.instance_store_gb,
            network: self.network,
            provenance: Provenance::Embedded { date: self.date },
        }
    }
}

/// The prices of a list with a row per type and source, and a column per region. A cell that holds no price
/// says that the list has none there.
fn offers_of(text: &'static str) -> Vec<Offer> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let Ok(headings) = reader.headers().cloned() else { return Vec::new() };
    let regions: Vec<Arc<str>> = headings.iter().skip(OF_A_ROW.len()).map(Arc::from).collect();
    let mut offers = Vec::new();
    for row in reader.into_records().filter_map(Result::ok) {
        let (Some(name), Some(Ok(date))) = (row.get(0), row.get(2).map(str::parse)) else {
            continue;
        };
        let instance_type: Arc<str> = name.into();
        for (region, cell) in regions.iter().zip(row.iter().skip(OF_A_ROW.len())) {
            let Ok(usd_per_hour) = cell.parse() else { continue };
            offers.push(Offer {
                region: region.clone(),
                az: None,
                instance_type: instance_type.clone(),
                platform: Platform::Linux,
                tenancy: Tenancy::Shared,
                rate: Rate {
                    usd_per_hour,
                    basis: PriceBasis::OnDemandList,
                    provenance: Provenance::Embedded { date },
                },
            });
        }
    }
    offers
}

/// Columns before the regions in a row of prices.
const OF_A_ROW: [&str; 3] = ["type", "source", "date"];

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(name: &str) -> &'static TypeSpec {
        type_spec(name).unwrap_or_else(|| panic!("{name} is not in the catalogue"))
    }

    #[test]
    fn every_type_row_holds() {
        let lines = TYPES_CSV.lines().count() - 1;
        assert_eq!(type_specs().len(), lines, "a row of instance-types.csv does not parse");
        for (row, line) in TYPES_CSV.lines().skip(1).enumerate() {
            let fields: Vec<&str> = line.split(',').collect();
            assert_eq!(fields.len(), 12, "line {}: {line}", row + 2);
            assert!(!fields[10].is_empty(), "line {}: no source", row + 2);
            let t = spec(fields[0]);
            assert!(t.vcpus > 0 && t.memory_mib > 0 && !t.network.is_empty(), "{line}");
            let Provenance::Embedded { date } = t.provenance else { panic!("{line}") };
            assert!(date >= jiff::civil::date(2026, 1, 1), "{line}");
            let Some(a) = &t.accelerator else {
                assert_eq!(fields[4..8], ["", "0", "0", "0"], "{line}");
                continue;
            };
            assert!(!a.model.is_empty() && (1..=16).contains(&a.devices), "{line}");
            let whole = (a.equivalents - f64::from(a.devices)).abs() < 1e-9;
            let part = a.devices == 1 && [0.125, 0.25, 0.5].contains(&a.equivalents);
            assert!(whole || part, "{line}");
            assert!((1..=280 * 1024).contains(&a.memory_mib), "{line}");
        }
        assert!(type_specs().is_sorted_by(|a, b| a.name < b.name), "a type stands twice");
    }

    #[test]
    fn every_price_holds() {
        let mut lines = PRICES_CSV.lines();
        let headings: Vec<&str> = lines.next().unwrap().split(',').collect();
        assert_eq!(headings[..3], OF_A_ROW);
        let mut prices = 0;
        for line in lines {
            let fields: Vec<&str> = line.split(',').collect();
            assert_eq!(fields.len(), headings.len(), "{line}");
            spec(fields[0]);
            assert!(fields[1].contains('/'), "no source: {line}");
            let date: Date = fields[2].parse().unwrap();
            assert!(date >= jiff::civil::date(2026, 1, 1), "{line}");
            for (region, cell) in
                headings.iter().zip(&fields).skip(3).filter(|(_, c)| !c.is_empty())
            {
                let (usd, of) = dated_list_price(region, fields[0]).unwrap();
                assert_eq!((usd.to_string().as_str(), of), (*cell, date), "{region}: {line}");
                assert!((0.05..=200.0).contains(&usd), "{region}: {line}");
                prices += 1;
            }
        }
        assert_eq!(offers().len(), prices, "a price does not parse");
        let key = |o: &Offer| (o.region.clone(), o.instance_type.clone());
        assert!(offers().is_sorted_by(|a, b| key(a) < key(b)), "a price stands twice");
    }

    #[test]
    fn the_usual_gpu_types_have_a_price_wherever_they_are_offered() {
        for (family, at_least) in
            [("g4dn", 23), ("g5", 17), ("g6", 20), ("p3", 12), ("p4d", 15), ("p5", 14), ("dl1", 2)]
        {
            let regions: std::collections::BTreeSet<&str> = offers()
                .iter()
                .filter(|o| o.instance_type.split_once('.').is_some_and(|(f, _)| f == family))
                .map(|o| &*o.region)
                .collect();
            assert!(regions.len() >= at_least, "{family}: {regions:?}");
        }
    }

    #[test]
    fn what_no_list_has_is_unknown_and_never_another_regions_price() {
        for (region, instance_type, usd) in [
            ("eu-west-1", "g5.xlarge", Some(1.123)),
            ("eu-west-1", "g4dn.xlarge", Some(0.587)),
            ("ap-northeast-1", "p3.2xlarge", Some(4.194)),
            ("eu-north-1", "g6.xlarge", Some(0.8536)),
            ("us-west-2", "dl1.24xlarge", Some(13.109_04)),
            ("us-gov-west-1", "m5.24xlarge", Some(5.808)),
            ("eu-north-1", "m5.24xlarge", None),
            ("eu-west-1", "p3.none", None),
            ("mars-north-1", "g5.xlarge", None),
        ] {
            assert_eq!(list_price(region, instance_type), usd, "{region} {instance_type}");
        }
    }

    #[test]
    fn every_type_has_its_family_among_the_families() {
        assert!(families().is_sorted() && families().count() > 150);
        for spec in type_specs() {
            let (family, _) = spec.name.split_once('.').unwrap();
            assert!(families().any(|f| f == family), "{family}");
        }
    }

    #[test]
    fn prices_match_the_price_list_of_their_date() {
        for (instance_type, usd) in [
            ("p4d.24xlarge", 21.957_642),
            ("p4de.24xlarge", 27.447_05),
            ("p5.48xlarge", 55.04),
            ("p5en.48xlarge", 63.296),
            ("g5.xlarge", 1.006),
            ("g6e.24xlarge", 15.065_59),
            ("m5.24xlarge", 4.608),
        ] {
            assert_eq!(list_price("us-east-1", instance_type), Some(usd), "{instance_type}");
        }
        assert_eq!(list_price("eu-west-1", "p4d.24xlarge"), Some(23.715_69));
        // Sold in Capacity Blocks alone, or without a published price: unknown, not zero.
        for unpriced in ["p5e.48xlarge", "p6e-gb200.36xlarge", "trn2.48xlarge"] {
            assert!(offers().iter().all(|o| &*o.instance_type != unpriced), "{unpriced}");
        }
    }

    #[test]
    fn accelerators_are_told_apart() {
        use AcceleratorKind::{AmdGpu, Neuron, NvidiaGpu, Other};
        for (name, kind, model, devices, equivalents, memory_mib) in [
            ("p3.16xlarge", NvidiaGpu, "V100", 8, 8.0, 16_384),
            ("p4d.24xlarge", NvidiaGpu, "A100", 8, 8.0, 40_960),
            ("p5.4xlarge", NvidiaGpu, "H100", 1, 1.0, 81_920),
            ("p5en.48xlarge", NvidiaGpu, "H200", 8, 8.0, 144_384),
            ("p6-b200.48xlarge", NvidiaGpu, "B200", 8, 8.0, 183_359),
            ("p6-b300.48xlarge", NvidiaGpu, "B300", 8, 8.0, 275_040),
            ("p6e-gb200.36xlarge", NvidiaGpu, "GB200", 4, 4.0, 189_440),
            ("g4ad.16xlarge", AmdGpu, "Radeon Pro V520", 4, 4.0, 8_192),
            ("g6f.large", NvidiaGpu, "L4", 1, 0.125, 2_861),
            ("gr6f.4xlarge", NvidiaGpu, "L4", 1, 0.5, 11_444),
            ("g7.48xlarge", NvidiaGpu, "RTX PRO 4500", 8, 8.0, 32_768),
            ("g7e.12xlarge", NvidiaGpu, "RTX PRO Server 6000", 2, 2.0, 98_304),
            ("trn1.32xlarge", Neuron, "Trainium", 16, 16.0, 32_768),
            ("trn2.48xlarge", Neuron, "Trainium2", 16, 16.0, 98_304),
            ("trn2u.48xlarge", Neuron, "Trainium2", 16, 16.0, 98_304),
            ("inf1.24xlarge", Neuron, "Inferentia", 16, 16.0, 8_192),
            ("inf2.48xlarge", Neuron, "Inferentia2", 12, 12.0, 32_768),
            ("dl1.24xlarge", Other, "Gaudi HL-205", 8, 8.0, 32_768),
            ("dl2q.24xlarge", Other, "Qualcomm AI100", 8, 8.0, 16_000),
        ] {
            let a = spec(name).accelerator.as_ref().unwrap();
            let got = (a.kind, &*a.model, a.devices, a.memory_mib);
            assert_eq!(got, (kind, model, devices, memory_mib), "{name}");
            assert!((a.equivalents - equivalents).abs() < 1e-9, "{name}");
        }
        assert_eq!(spec("m7i.24xlarge").vcpus, 96);
        assert!(spec("m7i.24xlarge").accelerator.is_none());
        assert!(type_spec("p9.huge").is_none());
    }

    #[test]
    fn every_accelerator_family_of_today_is_there() {
        let families = "p3 p3dn p4d p4de p5 p5e p5en p6-b200 p6-b300 p6e-gb200 g4dn g4ad g5 g5g g6 \
                        gr6 g6e g6f gr6f g7 g7e trn1 trn1n trn2 trn2u inf1 inf2 dl1 dl2q";
        for family in families.split_whitespace() {
            let found = type_specs().iter().any(|t| {
                t.name.split_once('.').is_some_and(|(f, _)| f == family) && t.devices() > 0
            });
            assert!(found, "no type of family {family}");
        }
    }
}
