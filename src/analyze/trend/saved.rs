//! What was saved by what was stopped, terminated or deleted, and stayed so.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::Period;
use crate::domain::InstanceState;

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeedKind {
    /// An instance was stopped.
    Stopped,
    /// An instance was terminated.
    Terminated,
    /// An unattached volume was deleted.
    Deleted,
}

impl DeedKind {
    /// Name on screen and in JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Stopped => "stopped",
            Self::Terminated => "terminated",
            Self::Deleted => "deleted",
        }
    }
}

/// An action that was seen done and saves from then on.
#[derive(Clone, Debug, PartialEq)]
pub struct Deed {
    /// Instance or volume.
    pub id: Arc<str>,
    /// The `Name` tag; may be empty.
    pub name: Arc<str>,
    /// 12-digit id of the account.
    pub account: Arc<str>,
    /// Region.
    pub region: Arc<str>,
    /// What was done.
    pub kind: DeedKind,
    /// When it was seen done.
    pub at: Timestamp,
    /// Launch of the instance that it ended; `None` of a volume.
    pub launched_at: Option<Timestamp>,
    /// Price that it ended, USD/h at list; `None` when not known.
    pub usd_per_hour: Option<f64>,
    /// What the bill falls by, commitments considered, USD/h; `None` when not known.
    pub net_usd_per_hour: Option<f64>,
}

/// What the inventory says of it now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Stayed so.
    Stayed,
    /// It runs, or ran in between: since when is not known, so nothing of it counts.
    Undone,
    /// The inventory does not tell: it was not read since, or knows the instance no more.
    Unknown,
}

impl Standing {
    /// Name on screen and in JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Stayed => "stayed",
            Self::Undone => "undone",
            Self::Unknown => "unknown",
        }
    }
}

/// An action, with what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Saved {
    /// The action.
    pub deed: Deed,
    /// What the inventory says.
    pub standing: Standing,
    /// When the inventory was read that says so; `None` where none does.
    pub until: Option<Timestamp>,
}

impl Saved {
    /// Hours in a period for which it is verified.
    pub fn hours(&self, period: Period) -> f64 {
        match self.until {
            Some(until) if self.standing == Standing::Stayed => {
                period.hours_of(self.deed.at, until)
            }
            _ => 0.0,
        }
    }

    /// What it saved in a period at list price, USD; `None` without a price, 0 where it is not verified.
    pub fn usd(&self, period: Period) -> Option<f64> {
        match self.hours(period) {
            hours if hours > 0.0 => self.deed.usd_per_hour.map(|usd| usd * hours),
            _ => Some(0.0),
        }
    }

    /// The same net of commitments, USD; `None` where that is not known.
    pub fn net_usd(&self, period: Period) -> Option<f64> {
        match self.hours(period) {
            hours if hours > 0.0 => self.deed.net_usd_per_hour.map(|usd| usd * hours),
            _ => Some(0.0),
        }
    }
}

/// The inventory as it was read last.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    /// State and last launch of each instance.
    pub instances: HashMap<Arc<str>, (InstanceState, Timestamp)>,
    /// When each account and region was read whole, instances.
    pub read: HashMap<(Arc<str>, Arc<str>), Timestamp>,
    /// Volumes, by id.
    pub volumes: std::collections::HashSet<Arc<str>>,
    /// When each account and region was read whole, volumes.
    pub volumes_read: HashMap<(Arc<str>, Arc<str>), Timestamp>,
}

