//! How the sources are doing, folded over accounts and regions for the header, and how fresh the
//! figures of each scope are.

use jiff::{SignedDuration, Timestamp};

use super::age::Age;
use crate::domain::{ErrorKind, Reading, Scope, SourceId, SourceSet, SourceState};
use crate::view::{Origin, format};

/// Interval at which each source is read, in seconds. Figures older than twice the interval are stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intervals {
    /// Instances (EC2).
    pub ec2: u32,
    /// Metrics (CloudWatch).
    pub cloudwatch: u32,
    /// List prices and instance types.
    pub catalogue: u32,
    /// Spot prices.
    pub spot: u32,
    /// Identity and regions.
    pub identity: u32,
    /// GPU telemetry of Prometheus, exporters, NVML and ssh.
    pub gpus: u32,
    /// GPU telemetry of CloudWatch.
    pub cloudwatch_gpus: u32,
    /// Configuration of buckets (S3).
    pub s3: u32,
    /// Volumes and snapshots (EBS).
    pub ebs: u32,
    /// Commitments.
    pub commitments: u32,
    /// Spot price history and offers of zones.
    pub market: u32,
    /// Resources other than instances.
    pub resources: u32,
    /// Jobs: reports read them.
    pub jobs: u32,
}

impl Default for Intervals {
    /// Inventory each minute, metrics each hour (they are hourly), spot prices and identity
    /// hourly, prices and types weekly, GPUs every 30 seconds, from CloudWatch every five minutes,
    /// how buckets are set up every six hours, volumes and resources every fifteen minutes,
    /// commitments each hour, Spot prices over time every six hours, jobs every five minutes at the latest.
    fn default() -> Self {
        Self {
            ec2: 60,
            cloudwatch: 3600,
            catalogue: 7 * 86_400,
            spot: 3600,
            identity: 3600,
            gpus: 30,
            cloudwatch_gpus: 300,
            s3: 6 * 3600,
            ebs: 900,
            commitments: 3600,
            market: 6 * 3600,
            resources: 900,
            jobs: 300,
        }
    }
}

impl Intervals {
    /// Interval of a source.
    pub fn of(&self, source: SourceId) -> SignedDuration {
        let seconds = match source {
            SourceId::Ec2 => self.ec2,
            SourceId::CloudWatch => self.cloudwatch,
            SourceId::Prices | SourceId::Types => self.catalogue,
            SourceId::Spot => self.spot,
            SourceId::Identity => self.identity,
            SourceId::CloudWatchGpu => self.cloudwatch_gpus,
            SourceId::Prometheus | SourceId::Exporter | SourceId::Nvml | SourceId::Ssh => self.gpus,
            SourceId::S3 => self.s3,
            SourceId::Ebs => self.ebs,
            SourceId::Commitments => self.commitments,
            SourceId::SpotHistory | SourceId::Offerings => self.market,
            SourceId::Resources => self.resources,
            SourceId::Slurm
            | SourceId::SageMaker
            | SourceId::MlFlow
            | SourceId::Ray
            | SourceId::Kubernetes
            | SourceId::Batch => self.jobs,
        };
        SignedDuration::from_secs(i64::from(seconds))
    }

    /// Time from which on a reading taken at `taken_at` is stale.
    pub fn stale_from(&self, source: SourceId, taken_at: Timestamp) -> Timestamp {
        taken_at.saturating_add(self.of(source) * 2).unwrap_or(Timestamp::MAX)
    }
}

/// State of one source over all scopes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SourceStatus {
    /// The source.
    pub source: SourceId,
    /// Number of scopes it reads.
    pub scopes: u32,
    /// Number of scopes whose last request failed.
    pub failed: u32,
    /// Worst kind of failure; `None` where none failed.
    pub trouble: Option<ErrorKind>,
    /// Time of the oldest last good reading; `None` where a scope never had one.
    pub oldest: Option<Timestamp>,
    /// True when `oldest` is stale.
    pub stale: bool,
    /// True while some scope awaits its first answer.
    pub loading: bool,
}

impl SourceStatus {
    /// Age of the oldest last good reading; `None` where a scope never had one.
    pub fn age(&self, now: Timestamp) -> Option<Age> {
        self.oldest.map(|then| Age::between(then, now))
    }

    /// True for a source that the header always shows, since burn and waste depend on it. A source of GPU
    /// telemetry has readings only where it is configured.
    pub fn is_essential(&self) -> bool {
        matches!(
            self.source,
            SourceId::Ec2
                | SourceId::CloudWatch
                | SourceId::Prices
                | SourceId::Prometheus
                | SourceId::Exporter
                | SourceId::Nvml
                | SourceId::CloudWatchGpu
                | SourceId::Ssh
        )
    }
}

/// How much of the fleet has been read at all. A scope is a region of an account, or an account
/// whose regions are not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Number of scopes to read, as far as known.
    pub scopes: u32,
    /// Scopes that await their first answer.
    pub waiting: u32,
    /// Scopes that failed and never answered; no sum includes them.
    pub unread: u32,
    /// Accounts in `unread` whose regions are not known.
    pub accounts: u32,
}

