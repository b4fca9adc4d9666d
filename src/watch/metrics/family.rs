//! A family of metrics.

/// Type of a family, as its `# TYPE` line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Goes up and down.
    Gauge,
    /// Only grows, until the process starts anew.
    Counter,
}

impl Kind {
    /// Its word in the text format.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Gauge => "gauge",
            Self::Counter => "counter",
        }
    }
}

/// How several values of one series become one, where values of a label are put together as `other`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// They are added.
    Sum,
    /// The greatest stays.
    Greatest,
    /// The least stays.
    Least,
}

impl Fold {
    /// Both in one.
    pub(super) fn of(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Sum => a + b,
            Self::Greatest => a.max(b),
            Self::Least => a.min(b),
        }
    }
}

/// A family of metrics.
#[derive(Debug)]
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// How values of one series are put together.
    pub fold: Fold,
    /// Names of its labels, in the order written.
    pub labels: &'static [&'static str],
    /// Unit of its values.
    pub unit: &'static str,
    /// What it is, one line without a line break.
    pub help: &'static str,
}
