//! One host: what it said last, and how it is asked.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;
use tokio::time::Instant;

use super::call::{self, Call, LineReader};
use super::error;
use super::fields::Columns;
use super::rows::{APPS, Row, app_row, gpu_row};
use super::target::{Login, Place};
use crate::domain::{Backoff, GpuOwner, GpuProcess, GpuSample, SourceError};
use crate::source::jittered;

/// Between two lines about a GPU in a stream, milliseconds.
const BEAT_MS: u32 = 1_000;

/// A stream that says nothing for so long is ended.
const SILENCE: Duration = Duration::from_secs(20);

/// Between two looks at processes, of a host on screen closely and of any other: each is a
/// connection of its own.
const APPS_CLOSE: Duration = Duration::from_secs(10);
const APPS_FAR: Duration = Duration::from_mins(1);

/// The first wait before a failed host is asked again; doubled each time, with jitter.
const FIRST_WAIT: Duration = Duration::from_secs(2);

/// The longest.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// A GPU whose line is so much older than the newest of its host is not there any more.
const GONE: SignedDuration = SignedDuration::from_secs(10);

/// Lines kept that were no data: the tool's own complaints, which it prints among them.
const MAX_ODD: usize = 8;

/// Stands between the two answers of a short look.
const BETWEEN: &str = "---";

/// The most GPUs that a host is believed to have.
const MAX_GPUS: usize = 64;

/// The most processes kept of a host.
const MAX_PROCESSES: usize = 1_024;

/// Last answer of a host.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    /// The newest line of each GPU.
    rows: Vec<(Row, Timestamp)>,
    /// Processes by GPU; `None` until they were told.
    processes: Option<HashMap<Arc<str>, Vec<GpuProcess>>>,
    /// Error of the host; `None` while lines arrive.
    pub error: Option<SourceError>,
    /// True after the first answer or error.
    pub told: bool,
}

impl Said {
    fn put(&mut self, row: Row, at: Timestamp) {
        self.told = true;
        self.error = None;
        let id = (row.identity.uuid.clone(), row.identity.index);
        let same =
            self.rows.iter_mut().find(|(r, _)| (r.identity.uuid.clone(), r.identity.index) == id);
        match same {
            Some(slot) => {
                // The identity is shared by all samples of the GPU.
                let identity = slot.0.identity.clone();
                *slot = (row, at);
                if slot.0.identity == identity {
                    slot.0.identity = identity;
                }
            }
            None => self.rows.push((row, at)),
        }
        self.rows.retain(|(_, seen)| at.duration_since(*seen) < GONE);
        self.rows.truncate(MAX_GPUS);
    }

    fn fail(&mut self, error: SourceError) {
        self.told = true;
        self.error = Some(error);
    }

    /// Samples of the host's GPUs, from its last answer.
    pub fn samples(&self) -> Vec<GpuSample> {
        let processes = |row: &Row| -> Option<Arc<[GpuProcess]>> {
            let all = self.processes.as_ref()?;
            let id = row.identity.uuid.as_ref()?;
            Some(all.get(id).map(|p| p.as_slice().into()).unwrap_or_default())
        };
        let nobody = Arc::new(GpuOwner::default());
        self.rows
            .iter()
            .map(|(row, at)| GpuSample {
                identity: row.identity.clone(),
                taken_at: *at,
                signals: row.signals,
                throttle: row.throttle,
                owner: nobody.clone(),
                // The tool names programs, no users.
                names_owners: false,
                processes: processes(row),
                recent: None,
            })
            .collect()
    }
}

/// A host, and its state between readings.
pub(super) struct Host {
    /// Address and names of the host.
    pub place: Place,
    /// Sender of its last answer.
    pub said: watch::Sender<Said>,
    /// True while it is shown in detail.
    pub close: AtomicBool,
    /// True after its first reading has begun.
    pub begun: AtomicBool,
    /// What its version of the tool can be asked; `None` until it was asked.
    columns: Mutex<Option<Columns>>,
}

impl Host {
    /// A host that was not read yet.
    pub fn new(place: Place) -> Self {
        Self {
            place,
            said: watch::Sender::default(),
            close: AtomicBool::default(),
            begun: AtomicBool::default(),
            columns: Mutex::default(),
        }
    }

