//! What an EBS volume costs.

use crate::domain::VolumeFact;

/// USD per month of a volume type: us-east-1 list prices as infracost's price data of August 2026
/// hold them; storage per GiB, IOPS and MiB/s beyond what is included. Elsewhere an estimate.
struct Price {
    kind: &'static str,
    gib: f64,
    /// USD per provisioned IOPS, and how many are included.
    iops: Option<(f64, u32)>,
    /// USD per provisioned MiB/s, and how many are included.
    throughput: Option<(f64, u32)>,
}

/// `io2` has cheaper steps beyond 32,000 IOPS; they are left out, so that such a volume is said to
/// cost more than it does. `standard` bills requests as well, which nobody provisions.
const PRICES: &[Price] = &[
    plain("gp2", 0.10),
    Price { kind: "gp3", gib: 0.08, iops: Some((0.005, 3000)), throughput: Some((0.04, 125)) },
    Price { kind: "io1", gib: 0.125, iops: Some((0.065, 0)), throughput: None },
    Price { kind: "io2", gib: 0.125, iops: Some((0.065, 0)), throughput: None },
    plain("st1", 0.045),
    plain("sc1", 0.015),
    plain("standard", 0.05),
];

const fn plain(kind: &'static str, gib: f64) -> Price {
    Price { kind, gib, iops: None, throughput: None }
}

/// USD per month of 730 h at the list price of us-east-1, an estimate for other regions; `None` when type, size or
/// provisioned performance is not known.
pub fn usd_per_month(volume: &VolumeFact) -> Option<f64> {
    let price = PRICES.iter().find(|p| p.kind == &*volume.kind)?;
    let beyond = |rate: Option<(f64, u32)>, provisioned: Option<u32>| match rate {
        None => Some(0.0),
        Some((usd, included)) => Some(usd * f64::from(provisioned?.saturating_sub(included))),
    };
    let storage = price.gib * volume.size_gib? as f64;
    let extra =
        beyond(price.iops, volume.iops)? + beyond(price.throughput, volume.throughput_mibps)?;
    Some(storage + extra)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A volume of 100 GiB.
    fn volume(kind: &str, iops: Option<u32>, throughput: Option<u32>) -> VolumeFact {
        VolumeFact {
            id: "vol-1".into(),
            device: "/dev/sdf".into(),
            size_gib: Some(100),
            kind: kind.into(),
            iops,
            throughput_mibps: throughput,
            root: false,
            delete_on_termination: false,
        }
    }

    #[test]
    fn prices_by_hand() {
        let usd = |kind, iops, mibps| {
            // In tenths of a cent, so that nothing depends on binary fractions.
            usd_per_month(&volume(kind, iops, mibps)).map(|usd| (usd * 1000.0).round() as i64)
        };
        assert_eq!(usd("gp2", Some(300), None), Some(10_000));
        assert_eq!(usd("gp3", Some(3000), Some(125)), Some(8_000));
        // 8 + 1,000 × 0.005 + 75 × 0.04 = 16 dollars.
        assert_eq!(usd("gp3", Some(4000), Some(200)), Some(16_000));
        // 12.50 + 2,000 × 0.065 = 142.50 dollars.
        assert_eq!(usd("io2", Some(2000), None), Some(142_500));
        assert_eq!(usd("io1", Some(2000), None), Some(142_500));
        assert_eq!(usd("st1", None, None), Some(4_500));
        assert_eq!(usd("sc1", None, None), Some(1_500));
        assert_eq!(usd("standard", None, None), Some(5_000));
    }

    #[test]
    fn what_is_not_known_has_no_price() {
        assert_eq!(usd_per_month(&volume("gp9", None, None)), None);
        assert_eq!(usd_per_month(&volume("", None, None)), None);
        assert_eq!(usd_per_month(&volume("io2", None, None)), None);
        assert_eq!(usd_per_month(&volume("gp3", Some(3000), None)), None);
        let unsized_one = VolumeFact { size_gib: None, ..volume("gp2", None, None) };
        assert_eq!(usd_per_month(&unsized_one), None);
    }
}
