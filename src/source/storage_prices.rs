//! The embedded price lists of S3 and EBS, each row with its source and date.
//!
//! They stand in until the Price List API has answered. A region that has no rows has no prices:
//! those of another are never taken for it. Where the rows come from is told in `assets/README.md`.

use jiff::civil::Date;
use serde::Deserialize;

use crate::domain::Provenance;
use crate::domain::storage::prices::{EbsPrices, PriceNote, S3Prices, VolumePrices, VolumeStep};
use crate::domain::storage::{Tier, VolumeKind};

const S3_CSV: &str = include_str!("../../assets/s3-prices.csv");
const EBS_CSV: &str = include_str!("../../assets/ebs-prices.csv");

/// Sources of rows that no price list confirmed: from memory, or a ratio that a tool of AWS uses.
const UNCONFIRMED: &[&str] = &["unconfirmed", "aws-cur-library"];

/// Embedded S3 prices of a region; `None` when the list lacks it.
pub fn s3(region: &str) -> Option<S3Prices> {
    let rows: Vec<Row> = rows(S3_CSV).filter(|row| row.region == region).collect();
    let mut out = S3Prices::unknown(region, provenance(&rows)?);
    for row in &rows {
        if row.price == "monitoring_per_1000" {
            out.monitoring_per_1000 = Some(row.usd);
        } else if let Some(prices) = tier(&row.subject).and_then(|t| out.tiers.get_mut(t.index())) {
            match row.price.as_str() {
                "storage" => prices.storage.push(row.step()),
                "put_per_1000" => prices.put_per_1000 = Some(row.usd),
                "get_per_1000" => prices.get_per_1000 = Some(row.usd),
                "transition_per_1000" => prices.transition_per_1000 = Some(row.usd),
                "retrieval_per_gib" => prices.retrieval_per_gib = Some(row.usd),
                "restore_per_1000" => prices.restore_per_1000 = Some(row.usd),
                _ => {}
            }
        }
    }
    out.notes = notes(&rows);
    Some(out)
}

/// Embedded EBS prices of a region; `None` when the list lacks it.
pub fn ebs(region: &str) -> Option<EbsPrices> {
    let rows: Vec<Row> = rows(EBS_CSV).filter(|row| row.region == region).collect();
    let mut out = EbsPrices::unknown(region, provenance(&rows)?);
    for row in &rows {
        match (row.subject.as_str(), row.price.as_str()) {
            ("snapshot", "gib") => out.snapshot_gib = Some(row.usd),
            ("snapshot_archive", "gib") => out.archive_gib = Some(row.usd),
            ("snapshot_archive", "restore_gib") => out.archive_restore_gib = Some(row.usd),
            (kind, price) => {
                let kind = VolumeKind::from_api(kind);
                let at = out.kinds.iter().position(|(k, _)| *k == kind).unwrap_or_else(|| {
                    out.kinds.push((kind, VolumePrices::default()));
                    out.kinds.len() - 1
                });
                let prices = &mut out.kinds[at].1;
                match price {
                    "gib" => prices.gib = Some(row.usd),
                    "iops" => prices.iops.push(row.step()),
                    "mibps" => prices.mibps.push(row.step()),
                    _ => {}
                }
            }
        }
    }
    out.notes = notes(&rows);
    Some(out)
}

/// Adds prices missing in `live` from the embedded list of the same region, each with a note. Prices in neither stay
/// unknown.
pub fn completed_s3(mut live: S3Prices) -> S3Prices {
    let Some(list) = s3(&live.region) else { return live };
    let mut taken = Vec::new();
    for tier in Tier::ALL {
        let Some(from) = list.tier(tier) else { continue };
        let Some(into) = live.tiers.get_mut(tier.index()) else { continue };
        let mut note = |price: &str| taken.push(format!("{} {price}", tier.word()));
        if into.storage.is_empty() && !from.storage.is_empty() {
            into.storage.clone_from(&from.storage);
            note("storage");
        }
        for (into, from, price) in [
            (&mut into.put_per_1000, from.put_per_1000, "put_per_1000"),
            (&mut into.get_per_1000, from.get_per_1000, "get_per_1000"),
            (&mut into.transition_per_1000, from.transition_per_1000, "transition_per_1000"),
            (&mut into.retrieval_per_gib, from.retrieval_per_gib, "retrieval_per_gib"),
            (&mut into.restore_per_1000, from.restore_per_1000, "restore_per_1000"),
        ] {
            fill(into, from, price, &mut note);
        }
    }
    let mut note = |price: &str| taken.push(format!("it_fa {price}"));
    let own = list.monitoring_per_1000;
    fill(&mut live.monitoring_per_1000, own, "monitoring_per_1000", &mut note);
    live.notes.retain(|n| !taken.contains(&n.price));
    live.notes
        .extend(taken.into_iter().map(|price| taken_note(price, &list.provenance, &list.notes)));
    live
}