    /// The columns, asked for once.
    async fn columns(&self, login: &Login) -> Result<Columns, SourceError> {
        let known = self.columns.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(known) = known {
            return Ok(known);
        }
        let help = call::answer(login, &self.place.target, "nvidia-smi --help-query-gpu").await?;
        let columns = Columns::from_help(&help).unwrap_or_else(Columns::all);
        self.keep(Some(columns.clone()));
        Ok(columns)
    }

    fn keep(&self, columns: Option<Columns>) {
        *self.columns.lock().unwrap_or_else(PoisonError::into_inner) = columns;
    }

    /// Leaves out a property that the tool refused; true when that changes the query.
    fn learn(&self, columns: &Columns, said: &str) -> bool {
        let less = error::refused_property(said).and_then(|name| columns.without(name));
        let changes = less.is_some();
        if changes {
            self.keep(less);
        }
        changes
    }

    /// Reads GPUs and processes once; a failure is noted as its error.
    pub async fn look(&self, login: &Login) {
        self.begun.store(true, Ordering::Relaxed);
        if let Err(e) = self.try_look(login).await {
            self.said.send_modify(|s| s.fail(e));
        }
    }

    async fn try_look(&self, login: &Login) -> Result<(), SourceError> {
        let columns = self.columns(login).await?;
        let command = format!(
            "nvidia-smi --query-gpu={} --format=csv,noheader,nounits && echo {BETWEEN} && \
             nvidia-smi --query-compute-apps={APPS} --format=csv,noheader,nounits",
            columns.query()
        );
        let text = match call::answer(login, &self.place.target, &command).await {
            Ok(text) => text,
            Err(e) => {
                // The next look asks for less, or, after an update over there, for what it can.
                if !self.learn(&columns, &e.message) {
                    self.keep(None);
                }
                return Err(e);
            }
        };
        let at = Timestamp::now();
        let mut lines = text.lines();
        let rows: Vec<Row> = lines
            .by_ref()
            .take_while(|line| line.trim() != BETWEEN)
            .filter_map(|line| gpu_row(line, &columns, &self.place.names))
            .collect();
        if rows.is_empty() {
            return Err(error::explain(&error::Ended { code: Some(0), said: text }));
        }
        let processes = by_gpu(lines);
        self.said.send_modify(|s| {
            for row in rows {
                s.put(row, at);
            }
            s.processes = processes;
        });
        Ok(())
    }

    /// Reads the host continuously, until the task is dropped.
    pub async fn follow(&self, login: &Login) {
        self.begun.store(true, Ordering::Relaxed);
        tokio::join!(self.follow_gpus(login), self.follow_processes(login));
    }

    async fn follow_gpus(&self, login: &Login) {
        let mut backoff = Backoff::default();
        loop {
            let began = Instant::now();
            match self.stream(login).await {
                // Asked for too much: at once again, for less.
                Ok(()) => continue,
                Err(e) => self.said.send_modify(|s| s.fail(e)),
            }
            // One that ran for a while was fine.
            if began.elapsed() > LONGEST_WAIT {
                backoff.reset();
            }
            let wait = backoff.pause(FIRST_WAIT, LONGEST_WAIT);
            tokio::time::sleep(jittered(wait, 0.25)).await;
        }
    }

    /// One stream until it ends. `Ok` when a refused property was left out.
    async fn stream(&self, login: &Login) -> Result<(), SourceError> {
        let columns = self.columns(login).await?;
        let command = format!(
            "nvidia-smi --query-gpu={} --format=csv,noheader,nounits -lms {BEAT_MS}",
            columns.query()
        );
        let (call, out) = Call::start(login, &self.place.target, &command)?;
        let mut lines = LineReader::new(out);
        let (mut odd, mut any) = (Vec::new(), false);
        loop {
            let Ok(line) = tokio::time::timeout(SILENCE, lines.next()).await else {
                return Err(error::silent());
            };
            let Some(line) = line else { break };
            match gpu_row(&line, &columns, &self.place.names) {
                Some(row) => {
                    any = true;
                    self.said.send_modify(|s| s.put(row, Timestamp::now()));
                }
                None if odd.len() < MAX_ODD => odd.push(line),
                None => {}
            }
        }
        let ended = call.end(&odd.join("\n")).await;
        if !any && self.learn(&columns, &ended.said) {
            return Ok(());
        }
        // After an update of the driver other properties may be known.
        self.keep(None);
        Err(error::explain(&ended))
    }

