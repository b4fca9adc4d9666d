//! Against a stand-in for `ssh`, which runs what it is told in a shell of this machine, where a
//! stand-in for `nvidia-smi` is in the `PATH`.

use std::path::PathBuf;

use jiff::Timestamp;

use super::*;
use crate::domain::{ErrorKind, GpuSignal as S, Instance, Tags};

/// The longest wait for what other programs do.
const LIMIT: Duration = Duration::from_mins(1);

const HELP: &str = "List of valid properties:\n\n\"index\"\n\n\"uuid\" or \"gpu_uuid\"\n\n\
                    \"utilization.gpu\"\n\n\"power.draw\"\n\n\"name\" or \"gpu_name\"\n";

const ROWS: &str = "0, GPU-00000000-0000-4000-8000-000000000001, 97, 612.5, NVIDIA H100 80GB HBM3\n\
                    1, GPU-00000000-0000-4000-8000-000000000002, [N/A], 71.2, NVIDIA H100, odd\n";

const APPS: &str = "GPU-00000000-0000-4000-8000-000000000001, 4242, 1024, /usr/bin/python3\n";

/// Two stand-ins and what they say.
struct World {
    dir: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let world = Self { dir: tempfile::tempdir().unwrap() };
        let at = world.dir.path().display().to_string();
        std::fs::create_dir(world.path("bin")).unwrap();
        world.script(
            "ssh",
            &format!(
                "printf '%s\\n' \"$*\" >> '{at}/calls'\n\
                 while [ \"$1\" != -- ]; do shift; done\n\
                 if [ -f \"{at}/$2.ssh\" ]; then . \"{at}/$2.ssh\"; fi\n\
                 PATH=\"{at}/bin:$PATH\"\n\
                 sh -c \"$3\"\n"
            ),
        );
        world.script(
            "bin/nvidia-smi",
            &format!(
                "if [ -f '{at}/fail' ]; then cat '{at}/fail'; exit 9; fi\n\
                 if [ -f '{at}/refuse' ]; then\n\
                 case \"$*\" in *\"$(cat '{at}/refuse')\"*)\n\
                 echo \"Field \\\"$(cat '{at}/refuse')\\\" is not a valid field to query.\"; exit 2\n\
                 esac; fi\n\
                 case \"$*\" in\n\
                 *--help-query-gpu*) cat '{at}/help';;\n\
                 *--query-compute-apps*) cat '{at}/apps';;\n\
                 *-lms*) echo $$ >> '{at}/streams'; while cat '{at}/rows' 2>/dev/null; do sleep 0.2; done;;\n\
                 *) cat '{at}/rows';;\n\
                 esac\n"
            ),
        );
        world.say("help", HELP);
        world.say("rows", ROWS);
        world.say("apps", APPS);
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn script(&self, name: &str, text: &str) {
        crate::source::program::write(&self.path(name), &format!("#!/bin/sh\n{text}"));
    }

    /// In one step: it may be read at any moment.
    fn say(&self, name: &str, text: &str) {
        std::fs::write(self.path("next"), text).unwrap();
        std::fs::rename(self.path("next"), self.path(name)).unwrap();
    }

