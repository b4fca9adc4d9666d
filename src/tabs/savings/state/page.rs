//! The pages of the lists.

use std::sync::Arc;

use crate::tabs::savings::lists::SavingsList;

/// The page of a row of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavingsPage {
    /// List that the row of the page belongs to.
    pub list: SavingsList,
    /// Id of the row.
    pub id: Arc<str>,
}

impl SavingsPage {
    /// Title of the page, shown above the body.
    pub fn title(&self) -> &'static str {
        self.list.spec().page.title
    }
}
