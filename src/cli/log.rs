//! The log file: `burntop.log.<date>` in the state directory, never the terminal.
//!
//! Nothing is opened before the first line is written. Only burntop's own messages are kept: the
//! SDK's debug output prints requests with their signatures and never reaches the file, whatever
//! the level.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use tracing::level_filters::LevelFilter;
use tracing_appender::non_blocking::{NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use super::exit::CliError;
use super::tell::tell;
use crate::config::Env;
use crate::config::env::LOG_LEVEL;
use crate::domain::text;
use crate::files;

/// Daily files kept.
const KEEP: usize = 5;

/// Prefix of the names of log files; the date follows.
const PREFIX: &str = "burntop.log.";

/// Lines that may wait to be written; more are dropped rather than waited for. Their places are made at once: the
/// library's own number takes 4 MB.
const WAITING_LINES: usize = 4_096;

/// Longest line, characters.
const LONGEST_LINE: usize = 8_192;

/// Log level: `BURNTOP_LOG`, else `info`, `debug` with `-v`, `trace` with `-vv`. Fails for an unknown level.
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

/// Keeps the log open. On drop it writes what is buffered, and reports on standard error where the log could
/// not be written.
#[derive(Debug)]
pub struct LogGuard(Arc<LazyFile>);

impl Drop for LogGuard {
    fn drop(&mut self) {
        // Dropping the worker's guard flushes.
        self.0.worker.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(trouble) = self.0.trouble() {
            tell(trouble);
        }
    }
}

/// Starts logging into `state_dir`. Opens no file until the first line; where the directory is not writable the
/// log stays empty.
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
    /// `None` inside: the directory cannot be made.
    writer: OnceLock<Option<NonBlocking>>,
    worker: Mutex<Option<WorkerGuard>>,
    /// Why the last line that is missing is missing.
    trouble: Arc<Mutex<Option<String>>>,
}

impl LazyFile {
    fn open(&self) -> Option<NonBlocking> {
        if let Err(error) = files::private_dir(&self.dir) {
            complain(&self.trouble, &self.dir, &error);
            return None;
        }
        let daily = Daily { dir: self.dir.clone(), open: None, trouble: Arc::clone(&self.trouble) };
        let (writer, guard) =
            NonBlockingBuilder::default().buffered_lines_limit(WAITING_LINES).finish(daily);
        *self.worker.lock().unwrap_or_else(PoisonError::into_inner) = Some(guard);
        Some(writer)
    }

    fn trouble(&self) -> Option<String> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn complain(trouble: &Mutex<Option<String>>, path: &Path, error: &io::Error) {
    let text = format!("the log {} cannot be written: {}", path.display(), files::explain(error));
    *trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
}

/// The file of the day, UTC; a new one each day, of which the last [`KEEP`] are kept.
#[derive(Debug)]
struct Daily {
    dir: PathBuf,
    open: Option<(Date, File)>,
    trouble: Arc<Mutex<Option<String>>>,
}

impl Daily {
    fn file(&mut self, today: Date) -> io::Result<&mut File> {
        if self.open.as_ref().is_none_or(|(day, _)| *day != today) {
            self.open = None;
            let file = files::append(&self.path(today))?;
            self.drop_old();
            self.open = Some((today, file));
        }
        // It was put there a moment ago.
        self.open.as_mut().map(|(_, file)| file).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn path(&self, day: Date) -> PathBuf {
        self.dir.join(format!("{PREFIX}{day}"))
    }

    /// Removes the oldest; names are dates, which sort.
    fn drop_old(&self) {
        let entries = std::fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let ours = |path: &PathBuf| {
            let name = path.file_name().and_then(|n| n.to_str());
            let day = name.and_then(|name| name.strip_prefix(PREFIX));
            day.is_some_and(|day| day.parse::<Date>().is_ok())
        };
        let mut days: Vec<PathBuf> = entries.map(|e| e.path()).filter(ours).collect();
        days.sort();
        let old = days.len().saturating_sub(KEEP);
        for path in days.iter().take(old) {
            // What cannot be removed now is tried again tomorrow.
            let _ = std::fs::remove_file(path);
        }
    }
}

impl Write for Daily {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let today = Timestamp::now().to_zoned(TimeZone::UTC).date();
        let path = self.path(today);
        // The whole line at once, so that lines of several processes do not mix.
        let written = self.file(today).and_then(|file| file.write_all(line));
        match written {
            Ok(()) => Ok(line.len()),
            Err(error) => {
                complain(&self.trouble, &path, &error);
                Err(error)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
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
    /// Takes a whole message, which becomes one line: what it quotes can neither end the line, and
    /// so forge another, nor steer the terminal of who reads the file.
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        if let Some(file) = &mut self.0 {
            let message = String::from_utf8_lossy(buf);
            let line = text::clean_to(message.trim_end_matches('\n'), LONGEST_LINE);
            file.write_all(format!("{line}\n").as_bytes())?;
        }
        Ok(buf.len())
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

    fn lazy(dir: &Path) -> (LogGuard, Writers) {
        let file = Arc::new(LazyFile { dir: dir.to_owned(), ..LazyFile::default() });
        (LogGuard(Arc::clone(&file)), Writers(file))
    }

    /// Writes a line and ends; what the guard would say.
    fn logged(dir: &Path) -> Option<String> {
        let (guard, writers) = lazy(dir);
        writers.make_writer().write_all(b"hello\n").unwrap();
        guard.0.worker.lock().unwrap().take();
        guard.0.trouble()
    }

    #[test]
    fn the_log_is_for_its_owner_alone_and_five_days_are_kept() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        for day in 1..=7 {
            let old = dir.path().join(format!("burntop.log.2020-01-0{day}"));
            std::fs::write(old, "old").unwrap();
        }
        std::fs::write(dir.path().join("burntop.log.notes"), "mine").unwrap();
        assert_eq!(logged(dir.path()), None);
        let mut names: Vec<String> = std::fs::read_dir(dir.path())
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        let newest = names.iter().find(|n| n.starts_with("burntop.log.2") && !n.contains("2020"));
        let newest = dir.path().join(newest.unwrap());
        let mode = std::fs::metadata(&newest).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600);
        assert_eq!(names.len(), KEEP + 1, "{names:?}");
        assert!(names.contains(&"burntop.log.notes".to_owned()), "not by its name alone");
        // One that others could read is made private.
        std::fs::set_permissions(&newest, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(logged(dir.path()), None);
        let mode = std::fs::metadata(&newest).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600);
        assert_eq!(std::fs::read_to_string(&newest).unwrap(), "hello\nhello\n");
    }

