//! Prices of us-east-1 for tests, typed from the tables of the price list and not read from the
//! embedded file: the two check each other.

use crate::domain::Provenance;
use crate::domain::storage::{S3Prices, Tier, VolumeStep};

/// Tier, USD per GiB-month, PUT, GET, transition in, retrieval, restore.
type Row = (Tier, f64, f64, f64, Option<f64>, f64, Option<f64>);

/// Prices of us-east-1.
pub(crate) fn virginia() -> S3Prices {
    let mut p = S3Prices::unknown(
        "us-east-1",
        Provenance::Embedded { date: jiff::civil::date(2026, 8, 1) },
    );
    p.monitoring_per_1000 = Some(0.0025);
    let rows: [Row; 13] = [
        (Tier::Standard, 0.023, 0.005, 0.0004, None, 0.0, None),
        (Tier::ItFrequent, 0.023, 0.005, 0.0004, Some(0.01), 0.0, None),
        (Tier::ItInfrequent, 0.0125, 0.005, 0.0004, None, 0.0, None),
        (Tier::ItArchiveInstant, 0.004, 0.005, 0.0004, None, 0.0, None),
        (Tier::ItArchive, 0.0036, 0.005, 0.0004, None, 0.0, None),
        (Tier::ItDeepArchive, 0.000_99, 0.005, 0.0004, None, 0.0, None),
        (Tier::StandardIa, 0.0125, 0.01, 0.001, Some(0.01), 0.01, None),
        (Tier::OnezoneIa, 0.01, 0.01, 0.001, Some(0.01), 0.01, None),
        (Tier::GlacierIr, 0.004, 0.02, 0.01, Some(0.02), 0.03, None),
        (Tier::Glacier, 0.0036, 0.03, 0.0004, Some(0.03), 0.01, Some(0.05)),
        (Tier::DeepArchive, 0.000_99, 0.05, 0.0004, Some(0.05), 0.02, Some(0.10)),
        (Tier::ReducedRedundancy, 0.024, 0.005, 0.0004, None, 0.0, None),
        (Tier::Express, 0.11, 0.001_13, 0.000_03, None, 0.0006, None),
    ];
    for (tier, usd, put, get, transition, retrieval, restore) in rows {
        let t = &mut p.tiers[tier.index()];
        t.storage = vec![VolumeStep { from_gib: 0.0, usd }];
        if matches!(tier, Tier::Standard | Tier::ItFrequent) {
            t.storage.push(VolumeStep { from_gib: 51_200.0, usd: 0.022 });
            t.storage.push(VolumeStep { from_gib: 512_000.0, usd: 0.021 });
        }
        t.put_per_1000 = Some(put);
        t.get_per_1000 = Some(get);
        t.transition_per_1000 = transition;
        t.retrieval_per_gib = Some(retrieval);
        t.restore_per_1000 = restore;
    }
    p
}