    async fn follow_processes(&self, login: &Login) {
        let command =
            format!("nvidia-smi --query-compute-apps={APPS} --format=csv,noheader,nounits");
        let mut asked: Option<Instant> = None;
        let mut said = self.said.subscribe();
        loop {
            // Nobody is asked twice while the first answer is missing.
            if said.wait_for(|s| s.told && s.error.is_none()).await.is_err() {
                return;
            }
            let every = if self.close.load(Ordering::Relaxed) { APPS_CLOSE } else { APPS_FAR };
            if asked.is_none_or(|at| at.elapsed() >= every) {
                asked = Some(Instant::now());
                let answer = call::answer(login, &self.place.target, &command).await;
                let processes = answer.ok().and_then(|text| by_gpu(text.lines()));
                self.said.send_modify(|s| s.processes = processes);
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
}

/// The processes of each GPU; `None` where there are more than are kept, for a GPU whose processes
/// are left out would pass for one without any.
fn by_gpu<'a>(lines: impl Iterator<Item = &'a str>) -> Option<HashMap<Arc<str>, Vec<GpuProcess>>> {
    let mut all: HashMap<Arc<str>, Vec<GpuProcess>> = HashMap::new();
    for (number, (id, process)) in lines.filter_map(app_row).enumerate() {
        if number >= MAX_PROCESSES {
            return None;
        }
        all.entry(id).or_default().push(process);
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{GpuIdentity, GpuSignals, HostNames};

    fn row(index: u16) -> Row {
        let identity = GpuIdentity { index: Some(index), ..GpuIdentity::default() };
        Row { identity: Arc::new(identity), signals: GpuSignals::default(), throttle: None }
    }

    #[test]
    fn a_gpu_without_new_lines_is_gone_and_the_others_stay() {
        let at = |s: i64| Timestamp::from_second(1_800_000_000 + s).unwrap();
        let mut said = Said::default();
        said.put(row(0), at(0));
        said.put(row(1), at(0));
        for second in 1..10 {
            said.put(row(0), at(second));
        }
        assert_eq!(said.samples().len(), 2);
        said.put(row(0), at(10));
        let left = said.samples();
        assert_eq!(left.len(), 1);
        assert_eq!((left[0].identity.index, left[0].taken_at), (Some(0), at(10)));
        // An error takes nothing back: what was said grows old.
        said.fail(error::silent());
        assert_eq!(said.samples().len(), 1);
    }

    #[test]
    fn processes_are_unknown_until_told_and_then_may_be_none() {
        let mut said = Said::default();
        let id: Arc<str> = "GPU-6085db41-848b-e6eb-82c2-6abd7b0d0c03".into();
        let identity = GpuIdentity {
            uuid: Some(id.clone()),
            host: HostNames::default(),
            ..GpuIdentity::default()
        };
        said.put(Row { identity: Arc::new(identity), ..row(0) }, Timestamp::UNIX_EPOCH);
        assert_eq!(said.samples()[0].processes, None);
        said.processes = Some(HashMap::new());
        assert_eq!(said.samples()[0].processes.as_deref(), Some(&[][..]));
        said.processes = by_gpu(format!("{id}, 7, 512, a\nodd\n{id}, 8, 1, b").lines());
        assert_eq!(said.samples()[0].processes.as_ref().map(|p| p.len()), Some(2));
        // Of more processes than are kept none is told: a GPU without its own would seem free.
        let many = |n: usize| (0..n).map(|i| format!("{id}, {i}, 1, a\n")).collect::<String>();
        assert_eq!(by_gpu(many(MAX_PROCESSES).lines()).unwrap()[&id].len(), MAX_PROCESSES);
        said.processes = by_gpu(many(MAX_PROCESSES + 1).lines());
        assert_eq!(said.samples()[0].processes, None);
    }
}
