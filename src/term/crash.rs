//! What happens when the program panics: the terminal comes back first, then a report is written
//! and its place is told.

use std::backtrace::Backtrace;
use std::io::{self, Write as _};
use std::panic::{self, PanicHookInfo};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread::{self, ThreadId};

use jiff::Timestamp;

use super::guard;
use crate::domain::text::clean;
use crate::files;

/// Crashes of background threads whose reports are kept for the end; more of them add nothing.
const MAX_NOTICES: usize = 8;

static CRASH: Mutex<Crash> = Mutex::new(Crash { screen: None, dir: None, notices: Vec::new() });

struct Crash {
    /// The thread that draws. Its panic ends the program; another thread's does not.
    screen: Option<ThreadId>,
    dir: Option<PathBuf>,
    /// What to say of background crashes once the terminal is free to be written to.
    notices: Vec<String>,
}

fn crash() -> MutexGuard<'static, Crash> {
    CRASH.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes the calling thread the one that draws: its panics restore the terminal and write a report into `dir` (`None`:
/// no report). While the terminal is claimed, a panic in another thread writes a report and prints nothing; otherwise
/// the previous panic hook decides.
pub(super) fn install(dir: Option<PathBuf>) {
    static HOOK: Once = Once::new();
    {
        let mut crash = crash();
        crash.screen = Some(thread::current().id());
        crash.dir = dir;
    }
    HOOK.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if guard::is_claimed() {
                on_panic(info);
            } else {
                previous(info);
            }
        }));
    });
}

/// Prints the notices about crashed background threads, once the terminal is restored.
pub(super) fn tell() {
    let notices = std::mem::take(&mut crash().notices);
    for notice in notices {
        // A closed standard error is no reason to crash.
        let _ = writeln!(io::stderr(), "{notice}");
    }
}

fn on_panic(info: &PanicHookInfo<'_>) {
    let ours = crash().screen == Some(thread::current().id());
    if ours {
        guard::release();
    }
    let message = clean(info.payload_as_str().unwrap_or("unknown cause")).into_owned();
    let place = info.location().map_or_else(String::new, |at| format!(" at {at}"));
    let dir = crash().dir.clone();
    let report = match dir.map(|dir| write_report(&dir, &message, &place)) {
        Some(Ok(path)) => format!("report: {}", path.display()),
        Some(Err(error)) => format!("no report could be written: {}", files::explain(&error)),
        None => "no report was written: there is no state directory".to_owned(),
    };
    if ours {
        let _ = writeln!(io::stderr(), "burntop crashed: {message}{place}\n{report}");
    } else {
        let mut crash = crash();
        if crash.notices.len() < MAX_NOTICES {
            crash.notices.push(format!("a background task crashed: {message}{place}\n{report}"));
        }
    }
}

fn write_report(dir: &Path, message: &str, place: &str) -> io::Result<PathBuf> {
    files::private_dir(dir)?;
    let now = Timestamp::now();
    let thread = thread::current();
    let name = thread.name().unwrap_or("unnamed");
    let stamp = now.strftime("%Y%m%dT%H%M%S%.3fZ");
    let path = dir.join(format!("crash-{stamp}-{}.txt", std::process::id()));
    let mut file = files::create_new(&path)?;
    writeln!(
        file,
        "burntop {}\ntime: {now}\nthread: {name}\npanic: {message}{place}\n\n{}",
        crate::version::VERSION,
        Backtrace::force_capture(),
    )?;
    Ok(path)
}
