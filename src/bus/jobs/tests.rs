//! Sources of jobs that say what they are told to, over a store of their own.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::round::round;
use super::{JobsSettings, read_jobs};
use crate::cache::Jobs;
use crate::domain::bill::Usd;
use crate::domain::jobs::{
    Attempt, AttemptId, GpuHolder, Gpus, HyperPodNode, JobNode, JobSource, JobState, JobsName,
    NodeEvent, NodeEventKind,
};
use crate::domain::{ErrorKind, SourceError, SourceId, SourceState};
use crate::source::jobs::live::{EventsRead, Forgotten, JobWindow, JobsRead, LiveJobs, NodeEvents};

type Answer = Result<JobsRead, SourceError>;

/// A source that answers from a list, the last answer again and again, and notes what it was asked.
struct Scripted {
    name: JobsName,
    answers: Mutex<Vec<Answer>>,
    asked: Mutex<Vec<JobWindow>>,
}

impl Scripted {
    fn new(name: &str, answers: Vec<Answer>) -> Arc<Self> {
        let name = JobsName { kind: JobSource::Slurm, name: name.into() };
        Arc::new(Self { name, answers: Mutex::new(answers), asked: Mutex::default() })
    }

    fn asked(&self) -> Vec<JobWindow> {
        self.asked.lock().unwrap().clone()
    }
}

#[async_trait::async_trait]
impl LiveJobs for Scripted {
    fn name(&self) -> &JobsName {
        &self.name
    }

    async fn read(&self, window: &JobWindow) -> Answer {
        self.asked.lock().unwrap().push(*window);
        let mut answers = self.answers.lock().unwrap();
        if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() }
    }
}

fn at(time: &str) -> Timestamp {
    format!("2026-11-20T{time}:00Z").parse().unwrap()
}

fn attempt(cluster: &str, job: &str, state: JobState) -> Attempt {
    let id = AttemptId {
        source: JobSource::Slurm,
        cluster: cluster.into(),
        raw: job.into(),
        key: "1".into(),
    };
    let mut of = Attempt::new(id, job.into(), state, state.word().into());
    of.submitted_at = Some(at("08:00"));
    of.started_at = Some(at("08:30"));
    of.gpus = Some(Gpus::whole(8));
    of
}

fn read(attempts: Vec<Attempt>) -> Answer {
    Ok(JobsRead { attempts, ..JobsRead::default() })
}

fn denied() -> SourceError {
    SourceError::new(ErrorKind::Denied, "slurm:sacct", "no", "ask for rights")
}

const FIRST: SignedDuration = SignedDuration::from_hours(48);

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn store(&self) -> Jobs {
        Jobs::beside(&self.0.path().join("burntop.db"))
    }

    fn settings(&self, sources: &[&Arc<Scripted>]) -> JobsSettings {
        let sources = sources.iter().map(|s| (*s).clone() as Arc<dyn LiveJobs>).collect();
        let events = Vec::new();
        JobsSettings { sources, events, store: Some(self.store()), first: FIRST }
    }
}

#[tokio::test]
async fn a_reading_begins_where_the_last_one_ended_and_open_attempts_are_asked_for_again() {
    let (place, running) = (Place::new(), attempt("c", "1", JobState::Running));
    let ended = Attempt { state: JobState::Failed, ended_at: Some(at("10:30")), ..running.clone() };
    let source = Scripted::new("prod", vec![read(vec![running]), read(vec![ended])]);
    let store = place.store();
    for (now, state) in [("10:00", JobState::Running), ("11:00", JobState::Failed)] {
        let progress = round(&*source, &store, FIRST, at(now)).await.unwrap();
        assert!(!progress.is_behind && progress.coverage == 1.0);
        let kept = store.all().unwrap();
        assert_eq!((kept.attempts.len(), kept.attempts.view(0).state), (1, state));
    }
    let asked = source.asked();
    assert_eq!((asked[0].since, asked[0].open_since), (at("10:00") - FIRST, None));
    assert_eq!((asked[1].since, asked[1].open_since), (at("09:50"), Some(at("08:00"))));
    let reading = store.reading(source.name()).unwrap().unwrap();
    assert_eq!((reading.taken_at, reading.open_since), (at("11:00"), None));
}