    fn lines(&self, name: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.path(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    fn settings(&self, hosts: &[&str]) -> Settings {
        let hosts = hosts.iter().map(|h| Target::new(h).unwrap()).collect();
        let mut settings = Settings::new("lab", hosts);
        settings.login.program = self.path("ssh");
        settings
    }

    fn source(&self, hosts: &[&str]) -> Ssh {
        Ssh::new(self.settings(hosts))
    }
}

fn everything() -> Ask {
    Ask { with_recent: false, ..Ask::all(Timestamp::now(), [].into()) }
}

/// Sweeps until it is as wanted.
#[track_caller]
fn until(what: &str, began: Instant) {
    assert!(began.elapsed() < LIMIT, "waited in vain for {what}");
}

async fn sweep_until(source: &Ssh, what: &str, is: impl Fn(&Sweep) -> bool) -> Sweep {
    let began = Instant::now();
    loop {
        let sweep = source.sweep(&everything()).await.unwrap();
        if is(&sweep) {
            return sweep;
        }
        until(&format!("{what}: {sweep:#?}"), began);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn a_host_is_followed_over_one_connection() {
    let world = World::new();
    let source = world.source(&["ops@gpu-1"]);
    let sweep = source.sweep(&everything()).await.unwrap();
    assert_eq!((sweep.asked, sweep.answered, sweep.troubles.len()), (1, 1, 0), "{sweep:#?}");
    let sweep = sweep_until(&source, "processes", |s| {
        s.samples.len() == 2 && s.samples[0].processes.is_some()
    })
    .await;
    let [first, second] = &sweep.samples[..] else { panic!("{sweep:#?}") };
    assert_eq!(first.signals.get(S::Util), Some(0.97));
    assert_eq!(first.signals.get(S::Power), Some(612.5));
    assert_eq!(second.signals.get(S::Util), None, "unknown, not idle");
    assert_eq!(&*second.identity.model, "NVIDIA H100, odd");
    assert_eq!(first.identity.host.address.as_deref(), Some("gpu-1"));
    let processes = first.processes.as_deref().unwrap();
    assert_eq!((processes[0].pid, &*processes[0].command), (4242, "python3"));
    assert_eq!(second.processes.as_deref(), Some(&[][..]));
    assert!(!first.names_owners);
    // Many sweeps later: one question for the properties, one stream, one for processes.
    for _ in 0..20 {
        source.sweep(&everything()).await.unwrap();
    }
    let calls = world.lines("calls");
    assert_eq!(calls.len(), 3, "{calls:#?}");
    assert!(calls[1].contains("--query-gpu=index,uuid,utilization.gpu,power.draw,name "));
    assert!(calls[1].ends_with("-lms 1000"));
    for call in &calls {
        assert!(call.contains("BatchMode=yes") && call.contains("StrictHostKeyChecking=yes"));
        assert!(call.contains(" -- ops@gpu-1 nvidia-smi "), "{call}");
    }
}

#[tokio::test]
async fn hosts_that_fail_are_said_each_with_its_reason() {
    let world = World::new();
    let says = |host: &str, text: &str, code: u8| {
        let script = format!("echo '{text}' >&2\nexit {code}\n");
        std::fs::write(world.path(&format!("{host}.ssh")), script).unwrap();
    };
    says("changed", "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @", 255);
    says("unknown", "Host key verification failed.", 255);
    says("denied", "denied: Permission denied (publickey).", 255);
    says("nowhere", "ssh: Could not resolve hostname nowhere: Name or service not known", 255);
    says("slow", "ssh: connect to host slow port 22: Connection timed out", 255);
    says("bare", "sh: 1: nvidia-smi: not found", 127);
    let names = ["gpu-1", "changed", "unknown", "denied", "nowhere", "slow", "bare"];
    let source = world.source(&names);
    let sweep = source.sweep(&everything()).await.unwrap();
    assert_eq!((sweep.asked, sweep.answered), (7, 1), "{sweep:#?}");
    let kind = |host: &str| {
        let found = sweep.troubles.iter().find(|t| &*t.host == host).unwrap();
        assert!(!found.error.fix.is_empty());
        found.error.kind
    };
    assert_eq!(kind("changed"), ErrorKind::Denied);
    assert_eq!(kind("unknown"), ErrorKind::Denied);
    assert_eq!(kind("denied"), ErrorKind::Denied);
    assert_eq!(kind("nowhere"), ErrorKind::Network);
    assert_eq!(kind("slow"), ErrorKind::Timeout);
    assert_eq!(kind("bare"), ErrorKind::Unavailable);
    assert_eq!(sweep.samples.len(), 2, "those of the host that answers");
}

#[tokio::test]
async fn without_ssh_it_is_said() {
    let world = World::new();
    let mut settings = world.settings(&["gpu-1"]);
    settings.login.program = world.path("no-such-program");
    let sweep = Ssh::new(settings).sweep(&everything()).await.unwrap();
    let error = &sweep.troubles[0].error;
    assert_eq!(error.kind, ErrorKind::Unavailable);
    assert!(error.fix.contains("OpenSSH"), "{error:?}");
}

#[tokio::test]
async fn a_stream_that_ends_is_said_and_started_anew() {
    let world = World::new();
    let source = world.source(&["gpu-1"]);
    source.sweep(&everything()).await.unwrap();
    world.say(
        "fail",
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
    );
    std::fs::remove_file(world.path("rows")).unwrap();
    let sweep = sweep_until(&source, "the end", |s| {
        s.troubles.first().is_some_and(|t| t.error.message.contains("driver is not loaded"))
    })
    .await;
    assert_eq!(sweep.answered, 0);
    assert_eq!(sweep.samples.len(), 2, "what was said last stays, with its age");
    std::fs::remove_file(world.path("fail")).unwrap();
    world.say("rows", ROWS);
    let sweep = sweep_until(&source, "a new stream", |s| s.answered == 1).await;
    assert!(sweep.troubles.is_empty());
    assert!(world.lines("streams").len() >= 2);
}

#[tokio::test]
async fn a_property_that_is_refused_is_left_out() {
    let world = World::new();
    world.say("help", &format!("{HELP}\"clocks.max.sm\"\n"));
    world.say("refuse", "clocks.max.sm");
    let source = world.source(&["gpu-1"]);
    let sweep = sweep_until(&source, "an answer", |s| s.answered == 1).await;
    assert!(!sweep.samples.is_empty());
}

/// Whether a process is there; one that nobody waited for yet is not.
fn runs(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

#[tokio::test]
async fn nothing_is_left_running() {
    let world = World::new();
    let source = world.source(&["gpu-1", "gpu-2"]);
    source.sweep(&everything()).await.unwrap();
    let streams = world.lines("streams");
    assert_eq!(streams.len(), 2);
    assert!(streams.iter().all(|pid| runs(pid)));
    drop(source);
    let began = Instant::now();
    while streams.iter().any(|pid| runs(pid)) {
        until("the children to end", began);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn of_many_hosts_some_are_followed_and_all_are_looked_at() {
    let world = World::new();
    let names: Vec<String> = (0..STREAMS + 6).map(|i| format!("gpu-{i:02}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let source = world.source(&names);
    let all = names.len() as u32;
    let sweep = sweep_until(&source, "all hosts", |s| s.answered == all).await;
    assert_eq!(sweep.samples.len(), 2 * names.len());
    assert_eq!(world.lines("streams").len(), STREAMS);
    // One on screen is followed, in the place of another.
    let last: Arc<str> = (*names.last().unwrap()).into();
    let ask = Ask { focus: [last.clone()].into(), ..everything() };
    let close = source.sweep(&ask).await.unwrap();
    assert!(close.partial);
    assert_eq!((close.asked, close.samples.len()), (1, 2));
    let began = Instant::now();
    let followed = |w: &World| {
        let calls = w.lines("calls");
        calls.iter().any(|c| c.contains(&format!(" {last} ")) && c.contains("-lms"))
    };
    while !followed(&world) {
        until("the stream", began);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let kept = source.kept.lock().unwrap();
    assert_eq!(kept.values().filter(|k| k.follower.is_some()).count(), STREAMS);
}

fn gpu_host(id: &str, ip: Option<&str>, team: &str) -> GpuHost {
    let fixture = crate::act::plan::fixture::instance();
    let instance = Instance {
        id: id.into(),
        private_ip: ip.map(Into::into),
        private_dns: format!("{id}.internal").into(),
        tags: Tags::from_raw([("team", team)]),
        ..fixture
    };
    let spec = crate::act::plan::fixture::spec();
    GpuHost { instance: Arc::new(instance), spec: Some(Arc::new(spec)) }
}

#[test]
fn instances_are_asked_by_tag_at_their_private_address() {
    let mut amd = gpu_host("i-amd", Some("10.0.0.9"), "nlp");
    let mut spec = crate::act::plan::fixture::spec();
    spec.accelerator.as_mut().unwrap().kind = AcceleratorKind::AmdGpu;
    amd.spec = Some(Arc::new(spec));
    let hosts = [
        gpu_host("i-1", Some("10.0.0.1"), "nlp"),
        gpu_host("i-2", None, "nlp"),
        gpu_host("i-3", Some("10.0.0.3"), "vision"),
        // Two networks with the same addresses: which one answers is not known.
        gpu_host("i-4", Some("10.0.0.4"), "nlp"),
        gpu_host("i-5", Some("10.0.0.4"), "vision"),
        amd,
    ];
    let world = World::new();
    let asked = |instances: Option<Ec2Hosts>, user: Option<&str>| -> Vec<_> {
        let user = user.map(str::to_owned);
        let settings = Settings { instances, user, ..world.settings(&["ops@10.0.0.3", "x"]) };
        Ssh::new(settings)
            .places(&hosts)
            .into_iter()
            .map(|p| (p.target.as_str().to_string(), p.names.instance_id))
            .collect()
    };
    let named = |name: &str, id: Option<&str>| (name.to_owned(), id.map(Arc::from));
    let own = [named("ops@10.0.0.3", Some("i-3")), named("x", None)];
    assert_eq!(asked(None, None), own);
    let nlp = Ec2Hosts::Tagged("team".into(), "nlp".into());
    let mut want = own.to_vec();
    want.extend([
        named("10.0.0.1", Some("i-1")),
        named("i-2.internal", Some("i-2")),
        named("10.0.0.4", None),
    ]);
    assert_eq!(asked(Some(nlp), None), want);
    // A host that was named is not asked a second time under another user.
    let all = asked(Some(Ec2Hosts::All), Some("ec2-user"));
    let targets: Vec<&str> = all.iter().map(|(n, _)| &**n).collect();
    assert_eq!(
        targets,
        ["ops@10.0.0.3", "x", "ec2-user@10.0.0.1", "ec2-user@i-2.internal", "ec2-user@10.0.0.4"]
    );
}
