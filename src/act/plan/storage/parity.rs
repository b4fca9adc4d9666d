//! What a gp2 volume gives, and what a gp3 volume has to be given to be no slower.

use super::item::Gp3;
use crate::analyze::storage::ebs::gp3_parity;
use crate::domain::VolumeFact;
use crate::domain::storage::VolumeKind;

/// What gp3 has to be given so that no IOPS and no throughput are lost against gp2 of that size, see
/// [`gp3_parity`].
pub fn as_gp3(gib: u32) -> Gp3 {
    let (iops, throughput_mibps) = gp3_parity(gib);
    Gp3 { iops, throughput_mibps }
}

/// True when gp3 with `target` gives all that gp2 of that size gives, within what gp3 can be given
/// (16,000 IOPS, 1,000 MiB/s, 0.25 MiB/s per IOPS: the limits that hold for every Region).
pub(super) fn holds(gib: u32, target: Gp3) -> bool {
    let least = as_gp3(gib);
    target.iops >= least.iops
        && target.throughput_mibps >= least.throughput_mibps
        && target.iops <= 16_000
        && target.throughput_mibps <= 1_000
        && target.throughput_mibps <= target.iops / 4
}

/// USD per month of 730 h at the list price of us-east-1 (an estimate elsewhere); `None` when type or provisioned
/// performance is not known.
pub fn usd_per_month(
    kind: VolumeKind,
    gib: u32,
    iops: Option<u32>,
    throughput_mibps: Option<u32>,
) -> Option<f64> {
    crate::act::plan::stakes::usd_per_month(&VolumeFact {
        id: "".into(),
        device: "".into(),
        size_gib: Some(u64::from(gib)),
        kind: kind.api().into(),
        iops,
        throughput_mibps,
        root: false,
        delete_on_termination: false,
    })
}

/// Saving of gp3 with `target` against gp2 of `gib` GiB, USD per month of 730 h at list price; less
/// than 0 where gp3 costs more, `None` where a price is not known.
pub fn saves_usd_per_month(gib: u32, target: Gp3) -> Option<f64> {
    let was = usd_per_month(VolumeKind::Gp2, gib, None, None)?;
    let is = usd_per_month(VolumeKind::Gp3, gib, Some(target.iops), Some(target.throughput_mibps))?;
    Some(was - is)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand, from the prices of the fact sheet: gp2 0.10; gp3 0.08, 0.005 per IOPS above 3,000,
    /// 0.04 per MiB/s above 125.
    #[test]
    fn parity_by_hand() {
        for (gib, iops, mibps, saves) in [
            (1, 3_000, 125, 0.02),
            (100, 3_000, 125, 2.0),
            (170, 3_000, 128, 3.4 - 3.0 * 0.04),
            (333, 3_000, 250, 6.66 - 5.0),
            (334, 3_000, 250, 6.68 - 5.0),
            (1_000, 3_000, 250, 20.0 - 5.0),
            (2_000, 6_000, 250, 40.0 - 5.0 - 15.0),
            (5_334, 16_000, 250, 106.68 - 5.0 - 65.0),
            (16_384, 16_000, 250, 327.68 - 5.0 - 65.0),
        ] {
            let target = as_gp3(gib);
            assert_eq!((target.iops, target.throughput_mibps), (iops, mibps), "{gib} GiB");
            assert!(holds(gib, target));
            let seen = saves_usd_per_month(gib, target).unwrap();
            assert!((seen - saves).abs() < 1e-9, "{gib} GiB: {seen}, not {saves}");
        }
    }

    #[test]
    fn less_than_before_or_more_than_there_is_does_not_hold() {
        let of = |iops, throughput_mibps| Gp3 { iops, throughput_mibps };
        assert!(holds(2_000, of(6_000, 250)) && holds(2_000, of(16_000, 1_000)));
        for target in [of(5_999, 250), of(6_000, 249), of(16_001, 250), of(16_000, 1_001)] {
            assert!(!holds(2_000, target), "{target:?}");
        }
        assert!(!holds(100, of(3_000, 751)), "0.25 MiB/s per IOPS");
    }
}
