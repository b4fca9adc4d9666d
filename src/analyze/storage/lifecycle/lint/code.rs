//! The table of findings: every code, its number and how bad it is.

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Information.
    Info,
    /// The rule does nothing, or costs money.
    Warning,
    /// S3 refuses the rule, or it destroys data irrecoverably.
    Error,
}

impl Severity {
    /// Name in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $id:literal, $severity:ident;)+) => {
        /// Code of a finding. Numbers never change their meaning: `LC0xx` S3 refuses, `LC1xx` does nothing,
        /// costs money or destroys, `LC2xx` concerns several rules.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($(#[$doc])* $name,)+
        }

        impl Code {
            /// All codes, by number.
            #[cfg(test)]
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// Number of the code: `LC001`.
            pub fn id(self) -> &'static str {
                match self { $(Self::$name => $id,)+ }
            }

            /// Severity of the code.
            pub fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity,)+ }
            }
        }
    };
}

codes! {
    /// Standard-IA or One Zone-IA before day 30, current or noncurrent.
    IaTooEarly = "LC001", Error;
    /// A storage class that does not exist.
    UnknownClass = "LC002", Error;
    /// A step up the waterfall, or to a class that lifecycle cannot move to.
    Waterfall = "LC003", Error;
    /// GLACIER or `DEEP_ARCHIVE` within 30 days after an IA step of the same rule.
    ArchiveTooSoonAfterIa = "LC004", Error;
    /// Expiration on or before the day of a transition of the same rule.
    ExpirationBeforeTransition = "LC005", Error;
    /// Days and dates in one rule.
    DaysWithDate = "LC006", Error;
    /// A tag or size filter with an action that knows no tags.
    FilterWithAction = "LC007", Error;
    /// `ExpiredObjectDeleteMarker` with days or a date.
    MarkerWithDays = "LC008", Error;
    /// More than 1,000 rules.
    TooManyRules = "LC009", Error;
    /// Two rules with one id.
    DuplicateId = "LC010", Error;
    /// An id of more than 255 characters.
    IdTooLong = "LC011", Error;
    /// A rule without an action.
    EmptyRule = "LC012", Error;
    /// Days that are negative, zero where zero is not taken, or absurd.
    BadDays = "LC013", Error;
    /// `NewerNoncurrentVersions` outside 1–100, or without days, or without a filter.
    NewerVersions = "LC014", Error;
    /// A date that is not midnight UTC.
    NotMidnight = "LC015", Error;
    /// A date that is none.
    BadDate = "LC016", Error;
    /// Two steps on one day, into one class, or in the wrong order.
    StepOrder = "LC017", Error;
    /// Size bounds between which nothing lies, or that are absurd.
    BadSizes = "LC018", Error;
    /// A field that S3 does not know.
    UnknownField = "LC019", Error;
    /// A transition that does not say when, or where to.
    IncompleteAction = "LC020", Error;
    /// A prefix or tag that is longer than S3 takes.
    TooLong = "LC021", Error;

    /// A filter that matches no key: a leading slash, `s3://`, a wildcard.
    MatchesNothing = "LC101", Warning;
    /// Rules for noncurrent versions where there are none.
    NoncurrentUseless = "LC102", Warning;
    /// An IA class for what is read too often.
    IaReadTooOften = "LC103", Warning;
    /// Glacier Instant Retrieval for what is read too often.
    GirReadTooOften = "LC104", Warning;
    /// A move of objects so small that it costs more than it saves.
    SmallObjects = "LC105", Warning;
    /// Intelligent-Tiering for objects under 128 KiB, which it never moves.
    TooSmallForTiering = "LC106", Warning;
    /// A move that is not paid back before the objects expire.
    NeverPaysBack = "LC107", Warning;
    /// An expiration that deletes final weights and best checkpoints, for good.
    BlindExpiration = "LC108", Error;
    /// An expiration that cannot be undone on a bucket without versions.
    Irreversible = "LC109", Info;
    /// No rule that aborts incomplete uploads.
    NoAbortRule = "LC110", Info;
    /// What the minimum size does to small objects.
    MinimumSize = "LC111", Info;
    /// A rule that is switched off.
    Disabled = "LC112", Info;
    /// A part of the rule was taken from its name or written in a form of its own.
    Guessed = "LC113", Info;
    /// Objects leave a class before its minimum storage duration.
    EarlyDelete = "LC114", Warning;
    /// A filter by tag, which no list of objects can answer.
    TagNotKnown = "LC115", Info;
    /// Old versions of expired objects stay, and are billed.
    VersionsStay = "LC116", Warning;

    /// Two rules that want different things of the same objects.
    Overlap = "LC201", Warning;
    /// A rule that another one always comes before.
    Shadowed = "LC202", Warning;
    /// A minimum size that differs from the bucket's; the bucket's is kept.
    MinimumSizeKept = "LC203", Warning;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_unique_and_ascending() {
        let ids: Vec<&str> = Code::ALL.iter().map(|c| c.id()).collect();
        assert!(ids.windows(2).all(|w| w[0] < w[1]), "{ids:?}");
    }
}
