//! What is found wrong with storage, and what to do about it.

use jiff::Timestamp;

use crate::analyze::storage::findings::usual_policy;
use crate::domain::storage::{
    Confidence, Fate, FindingReason as R, OfSnapshot, OfVolume, Unwritten,
};
use crate::view::format::{bytes_binary, percent, usd, usd_fine};

/// One sentence: what is so. Clean text.
pub fn storage(reason: &R) -> String {
    match reason {
        R::NoLifecycle { grows } => {
            let grows = grows.map(|by| format!(", and it grows by {} a month", size(by)));
            format!("No lifecycle rule is in force{}.", grows.unwrap_or_default())
        }
        R::OldVersions { versions, bytes, is_rule_known } => {
            let what = format!("{versions} noncurrent versions hold {}", size(*bytes));
            match is_rule_known {
                true => format!("{what} and no rule deletes them."),
                false => format!("{what}; whether a rule deletes them is not known."),
            }
        }
        R::Versioning { is_on } => {
            let word = if *is_on { "on" } else { "suspended" };
            format!(
                "Versioning is {word} and no rule deletes old versions; how much they hold is not \
                 known without a list of versions."
            )
        }
        R::IncompleteUploads { uploads, bytes, is_partial } => {
            let bytes = bytes.map_or(String::new(), |b| format!(" with {}", size(b)));
            let least = if *is_partial { "At least " } else { "" };
            format!(
                "{least}{uploads} uploads begun more than 7 days ago were never completed{bytes}."
            )
        }
        R::DarkBytes { billed, listed, dark, day } => format!(
            "CloudWatch bills {} and the list of {day} shows {}: {} are in parts of incomplete \
             uploads or in versions that the list leaves out.",
            size(*billed),
            size(*listed),
            size(*dark),
        ),
        R::SmallObjects(small) => format!(
            "{small} objects are under 128 KiB; the minimum size of their class and the index of \
             archived objects cost more than the objects."
        ),
        R::WrongTier { bytes, to, reads, fees, payback, .. } => {
            let when = match reads {
                Some(reads) => format!("at its {reads:.2} reads of each object a month"),
                None => "if each byte is read at most once in 3 months, which nobody measured"
                    .to_owned(),
            };
            let payback = payback
                .map_or(String::new(), |month| format!(", and is paid back in month {month}"));
            format!(
                "{} would cost less in {} {when}; moving costs {} once{payback}.",
                size(*bytes),
                to.api().replace('_', " "),
                usd_fine(*fees, 0),
            )
        }
        R::Abandoned { since, is_unread, costs } => {
            let since = match since {
                Unwritten::Newest(days) => format!("The newest object is {days} days old"),
                Unwritten::Unchanged(days) => {
                    format!("Neither size nor number of objects changed in {days} days")
                }
            };
            if *is_unread {
                return format!("{since} and request metrics show no read.");
            }
            let costs = costs.map(|costs| format!("; it costs {} a month", usd(costs)));
            format!("{since}; whether it is read is not known{}.", costs.unwrap_or_default())
        }
        R::Copies { original, copy, share, confidence, objects, bytes } => {
            let how = match confidence {
                Confidence::A | Confidence::B => "the same content",
                Confidence::C => "the same names and sizes; compare the content first",
                Confidence::D => "objects of the same size, no more",
            };
            format!(
                "{} of {copy} is also in {original} (confidence {}): {objects} objects, {}, \
                 {how}.",
                percent(share * 100.0, 0),
                confidence.word(),
                size(*bytes),
            )
        }
        R::Checkpoints { dropped, steps, bytes, fate: of } => {
            let fate = fate(*of).map_or(String::new(), |says| format!("; {says}"));
            format!(
                "{dropped} of {steps} steps ({}) would go if {} stayed{fate}.",
                size(*bytes),
                usual_policy().words(),
            )
        }
        R::Unattached { volume, made } => {
            let made = made.map(|at| format!(", made {}", day(at))).unwrap_or_default();
            let what = format!("{} is attached to nothing{made}", a_volume(volume));
            billed(volume, what)
        }
        R::OfStopped { volume, instance, more, since } => {
            let since = match since {
                Some((at, days)) => format!(" since {} ({days} days)", day(*at)),
                None => ", and since when is not known".to_owned(),
            };
            let more = match more {
                0 => String::new(),
                n => format!(" and {n} more"),
            };
            let what = format!("{} belongs to {instance}{more}, stopped{since}", a_volume(volume));
            billed(volume, what)
        }
        R::Gp2 { volume, iops, throughput_mibps, gp2_usd, gp3_usd } => {
            let what = format!(
                "A gp2 volume of {} GiB costs {} a month; as gp3 with {iops} IOPS and \
                 {throughput_mibps} MiB/s, what it has without bursts, {}",
                volume.gib,
                usd(*gp2_usd),
                usd(*gp3_usd),
            );
            billed(volume, what)
        }
        R::Orphan { made, snapshot } => {
            let made = made.map(|at| format!(" of {}", day(at))).unwrap_or_default();
            format!(
                "A snapshot{made} is of a volume that is gone, and no image uses it; {}",
                at_most(snapshot)
            )
        }
        R::Old { days, snapshot, .. } => {
            format!("A snapshot is {days} days old; {}", at_most(snapshot))
        }
        #[cfg(test)]
        R::Nothing => String::new(),
    }
}

