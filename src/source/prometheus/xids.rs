//! XID errors of all GPUs over time, each when it showed first.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::Prometheus;
use crate::domain::gpu::without_port;
use crate::domain::jobs::{NodeEvent, NodeEventKind};
use crate::domain::{ErrorKind, GpuSignal, SourceError, SourceId};
use crate::source::jobs::live::{EventsRead, NodeEvents};
use crate::source::vocabulary::{IDENTITY_LABELS, read_labels};

/// Seconds between two looks at the last XID of each GPU.
const STEP_S: u32 = 60;

/// How long the last XID of a GPU stands for the one before, where its exporter was silent: one that fell off the bus often
/// takes its exporter along.
const SILENT: &str = "10m";

/// Seconds of one question, and of the shortest one, which are asked of a server that does not manage longer ones: of 5,000 GPUs
/// they are 600,000 samples.
const PIECE_S: (i64, i64) = (2 * 3_600, 900);

/// Time for one reading; the next one goes on.
const BUDGET: Duration = Duration::from_secs(12);

/// Events of one reading that are kept.
const EVENTS_AT_MOST: usize = 100_000;

#[async_trait::async_trait]
impl NodeEvents for Prometheus {
    fn name(&self) -> (SourceId, Arc<str>) {
        (SourceId::Prometheus, self.settings.name.clone())
    }

    async fn read(&self, from: Timestamp, to: Timestamp) -> Result<EventsRead, SourceError> {
        let names = self.settings.vocabulary.names_of(GpuSignal::Xid);
        let query = self.changes(&names);
        let mut read = EventsRead::default();
        let step = i64::from(STEP_S);
        let begin = from.as_second().div_euclid(step) * step;
        let (mut at, end) = (begin, to.as_second());
        let (mut length, shortest) = PIECE_S;
        let began = Instant::now();
        while at < end {
            if began.elapsed() >= BUDGET {
                read.complete_until = Timestamp::from_second(at).ok();
                break;
            }
            let until = end.min(at + length);
            match self.piece(&query, at, until).await {
                Ok(events) => {
                    read.events.extend(events);
                    at = until;
                }
                Err(error) if error.kind == ErrorKind::Refused && length > shortest => {
                    length = (length / 2).max(shortest);
                }
                Err(error) if at == begin => return Err(error),
                // What was read before stays, and the next reading goes on here.
                Err(error) => {
                    read.complete_until = Timestamp::from_second(at).ok();
                    read.refusal = Some(error);
                    break;
                }
            }
        }
        Ok(read)
    }
}

impl Prometheus {
    /// The query for the moments at which the last XID of a GPU becomes another one, by any of these metrics.
    fn changes(&self, names: &[&str]) -> String {
        // Labels of owners come and go with pods: by them a GPU would be another one after its pod ended.
        let by = IDENTITY_LABELS.join(",");
        let select = self.settings.matchers.select(names, &[]);
        // A series that ended counts only where there is no other: its labels change with the code.
        format!(
            "(max by ({by}) ({select}) != (max by ({by}) ({select} offset {STEP_S}s) or max by ({by}) \
             (last_over_time({select}[{SILENT}] offset {STEP_S}s)))) > 0"
        )
    }

