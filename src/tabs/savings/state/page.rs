//! The pages of the lists.

use std::sync::Arc;

use crate::tabs::savings::lists::SavingsList;

/// The page of a row of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavingsPage {
    /// Of which list.
    pub list: SavingsList,
    /// What the row is known by.
    pub id: Arc<str>,
}

impl SavingsPage {
    /// Its name, for the line above the body.
    pub fn title(&self) -> &'static str {
        self.list.spec().page.title
    }
}
