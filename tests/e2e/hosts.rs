//! `nvidia-smi` over a real sshd, with a stand-in for the tool itself.
//!
//! Where sshd is not installed these tests print `skipped: …`; with `BURNTOP_CI=1` that is a failure.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use burntop::parts::domain::{ErrorKind, GpuSignal, Sweep};
use burntop::parts::source::ssh::{Login, Settings, Ssh, Target};
use burntop::parts::source::{Ask, GpuSource};
use jiff::Timestamp;

use crate::remote::{Sshd, installed, wait_until};

const TOOL: &str = r#"case "$*" in
*--help-query-gpu*) printf '"index"\n\n"uuid" or "gpu_uuid"\n\n"utilization.gpu"\n\n"name"\n';;
*--query-compute-apps*) ;;
*-lms*) echo $$ > PIDS; while echo "0, GPU-5eed0000-0000-4000-8000-000000000001, 97 %, NVIDIA L40S"; do sleep 0.2; done;;
esac
"#;

/// A GPU host: an sshd that finds the stand-in in its `PATH`.
struct Remote {
    sshd: Sshd,
    bin: tempfile::TempDir,
}

impl Remote {
    fn start() -> Option<Self> {
        let (Some(sshd), Some(_), Some(_)) =
            (installed("sshd"), installed("ssh"), installed("ssh-keygen"))
        else {
            return None;
        };
        let bin = tempfile::tempdir().unwrap();
        let pids = bin.path().join("pids");
        let text = format!("#!/bin/sh\n{}", TOOL.replace("PIDS", &pids.display().to_string()));
        let tool = bin.path().join("nvidia-smi");
        std::fs::write(&tool, text).unwrap();
        std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = format!("SetEnv PATH={}:/usr/bin:/bin\n", bin.path().display());
        let sshd = Sshd::start(&sshd, &path);
        Some(Self { sshd, bin })
    }

    /// The host's key as a line of known hosts, made of the public key in `file`.
    fn known(&self, file: &str) -> String {
        let key = std::fs::read_to_string(self.sshd.dir.path().join(file)).unwrap();
        format!("[127.0.0.1]:{} {key}", self.sshd.port)
    }

    fn source(&self, known: &str, identity: &str) -> Ssh {
        let at = |name: &str| self.sshd.dir.path().join(name);
        std::fs::write(at("known"), known).unwrap();
        let config = format!(
            "UserKnownHostsFile {}\nGlobalKnownHostsFile none\nIdentitiesOnly yes\n",
            at("known").display()
        );
        std::fs::write(at("client"), config).unwrap();
        let mut settings = Settings::new("lab", vec![Target::new("127.0.0.1").unwrap()]);
        settings.login = Login {
            port: Some(self.sshd.port),
            identity: Some(at(identity)),
            config: Some(at("client")),
            ..Login::default()
        };
        Ssh::new(settings)
    }

    fn streams(&self) -> PathBuf {
        self.bin.path().join("pids")
    }
}

fn sweep(runtime: &tokio::runtime::Runtime, source: &Ssh) -> Sweep {
    let ask = Ask::all(Timestamp::now(), Arc::default());
    runtime.block_on(source.sweep(&ask)).unwrap()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

#[test]
fn a_host_is_followed_and_left() {
    let Some(remote) = Remote::start() else { return };
    let runtime = runtime();
    let source = remote.source(&remote.known("host.pub"), "user");
    let first = sweep(&runtime, &source);
    assert_eq!((first.asked, first.answered), (1, 1), "{first:#?}");
    let sample = &first.samples[0];
    assert_eq!(sample.signals.get(GpuSignal::Util), Some(0.97));
    assert_eq!(&*sample.identity.model, "NVIDIA L40S");
    // It goes on by itself.
    wait_until(|| {
        let now = sweep(&runtime, &source);
        let newer = now.samples[0].taken_at > sample.taken_at;
        newer.then_some(()).ok_or_else(|| format!("{now:#?}"))
    });
    // Who is left has no tool running any more: its next line finds nobody.
    let pid = std::fs::read_to_string(remote.streams()).unwrap();
    drop(source);
    drop(runtime);
    wait_until(|| {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
        let runs = stat.is_ok_and(|s| !s.contains(") Z "));
        if runs { Err(format!("{pid} runs")) } else { Ok(()) }
    });
}

#[test]
fn a_host_that_is_not_who_it_should_be_is_refused() {
    let Some(remote) = Remote::start() else { return };
    let runtime = runtime();
    // Another key than the one that was known; none; and a user whom the host does not know.
    let stranger = remote.sshd.dir.path().join("stranger");
    let made = Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "", "-f"])
        .arg(&stranger)
        .status();
    assert!(made.is_ok_and(|s| s.success()));
    for (known, identity, words) in [
        (remote.known("stranger.pub"), "user", "key has changed"),
        (String::new(), "user", "key is not known"),
        (remote.known("host.pub"), "stranger", "does not let us in"),
    ] {
        let source = remote.source(&known, identity);
        let sweep = sweep(&runtime, &source);
        assert_eq!(sweep.answered, 0);
        let error = &sweep.troubles[0].error;
        assert_eq!(error.kind, ErrorKind::Denied, "{error:?}");
        assert!(error.message.contains(words), "{error:?}");
        assert!(!error.fix.is_empty());
    }
    assert!(!remote.streams().exists(), "nothing was run");
}

#[test]
fn a_host_that_goes_away_is_said() {
    let Some(mut remote) = Remote::start() else { return };
    let runtime = runtime();
    let source = remote.source(&remote.known("host.pub"), "user");
    assert_eq!(sweep(&runtime, &source).answered, 1);
    // The tool over there ends, and so does sshd.
    let pid = std::fs::read_to_string(remote.streams()).unwrap();
    remote.sshd.stop();
    let pid = rustix::process::Pid::from_raw(pid.trim().parse().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    wait_until(|| {
        let now = sweep(&runtime, &source);
        let said = now.troubles.first().map(|t| t.error.kind);
        if said == Some(ErrorKind::Network) { Ok(()) } else { Err(format!("{now:#?}")) }
    });
}