    /// The XIDs between two moments, Unix s.
    async fn piece(&self, query: &str, from: i64, to: i64) -> Result<Vec<NodeEvent>, SourceError> {
        let body = self.api.range(query, from, to, STEP_S).await?;
        let mut events: Vec<NodeEvent> = Vec::new();
        let head = body.read(&mut |labels, points| {
            let labels = labels.iter().map(|(name, value)| (&**name, &**value));
            let facts = read_labels(labels, None);
            let node = facts.node.as_ref().map(|(_, name)| name.clone());
            let short =
                node.as_deref().and_then(|name| name.split_once('.')).map(|(of, _)| of.into());
            let address = facts.address.as_deref().map(|of| without_port(of).into());
            let mut hosts: Vec<Arc<str>> =
                [facts.instance_id.clone(), node, short, address].into_iter().flatten().collect();
            hosts.dedup();
            if hosts.is_empty() {
                return;
            }
            for (time, value) in points {
                let is_code = *value > 0.0 && *value <= f64::from(u16::MAX) && value.fract() == 0.0;
                let at = Timestamp::from_second(*time as i64).ok().filter(|_| is_code);
                let Some(at) = at.filter(|_| events.len() < EVENTS_AT_MOST) else { continue };
                events.push(NodeEvent {
                    cluster: None,
                    hosts: hosts.clone(),
                    gpu: facts.index,
                    kind: NodeEventKind::Xid(*value as u16),
                    at,
                    words: None,
                });
            }
        })?;
        self.is_whole(&head)?;
        if events.len() >= EVENTS_AT_MOST {
            let message =
                format!("{}: more than {EVENTS_AT_MOST} XIDs at once", self.settings.name);
            let fix = "see whether the metric of XIDs is one: its value is the last code";
            return Err(SourceError::new(
                ErrorKind::Refused,
                "prometheus:query_range",
                &message,
                fix,
            ));
        }
        Ok(events)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Settings;
    use super::*;
    use crate::source::server::{Reply, Request, Server};

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    async fn read(
        to: i64,
        answer: fn(usize) -> Reply,
    ) -> (Result<EventsRead, SourceError>, Vec<String>) {
        let asked: Arc<std::sync::Mutex<Vec<String>>> = Arc::default();
        let seen_by = asked.clone();
        let server = Server::start(move |_, seen: &Request| {
            let field = |name: &str| seen.field(name).unwrap_or_default();
            let words = [field("start"), field("end"), field("step"), field("query")];
            let mut asked = seen_by.lock().unwrap();
            asked.push(words.join(" "));
            answer(asked.len())
        });
        let settings = Settings { proxy: false, ..Settings::new("prod", &server.url) };
        let source = Prometheus::new(settings).unwrap();
        let read = NodeEvents::read(&source, at(1_795_000_030), at(to)).await;
        let asked = asked.lock().unwrap().clone();
        (read, asked)
    }

    const EMPTY: &str = r#"{"status":"success","data":{"resultType":"matrix","result":[]}}"#;

    #[tokio::test]
    async fn each_change_of_the_last_xid_of_a_gpu_is_an_event() {
        let (found, asked) = read(1_795_004_000, |_| {
            Reply::json(
                r#"{"status":"success","data":{"resultType":"matrix","result":[
            {"metric":{"gpu":"3","UUID":"GPU-1","Hostname":"n1.cluster.local","instance":"10.0.0.7:9400"},
             "values":[[1795000140,"79"],[1795003600,"48"],[1795003660,"NaN"],[1795003720,"70000"],
                       [1795003780,"-1"],[1795003840,"1.5"]]},
            {"metric":{"gpu":"0","UUID":"GPU-2"},"values":[[1795000140,"79"]]}]}}"#,
            )
        })
        .await;
        let found = found.unwrap();
        let hosts: Vec<Arc<str>> =
            ["n1.cluster.local", "n1", "10.0.0.7"].into_iter().map(Arc::from).collect();
        let event = |code, second| NodeEvent {
            cluster: None,
            hosts: hosts.clone(),
            gpu: Some(3),
            kind: NodeEventKind::Xid(code),
            at: at(second),
            words: None,
        };
        // One without a host is nobody's.
        assert_eq!(found.events, [event(79, 1_795_000_140), event(48, 1_795_003_600)]);
        assert_eq!(found.complete_until, None);
        let [asked] = &asked[..] else { panic!("{asked:?}") };
        // From the full minute on, so that a moment that is read twice is the same event.
        assert!(asked.starts_with("1795000020 1795004000 60 (max by (UUID,"), "{asked}");
        assert!(asked.contains("DCGM_FI_DEV_XID_ERRORS"), "{asked}");
        assert!(asked.ends_with("[10m] offset 60s)))) > 0") && !asked.contains("pod"), "{asked}");
    }

    #[tokio::test]
    async fn long_times_are_asked_for_in_pieces() {
        let (found, asked) = read(1_795_000_020 + 5 * 3_600, |_| Reply::json(EMPTY)).await;
        assert_eq!((found.unwrap(), asked.len()), (EventsRead::default(), 3));
        assert!(asked[1].starts_with("1795007220 1795014420 "), "{asked:?}");
    }

    #[tokio::test]
    async fn a_piece_that_is_too_much_is_asked_in_halves_and_one_that_fails_is_where_the_next_reading_begins()
     {
        fn refused() -> Reply {
            Reply::json(r#"{"status":"error","errorType":"execution","error":"too many samples"}"#)
        }
        let (found, asked) = read(1_795_000_020 + 7_200, |nth| match nth {
            1 => refused(),
            _ => Reply::json(EMPTY),
        })
        .await;
        assert_eq!((found.unwrap(), asked.len()), (EventsRead::default(), 3));
        assert!(asked[1].starts_with("1795000020 1795003620 "), "{asked:?}");
        let partial = |nth| match nth {
            1 => Reply::json(EMPTY),
            _ => Reply::json(
                r#"{"status":"success","warnings":["a store is away"],"data":{"resultType":"matrix","result":[]}}"#,
            ),
        };
        let (found, _) = read(1_795_000_020 + 5 * 3_600, partial).await;
        let found = found.unwrap();
        assert_eq!(found.complete_until, Some(at(1_795_007_220)));
        assert!(found.refusal.is_some_and(|error| error.message.contains("a store is away")));
        let (found, _) = read(1_795_004_000, |_| refused()).await;
        assert!(found.is_err());
    }
}
