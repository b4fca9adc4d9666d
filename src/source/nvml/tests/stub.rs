//! The stand-in for the library, compiled for each test, so that each has its own counters.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use jiff::{SignedDuration, Timestamp};

use super::super::host::Places;
use super::super::{Local, Settings};
use crate::domain::{GpuSample, SourceError, Sweep};
use crate::source::{Ask, GpuSource};

/// A library of one test, and a host around it.
pub(super) struct Stub {
    dir: tempfile::TempDir,
}

impl Stub {
    /// Compiles the library; `None`, said, where there is no compiler.
    pub fn new(scenario: &str) -> Option<Self> {
        Self::without(&[], scenario)
    }

    /// The same with functions missing.
    pub fn without(missing: &[&str], scenario: &str) -> Option<Self> {
        let stub = Self { dir: tempfile::tempdir().unwrap() };
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/gpu/nvml_stub.c");
        let compiled = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .arg(stub.library())
            .arg(format!("-DDIRECTORY=\"{}\"", stub.dir.path().display()))
            .args(missing.iter().map(|name| format!("-DWITHOUT_{name}")))
            .arg(source)
            .status();
        match compiled {
            Ok(status) => assert!(status.success(), "the stub compiles"),
            Err(e) => {
                let text = format!("no C compiler: {e}");
                assert!(std::env::var("BURNTOP_CI").as_deref() != Ok("1"), "{text}");
                eprintln!("skipped: {text}");
                return None;
            }
        }
        let proc = stub.path("proc");
        std::fs::create_dir_all(proc.join("sys/kernel")).unwrap();
        std::fs::create_dir_all(proc.join("self/ns")).unwrap();
        std::fs::write(proc.join("sys/kernel/hostname"), "gpu-box\n").unwrap();
        std::os::unix::fs::symlink("pid:[4026531836]", proc.join("self/ns/pid")).unwrap();
        std::fs::write(stub.path("board_asset_tag"), "i-0123456789abcdef0\n").unwrap();
        let uid = rustix::process::getuid().as_raw();
        std::fs::write(stub.path("passwd"), format!("ada:x:{uid}:100::/:/bin/sh\n")).unwrap();
        stub.play(scenario);
        Some(stub)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn library(&self) -> PathBuf {
        self.path("libnvidia-ml.so.1")
    }

    /// What is played from now on.
    pub fn play(&self, scenario: &str) {
        // In one step: the library may read at any moment.
        std::fs::write(self.path("next"), scenario).unwrap();
        std::fs::rename(self.path("next"), self.path("scenario")).unwrap();
    }

    /// Puts a process of the host there.
    pub fn process(&self, pid: u32, line: &str) {
        let dir = self.path("proc").join(pid.to_string());
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("cmdline"), line).unwrap();
    }

    /// Puts NVIDIA's tool there, which prints `xml`.
    pub fn tool(&self, xml: &str) {
        let text = format!("#!/bin/sh\ncat <<'END'\n{xml}\nEND\n");
        crate::source::program::write(&self.path("nvidia-smi"), &text);
    }

    pub fn settings(&self) -> Settings {
        Settings { library: Some(self.library()), ..Settings::default() }
    }

    pub fn source(&self) -> Local {
        let places = Places {
            proc: self.path("proc"),
            passwd: self.path("passwd"),
            dmi: self.dir.path().into(),
            nvidia_smi: self.path("nvidia-smi"),
        };
        Local::at(self.settings(), places)
    }

    /// The calls since the last time this was asked, by function.
    pub fn calls(&self) -> BTreeMap<String, usize> {
        let text = std::fs::read_to_string(self.path("calls")).unwrap_or_default();
        std::fs::write(self.path("calls"), "").unwrap();
        let mut calls = BTreeMap::new();
        for line in text.lines() {
            *calls.entry(line.to_owned()).or_default() += 1;
        }
        calls
    }
}

/// A moment some seconds after the beginning of the test's time.
pub(super) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000).unwrap() + SignedDuration::from_secs(seconds)
}

/// Looks at everything.
pub(super) async fn look(source: &Local, seconds: i64) -> Result<Sweep, SourceError> {
    let ask = Ask { with_recent: false, ..Ask::all(at(seconds), [].into()) };
    source.sweep(&ask).await
}

/// Looks closely at hosts.
pub(super) async fn look_at(source: &Local, seconds: i64, host: &str) -> Sweep {
    let focus = [host.into()].into();
    let ask = Ask { with_recent: false, focus, ..Ask::all(at(seconds), [].into()) };
    source.sweep(&ask).await.unwrap()
}

/// The only sample.
#[track_caller]
pub(super) fn only(sweep: &Sweep) -> &GpuSample {
    assert_eq!(sweep.samples.len(), 1, "{sweep:#?}");
    &sweep.samples[0]
}
