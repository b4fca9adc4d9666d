//! What fills the right side of the tab.

/// A chart or list on the right side of the tab.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlanChart {
    /// Load-duration curve with committed units.
    #[default]
    Curve,
    /// Quantiles of the demand by week.
    Fan,
    /// Cost by units bought.
    Cost,
    /// Cumulative cash of one unit, committed and on demand.
    Payback,
    /// Change of the cost by input: the tornado.
    Tornado,
    /// Offers to buy, to plan, to avoid.
    Lists,
    /// Purchases and expiries, by week.
    Calendar,
    /// Scenarios side by side.
    Compare,
}

impl PlanChart {
    /// All charts, in the order of the key that cycles through them.
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

    /// Name in commands.
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

    /// Title of the chart.
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

    /// The chart of this name, ignoring ASCII case; `None` for another word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|chart| chart.name().eq_ignore_ascii_case(name))
    }

    /// The chart `steps` further in the cycle.
    #[must_use]
    pub fn further(self, steps: usize) -> Self {
        Self::ALL[(self as usize + steps) % Self::ALL.len()]
    }

    /// The next or the one before, round and round.
    pub(super) fn turn(self, forward: bool) -> Self {
        self.further(if forward { 1 } else { Self::ALL.len() - 1 })
    }

    /// True for a table or list, false for a plot with a cursor.
    pub fn is_text(self) -> bool {
        !matches!(self, Self::Curve | Self::Fan | Self::Cost | Self::Payback)
    }
}
