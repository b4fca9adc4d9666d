//! How a list is looked at, kept under a name.

/// Filter, sort and columns under a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedView {
    /// The name.
    pub name: String,
    /// Name of the list, see [`super::ListSpec::name`].
    pub list: String,
    /// Name of the way its rows are grouped; empty for a list without groups.
    pub group: String,
    /// Filter as typed; empty for none.
    pub filter: String,
    /// Name of the field sorted by; empty for the fleet's own order, worst first.
    pub sort: String,
    /// True when the largest comes first.
    pub descending: bool,
    /// Names of the columns; empty for the default ones.
    pub columns: Vec<String>,
}