impl Inventory {
    fn standing(&self, deed: &Deed) -> (Standing, Option<Timestamp>) {
        let place = (deed.account.clone(), deed.region.clone());
        let is_volume = deed.kind == DeedKind::Deleted;
        let read = if is_volume { self.volumes_read.get(&place) } else { self.read.get(&place) };
        let Some(read) = read.copied().filter(|read| *read >= deed.at) else {
            return (Standing::Unknown, None);
        };
        let standing = if is_volume {
            if self.volumes.contains(&deed.id) { Standing::Undone } else { Standing::Stayed }
        } else {
            match self.instances.get(&deed.id) {
                // EC2 forgets what was terminated. What was only stopped may have run before it was terminated.
                None if deed.kind == DeedKind::Terminated => Standing::Stayed,
                None | Some((InstanceState::Unknown, _)) => Standing::Unknown,
                Some((InstanceState::Pending | InstanceState::Running, _)) => Standing::Undone,
                Some((_, launched)) if *launched > deed.at => Standing::Undone,
                Some(_) => Standing::Stayed,
            }
        };
        (standing, Some(read))
    }
}

/// What became of actions, in the order of their time. Of several on the same thing that follow each other without a
/// launch in between, the first counts; of others the last, since what came before was undone.
pub fn verified(deeds: Vec<Deed>, inventory: &Inventory) -> Vec<Saved> {
    let mut deeds = deeds;
    deeds.sort_by(|a, b| a.at.cmp(&b.at).then_with(|| a.id.cmp(&b.id)));
    let mut kept: Vec<Deed> = Vec::new();
    for deed in deeds {
        match kept.iter_mut().find(|known| known.id == deed.id) {
            None => kept.push(deed),
            Some(known) if deed.launched_at.is_none_or(|launched| launched <= known.at) => {
                known.kind = deed.kind;
            }
            Some(known) => *known = deed,
        }
    }
    kept.sort_by(|a, b| a.at.cmp(&b.at).then_with(|| a.id.cmp(&b.id)));
    let saved = |deed: Deed| {
        let (standing, until) = inventory.standing(&deed);
        Saved { deed, standing, until }
    };
    kept.into_iter().map(saved).collect()
}

/// What was saved in a period at list price, USD; `None` where something that is verified has no price.
pub fn saved_usd(saved: &[Saved], period: Period) -> Option<f64> {
    let usd: Option<f64> = saved.iter().map(|saved| saved.usd(period)).sum();
    // The sum of nothing is -0.0, which is not to be printed.
    usd.map(|usd| usd + 0.0)
}

#[cfg(test)]
mod tests {
    use super::super::PeriodKind;
    use super::*;
    use crate::domain::Hour;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn deed(id: &str, kind: DeedKind, time: &str) -> Deed {
        Deed {
            id: id.into(),
            name: "".into(),
            account: "1".into(),
            region: "r".into(),
            kind,
            at: at(time),
            launched_at: Some(at("2026-01-01T00:00:00Z")),
            usd_per_hour: Some(2.0),
            net_usd_per_hour: Some(1.5),
        }
    }

    fn inventory(instances: &[(&str, InstanceState, &str)]) -> Inventory {
        let of = |(id, state, launched): &(&str, InstanceState, &str)| {
            (Arc::from(*id), (*state, at(launched)))
        };
        let read: HashMap<_, _> =
            [(("1".into(), "r".into()), at("2026-11-12T00:00:00Z"))].into_iter().collect();
        Inventory {
            instances: instances.iter().map(of).collect(),
            volumes: ["vol-b".into()].into_iter().collect(),
            volumes_read: read.clone(),
            read,
        }
    }

    fn month(text: &str) -> Period {
        Period::containing(PeriodKind::Month, Hour::containing(at(text)).day())
    }

