//! What storage adds to the Overview: its scores and its findings.

use super::{Metric, Overview, Score, findings};
use crate::fleet::StorageFleet;
use crate::fleet::storage::Activity;
use crate::view::format;

impl Overview {
    /// Adds the efficiency of storage, how much of it is in use, and its findings.
    #[must_use]
    pub fn with_storage(mut self, storage: &StorageFleet) -> Self {
        let totals = &storage.totals;
        let usd = totals.usd_per_month();
        if storage.is_empty() {
            return self;
        }
        self.add_findings(&["storage"], findings::of_storage(storage));
        let (priced, unpriced) = (totals.priced_findings, totals.unpriced_findings);
        // Findings of which none has a price say nothing of how good it is.
        let known = usd > 0.0 && (priced > 0 || unpriced == 0);
        let share = known.then(|| (1.0 - totals.savings / usd).clamp(0.0, 1.0));
        let findings = match unpriced {
            0 => format::plural(priced as usize, "finding"),
            _ => format!("{priced} of {} findings with a price", priced + unpriced),
        };
        let rests_on = format!("{}/month, {findings}", format::usd_total(usd));
        Score::new(Metric::StorageEfficiency, share, rests_on).put(&mut self.scores);
        active(&Activity::of(storage)).put(&mut self.scores);
        self
    }
}

/// The share of the bytes that is in use, and how many of them it is of.
fn active(of: &Activity) -> Score {
    let bytes = |n: u64| format::bytes_binary(n as f64);
    let rests_on = format!("{} of {} judged", bytes(of.judged), bytes(of.known));
    Score { is_at_most: of.is_at_most, ..Score::new(Metric::ActiveStorage, of.share(), rests_on) }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::storage::{BucketFacts, Tier};
    use crate::fleet::storage::VolumeUse;
    use crate::tabs::overview::picture::overview;
    use crate::tabs::storage::picture::fixture;
    use crate::view::fixture::{ctx, fleet};

    const TIB: f64 = (1_u64 << 40) as f64;

    /// The fixture with other buckets: name, TiB by tier, reads and bytes read per month.
    type Planted = (&'static str, &'static [(Tier, f64)], Option<f64>, Option<f64>);

    fn storage(planted: &[Planted]) -> StorageFleet {
        fixture::fleet_of(|facts| {
            let of = |(name, tiers, reads, downloaded): &Planted| {
                let one = |(tier, tib): &(Tier, f64)| {
                    fixture::series("Any", *tier, tib * TIB, tib * TIB, 40)
                };
                Arc::new(BucketFacts {
                    reads_per_month: *reads,
                    downloaded_per_month: *downloaded,
                    ..fixture::bucket(name, "nlp", Ok(tiers.iter().map(one).collect()))
                })
            };
            facts.buckets = planted.iter().map(of).collect();
            facts.scans.retain(|scan| &*scan.bucket == "/fsx/scratch");
            facts.ebs.clear();
        })
    }

    fn near(share: Option<f64>, want: f64) -> bool {
        share.is_some_and(|share| (share - want).abs() < 1e-9)
    }

    #[test]
    fn bytes_are_in_use_or_not_only_where_something_tells_it() {
        // What nobody tells of is neither.
        let dark = storage(&[("dark", &[(Tier::Standard, 8.0)], None, None)]);
        let score = active(&Activity::of(&dark));
        assert_eq!((score.share, &*score.rests_on), (None, "0 B of 8 TiB judged"));
        assert_eq!(score.target(), None);
        let tiers = &[
            (Tier::ItFrequent, 3.0),
            (Tier::ItInfrequent, 1.0),
            (Tier::ItArchiveInstant, 2.0),
            (Tier::DeepArchive, 4.0),
            (Tier::Standard, 5.0),
        ];
        let told = storage(&[
            ("tiered", tiers, None, None),
            ("unread", &[(Tier::GlacierIr, 2.0)], Some(0.0), None),
            ("dark", &[(Tier::StandardIa, 8.0)], None, None),
        ]);
        // In use 3; judged 3 + 1 + 2 + 4 + 2; known besides 5 and 8.
        let score = active(&Activity::of(&told));
        assert!(near(score.share, 3.0 / 12.0), "{score:?}");
        assert_eq!(&*score.rests_on, "12 TiB of 25 TiB judged");
        assert!(!score.is_at_most && score.grade.is_none());
        assert_eq!(score.target().as_deref(), Some("target >50%: missed"));
    }

    #[test]
    fn a_bucket_has_no_more_in_use_than_was_read_of_it() {
        let read = |tib: f64| {
            let all = &[(Tier::Standard, 6.0), (Tier::Glacier, 2.0)];
            active(&Activity::of(&storage(&[("read", all, Some(9.0), Some(tib * TIB))])))
        };
        let score = read(1.5);
        assert!(near(score.share, 1.5 / 8.0) && score.is_at_most, "{score:?}");
        // Read over and over, it is all of what can be read.
        assert!(near(read(100.0).share, 6.0 / 8.0));
        assert_eq!(read(100.0).target().as_deref(), Some("target >50%: not known"));
        assert_eq!(read(1.5).target().as_deref(), Some("target >50%: missed"));
        // That there were reads, and not of how much, tells of no byte.
        let counted = storage(&[("counted", &[(Tier::Standard, 6.0)], Some(9.0), None)]);
        assert_eq!(active(&Activity::of(&counted)).share, None);
    }

    #[test]
    fn volumes_are_in_use_while_they_are_attached_to_what_runs() {
        let mut storage = fixture::fleet_of(|facts| {
            facts.buckets.clear();
            facts.scans.clear();
        });
        // Nobody has the one of 2000 GiB, that of 1000 is of a stopped instance; 500 and 100 are of what runs.
        let score = active(&Activity::of(&storage));
        assert!(near(score.share, 600.0 / 3_600.0), "{score:?}");
        assert_eq!(&*score.rests_on, "3.5 TiB of 3.5 TiB judged");
        assert_eq!(score.target().as_deref(), Some("target >50%: missed"));
        for row in storage.volumes.iter_mut().filter(|row| row.volume.size_gib == 500) {
            Arc::make_mut(row).used = VolumeUse::Unknown;
        }
        let score = active(&Activity::of(&storage));
        assert!(near(score.share, 100.0 / 3_100.0), "{score:?}");
        assert_eq!(&*score.rests_on, "3 TiB of 3.5 TiB judged");
        let o = overview(&fleet(), &ctx()).with_storage(&storage);
        assert!(o.scores.contains(&score), "the scorecard has it");
    }
}
