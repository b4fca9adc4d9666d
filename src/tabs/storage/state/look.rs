//! The lists of the tab.

/// Which list of storage is on screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StorageLook {
    /// Buckets and directories.
    #[default]
    Buckets,
    /// Prefix by prefix.
    Explorer,
    /// What is wrong.
    Findings,
    /// Volumes and snapshots.
    Blocks,
    /// Training runs.
    Runs,
    /// Copies.
    Copies,
}

impl StorageLook {
    /// All, in the order in which a key goes through them.
    pub const ALL: [Self; 6] =
        [Self::Buckets, Self::Explorer, Self::Findings, Self::Blocks, Self::Runs, Self::Copies];

    /// Its name, in commands and exports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Buckets => "buckets",
            Self::Explorer => "explore",
            Self::Findings => "findings",
            Self::Blocks => "ebs",
            Self::Runs => "runs",
            Self::Copies => "copies",
        }
    }

    /// Its title.
    pub fn title(self) -> &'static str {
        match self {
            Self::Buckets => "Buckets",
            Self::Explorer => "Explorer",
            Self::Findings => "Findings",
            Self::Blocks => "EBS",
            Self::Runs => "Runs",
            Self::Copies => "Copies",
        }
    }

    /// The list of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|look| look.name().eq_ignore_ascii_case(name))
    }

    /// The next or the one before, round and round.
    pub(super) fn turn(self, forward: bool) -> Self {
        let step = if forward { 1 } else { Self::ALL.len() - 1 };
        Self::ALL[(self as usize + step) % Self::ALL.len()]
    }
}