/// One sentence: what to do. Clean text.
pub fn storage_fix(reason: &R) -> String {
    let plain = match reason {
        R::NoLifecycle { .. } => "Begin with a rule that aborts incomplete uploads after 7 days.",
        R::OldVersions { .. } | R::Versioning { .. } => {
            "Add a rule that expires noncurrent versions, for example 30 days after."
        }
        R::IncompleteUploads { .. } => "Add a rule that aborts incomplete uploads after 7 days.",
        R::DarkBytes { .. } => "Abort incomplete uploads by a rule; list versions to see the rest.",
        R::SmallObjects(_) => "Pack small objects into larger ones, or keep them in Standard.",
        R::WrongTier { is_copied: true, .. } => {
            "Look at the tier what-if, then copy them: no lifecycle rule moves them there."
        }
        R::WrongTier { .. } => "Look at the tier what-if, then let a lifecycle rule move them.",
        R::Abandoned { .. } => {
            "Ask its owner; archive what has to stay, and quarantine the rest by a tag first."
        }
        R::Copies { .. } => "Keep the one that is read; see who writes the other.",
        R::Checkpoints { .. } => "Say which steps to keep, then quarantine the others by a tag.",
        R::Orphan { .. } => "Delete it if nobody needs the data; nothing else has it",
        R::Unattached { volume, .. } => {
            return format!("Make a snapshot{}, then delete the volume", kept_for(volume));
        }
        R::OfStopped { volume, .. } => {
            return format!(
                "If the instance is not to be started again, make a snapshot{} and delete the \
                 volume with it",
                kept_for(volume)
            );
        }
        R::Gp2 { iops, throughput_mibps, .. } => {
            return format!(
                "Change it to gp3 with {iops} IOPS and {throughput_mibps} MiB/s; it stays in use \
                 meanwhile"
            );
        }
        R::Old { archive_ratio, .. } => {
            // Without the size that is its own nobody knows whether the archive is cheaper.
            let archive = archive_ratio.map(|ratio| {
                format!(
                    ", or archive it: that is cheaper when more than a {} of it is not shared with \
                     other snapshots",
                    nth(ratio)
                )
            });
            return format!("Delete it if nobody needs it{}", archive.unwrap_or_default());
        }
        #[cfg(test)]
        R::Nothing => "",
    };
    plain.to_owned()
}

/// A sentence without an end: what becomes of deleted bytes; `None` where there is nothing to say.
pub fn fate(fate: Fate) -> Option<&'static str> {
    Some(match fate {
        Fate::Freed => return None,
        Fate::FreedLater => {
            "the bucket keeps versions: bytes are freed when its rule deletes noncurrent ones"
        }
        Fate::Kept => {
            "0 bytes freed: the bucket keeps versions and no rule deletes noncurrent ones; delete by \
             version id, or add NoncurrentVersionExpiration first"
        }
        Fate::KeptAsFarAsKnown => {
            "0 bytes freed as far as is known: the bucket keeps versions, and its lifecycle was not \
             read; deleting by version id frees them"
        }
        Fate::Unknown => {
            "bytes freed are not known: nothing tells whether the bucket keeps versions"
        }
    })
}

fn a_volume(volume: &OfVolume) -> String {
    format!("A volume of {} GiB ({})", volume.gib, volume.kind.api())
}