/// Completes prices of volumes and snapshots, like [`completed_s3`].
pub fn completed_ebs(mut live: EbsPrices) -> EbsPrices {
    let Some(list) = ebs(&live.region) else { return live };
    let mut taken = Vec::new();
    for (kind, from) in &list.kinds {
        let mut note = |price: &str| taken.push(format!("{} {price}", kind.api()));
        let Some(into) = live.kinds.iter_mut().find(|(k, _)| k == kind).map(|(_, p)| p) else {
            note("gib");
            live.kinds.push((*kind, from.clone()));
            continue;
        };
        fill(&mut into.gib, from.gib, "gib", &mut note);
        for (into, from, price) in
            [(&mut into.iops, &from.iops, "iops"), (&mut into.mibps, &from.mibps, "mibps")]
        {
            if into.is_empty() && !from.is_empty() {
                into.clone_from(from);
                note(price);
            }
        }
    }
    let mut note = |price: &str| taken.push(price.to_owned());
    fill(&mut live.snapshot_gib, list.snapshot_gib, "snapshot gib", &mut note);
    fill(&mut live.archive_gib, list.archive_gib, "snapshot_archive gib", &mut note);
    let restore = list.archive_restore_gib;
    fill(&mut live.archive_restore_gib, restore, "snapshot_archive restore_gib", &mut note);
    live.notes
        .extend(taken.into_iter().map(|price| taken_note(price, &list.provenance, &list.notes)));
    live
}

fn fill(into: &mut Option<f64>, from: Option<f64>, price: &str, note: &mut impl FnMut(&str)) {
    if into.is_none() && from.is_some() {
        *into = from;
        note(price);
    }
}

/// A price that a live list lacks: whose it is, with what the embedded list says of it.
fn taken_note(price: String, list: &Provenance, notes: &[PriceNote]) -> PriceNote {
    let own = notes.iter().find(|n| n.price == price);
    let says = "not in the live price list, taken from the embedded one";
    PriceNote {
        provenance: own.map_or_else(|| list.clone(), |n| n.provenance.clone()),
        is_confirmed: own.is_none_or(|n| n.is_confirmed),
        says: own.map_or_else(|| says.to_owned(), |n| format!("{says}: {}", n.says)),
        price,
    }
}

/// The tier with this [`Tier::word`]; `None` for any other text.
pub fn tier(word: &str) -> Option<Tier> {
    Tier::ALL.into_iter().find(|t| t.word() == word)
}

#[derive(Deserialize)]
struct Row {
    region: String,
    #[serde(alias = "tier", alias = "kind")]
    subject: String,
    price: String,
    from: f64,
    usd: f64,
    source: String,
    date: Date,
    note: String,
}

impl Row {
    fn step(&self) -> VolumeStep {
        VolumeStep { from_gib: self.from, usd: self.usd }
    }

    fn is_confirmed(&self) -> bool {
        !UNCONFIRMED.contains(&self.source.as_str())
    }
}

/// The rows that parse. The text is part of the binary, and a test holds every line against this.
fn rows(text: &'static str) -> impl Iterator<Item = Row> {
    csv::Reader::from_reader(text.as_bytes()).into_deserialize().filter_map(Result::ok)
}

/// The date of the oldest confirmed row: a list is as old as that. `None` without rows.
fn provenance(rows: &[Row]) -> Option<Provenance> {
    let date = rows.iter().filter(|r| r.is_confirmed()).map(|r| r.date).min()?;
    Some(Provenance::Embedded { date })
}