#[tokio::test]
async fn what_is_tried_again_is_asked_for_by_its_first_submission() {
    let place = Place::new();
    // It was submitted at 03:00, and its second attempt was queued at 08:00.
    let again = attempt("c", "1", JobState::Running);
    let told =
        JobsRead { attempts: vec![again], open_since: Some(at("03:00")), ..JobsRead::default() };
    let source = Scripted::new("prod", vec![Ok(told), read(vec![])]);
    round(&*source, &place.store(), FIRST, at("10:00")).await.unwrap();
    round(&*source, &place.store(), FIRST, at("11:00")).await.unwrap();
    assert_eq!(source.asked()[1].open_since, Some(at("03:00")));
}

#[tokio::test]
async fn a_source_that_got_half_way_goes_on_from_there() {
    let place = Place::new();
    let half = JobsRead { complete_until: Some(at("09:00") - FIRST / 2), ..JobsRead::default() };
    let source = Scripted::new("prod", vec![Ok(half), read(vec![])]);
    let store = place.store();
    let first = round(&*source, &store, FIRST, at("09:00")).await.unwrap();
    assert!(first.is_behind && (first.coverage - 0.5).abs() < 0.01, "{first:?}");
    let second = round(&*source, &store, FIRST, at("09:00")).await.unwrap();
    assert!(!second.is_behind && second.coverage == 1.0);
    assert_eq!(source.asked()[1].since, at("08:50") - FIRST / 2);
}

#[tokio::test]
async fn what_was_complete_stays_so_and_a_reading_that_gets_nowhere_ends() {
    let place = Place::new();
    let nowhere = JobsRead {
        complete_until: Some(at("09:50")),
        refusal: Some(denied()),
        ..JobsRead::default()
    };
    let source = Scripted::new("prod", vec![read(vec![]), Ok(nowhere)]);
    let store = place.store();
    round(&*source, &store, FIRST, at("10:00")).await.unwrap();
    for now in ["11:00", "12:00"] {
        let stuck = round(&*source, &store, FIRST, at(now)).await.unwrap();
        assert!(!stuck.is_behind && stuck.coverage < 1.0, "{stuck:?}");
        let reading = store.reading(source.name()).unwrap().unwrap();
        assert_eq!(reading.complete_until, at("10:00"));
    }
    // Asked once, not until the time is up.
    let settings = place.settings(&[&source]);
    read_jobs(&settings, at("13:00"), Duration::from_secs(5)).await;
    assert_eq!(source.asked().len(), 4);
}

#[tokio::test]
async fn a_clock_that_was_set_back_asks_for_no_time_to_come() {
    let place = Place::new();
    let source = Scripted::new("prod", vec![read(vec![])]);
    round(&*source, &place.store(), FIRST, at("12:00")).await.unwrap();
    round(&*source, &place.store(), FIRST, at("09:00")).await.unwrap();
    let window = source.asked()[1];
    assert!(window.since < window.until && window.until == at("09:00"), "{window:?}");
}

#[tokio::test]
async fn one_that_fails_keeps_no_other_from_being_read() {
    let place = Place::new();
    let good = Scripted::new("good", vec![read(vec![attempt("c", "1", JobState::Failed)])]);
    let bad = Scripted::new("bad", vec![Err(denied())]);
    let settings = place.settings(&[&bad, &good]);
    let outcomes = read_jobs(&settings, at("10:00"), Duration::from_secs(5)).await;
    let states: Vec<_> = outcomes.iter().map(|o| o.reading.state.word()).collect();
    assert_eq!(states, ["denied", "live"]);
    assert_eq!(outcomes[0].reading.taken_at, None);
    assert_eq!(place.store().all().unwrap().attempts.len(), 1);
}

#[tokio::test]
async fn two_clusters_with_one_name_are_said() {
    let place = Place::new();
    let of = |name| Scripted::new(name, vec![read(vec![attempt("linux", name, JobState::Failed)])]);
    let (one, other) = (of("east"), of("west"));
    let settings = place.settings(&[&one, &other]);
    let outcomes = read_jobs(&settings, at("10:00"), Duration::from_secs(5)).await;
    let notes: Vec<_> = outcomes.iter().flat_map(|o| &o.notes).collect();
    assert!(notes.len() == 1 && notes[0].contains("called linux"), "{notes:?}");
    assert_eq!(place.store().all().unwrap().attempts.len(), 2, "nothing is lost by it");
}