impl Progress {
    /// True when no scope has ever answered.
    pub fn is_nothing(&self) -> bool {
        self.scopes == self.waiting + self.unread
    }

    /// What could not be read: `1 account`, `2 of 8 regions`, `1 account and 2 of 8 regions`.
    pub fn unread_words(&self) -> String {
        let regions = self.unread - self.accounts;
        let all = self.scopes - self.accounts;
        let accounts = format::plural(self.accounts as usize, "account");
        match (self.accounts, regions) {
            (0, 0) => String::new(),
            (_, 0) => accounts,
            (0, _) => format!("{regions} of {all} regions"),
            _ => format!("{accounts} and {regions} of {all} regions"),
        }
    }

    fn add(&mut self, reading: &Reading) {
        let answered = reading.taken_at.is_some();
        // An account that answered stands for nothing more: its regions are scopes themselves.
        if reading.source == SourceId::Identity && answered {
            return;
        }
        self.scopes += 1;
        match reading.state {
            _ if answered => {}
            SourceState::Failed(_) => {
                self.unread += 1;
                self.accounts += u32::from(reading.source == SourceId::Identity);
            }
            _ => self.waiting += 1,
        }
    }
}

/// State of all sources at one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sources {
    /// Sources with readings, in the order of [`SourceId::ALL`].
    pub by_source: Vec<SourceStatus>,
    /// How much of the fleet has been read.
    pub progress: Progress,
    /// Scopes with something stale; account-wide sources are under the region `-`.
    stale: Vec<(Scope, SourceSet)>,
    /// When any of this looks different, if nothing new arrives.
    pub changes_at: Option<Timestamp>,
}

impl Sources {
    /// Summarises `readings` at `now`.
    pub fn fold(readings: &[Reading], intervals: &Intervals, now: Timestamp) -> Self {
        let mut sources = Self::default();
        for source in SourceId::ALL {
            let mut status = SourceStatus {
                source,
                scopes: 0,
                failed: 0,
                trouble: None,
                oldest: None,
                stale: false,
                loading: false,
            };
            let mut missing = false;
            for reading in readings.iter().filter(|r| r.source == source) {
                status.scopes += 1;
                if matches!(source, SourceId::Ec2 | SourceId::Identity) {
                    sources.progress.add(reading);
                }
                if let SourceState::Failed(error) = &reading.state {
                    status.failed += 1;
                    status.trouble = match status.trouble {
                        Some(kind) if severity(kind) >= severity(error.kind) => Some(kind),
                        _ => Some(error.kind),
                    };
                }
                let Some(taken_at) = reading.taken_at else {
                    missing = true;
                    status.loading |= !matches!(reading.state, SourceState::Failed(_));
                    continue;
                };
                status.oldest = Some(status.oldest.map_or(taken_at, |t| t.min(taken_at)));
                let stale_from = intervals.stale_from(source, taken_at);
                if now >= stale_from {
                    sources.add_stale(&reading.scope, source);
                    status.stale = true;
                } else {
                    sources.wake(stale_from);
                }
            }
            if missing && status.failed == 0 {
                status.oldest = None;
            }
            if let Some(then) = status.oldest {
                sources.wake(Age::between(then, now).changes_at(then));
            }
            if status.scopes > 0 {
                sources.by_source.push(status);
            }
        }
        sources
    }

    /// True while some scope of `source` awaits its first answer.
    pub fn is_loading(&self, source: SourceId) -> bool {
        self.by_source.iter().any(|s| s.source == source && s.loading)
    }

    fn add_stale(&mut self, scope: &Scope, source: SourceId) {
        match self.stale.iter_mut().find(|(s, _)| s == scope) {
            Some((_, stale)) => stale.add(source),
            None => self.stale.push((scope.clone(), SourceSet::of(&[source]))),
        }
    }

    fn wake(&mut self, at: Timestamp) {
        self.changes_at = Some(self.changes_at.map_or(at, |t| t.min(at)));
    }

    /// Sources that are out of date for a row of origin `from`, at `now`: of its scope, of its account, and of the row
    /// itself.
    pub fn behind(&self, from: &Origin<'_>, intervals: &Intervals, now: Timestamp) -> SourceSet {
        let mut all = SourceSet::default();
        for (of, stale) in &self.stale {
            let is_from = |scope: &Scope| {
                of.account == scope.account && (of.region == scope.region || of.is_account_wide())
            };
            if from.scope.as_deref().is_some_and(is_from) {
                all = all.and(*stale);
            }
        }
        for told in from.told {
            if now >= intervals.stale_from(told.source, told.taken_at) {
                all.add(told.source);
            }
        }
        all
    }
}

