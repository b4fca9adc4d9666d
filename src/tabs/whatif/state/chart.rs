//! What fills the right side of the tab.

/// The charts and lists of the tab.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlanChart {
    /// The load-duration curve with what is committed.
    #[default]
    Curve,
    /// Demand by week over all futures.
    Fan,
    /// Cost against units bought.
    Cost,
    /// Cumulative cash of one unit.
    Payback,
    /// What each input does to the cost.
    Tornado,
    /// Buy, plan, do not buy.
    Lists,
    /// What begins and ends when.
    Calendar,
    /// Scenarios side by side.
    Compare,
}

impl PlanChart {
    /// All, in the order in which a key goes through them.
    pub const ALL: [Self; 8] = [
        Self::Curve,
        Self::Fan,
        Self::Cost,
        Self::Payback,
        Self::Tornado,
        Self::Lists,
        Self::Calendar,
        Self::Compare,
    ];

    /// Its name, in commands.
    pub fn name(self) -> &'static str {
        match self {
            Self::Curve => "curve",
            Self::Fan => "fan",
            Self::Cost => "cost",
            Self::Payback => "payback",
            Self::Tornado => "tornado",
            Self::Lists => "lists",
            Self::Calendar => "calendar",
            Self::Compare => "compare",
        }
    }

    /// Its title.
    pub fn title(self) -> &'static str {
        match self {
            Self::Curve => "Load-duration curve",
            Self::Fan => "Demand by week",
            Self::Cost => "Cost against units bought",
            Self::Payback => "Payback of one unit",
            Self::Tornado => "What moves the cost",
            Self::Lists => "Buy, plan, do not buy",
            Self::Calendar => "Ladder",
            Self::Compare => "Scenarios side by side",
        }
    }

    /// The chart of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|chart| chart.name().eq_ignore_ascii_case(name))
    }

    /// The one `steps` further on, round and round.
    #[must_use]
    pub fn further(self, steps: usize) -> Self {
        Self::ALL[(self as usize + steps) % Self::ALL.len()]
    }

    /// The next or the one before, round and round.
    pub(super) fn turn(self, forward: bool) -> Self {
        self.further(if forward { 1 } else { Self::ALL.len() - 1 })
    }

    /// True where it is a table or a list, and not a plot with a cursor.
    pub fn is_text(self) -> bool {
        !matches!(self, Self::Curve | Self::Fan | Self::Cost | Self::Payback)
    }
}