fn notes(rows: &[Row]) -> Vec<PriceNote> {
    rows.iter()
        .filter(|row| !row.note.is_empty())
        .map(|row| PriceNote {
            price: format!("{} {}", row.subject, row.price),
            provenance: Provenance::Embedded { date: row.date },
            is_confirmed: row.is_confirmed(),
            says: row.note.clone(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_holds() {
        for (text, words) in [(S3_CSV, true), (EBS_CSV, false)] {
            assert_eq!(rows(text).count(), text.lines().count() - 1, "a row does not parse");
            for row in rows(text) {
                assert!(row.usd.is_finite() && (0.0..=1.0).contains(&row.usd), "{}", row.price);
                assert!(!row.source.is_empty() && row.from >= 0.0);
                assert!(row.date >= jiff::civil::date(2026, 1, 1));
                assert!(row.is_confirmed() || !row.note.is_empty(), "unconfirmed without a note");
                assert!(!words || tier(&row.subject).is_some(), "{}", row.subject);
                assert!(row.usd > 0.0 || !row.note.is_empty(), "a price of 0 says why");
            }
        }
    }

    #[test]
    fn the_list_of_virginia_is_whole() {
        let prices = s3("us-east-1").unwrap();
        for t in Tier::ALL {
            let p = prices.tier(t).unwrap();
            if matches!(t, Tier::File | Tier::Unknown) {
                assert!(p.storage.is_empty());
                continue;
            }
            assert!(p.storage.is_sorted_by(|a, b| a.from_gib < b.from_gib && a.usd > b.usd));
            assert!(p.storage.first().is_some_and(|s| s.from_gib == 0.0), "{t:?}");
            assert!(p.put_per_1000.is_some() && p.get_per_1000.is_some(), "{t:?}");
            assert!(p.retrieval_per_gib.is_some(), "{t:?}");
        }
        assert_eq!(prices.tier(Tier::Standard).unwrap().transition_per_1000, None);
        assert_eq!(prices.monitoring_per_1000, Some(0.0025));
        // Against the same prices typed from the tables by hand.
        assert_eq!(prices.tiers, crate::analyze::storage::price::fixture::virginia().tiers);
        assert_eq!(prices.provenance, Provenance::Embedded { date: jiff::civil::date(2026, 8, 1) });
        let doubtful: Vec<&str> =
            prices.notes.iter().filter(|n| !n.is_confirmed).map(|n| n.price.as_str()).collect();
        assert!(doubtful.contains(&"glacier_ir transition_per_1000"), "{doubtful:?}");
        assert!(doubtful.contains(&"reduced_redundancy storage"), "{doubtful:?}");
        assert!(!doubtful.iter().any(|p| p.starts_with("standard")), "{doubtful:?}");
    }

    #[test]
    fn what_a_live_list_lacks_is_taken_and_said() {
        let at = Provenance::Live { at: jiff::Timestamp::UNIX_EPOCH };
        let mut live = S3Prices::unknown("us-east-1", at.clone());
        live.tiers[0].storage = vec![VolumeStep { from_gib: 0.0, usd: 0.5 }];
        let whole = completed_s3(live);
        assert_eq!(whole.tiers[0].storage[0].usd.to_string(), "0.5", "what is live stays");
        assert_eq!(whole.tier(Tier::GlacierIr), s3("us-east-1").unwrap().tier(Tier::GlacierIr));
        let note = |price: &str| whole.notes.iter().find(|n| n.price == price);
        assert!(note("standard storage").is_none());
        assert!(note("standard put_per_1000").is_some_and(|n| n.is_confirmed));
        assert!(note("glacier_ir transition_per_1000").is_some_and(|n| !n.is_confirmed));
        assert_eq!(whole.provenance, at);
        let other = S3Prices::unknown("eu-west-1", at.clone());
        assert_eq!(completed_s3(other.clone()), other, "nothing of another region is taken");

        let whole = completed_ebs(EbsPrices::unknown("us-east-1", at.clone()));
        assert_eq!(whole.kinds, ebs("us-east-1").unwrap().kinds);
        assert!(whole.notes.iter().any(|n| n.price == "snapshot gib"));
        let other = EbsPrices::unknown("eu-west-1", at);
        assert_eq!(completed_ebs(other.clone()), other);
    }

    #[test]
    fn volumes_are_whole_and_other_regions_unknown() {
        let prices = ebs("us-east-1").unwrap();
        for kind in VolumeKind::ALL {
            assert!(prices.kind(kind).is_some_and(|k| k.gib.is_some()), "{kind:?}");
        }
        assert_eq!(prices.kind(VolumeKind::Unknown), None);
        assert_eq!(prices.kind(VolumeKind::Gp3).unwrap().iops.len(), 2);
        assert_eq!(prices.snapshot_gib, Some(0.05));
        assert!(s3("eu-west-1").is_none() && ebs("eu-west-1").is_none() && s3("").is_none());
    }
}
