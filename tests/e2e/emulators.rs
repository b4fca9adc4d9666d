//! The emulators of AWS: one venv under the target directory, one server for all tests. Other servers have venvs beside it.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock};

use serde::Deserialize;

/// What the seeded emulators answer on.
#[derive(Clone, Debug, Deserialize)]
pub struct Emulators {
    /// EC2, STS, Auto Scaling.
    pub moto: String,
    /// CloudWatch.
    pub cloudwatch: String,
    /// Instance ids by the name of the case.
    pub ids: BTreeMap<String, String>,
    /// How the GPU boxes of `ap-southeast-2` are called in their network, by the name of the case.
    pub hosts: BTreeMap<String, Host>,
}

/// The names of an instance in its network.
#[derive(Clone, Debug, Deserialize)]
pub struct Host {
    /// Private DNS name.
    pub dns: String,
    /// Private IPv4 address.
    pub ip: String,
}

/// The emulators, started and seeded on first use.
pub fn emulators() -> &'static Emulators {
    static RUNNING: OnceLock<Emulators> = OnceLock::new();
    // Held for the life of the process: the server ends when its standard input closes.
    static CHILD: Mutex<Option<Child>> = Mutex::new(None);
    RUNNING.get_or_init(|| {
        let mut child = Command::new(python())
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/emulators/serve.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the emulators' Python starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("stdout is piped");
        BufReader::new(stdout).read_line(&mut line).expect("the emulators say where they are");
        *CHILD.lock().unwrap() = Some(child);
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("emulators failed ({e}): {line:?}"))
    })
}

/// The Python of the emulators, which has their client as well.
pub fn python() -> PathBuf {
    venv().join("bin/python")
}

/// The venv of the emulators of AWS.
pub fn venv() -> PathBuf {
    venv_of("emulators", "requirements.txt")
}

/// The venv of that name with what a file in `tests/emulators` pins, made when the pins changed or it is not there.
pub fn venv_of(name: &'static str, pinned_by: &str) -> PathBuf {
    static READY: Mutex<BTreeMap<&'static str, Arc<OnceLock<PathBuf>>>> =
        Mutex::new(BTreeMap::new());
    // Whoever wants one venv does not wait for another.
    let ready = READY.lock().unwrap().entry(name).or_default().clone();
    ready
        .get_or_init(|| {
            let requirements =
                Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/emulators").join(pinned_by);
            let pins = std::fs::read_to_string(&requirements).expect("the pins are there");
            let venv = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
            let stamp = venv.join("pins.txt");
            if std::fs::read_to_string(&stamp).is_ok_and(|made_with| made_with == pins) {
                return venv;
            }
            run(
                Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv),
                "The tests need Python 3.11 or newer with the venv module \
                 (Debian: apt-get install python3 python3-venv).",
            );
            run(
                Command::new(venv.join("bin/python"))
                    .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"])
                    .arg(&requirements),
                "The tests install emulators and servers from PyPI; the package index must be reachable.",
            );
            std::fs::write(&stamp, pins).expect("the venv is writable");
            venv
        })
        .clone()
}

fn run(command: &mut Command, otherwise: &str) {
    let ended = command.status();
    assert!(
        ended.as_ref().is_ok_and(std::process::ExitStatus::success),
        "{otherwise} ({command:?}: {ended:?})"
    );
}
