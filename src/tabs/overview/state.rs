//! The overview, made once for each picture of what it sums up.

use jiff::Timestamp;

use super::picture::{Overview, is_joined, overview};
use crate::app::App;
use crate::fleet::savings::BillKind;

/// A sum of the ladder that has a page instead of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BillPage {
    /// The whole bill.
    Whole,
    /// What is paid besides instances and the commitments that pay for them.
    Besides,
}

impl BillPage {
    /// Title of the page, shown above the body.
    pub fn title(self) -> &'static str {
        match self {
            Self::Whole => "Bill",
            Self::Besides => "Paid besides",
        }
    }

    /// True where a part of the bill is in the sum.
    pub(super) fn has(self, kind: BillKind) -> bool {
        self == Self::Whole || !matches!(kind, BillKind::Instances(_))
    }
}

/// Version and moment of a picture.
type Stamp = (u64, Option<Timestamp>);

/// Versions of the fleet and of what is joined to it, and whether regions await their first answer.
type Of = (Stamp, [Option<Stamp>; 3], bool);

/// The overview last computed, kept until its data change.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overviews {
    /// The Overview, and the input that it was made from.
    made: Option<(Of, Overview)>,
    /// The overview of a fleet before anything is joined to it: GPUs are seen anew oftener than
    /// instances.
    bare: Option<(Stamp, Overview)>,
}

impl Overviews {
    /// The newest overview; `None` before there is a fleet.
    pub(crate) fn newest(&self) -> Option<&Overview> {
        self.made.as_ref().map(|(_, overview)| overview)
    }
}

impl App {
    /// Computes the overview anew where its data have changed.
    pub(crate) fn make_overview(&mut self) {
        let ctx = self.view_context();
        let Some(fleet) = self.shown().cloned() else {
            self.tabs.overview.made = None;
            return;
        };
        let of = (fleet.version, fleet.as_of);
        let gpus = self.gpus().map(|g| (g.version, g.as_of));
        let storage = self.storage().map(|s| (s.version, s.as_of));
        let savings = self.savings().map(|s| (s.version, s.as_of));
        let is_reading = self.sources().progress.waiting > 0;
        let current = (of, [gpus, storage, savings], is_reading);
        if self.tabs.overview.made.as_ref().is_some_and(|(of, _)| *of == current) {
            return;
        }
        let mut made = match &self.tabs.overview.bare {
            Some((known, bare)) if *known == of => bare.clone(),
            _ => {
                let bare = overview(&fleet, &ctx);
                self.tabs.overview.bare = Some((of, bare.clone()));
                bare
            }
        };
        // Until then telemetry seems to be of no instance, or of instances that nobody judged: waste beside theirs.
        let joined = self.gpus().filter(|gpus| !is_reading && is_joined(&fleet, gpus));
        if let Some(gpus) = joined {
            made = made.with_gpus(&fleet, gpus);
        }
        if let Some(storage) = self.storage() {
            made = made.with_storage(storage);
        }
        if let Some(savings) = self.savings() {
            made = made.with_savings(savings);
        }
        self.tabs.overview.made = Some((current, made));
    }
}
