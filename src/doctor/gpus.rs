//! GPU telemetry: what each source that is named answers, and which ones within reach are not named.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use jiff::Timestamp;

use super::Check;
use crate::domain::{ErrorKind, GpuSignal, SourceError, Sweep};
use crate::source::{Ask, GpuHost, GpuSource};

/// How long a source may take to be read once.
const LIMIT: Duration = Duration::from_secs(15);

/// A GPU source found at its usual address, and the configuration lines that add it.
pub struct Nearby {
    /// The source.
    pub source: Arc<dyn GpuSource>,
    /// Description of the source: `a Prometheus at http://127.0.0.1:9090`.
    pub what: String,
    /// Lines for the configuration; empty where none are needed.
    pub lines: String,
}

/// Reads each source once. `named` = sources of the configuration; `nearby` = sources at their usual addresses,
/// of which only those that report GPUs appear.
pub async fn examine(
    named: &[Arc<dyn GpuSource>],
    nearby: Vec<Nearby>,
    hosts: Arc<[GpuHost]>,
    now: Timestamp,
) -> Vec<Check> {
    let ask = Ask { with_recent: false, ..Ask::all(now, hosts) };
    let told = join_all(named.iter().map(|source| read(&**source, &ask)));
    let found = join_all(nearby.iter().map(|near| read(&*near.source, &ask)));
    let (told, found) = tokio::join!(told, found);
    let mut checks: Vec<Check> =
        named.iter().zip(&told).map(|(source, answer)| of_named(&**source, answer)).collect();
    let found = nearby.iter().zip(&found).filter_map(|(near, answer)| of_nearby(near, answer));
    checks.extend(found);
    if checks.is_empty() {
        checks.push(Check::skip(
            "gpus",
            "no source of GPU telemetry is named, and none answers at its usual place on this \
             host; docs/gpus.md tells how to name one",
        ));
    }
    checks
}

/// Failed check for a configured source that cannot be created; `why` = the reason.
pub fn unusable(why: &str) -> Check {
    Check::fail("gpus", why, "mend the section; docs/config.md has every key")
}

async fn read(source: &dyn GpuSource, ask: &Ask) -> Result<Sweep, SourceError> {
    tokio::time::timeout(LIMIT, source.sweep(ask)).await.unwrap_or_else(|_| {
        Err(SourceError::new(
            ErrorKind::Timeout,
            source.source().word(),
            &format!("no answer within {} s", LIMIT.as_secs()),
            "see whether a firewall stands between this machine and it",
        ))
    })
}

fn of_named(source: &dyn GpuSource, answer: &Result<Sweep, SourceError>) -> Check {
    let id = format!("gpus/{}", source.origin());
    let word = source.source().word();
    let sweep = match answer {
        Ok(sweep) => sweep,
        Err(error) => {
            let text = format!("{word}: {}: {error}", error.kind.word());
            return Check::fail(&id, text, error.advice().to_owned());
        }
    };
    let text = format!("{word}: {}", words(sweep));
    if sweep.samples.is_empty() && sweep.troubles.is_empty() {
        let fix = "see whether the exporter runs on the GPU hosts, and whether its metrics have \
                   names of their own (`gpus.aliases`)";
        return Check::warn(&id, format!("{text}: it answers, and knows no GPU"), fix);
    }
    match sweep.troubles.first() {
        Some(first) => {
            let left = sweep.asked.saturating_sub(sweep.answered);
            let of = match left {
                0 => format!("{}: {}", first.host, first.error),
                left => {
                    let asked = sweep.asked;
                    format!("{left} of {asked} did not answer, the first: {}", first.error)
                }
            };
            let text = format!("{text}; {of}");
            Check::warn(&id, text, first.error.advice().to_owned())
        }
        None => Check::ok(&id, text),
    }
}

fn of_nearby(near: &Nearby, answer: &Result<Sweep, SourceError>) -> Option<Check> {
    let sweep = answer.as_ref().ok().filter(|sweep| !sweep.samples.is_empty())?;
    let text = format!("{}: {}", near.what, words(sweep));
    Some(if near.lines.is_empty() {
        Check::ok("gpus/here", text)
    } else {
        let fix = format!("to use it, add to the configuration:\n{}", near.lines);
        Check::warn("gpus/found", format!("{text}; it is not in the configuration"), fix)
    })
}

