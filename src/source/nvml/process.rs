//! Who runs on a GPU: the driver names process ids, `/proc` says the rest.

use std::collections::HashMap;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use super::host::Places;
use crate::domain::text;

/// The longest command that is kept, in characters.
const MAX_COMMAND: usize = 64;

/// Most bytes that are read of a command line.
const MAX_READ: u64 = 4_096;

/// Programs of which the script says more than their own name.
const INTERPRETERS: [&str; 8] =
    ["python", "bash", "sh", "node", "ruby", "perl", "julia", "torchrun"];

/// User names of this host by number.
#[derive(Default)]
pub(super) struct Users(HashMap<u32, Arc<str>>);

impl Users {
    /// Reads the file of users. Users of a directory service are not in it and keep their numbers.
    pub fn read(passwd: &Path) -> Self {
        let text = std::fs::read_to_string(passwd).unwrap_or_default();
        let entry = |line: &str| {
            let mut parts = line.split(':');
            let (name, _, uid) = (parts.next()?, parts.next()?, parts.next()?);
            Some((uid.parse().ok()?, Arc::from(&*text::clean(name))))
        };
        Self(text.lines().filter_map(entry).collect())
    }

    fn name(&self, uid: u32) -> Arc<str> {
        self.0.get(&uid).cloned().unwrap_or_else(|| uid.to_string().into())
    }
}

/// Description of a process by the host.
pub(super) struct Described {
    /// User name; `None` when the process has ended or is hidden.
    pub user: Option<Arc<str>>,
    /// Program; empty when unknown.
    pub command: Arc<str>,
}

/// Describes the process `pid` from `/proc`.
pub(super) fn describe(places: &Places, users: &Users, pid: u32) -> Described {
    let dir = places.proc.join(pid.to_string());
    let user = std::fs::metadata(&dir).ok().map(|m| users.name(m.uid()));
    let line = bounded(&dir.join("cmdline"));
    let command = command(&line).or_else(|| {
        let comm = bounded(&dir.join("comm"));
        let comm = String::from_utf8_lossy(&comm);
        Some(comm.trim().to_owned()).filter(|c| !c.is_empty())
    });
    Described { user, command: cut(&command.unwrap_or_default()) }
}

fn bounded(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Ok(file) = std::fs::File::open(path) {
        // A process may end while it is read.
        let _ = file.take(MAX_READ).read_to_end(&mut bytes);
    }
    bytes
}

/// The program of a command line, of an interpreter with its script or module. Arguments are left
/// out: they may hold secrets.
fn command(line: &[u8]) -> Option<String> {
    let mut arguments = line.split(|b| *b == 0).map(String::from_utf8_lossy);
    let program = arguments.next().filter(|p| !p.is_empty())?;
    // Some programs write one text over all their arguments.
    let program = program.split_whitespace().next()?;
    let name = base(program).trim_end_matches(':').to_owned();
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !INTERPRETERS.contains(&bare) {
        return Some(name);
    }
    while let Some(argument) = arguments.next() {
        match &*argument {
            "-m" => return Some(format!("{name} -m {}", arguments.next()?)),
            // A program as an argument: nobody knows what it holds.
            "-c" | "-e" => return Some(name),
            option if option.starts_with('-') || option.is_empty() => {}
            script => return Some(format!("{name} {}", base(script))),
        }
    }
    Some(name)
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A command made fit to be shown.
fn cut(command: &str) -> Arc<str> {
    let clean = text::clean(command);
    match clean.char_indices().nth(MAX_COMMAND) {
        Some((at, _)) => format!("{}…", &clean[..at]).into(),
        None => clean.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_named_and_their_arguments_are_not() {
        let cases: [(&[&str], Option<&str>); 9] = [
            (
                &["/usr/bin/python3.11", "-u", "/home/a/train.py", "--token=x"],
                Some("python3.11 train.py"),
            ),
            (&["python", "-m", "vllm.serve", "--api-key", "x"], Some("python -m vllm.serve")),
            (&["python3", "-c", "key='x'"], Some("python3")),
            (&["/opt/app/trainer", "--password", "x"], Some("trainer")),
            (&["nginx: worker process"], Some("nginx")),
            (&["torchrun", "--nproc_per_node=8", "run.py"], Some("torchrun run.py")),
            (&["bash"], Some("bash")),
            (&[""], None),
            (&[" "], None),
        ];
        for (arguments, want) in cases {
            assert_eq!(command(arguments.join("\0").as_bytes()).as_deref(), want);
        }
        assert_eq!(cut(&"x".repeat(100)).chars().count(), MAX_COMMAND + 1);
        assert_eq!(&*cut("a\u{1b}[31m"), "a\u{FFFD}[31m");
    }

    #[test]
    fn this_process_is_found_with_its_user_and_an_ended_one_is_not() {
        let places = Places::default();
        let users = Users::read(&places.passwd);
        let me = describe(&places, &users, std::process::id());
        let uid = rustix::process::getuid().as_raw();
        let name = users.name(uid);
        assert_eq!(me.user.as_deref(), Some(&*name));
        assert!(!me.command.is_empty());
        let nobody = describe(&places, &users, u32::MAX);
        assert_eq!((nobody.user, &*nobody.command), (None, ""));
    }

    #[test]
    fn users_are_read_and_unknown_ones_keep_their_number() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("passwd");
        std::fs::write(&file, "root:x:0:0::/:/bin/sh\nbroken\nada:x:1000:1000:::\n").unwrap();
        let users = Users::read(&file);
        assert_eq!(&*users.name(1000), "ada");
        assert_eq!(&*users.name(0), "root");
        assert_eq!(&*users.name(4711), "4711");
    }
}
