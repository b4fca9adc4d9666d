//! The pages of the tab, and what is asked about lists of objects.

use std::sync::Arc;

use crate::app::{Action, App, Question};
use crate::tabs::storage::lists::StorageList;
use crate::view::format;

/// Reads per month that the tier what-if begins with: each byte once in about three months.
pub(super) const FIRST_READS: f64 = 0.3;

/// A page above the tab.
#[derive(Clone, Debug, PartialEq)]
pub enum StoragePage {
    /// Everything known of a row of a list, by the row's id.
    Row(StorageList, Arc<str>),
    /// The tier what-if: what each class would cost.
    Tiers(TierSubject),
    /// The lifecycle rules of a bucket.
    Lifecycle(Arc<str>),
}

impl StoragePage {
    /// Title of the page, shown above the body.
    pub fn title(&self) -> &'static str {
        match self {
            Self::Row(list, _) => list.spec().page.as_ref().map_or("", |page| page.title),
            Self::Tiers(_) => "Tier what-if",
            Self::Lifecycle(_) => "Lifecycle",
        }
    }
}

/// Objects that the tier what-if is about.
#[derive(Clone, Debug, PartialEq)]
pub enum TierSubject {
    /// Everything that is listed.
    Fleet,
    /// A bucket.
    Bucket(Arc<str>),
    /// A prefix of a bucket: its node in the list's tree.
    Prefix(Arc<str>, crate::domain::storage::NodeId),
}

/// Request for a list of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListHow {
    /// Say what it takes; reads nothing that is billed by the object.
    Ask,
    /// Make it.
    Go,
    /// Stop making it.
    Cancel,
}

/// A list of a bucket's objects, while it is asked about and made.
#[derive(Clone, Debug, PartialEq)]
pub struct Listing {
    /// The bucket.
    pub bucket: Arc<str>,
    /// Progress of the list.
    pub state: ListingState,
}

/// Progress of making a list of objects.
#[derive(Clone, Debug, PartialEq)]
pub enum ListingState {
    /// Asked what it takes; no answer yet.
    Asked,
    /// Requests, dollars and time that it takes, before it is made.
    Offer {
        /// One sentence: from what, how many rows, how long.
        says: String,
        /// What the requests cost, USD; `None` when not known.
        usd: Option<f64>,
    },
    /// Being made.
    Running {
        /// Rows so far.
        rows: u64,
        /// Number of pages in all; `None` when not known.
        of: Option<u64>,
        /// Seconds to go; `None` when not known.
        seconds_left: Option<u64>,
    },
    /// The list could not be made; holds why, one sentence.
    Failed(String),
    /// The list is made; the next picture holds it.
    Done,
}

/// Whether a list of objects is to be made that was asked about.
pub static MAKE_LIST: Question = Question {
    title: "List objects",
    text: |app| match app.storage_tab().listing().map(|listing| &listing.state) {
        Some(ListingState::Offer { says, usd }) => {
            format!("{says} {}", requests(*usd))
        }
        _ => "Nothing is offered any more.".to_owned(),
    },
    hints: &[(Action::Enter, "make it"), (Action::Back, "cancel")],
    go_on: App::go_on_listing,
    leave: |app| app.tabs.storage.listing = None,
};

/// What requests cost, a sentence.
fn requests(usd: Option<f64>) -> String {
    match usd {
        None => "What the requests cost is not known.".to_owned(),
        Some(usd) if usd <= 0.0 => "Requests cost nothing.".to_owned(),
        // What rounds to no cent.
        Some(usd) if usd < 0.005 => "Requests cost less than a cent.".to_owned(),
        Some(usd) => format!("Requests cost about {}.", format::usd_spent(usd)),
    }
}

#[cfg(test)]
mod tests {
    use super::requests;

    #[test]
    fn what_a_list_costs_is_said_in_cents_or_less() {
        assert_eq!(requests(Some(0.0)), "Requests cost nothing.");
        // 40 pages of 1,000 at $0.005 per 1,000 requests.
        assert_eq!(requests(Some(0.0002)), "Requests cost less than a cent.");
        assert_eq!(requests(Some(0.005)), "Requests cost about $0.01.");
        assert_eq!(requests(Some(2.5)), "Requests cost about $2.50.");
        assert_eq!(requests(None), "What the requests cost is not known.");
    }
}