    mod hostile {
        use super::*;
        use crate::domain::text::hostile::TEXTS;

        #[test]
        fn no_log_is_written_through_what_lies_in_its_place() {
            let mut inputs = 0;
            for thing in ["link", "dangling", "loop", "pipe", "directory", "full"] {
                let dir = tempfile::tempdir().unwrap();
                let target = dir.path().join("target");
                std::fs::write(&target, "precious").unwrap();
                // Today and tomorrow: the day may end under way.
                let today = Timestamp::now().to_zoned(TimeZone::UTC).date();
                for day in [today, today.tomorrow().unwrap()] {
                    let path = dir.path().join(format!("{PREFIX}{day}"));
                    let link = |to: &Path| std::os::unix::fs::symlink(to, &path).unwrap();
                    match thing {
                        "link" => link(&target),
                        "dangling" => link(&dir.path().join("nowhere")),
                        "loop" => link(&path),
                        "pipe" => {
                            let mode = rustix::fs::Mode::from_raw_mode(0o600);
                            let kind = rustix::fs::FileType::Fifo;
                            rustix::fs::mknodat(rustix::fs::CWD, &path, kind, mode, 0).unwrap();
                        }
                        "directory" => std::fs::create_dir(&path).unwrap(),
                        _ => link(Path::new("/dev/full")),
                    }
                }
                let trouble = logged(dir.path()).unwrap_or_else(|| panic!("{thing}"));
                assert!(trouble.contains("the log") && trouble.contains(PREFIX), "{trouble}");
                assert!(!trouble.contains("free space"), "{trouble}");
                assert_eq!(std::fs::read_to_string(&target).unwrap(), "precious", "{thing}");
                assert!(!dir.path().join("nowhere").exists());
                inputs += 1;
            }
            println!("hostile: places of the log: {inputs} inputs");
            assert!(inputs >= 6);
        }

        #[test]
        fn a_message_is_one_line_whatever_it_quotes() {
            let dir = tempfile::tempdir().unwrap();
            let (guard, writers) = lazy(dir.path());
            let mut n = 0;
            for text in TEXTS {
                let mut message = format!("INFO burntop: quoted={text}\n").into_bytes();
                writers.make_writer().write_all(&message).unwrap();
                message.splice(5..5, [0xff, 0xc2, 0x1b]);
                writers.make_writer().write_all(&message).unwrap();
                n += 2;
            }
            writers.make_writer().write_all(&vec![b'x'; 1 << 20]).unwrap();
            drop(guard);
            let path = std::fs::read_dir(dir.path()).unwrap().next().unwrap().unwrap().path();
            let log = std::fs::read_to_string(path).unwrap();
            assert_eq!(log.lines().count(), n + 1, "{log}");
            assert!(log.lines().all(|l| !l.contains(text::is_unsafe)), "{log}");
            assert!(log.lines().all(|l| l.chars().count() <= LONGEST_LINE + 1));
            println!("hostile: the log: {n} inputs");
        }
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
