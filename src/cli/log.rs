//! The log file: `burntop.log.<date>` in the state directory, never the terminal.
//!
//! Nothing is opened before the first line is written. Only burntop's own messages are kept: the
//! SDK's debug output prints requests with their signatures and never reaches the file, whatever
//! the level.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tracing::level_filters::LevelFilter;
use tracing_appender::non_blocking::{NonBlocking, WorkerGuard};
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use super::exit::CliError;
use crate::config::Env;
use crate::config::env::LOG_LEVEL;
use crate::domain::text;

/// Daily files kept.
const KEEP: usize = 5;

/// The level: `BURNTOP_LOG`, else `info`, `debug` with `-v`, `trace` with `-vv`.
pub fn level(env: &Env, verbose: u8) -> Result<LevelFilter, CliError> {
    match env.get(LOG_LEVEL) {
        Some(name) => name.parse().map_err(|_| {
            CliError::Usage(format!(
                "{LOG_LEVEL} is \"{}\"; accepted: off, error, warn, info, debug, trace",
                text::clean(name)
            ))
        }),
        None => Ok(match verbose {
            0 => LevelFilter::INFO,
            1 => LevelFilter::DEBUG,
            _ => LevelFilter::TRACE,
        }),
    }
}

/// Keeps the log open; writes what waits when it goes away.
#[derive(Debug)]
pub struct LogGuard(Arc<LazyFile>);

impl Drop for LogGuard {
    fn drop(&mut self) {
        // Dropping the worker's guard flushes.
        self.0.worker.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// Starts logging into `state_dir`. Opens nothing yet; where the directory cannot be written, the
/// log stays empty and the program goes on.
pub fn start(state_dir: &Path, level: LevelFilter) -> LogGuard {
    let file = Arc::new(LazyFile { dir: state_dir.to_owned(), ..LazyFile::default() });
    let layer =
        tracing_subscriber::fmt::layer().with_ansi(false).with_writer(Writers(Arc::clone(&file)));
    let ours = Targets::new().with_target(env!("CARGO_CRATE_NAME"), level);
    // Fails when a subscriber is there already (a test's): that one then keeps the messages.
    let _ = tracing_subscriber::registry().with(ours).with(layer).try_init();
    LogGuard(file)
}

#[derive(Debug, Default)]
struct LazyFile {
    dir: PathBuf,
    /// `None` inside: the directory cannot be written.
    writer: OnceLock<Option<NonBlocking>>,
    worker: Mutex<Option<WorkerGuard>>,
}

impl LazyFile {
    fn open(&self) -> Option<NonBlocking> {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.dir).ok()?;
        let file = RollingFileAppender::builder()
            .rotation(Rotation::DAILY)
            .filename_prefix("burntop.log")
            .max_log_files(KEEP)
            .build(&self.dir)
            .ok()?;
        let (writer, guard) = tracing_appender::non_blocking(file);
        *self.worker.lock().unwrap_or_else(PoisonError::into_inner) = Some(guard);
        Some(writer)
    }
}

struct Writers(Arc<LazyFile>);

impl<'a> MakeWriter<'a> for Writers {
    type Writer = LogWriter;

    fn make_writer(&'a self) -> LogWriter {
        LogWriter(self.0.writer.get_or_init(|| self.0.open()).clone())
    }
}

struct LogWriter(Option<NonBlocking>);

impl Write for LogWriter {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Some(file) => file.write(buf),
            None => Ok(buf.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Some(file) => file.flush(),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_beats_the_flag_and_is_checked() {
        let env = |v: &str| [(LOG_LEVEL, v)].into_iter().collect::<Env>();
        assert_eq!(level(&Env::default(), 0).unwrap(), LevelFilter::INFO);
        assert_eq!(level(&Env::default(), 1).unwrap(), LevelFilter::DEBUG);
        assert_eq!(level(&Env::default(), 9).unwrap(), LevelFilter::TRACE);
        assert_eq!(level(&env("warn"), 2).unwrap(), LevelFilter::WARN);
        let error = level(&env("aws_smithy_runtime=trace"), 0).unwrap_err();
        assert!(error.to_string().contains("accepted: off, error"), "{error}");
    }

    #[test]
    fn the_file_is_opened_by_the_first_line_and_flushed_at_the_end() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        let file = Arc::new(LazyFile { dir: state.clone(), ..LazyFile::default() });
        let guard = LogGuard(Arc::clone(&file));
        let writers = Writers(file);
        assert!(!state.exists());
        writers.make_writer().write_all(b"hello\n").unwrap();
        drop(guard);
        let names: Vec<_> = std::fs::read_dir(&state).unwrap().map(|e| e.unwrap().path()).collect();
        assert_eq!(names.len(), 1);
        assert!(names[0].file_name().unwrap().to_string_lossy().starts_with("burntop.log."));
        assert_eq!(std::fs::read_to_string(&names[0]).unwrap(), "hello\n");
    }

    #[test]
    fn a_directory_that_cannot_be_made_loses_the_log_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let taken = dir.path().join("taken");
        std::fs::write(&taken, "").unwrap();
        let writers = Writers(Arc::new(LazyFile { dir: taken.join("x"), ..LazyFile::default() }));
        writers.make_writer().write_all(b"lost\n").unwrap();
    }
}