/// Orders failures by how little can be done without the user.
fn severity(kind: ErrorKind) -> u8 {
    match kind {
        ErrorKind::NoCredentials => 10,
        ErrorKind::Expired => 9,
        ErrorKind::Denied => 8,
        ErrorKind::ClockSkew => 7,
        ErrorKind::OwnCostCap => 6,
        ErrorKind::Unavailable | ErrorKind::Refused => 5,
        ErrorKind::Malformed => 4,
        ErrorKind::Network => 3,
        ErrorKind::Timeout => 2,
        ErrorKind::Throttled => 1,
        ErrorKind::Other => 0,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::SourceError;

    fn at(s: i64) -> Timestamp {
        Timestamp::from_second(1_768_440_000 + s).unwrap()
    }

    fn reading(
        source: SourceId,
        region: &str,
        taken: Option<i64>,
        fails: Option<ErrorKind>,
    ) -> Reading {
        let state = fails.map_or(SourceState::Live, |kind| {
            SourceState::Failed(Arc::new(SourceError::new(kind, "op", "no", "do")))
        });
        Reading {
            source,
            scope: Scope::new("1", region),
            taken_at: taken.map(at),
            coverage: 1.0,
            state,
        }
    }

    fn fold(readings: &[Reading], now: i64) -> Sources {
        Sources::fold(readings, &Intervals::default(), at(now))
    }

    /// True when a source is behind for what comes from a scope.
    fn is_behind(sources: &Sources, scope: [&str; 2], source: SourceId) -> bool {
        let scope = Scope::new(scope[0], scope[1]);
        let behind = sources.behind(&Origin::of(&scope), &Intervals::default(), at(0));
        behind.meets(SourceSet::of(&[source]))
    }

    #[test]
    fn the_worst_scope_wins_and_failures_are_counted() {
        let sources = fold(
            &[
                reading(SourceId::Ec2, "a", Some(0), None),
                reading(SourceId::Ec2, "b", Some(-50), Some(ErrorKind::Throttled)),
                reading(SourceId::Ec2, "c", None, Some(ErrorKind::Denied)),
            ],
            5,
        );
        let [ec2] = sources.by_source[..] else { panic!("{sources:?}") };
        assert_eq!((ec2.scopes, ec2.failed, ec2.trouble), (3, 2, Some(ErrorKind::Denied)));
        assert_eq!(ec2.oldest, Some(at(-50)));
        assert!(!ec2.stale);
    }

    #[test]
    fn stale_from_twice_the_interval_on_and_for_its_scope_alone() {
        let readings = [
            reading(SourceId::Ec2, "a", Some(0), None),
            reading(SourceId::Ec2, "b", Some(60), None),
        ];
        assert!(!is_behind(&fold(&readings, 119), ["1", "a"], SourceId::Ec2));
        let later = fold(&readings, 120);
        assert!(is_behind(&later, ["1", "a"], SourceId::Ec2));
        assert!(!is_behind(&later, ["1", "a"], SourceId::CloudWatch));
        assert!(!is_behind(&later, ["1", "b"], SourceId::Ec2));
        assert!(!is_behind(&later, ["2", "a"], SourceId::Ec2));
    }

    #[test]
    fn account_wide_sources_reach_all_regions_of_the_account() {
        let sources = fold(&[reading(SourceId::Prices, "-", Some(-2_000_000), None)], 0);
        assert!(is_behind(&sources, ["1", "x"], SourceId::Prices));
        assert!(!is_behind(&sources, ["2", "x"], SourceId::Prices));
    }

    #[test]
    fn the_next_change_is_known() {
        let readings = [reading(SourceId::Ec2, "a", Some(0), None)];
        assert_eq!(fold(&readings, 3).changes_at, Some(at(10)));
        assert_eq!(fold(&readings, 70).changes_at, Some(at(120)));
        assert_eq!(fold(&[], 0).changes_at, None);
    }

    #[test]
    fn what_was_never_read_is_counted() {
        let progress = |readings: &[Reading]| fold(readings, 5).progress;
        assert!(progress(&[]).is_nothing());
        assert!(progress(&[reading(SourceId::Identity, "-", Some(0), None)]).is_nothing());
        let some = progress(&[
            reading(SourceId::Identity, "-", Some(0), None),
            reading(SourceId::Identity, "-", None, Some(ErrorKind::Denied)),
            reading(SourceId::Ec2, "a", Some(0), Some(ErrorKind::Denied)),
            reading(SourceId::Ec2, "b", None, None),
            reading(SourceId::Ec2, "c", None, Some(ErrorKind::Timeout)),
            reading(SourceId::CloudWatch, "c", None, None),
        ]);
        assert_eq!(some, Progress { scopes: 4, waiting: 1, unread: 2, accounts: 1 });
        assert!(!some.is_nothing());
        // An account is no region.
        assert_eq!(some.unread_words(), "1 account and 1 of 3 regions");
        assert_eq!(Progress { accounts: 2, ..some }.unread_words(), "2 accounts");
        assert_eq!(Progress { accounts: 0, ..some }.unread_words(), "2 of 4 regions");
    }

    #[test]
    fn a_scope_that_never_answered_is_loading_not_new() {
        let sources = fold(
            &[reading(SourceId::Ec2, "a", Some(0), None), reading(SourceId::Ec2, "b", None, None)],
            5,
        );
        assert_eq!((sources.by_source[0].oldest, sources.by_source[0].loading), (None, true));
    }
}