/// What is said of a volume, with what is billed on top.
fn billed(volume: &OfVolume, what: String) -> String {
    if volume.is_least { format!("{what}; its requests are billed as well") } else { what }
}

/// What keeping a snapshot of the volume costs at most.
fn kept_for(volume: &OfVolume) -> String {
    let usd = volume.snapshot_usd.map(|most| format!(" (at most {} a month)", usd(most)));
    usd.unwrap_or_default()
}

fn at_most(snapshot: &OfSnapshot) -> String {
    let gib = snapshot.gib;
    match snapshot.usd {
        Some(most) => format!("its {gib:.0} GiB cost at most {} a month", usd(most)),
        None => format!("it has at most {gib:.0} GiB"),
    }
}

fn size(bytes: u64) -> String {
    bytes_binary(bytes as f64)
}

/// The UTC day of a moment.
fn day(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d").to_string()
}

/// The share that makes the archive worth it, in words where it is the usual one.
fn nth(ratio: f64) -> String {
    if (ratio - 4.0).abs() < 1e-9 { "quarter".to_owned() } else { format!("1/{ratio:.1}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::storage::VolumeKind;

    #[test]
    fn volumes_and_snapshots_read_as_sentences() {
        let made: Option<Timestamp> = "2026-01-02T10:00:00Z".parse().ok();
        let kind = VolumeKind::Gp3;
        let volume = OfVolume { gib: 500, kind, is_least: false, snapshot_usd: Some(25.0) };
        let free = R::Unattached { volume, made };
        assert_eq!(
            storage(&free),
            "A volume of 500 GiB (gp3) is attached to nothing, made 2026-01-02"
        );
        assert_eq!(
            storage_fix(&free),
            "Make a snapshot (at most $25.00 a month), then delete the volume"
        );
        let stopped = |more, since| {
            let volume = OfVolume { is_least: true, ..volume };
            storage(&R::OfStopped { volume, instance: "trainer".into(), more, since })
        };
        assert_eq!(
            stopped(1, made.map(|at| (at, 20))),
            "A volume of 500 GiB (gp3) belongs to trainer and 1 more, stopped since 2026-01-02 (20 \
             days); its requests are billed as well"
        );
        assert!(stopped(0, None).contains("trainer, stopped, and since when is not known"));
        let (iops, throughput_mibps) = (3_000, 125);
        let (gp2_usd, gp3_usd) = (10.0, 8.0);
        let gp2 = R::Gp2 { volume, iops, throughput_mibps, gp2_usd, gp3_usd };
        assert!(
            storage(&gp2).ends_with(
                "as gp3 with 3000 IOPS and 125 MiB/s, what it has without bursts, $8.00"
            )
        );
        assert!(storage_fix(&gp2).contains("3000 IOPS and 125 MiB/s"));
        let snapshot = OfSnapshot { gib: 100.0, usd: Some(5.0) };
        let orphan = R::Orphan { made: None, snapshot };
        assert!(storage(&orphan).ends_with("; its 100 GiB cost at most $5.00 a month"));
        let old = |ratio| storage_fix(&R::Old { days: 200, snapshot, archive_ratio: ratio });
        assert!(old(Some(4.0)).contains("more than a quarter of it"));
        assert!(old(Some(3.0)).contains("more than a 1/3.0 of it"));
        assert_eq!(old(None), "Delete it if nobody needs it");
    }

    #[test]
    fn buckets_read_as_sentences() {
        let grows = |grows| storage(&R::NoLifecycle { grows });
        assert_eq!(grows(None), "No lifecycle rule is in force.");
        assert!(grows(Some(3 << 30)).ends_with(", and it grows by 3 GiB a month."));
        let left = |is_unread, costs| {
            storage(&R::Abandoned { since: Unwritten::Newest(500), is_unread, costs })
        };
        assert_eq!(
            left(false, Some(47.1)),
            "The newest object is 500 days old; whether it is read is not known; it costs $47.10 a \
             month."
        );
        assert_eq!(
            left(true, Some(47.1)),
            "The newest object is 500 days old and request metrics show no read."
        );
        let steps = R::Checkpoints { dropped: 7, steps: 10, bytes: 1 << 30, fate: Fate::Freed };
        assert_eq!(
            storage(&steps),
            "7 of 10 steps (1 GiB) would go if last 3 + best 1 + first + younger than 168 h stayed."
        );
    }
}
