//! Where the state of alerts lies: `state.json`, replaced as a whole after each change; `sent.jsonl`, a line for each
//! message that arrived; `dead.jsonl`, what was given up.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};

use crate::act::plan::sha256_hex;
use crate::cli::exit::{CliError, Exit};
use crate::cli::invocation::Invocation;
use crate::config::ConfigError;
use crate::files;
use crate::send::json_lines;
use crate::watch::state::{Book, Sent};

/// The log of messages that arrived.
const SENT: &str = "sent.jsonl";

/// What was given up.
pub const DEAD: &str = "dead.jsonl";

/// The largest state that is read, bytes: a thousand times that of a busy day.
const MAX_STATE: u64 = 256 << 20;

/// The largest log of messages that is read, bytes.
const MAX_SENT: u64 = 256 << 20;

/// The log is shortened when it is larger, bytes.
const SHORTEN_ABOVE: u64 = 1 << 20;

/// What is kept of the log whatever it is about.
const KEPT: SignedDuration = SignedDuration::from_hours(24);

/// The files of a watch, locked by this process; or none, for the demo.
#[derive(Debug)]
pub struct Store(Option<Place>);

#[derive(Debug)]
struct Place {
    dir: PathBuf,
    /// Held, never read.
    _lock: File,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Found {
    /// The state.
    pub book: Book,
    /// What was odd about it, for the user.
    pub notices: Vec<String>,
}

/// Where the state lies; `None` = it is kept in memory.
pub fn dir(named: Option<&Path>, invocation: &Invocation) -> Result<Option<PathBuf>, CliError> {
    match named {
        Some(dir) => Ok(Some(dir.to_owned())),
        None if invocation.options.demo.is_some() => Ok(None),
        None => {
            let paths = invocation.paths.as_ref().ok_or(ConfigError::NoHome)?;
            Ok(Some(paths.state_dir.join("watch")))
        }
    }
}

impl Store {
    /// Opens the state in `dir`, or one in memory. What cannot be read is set aside, and what was sent tells then which
    /// alerts there are. Fails where another watch has it, and where nothing can be written.
    pub fn open(dir: Option<PathBuf>, now: Timestamp) -> Result<(Self, Found), CliError> {
        let Some(dir) = dir else { return Ok((Self(None), Found::default())) };
        let failed = |path: &Path, error: &io::Error| CliError::Failed {
            exit: Exit::Unreadable,
            message: format!(
                "cannot keep the state of alerts in {}: {}",
                path.display(),
                files::explain(error)
            ),
        };
        files::private_dir(&dir).map_err(|error| failed(&dir, &error))?;
        let path = dir.join("lock");
        let lock = files::update(&path).map_err(|error| failed(&path, &error))?;
        files::lock(&lock).map_err(|error| CliError::Failed {
            exit: Exit::ActionFailed,
            message: format!(
                "cannot lock {}: {}; another watch may keep its state there: --state names another place",
                path.display(),
                files::explain(&error)
            ),
        })?;
        let mut found = Found::default();
        let sent = read_sent(&dir, &mut found.notices).map_err(|error| failed(&dir, &error))?;
        match read_book(&dir) {
            Ok(Some(book)) => {
                found.book = book;
                found.book.without(&sent);
            }
            // Sent is more than was kept: a state that somebody took away.
            Ok(None) => found.book = Book::of_sent(&sent),
            Err(why) => {
                let aside = set_aside(&dir, "state.json", now).map_err(|e| failed(&dir, &e))?;
                found.notices.push(format!(
                    "the state of alerts cannot be used ({why}) and was set aside as {}; what was sent is known from sent.jsonl",
                    aside.display()
                ));
                found.book = Book::of_sent(&sent);
            }
        }
        shorten(&dir, &sent, &found.book, now).map_err(|error| failed(&dir, &error))?;
        Ok((Self(Some(Place { dir, _lock: lock })), found))
    }

    /// Writes the state down, whole or not at all.
    pub fn save(&self, book: &Book) -> io::Result<()> {
        let Some(place) = &self.0 else { return Ok(()) };
        let text = serde_json::to_string(book).map_err(io::Error::other)?;
        let text = format!("{SCHEMA} {}\n{text}\n", sha256_hex(text.as_bytes()));
        files::replace(&place.dir.join("state.json"), text.as_bytes())
    }

    /// Notes that a message arrived.
    pub fn note(&self, sent: &Sent) -> io::Result<()> {
        let Some(place) = &self.0 else { return Ok(()) };
        let line = serde_json::to_string(sent).map_err(io::Error::other)?;
        json_lines::append(&place.dir.join(SENT), &line)
    }

    /// The file of what was given up; `None` where nothing is kept.
    pub fn dead_letters(&self) -> Option<PathBuf> {
        self.0.as_ref().map(|place| place.dir.join(DEAD))
    }
}

/// The first word of a state.
const SCHEMA: &str = "burntop/watch-state/1";

/// The state; `None` where there is none. Err in words where it is damaged.
fn read_book(dir: &Path) -> Result<Option<Book>, String> {
    let bytes = match files::read_own(&dir.join("state.json"), MAX_STATE) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(|error| files::explain(&error))?,
    };
    let text = String::from_utf8(bytes).map_err(|_| "it is no text".to_owned())?;
    let (head, body) = text.split_once('\n').ok_or("it has no first line")?;
    let body = body.trim_end_matches('\n');
    let digest = head.strip_prefix(SCHEMA).ok_or("another version wrote it")?.trim();
    if digest != sha256_hex(body.as_bytes()) {
        return Err("its checksum is wrong".to_owned());
    }
    serde_json::from_str(body).map(Some).map_err(|_| "it is not what burntop writes".to_owned())
}

/// What was sent, oldest first. A line that a kill cut is left out.
fn read_sent(dir: &Path, notices: &mut Vec<String>) -> io::Result<Vec<Sent>> {
    let path = dir.join(SENT);
    let bytes = match files::read_own(&path, MAX_SENT) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        read => read?,
    };
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let mut bad = 0;
    let sent = lines
        .filter_map(|line| {
            let read = serde_json::from_slice(line).ok();
            bad += usize::from(read.is_none());
            read
        })
        .collect();
    if bad > 0 {
        notices.push(format!(
            "{} of {} cannot be read and count as not sent",
            crate::view::format::plural(bad, "line"),
            path.display()
        ));
    }
    Ok(sent)
}

/// Keeps of the log what is about alerts that go on, and the last day.
fn shorten(dir: &Path, sent: &[Sent], book: &Book, now: Timestamp) -> io::Result<()> {
    let path = dir.join(SENT);
    if fs::metadata(&path).map_or(0, |file| file.len()) <= SHORTEN_ABOVE {
        return Ok(());
    }
    let open: std::collections::BTreeSet<&str> =
        book.each().map(|(_, _, alert)| alert.thread.as_str()).collect();
    let mut out = Vec::new();
    for line in sent {
        let is_new = now.duration_since(line.at) < KEPT;
        if is_new || line.about.iter().any(|about| open.contains(about.thread.as_str())) {
            serde_json::to_writer(&mut out, line).map_err(io::Error::other)?;
            out.push(b'\n');
        }
    }
    files::replace(&path, &out)
}

/// Gives a file another name, under which it is left alone.
fn set_aside(dir: &Path, name: &str, now: Timestamp) -> io::Result<PathBuf> {
    let aside = dir.join(format!("{name}.damaged-{}", now.strftime("%Y%m%dT%H%M%S")));
    fs::rename(dir.join(name), &aside)?;
    Ok(aside)
}

#[cfg(test)]
mod tests;