    #[test]
    fn only_what_stayed_so_by_the_inventory_counts() {
        let old = "2026-01-01T00:00:00Z";
        let deeds = vec![
            deed("i-stayed", DeedKind::Stopped, "2026-10-31T00:00:00Z"),
            deed("i-runs", DeedKind::Stopped, "2026-10-31T00:00:00Z"),
            deed("i-ran", DeedKind::Stopped, "2026-10-31T00:00:00Z"),
            deed("i-gone", DeedKind::Stopped, "2026-10-31T00:00:00Z"),
            deed("i-ended", DeedKind::Terminated, "2026-10-31T00:00:00Z"),
            deed("vol-a", DeedKind::Deleted, "2026-10-31T00:00:00Z"),
            deed("vol-b", DeedKind::Deleted, "2026-10-31T00:00:00Z"),
            deed("i-later", DeedKind::Terminated, "2026-11-13T00:00:00Z"),
            Deed {
                region: "s".into(),
                ..deed("i-other", DeedKind::Stopped, "2026-10-31T00:00:00Z")
            },
        ];
        let seen = inventory(&[
            ("i-stayed", InstanceState::Stopped, old),
            ("i-runs", InstanceState::Running, old),
            ("i-ran", InstanceState::Stopped, "2026-11-01T00:00:00Z"),
        ]);
        let found = verified(deeds, &seen);
        let of = |id: &str| found.iter().find(|saved| &*saved.deed.id == id).unwrap();
        for (id, standing) in [
            ("i-stayed", Standing::Stayed),
            ("i-runs", Standing::Undone),
            ("i-ran", Standing::Undone),
            ("i-gone", Standing::Unknown),
            ("i-ended", Standing::Stayed),
            ("vol-a", Standing::Stayed),
            ("vol-b", Standing::Undone),
            ("i-later", Standing::Unknown),
            ("i-other", Standing::Unknown),
        ] {
            assert_eq!(of(id).standing, standing, "{id}");
        }
        // 24 hours of October and 264 of November, of three things at $2/h.
        assert_eq!(saved_usd(&found, month("2026-10-05T00:00:00Z")), Some(3.0 * 48.0));
        assert_eq!(saved_usd(&found, month("2026-11-05T00:00:00Z")), Some(3.0 * 528.0));
        assert_eq!(saved_usd(&found, month("2026-09-05T00:00:00Z")), Some(0.0));
        assert_eq!(of("i-stayed").net_usd(month("2026-10-05T00:00:00Z")), Some(36.0));
        let nothing = saved_usd(&[], month("2026-10-05T00:00:00Z"));
        assert!(nothing.is_some_and(f64::is_sign_positive), "{nothing:?} is not to be printed");
    }

    #[test]
    fn a_saving_without_a_price_makes_the_sum_unknown() {
        let one =
            Deed { usd_per_hour: None, ..deed("i-1", DeedKind::Stopped, "2026-11-01T00:00:00Z") };
        let seen = inventory(&[("i-1", InstanceState::Stopped, "2026-01-01T00:00:00Z")]);
        let found = verified(vec![one], &seen);
        assert_eq!(saved_usd(&found, month("2026-11-05T00:00:00Z")), None);
        assert_eq!(saved_usd(&found, month("2026-10-05T00:00:00Z")), Some(0.0));
    }

    #[test]
    fn what_is_stopped_and_then_terminated_is_saved_once_and_from_the_stop_on() {
        let stop = deed("i-1", DeedKind::Stopped, "2026-11-01T00:00:00Z");
        let end = Deed {
            usd_per_hour: Some(0.0),
            ..deed("i-1", DeedKind::Terminated, "2026-11-05T00:00:00Z")
        };
        let found = verified(vec![end, stop.clone()], &inventory(&[]));
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].deed.kind, found[0].deed.at), (DeedKind::Terminated, stop.at));
        assert_eq!(saved_usd(&found, month("2026-11-05T00:00:00Z")), Some(2.0 * 264.0));
        // Started again in between: only the later stop counts.
        let again = Deed {
            launched_at: Some(at("2026-11-03T00:00:00Z")),
            ..deed("i-1", DeedKind::Stopped, "2026-11-11T00:00:00Z")
        };
        let seen = inventory(&[("i-1", InstanceState::Stopped, "2026-11-03T00:00:00Z")]);
        let found = verified(vec![stop, again], &seen);
        assert_eq!(saved_usd(&found, month("2026-11-05T00:00:00Z")), Some(48.0));
    }
}