/// How many GPUs and hosts, and the best evidence among their signals.
fn words(sweep: &Sweep) -> String {
    let hosts: BTreeSet<&str> = sweep.samples.iter().map(|s| s.identity.host.shown()).collect();
    let has = |signal| sweep.samples.iter().any(|s| s.signals.get(signal).is_some());
    let mut text = format!("{} GPUs on {} hosts", sweep.samples.len(), hosts.len());
    let evidence = [
        (GpuSignal::SmActive, "SM active"),
        (GpuSignal::NeuronCore, "NeuronCore utilisation"),
        (GpuSignal::GrEngine, "graphics engine active"),
        (GpuSignal::Util, "utilisation"),
    ];
    match evidence.into_iter().find(|(signal, _)| has(*signal)) {
        Some((_, best)) => {
            let _ = write!(text, ", best evidence: {best}");
        }
        None if !sweep.samples.is_empty() => text.push_str(", without any measure of activity"),
        None => {}
    }
    let owners = sweep.samples.iter().any(|s| s.names_owners);
    if !sweep.samples.is_empty() {
        text.push_str(if owners { ", owners named" } else { ", no owners named" });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::Status;
    use super::*;
    use crate::domain::{GpuIdentity, GpuSample, GpuSignals, HostTrouble, SourceId};

    struct Fixed {
        origin: Arc<str>,
        answer: Result<Sweep, SourceError>,
    }

    #[async_trait::async_trait]
    impl GpuSource for Fixed {
        fn source(&self) -> SourceId {
            SourceId::Exporter
        }

        fn origin(&self) -> &Arc<str> {
            &self.origin
        }

        fn every(&self) -> Duration {
            Duration::from_secs(30)
        }

        async fn sweep(&self, _: &Ask) -> Result<Sweep, SourceError> {
            self.answer.clone()
        }
    }

    fn sample(signal: GpuSignal) -> GpuSample {
        let mut signals = GpuSignals::default();
        signals.set(signal, 0.5);
        GpuSample::new(Arc::new(GpuIdentity::default()), Timestamp::UNIX_EPOCH, signals)
    }

    fn source(samples: Vec<GpuSample>, troubles: Vec<HostTrouble>) -> Arc<dyn GpuSource> {
        let asked = 1 + troubles.len() as u32;
        Arc::new(Fixed {
            origin: "nodes".into(),
            answer: Ok(Sweep {
                source: SourceId::Exporter,
                origin: "nodes".into(),
                taken_at: Timestamp::UNIX_EPOCH,
                samples,
                asked,
                answered: 1,
                troubles,
                partial: false,
            }),
        })
    }

    async fn one(source: Arc<dyn GpuSource>) -> Check {
        examine(&[source], Vec::new(), Arc::default(), Timestamp::UNIX_EPOCH).await.remove(0)
    }

    #[tokio::test]
    async fn a_source_is_as_well_as_its_answer() {
        let well = one(source(vec![sample(GpuSignal::SmActive)], vec![])).await;
        assert_eq!(well.status, Status::Ok);
        assert!(well.message.contains("1 GPUs on 1 hosts, best evidence: SM active"));
        assert_eq!(one(source(vec![], vec![])).await.status, Status::Warn);
        let error = SourceError::new(ErrorKind::Network, "dcgm:scrape", "refused", "start it");
        let trouble = HostTrouble { host: "node-2".into(), error: Arc::new(error.clone()) };
        let partly = one(source(vec![sample(GpuSignal::Util)], vec![trouble])).await;
        assert_eq!(partly.status, Status::Warn);
        assert_eq!(partly.fix.as_deref(), Some("start it"));
        let dead: Arc<dyn GpuSource> = Arc::new(Fixed { origin: "x".into(), answer: Err(error) });
        assert_eq!(one(dead).await.status, Status::Fail);
    }

    #[tokio::test]
    async fn what_is_nearby_is_told_with_its_lines_and_silence_is_not() {
        let near = |samples, lines: &str| Nearby {
            source: source(samples, vec![]),
            what: "an exporter at 127.0.0.1:9400".into(),
            lines: lines.into(),
        };
        let all = vec![
            near(vec![sample(GpuSignal::Power)], "[[gpus.exporters]]"),
            near(vec![], "[[gpus.exporters]]"),
            near(vec![sample(GpuSignal::Util)], ""),
        ];
        let checks = examine(&[], all, Arc::default(), Timestamp::UNIX_EPOCH).await;
        let ids: Vec<_> = checks.iter().map(|c| (c.id.as_str(), c.status)).collect();
        assert_eq!(ids, [("gpus/found", Status::Warn), ("gpus/here", Status::Ok)]);
        assert!(checks[0].fix.as_deref().unwrap().contains("[[gpus.exporters]]"));
        let none = examine(&[], vec![], Arc::default(), Timestamp::UNIX_EPOCH).await;
        assert_eq!(none[0].status, Status::Skip);
    }
}
