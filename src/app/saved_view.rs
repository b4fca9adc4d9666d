//! How a list is looked at, kept under a name.

/// Filter, order and columns of a list, saved under a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedView {
    /// Name of the view.
    pub name: String,
    /// Name of the list, see [`super::ListSpec::name`].
    pub list: String,
    /// Name of its grouping, see [`super::GroupingSpec`]; empty for a list without groups.
    pub group: String,
    /// Filter as typed; empty without one.
    pub filter: String,
    /// Name of the field to sort by; empty for the rows' own order, worst first.
    pub sort: String,
    /// True = largest first.
    pub descending: bool,
    /// Names of the columns; empty for the default ones.
    pub columns: Vec<String>,
}
