//! The lists behind the overview.

/// What the first tab shows: the overview, or one of the lists of what could be saved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SavingsLook {
    /// The overview.
    #[default]
    Overview,
    /// Commitments held.
    Commitments,
    /// Instances that could be smaller.
    Proposals,
    /// Instances that could run on Spot.
    Spot,
    /// What idles and is no instance.
    Resources,
}

impl SavingsLook {
    /// All, in the order in which a key goes through them.
    pub const ALL: [Self; 5] =
        [Self::Overview, Self::Commitments, Self::Proposals, Self::Spot, Self::Resources];

    /// Its name, in commands and exports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Overview => "overview",
            Self::Commitments => "commitments",
            Self::Proposals => "rightsize",
            Self::Spot => "spot",
            Self::Resources => "resources",
        }
    }

    /// Its title.
    pub fn title(self) -> &'static str {
        match self {
            Self::Overview => "Overview",
            Self::Commitments => "Commitments",
            Self::Proposals => "Right-size",
            Self::Spot => "Spot",
            Self::Resources => "Idle resources",
        }
    }

    /// The place of its list among the lists; the first for the overview.
    pub(super) fn list(self) -> usize {
        (self as usize).saturating_sub(1)
    }

    /// The next or the one before, round and round.
    pub(super) fn turn(self, forward: bool) -> Self {
        let step = if forward { 1 } else { Self::ALL.len() - 1 };
        Self::ALL[(self as usize + step) % Self::ALL.len()]
    }
}
