//! The head of sacct's text: which delimiter it has, and which columns.

/// Delimiters that are tried: that of the documented command first, then sacct's own.
const DELIMITERS: &[&str] = &["\u{1f}", "|#", "|", "\t", ";", ","];

/// Columns in which people write what they like.
const FREE: &[&str] = &[
    "JobName",
    "Comment",
    "AdminComment",
    "SystemComment",
    "SubmitLine",
    "WorkDir",
    "WCKey",
    "StdErr",
    "StdOut",
];

/// Columns of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Layout {
    /// What stands between fields.
    pub(super) delimiter: String,
    /// Names of the columns.
    pub(super) names: Vec<String>,
    /// True where a delimiter ends each line, as `--parsable` writes it.
    pub(super) is_ended: bool,
}

impl Layout {
    /// Layout of a head; `None` for what is none of sacct's.
    pub(in super::super) fn of(head: &str) -> Option<Self> {
        DELIMITERS.iter().find_map(|delimiter| {
            let mut names: Vec<String> =
                head.trim_end_matches(['\r', '\n']).split(delimiter).map(str::to_owned).collect();
            let is_ended = names.last().is_some_and(String::is_empty);
            if is_ended {
                names.pop();
            }
            let has = |name: &str| names.iter().any(|n| n == name);
            let fits = has("State") && (has("JobID") || has("JobIDRaw"));
            fits.then(|| Self { delimiter: (*delimiter).to_owned(), names, is_ended })
        })
    }

    /// Layout of rows that are made here, with these columns.
    pub(super) fn of_columns(names: &[&str]) -> Self {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        Self { delimiter: "\u{1f}".to_owned(), names, is_ended: false }
    }

    /// Place of a column; `None` where the text lacks it.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|n| n == name)
    }

    /// Places of the columns in which anything may stand.
    pub(super) fn free(&self) -> impl Iterator<Item = usize> {
        FREE.iter().filter_map(|name| self.place(name))
    }
}