#[tokio::test]
async fn what_a_forgetful_source_tells_no_more_is_closed_and_asked_for_no_more() {
    let running = Attempt { seen_until: Some(at("10:00")), ..attempt("c", "1", JobState::Running) };
    let elsewhere = attempt("d", "2", JobState::Running);
    let forgotten = Some(Forgotten { cluster: "c".into(), ..Forgotten::default() });
    let gone = JobsRead { forgotten, ..JobsRead::default() };
    let source = Scripted::new("prod", vec![read(vec![running, elsewhere]), Ok(gone)]);
    let place = Place::new();
    let store = place.store();
    for now in ["10:00", "11:00", "12:00"] {
        round(&*source, &store, FIRST, at(now)).await.unwrap();
    }
    let kept = store.all().unwrap();
    let of = |job: &str| kept.attempts.attempts().find(|of| &*of.job == job).unwrap();
    // From 08:30 to 10:00, when it was last seen, and not to now.
    assert_eq!((of("1").state, of("1").held_ms()), (JobState::Unknown, Some(5_400_000)));
    assert_eq!(of("2").state, JobState::Running, "a cluster that was not read");
    assert_eq!(source.asked()[2].open_since, None);
}

#[tokio::test]
async fn nodes_keep_their_instances_and_holders_are_those_of_the_last_reading() {
    let node = |instance: &str, now| JobNode {
        source: JobSource::Slurm,
        cluster: "c".into(),
        name: "q-dy-p5-1".into(),
        instance_id: Some(instance.into()),
        instance_type: Some("p5.48xlarge".into()),
        private_ip: None,
        region: None,
        gpus: Some(Gpus::whole(8)),
        seen_from: now,
        seen_until: now,
    };
    let holder = |now| GpuHolder {
        source: JobSource::Slurm,
        cluster: "c".into(),
        node: "q-dy-p5-1".into(),
        gpus: Some(Gpus::whole(4)),
        indexes: Some([0, 1, 2, 3].into()),
        raw: Some("7".into()),
        job: Some("7".into()),
        user: Some("alice".into()),
        at: now,
    };
    let told = |instance, now, holders| {
        Ok(JobsRead { nodes: vec![node(instance, now)], holders, ..JobsRead::default() })
    };
    let [one, two, three] = ["09:00", "10:00", "11:00"].map(at);
    let source = Scripted::new(
        "prod",
        vec![
            told("i-1", one, Some(vec![holder(one), holder(one)])),
            told("i-1", two, Some(vec![holder(two)])),
            told("i-2", three, None),
        ],
    );
    let place = Place::new();
    for now in [one, two, three] {
        round(&*source, &place.store(), FIRST, now).await.unwrap();
    }
    let kept = place.store().all().unwrap();
    let spans: Vec<_> = kept
        .nodes
        .iter()
        .map(|n| (n.instance_id.as_deref().unwrap(), n.seen_from, n.seen_until))
        .collect();
    assert_eq!(spans, [("i-1", one, two), ("i-2", three, three)]);
    assert_eq!(kept.holders, [holder(two)], "who could not be read is as before, with its age");
    let reading = place.store().reading(source.name()).unwrap().unwrap();
    assert_eq!((reading.first_at, reading.taken_at), (Some(one), three));
    // That nobody holds a GPU is another thing than not to know.
    let source = Scripted::new("prod", vec![told("i-2", three, Some(Vec::new()))]);
    round(&*source, &place.store(), FIRST, three).await.unwrap();
    let nobody = GpuHolder::nobody(JobSource::Slurm, "c".into(), three);
    assert_eq!(place.store().all().unwrap().holders, [nobody]);
}

