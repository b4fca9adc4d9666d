//! XID errors of all GPUs over time, each when it showed first.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::Prometheus;
use crate::domain::gpu::without_port;
use crate::domain::jobs::{NodeEvent, NodeEventKind};
use crate::domain::{GpuSignal, SourceError, SourceId};
use crate::source::jobs::live::{EventsRead, NodeEvents};
use crate::source::vocabulary::{IDENTITY_LABELS, read_labels};

/// Seconds between two looks at the last XID of each GPU.
const STEP_S: u32 = 60;

/// How long the last XID of a GPU stands for the one before, where its exporter was silent: one that fell off the bus often
/// takes its exporter along.
const SILENT: &str = "10m";

/// Seconds of one question: 5,000 GPUs are four million samples.
const PIECE_S: i64 = 6 * 3_600;

/// Time for one reading; the next one goes on.
const BUDGET: Duration = Duration::from_secs(20);

/// Events of one reading that are kept.
const EVENTS_AT_MOST: usize = 100_000;

#[async_trait::async_trait]
impl NodeEvents for Prometheus {
    fn name(&self) -> (SourceId, Arc<str>) {
        (SourceId::Prometheus, self.settings.name.clone())
    }

    async fn read(&self, from: Timestamp, to: Timestamp) -> Result<EventsRead, SourceError> {
        let names = {
            let mut state = self.state.lock().await;
            self.names(&mut state, to).await?
        };
        let wanted: Vec<&str> =
            names.of(GpuSignal::Xid).into_iter().map(|(name, _)| name).collect();
        let mut read = EventsRead::default();
        let step = i64::from(STEP_S);
        let (mut at, end) = (from.as_second().div_euclid(step) * step, to.as_second());
        let began = Instant::now();
        while at < end && !wanted.is_empty() {
            if began.elapsed() >= BUDGET || read.events.len() >= EVENTS_AT_MOST {
                read.complete_until = Timestamp::from_second(at).ok();
                break;
            }
            let until = end.min(at + PIECE_S);
            for name in &wanted {
                self.changes(name, at, until, &mut read.events).await?;
            }
            at = until;
        }
        read.events.truncate(EVENTS_AT_MOST);
        Ok(read)
    }
}

impl Prometheus {
    /// Adds the moments at which the last XID of a GPU became another one, by one metric.
    async fn changes(
        &self,
        name: &str,
        from: i64,
        to: i64,
        events: &mut Vec<NodeEvent>,
    ) -> Result<(), SourceError> {
        // Labels of owners come and go with pods: by them a GPU would be another one after its pod ended.
        let by = IDENTITY_LABELS.join(",");
        let select = self.settings.matchers.select(&[name], &[]);
        let text = format!(
            "(max by ({by}) ({select}) != max by ({by}) (last_over_time({select}[{SILENT}] offset \
             {STEP_S}s))) > 0"
        );
        let body = self.api.range(&text, from, to, STEP_S).await?;
        body.read(&mut |labels, points| {
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
        Ok(())
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

    async fn read(answer: &'static str, names: &'static str, to: i64) -> (EventsRead, Vec<String>) {
        let asked: Arc<std::sync::Mutex<Vec<String>>> = Arc::default();
        let seen_by = asked.clone();
        let server = Server::start(move |_, seen: &Request| {
            if seen.path.contains("/label/__name__/values") {
                return Reply::json(names);
            }
            let field = |name: &str| seen.field(name).unwrap_or_default();
            let words = [field("start"), field("end"), field("step"), field("query")];
            seen_by.lock().unwrap().push(words.join(" "));
            Reply::json(answer)
        });
        let settings = Settings { proxy: false, ..Settings::new("prod", &server.url) };
        let source = Prometheus::new(settings).unwrap();
        let read = NodeEvents::read(&source, at(1_795_000_030), at(to)).await.unwrap();
        let asked = asked.lock().unwrap().clone();
        (read, asked)
    }

    const NAMES: &str = r#"{"status":"success","data":["DCGM_FI_DEV_XID_ERRORS"]}"#;

    #[tokio::test]
    async fn each_change_of_the_last_xid_of_a_gpu_is_an_event() {
        let answer = r#"{"status":"success","data":{"resultType":"matrix","result":[
            {"metric":{"gpu":"3","UUID":"GPU-1","Hostname":"n1.cluster.local","instance":"10.0.0.7:9400"},
             "values":[[1795000140,"79"],[1795003600,"48"],[1795003660,"NaN"],[1795003720,"70000"],
                       [1795003780,"-1"],[1795003840,"1.5"]]},
            {"metric":{"gpu":"0","UUID":"GPU-2"},"values":[[1795000140,"79"]]}]}}"#;
        let (found, asked) = read(answer, NAMES, 1_795_004_000).await;
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
        assert!(
            asked.contains("last_over_time(DCGM_FI_DEV_XID_ERRORS[10m] offset 60s)"),
            "{asked}"
        );
        assert!(asked.ends_with("> 0") && !asked.contains("pod"), "{asked}");
    }

    #[tokio::test]
    async fn long_times_are_asked_for_in_pieces_and_without_the_metric_nobody_is() {
        let empty = r#"{"status":"success","data":{"resultType":"matrix","result":[]}}"#;
        let (_, asked) = read(empty, NAMES, 1_795_000_020 + 15 * 3_600).await;
        assert_eq!(asked.len(), 3);
        assert!(asked[1].starts_with("1795021620 1795043220 "), "{asked:?}");
        let none = r#"{"status":"success","data":["DCGM_FI_DEV_GPU_UTIL"]}"#;
        let (found, asked) = read(empty, none, 1_795_004_000).await;
        assert_eq!((found, asked.len()), (EventsRead::default(), 0));
    }
}