#[tokio::test]
async fn instances_of_hyperpod_are_kept_with_what_was_known_and_are_no_nodes_of_a_scheduler() {
    let of = |id: &str, usd: Option<f64>, now| HyperPodNode {
        cluster: "123456789012:us-east-1/pod".into(),
        instance_id: id.into(),
        instance_type: "ml.p5.48xlarge".into(),
        region: "us-east-1".into(),
        private_dns: None,
        private_ip: Some("10.1.2.3".into()),
        is_spot: Some(false),
        usd_per_hour: usd.and_then(Usd::from_f64),
        seen_from: now,
        seen_until: now,
    };
    let told = |hyperpod| Ok(JobsRead { hyperpod, ..JobsRead::default() });
    let [one, two] = ["09:00", "10:00"].map(at);
    // The second reading does without prices, and another instance has the address.
    let later = vec![of("i-1", None, two), of("i-2", None, two)];
    let source = Scripted::new("ml", vec![told(vec![of("i-1", Some(98.32), one)]), told(later)]);
    let place = Place::new();
    for now in [one, two] {
        round(&*source, &place.store(), FIRST, now).await.unwrap();
    }
    let kept = place.store().all().unwrap();
    let first = HyperPodNode { seen_until: two, ..of("i-1", Some(98.32), one) };
    assert_eq!(kept.hyperpod, [first, of("i-2", None, two)]);
    assert_eq!((kept.nodes, place.store().held().unwrap().0), (Vec::new(), Vec::new()));
}

#[tokio::test]
async fn offline_nobody_is_asked_and_the_age_is_told() {
    let place = Place::new();
    let source = Scripted::new("prod", vec![read(vec![attempt("c", "1", JobState::Failed)])]);
    round(&*source, &place.store(), FIRST, at("09:00")).await.unwrap();
    let settings = place.settings(&[&source]);
    let readings = super::kept_readings(&settings);
    assert_eq!(readings.len(), 1);
    assert_eq!((readings[0].taken_at, readings[0].state.word()), (Some(at("09:00")), "cached"));
    assert_eq!(source.asked().len(), 1);
}

/// A source of events that answers from a list, and notes from when to when it was asked.
struct Told {
    answers: Mutex<Vec<Result<EventsRead, SourceError>>>,
    asked: Mutex<Vec<(Timestamp, Timestamp)>>,
}

#[async_trait::async_trait]
impl NodeEvents for Told {
    fn name(&self) -> (SourceId, Arc<str>) {
        (SourceId::Prometheus, "main".into())
    }

    async fn read(&self, from: Timestamp, to: Timestamp) -> Result<EventsRead, SourceError> {
        self.asked.lock().unwrap().push((from, to));
        self.answers.lock().unwrap().remove(0)
    }
}

#[tokio::test]
async fn what_tells_of_nodes_goes_on_where_it_ended_and_keeps_what_it_told_when_it_fails() {
    let place = Place::new();
    let event = |time: &str| NodeEvent {
        cluster: None,
        hosts: vec!["n1".into()],
        gpu: None,
        kind: NodeEventKind::Xid(79),
        at: at(time),
        words: None,
    };
    let half = EventsRead {
        events: vec![event("06:00")],
        complete_until: Some(at("07:00")),
        ..EventsRead::default()
    };
    let rest = EventsRead { events: vec![event("08:00")], ..EventsRead::default() };
    let answers = vec![Ok(half), Ok(rest), Err(denied())];
    let told = Arc::new(Told { answers: answers.into(), asked: Mutex::default() });
    let settings = JobsSettings { events: vec![told.clone()], ..place.settings(&[]) };
    assert!(!settings.is_empty());
    let limit = Duration::from_secs(20);
    let first = read_jobs(&settings, at("09:00"), limit).await.remove(0).reading;
    assert_eq!((first.coverage, first.taken_at), (1.0, Some(at("09:00"))));
    let failed = read_jobs(&settings, at("09:30"), limit).await.remove(0).reading;
    assert!(matches!(failed.state, SourceState::Failed(_)), "{failed:?}");
    assert_eq!(failed.taken_at, Some(at("09:00")), "when it was read last");
    let asked = told.asked.lock().unwrap().clone();
    let expected = [
        (at("09:00") - FIRST, at("09:00")),
        (at("06:50"), at("09:00")),
        (at("08:50"), at("09:30")),
    ];
    assert_eq!(asked, expected);
    assert_eq!(place.store().all().unwrap().events, [event("06:00"), event("08:00")]);
}
