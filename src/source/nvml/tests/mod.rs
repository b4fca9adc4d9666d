//! Against the stand-in for the library.

mod stub;

use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::domain::gpu::Throttle;
use crate::domain::{GpuSignal as S, GpuSignals, Mig};
use stub::{Stub, at, look, look_at, only};

#[track_caller]
fn assert_signals(signals: &GpuSignals, want: &[(S, f32)]) {
    for (signal, value) in want {
        let got = signals.get(*signal);
        let near = got.is_some_and(|g| (g - value).abs() <= value.abs() * 1e-5 + 1e-6);
        assert!(near, "{signal:?}: {got:?} instead of {value}");
    }
}

/// What the stub plays as `busy`, by hand in our units.
const BUSY: [(S, f32); 16] = [
    (S::Util, 0.97),
    (S::MemCopy, 0.41),
    (S::Enc, 0.0),
    (S::Dec, 0.0),
    (S::MemUsed, 57_344.0),
    (S::MemTotal, 81_559.0),
    (S::Power, 612.345),
    (S::PowerLimit, 700.0),
    (S::Energy, 123_456.79),
    (S::Temp, 66.0),
    (S::MemTemp, 44.0),
    (S::SmClock, 1_980.0),
    (S::SmClockMax, 1_980.0),
    (S::MemClock, 2_619.0),
    (S::EccUncorrected, 3.0),
    (S::RemapFailure, 0.0),
];

#[tokio::test]
async fn a_busy_gpu_is_read_in_our_units_with_its_names() {
    let Some(stub) = Stub::new("gpus=2\nmode0=busy\nmode1=idle\n") else { return };
    let source = stub.source();
    assert_eq!(&**source.origin(), "gpu-box");
    let sweep = look(&source, 0).await.unwrap();
    assert_eq!((sweep.asked, sweep.answered, sweep.partial), (1, 1, false));
    assert!(sweep.troubles.is_empty(), "{:?}", sweep.troubles);
    let [busy, idle] = &sweep.samples[..] else { panic!("{sweep:#?}") };
    assert_signals(&busy.signals, &BUSY);
    assert_eq!(busy.throttle.map(Throttle::words), Some(vec!["power cap"]));
    let who = &busy.identity;
    assert_eq!(who.uuid.as_deref(), Some("GPU-5eed0000-0000-4000-8000-000000000000"));
    assert_eq!((who.index, &*who.model), (Some(0), "NVIDIA H100 80GB HBM3"));
    assert_eq!(&*who.pci_bus_id, "00000000:00:10.0");
    assert_eq!(who.host.instance_id.as_deref(), Some("i-0123456789abcdef0"));
    assert_eq!(who.host.node.as_deref(), Some("gpu-box"));
    assert_signals(&idle.signals, &[(S::Util, 0.0), (S::Power, 71.234), (S::MemUsed, 0.0)]);
    assert!(idle.throttle.is_some_and(Throttle::is_idle));
    // Nothing is made up: no profiling before Hopper, no XID that nobody saw, PCIe only in focus.
    for unknown in [S::SmActive, S::Tensor, S::Xid, S::PcieTx, S::Nvlink, S::RecoveryAction] {
        assert_eq!(busy.signals.get(unknown), None, "{unknown:?}");
    }
    // No processes, and the list is whole: nobody is there.
    assert!(idle.processes.as_ref().is_some_and(|p| p.is_empty()) && idle.names_owners);
}

#[tokio::test]
async fn utilisation_and_honest_activity_may_differ() {
    let Some(stub) = Stub::new("gpus=3\nmode0=phantom\nmode1=video\nmode2=spin\ngpm=1\n") else {
        return;
    };
    let source = stub.source();
    look(&source, 0).await.unwrap();
    let sweep = look(&source, 1).await.unwrap();
    let [phantom, video, spin] = &sweep.samples[..] else { panic!("{sweep:#?}") };
    let wants: [(&crate::domain::GpuSample, &[(S, f32)]); 3] = [
        (phantom, &[(S::Util, 1.0), (S::MemUsed, 0.0), (S::Power, 145.0), (S::SmActive, 0.0)]),
        (video, &[(S::Util, 0.07), (S::Enc, 0.69), (S::Dec, 0.12)]),
        (spin, &[(S::Util, 0.97), (S::GrEngine, 1.0), (S::SmActive, 0.0075), (S::Tensor, 0.0)]),
    ];
    for (sample, want) in wants {
        assert_signals(&sample.signals, want);
    }
}

#[tokio::test]
async fn profiling_lies_between_two_samples() {
    let Some(stub) = Stub::new("mode=busy\ngpm=1\n") else { return };
    let source = stub.source();
    let first = look(&source, 0).await.unwrap();
    assert_eq!(only(&first).signals.get(S::SmActive), None, "one sample says nothing");
    let want = [
        (S::GrEngine, 0.965),
        (S::SmActive, 0.8825),
        (S::SmOccupancy, 0.245),
        (S::Tensor, 0.4175),
        (S::Dram, 0.38),
        (S::PcieTx, 104_857_600.0),
        (S::PcieRx, 52_428_800.0),
        (S::Nvlink, 2_097_152_000.0),
    ];
    let second = look(&source, 1).await.unwrap();
    assert_signals(&only(&second).signals, &want);
    // Asked twice at once: the same, and no new sample.
    stub.calls();
    assert_signals(&only(&look(&source, 1).await.unwrap()).signals, &want);
    assert_eq!(stub.calls().get("GpmSampleGet"), None);
    // After a long pause the last sample says nothing of now.
    let later = look(&source, 600).await.unwrap();
    assert_eq!(only(&later).signals.get(S::SmActive), None);
    // A report that looks once takes both samples.
    let source = stub.source();
    let once = source.sweep(&Ask::all(at(0), [].into())).await.unwrap();
    assert_signals(&only(&once).signals, &want);
}

#[tokio::test]
async fn a_look_makes_few_calls() {
    let Some(stub) = Stub::new("gpus=8\nmode=busy\ngpm=1\npids=4242\n") else { return };
    let source = stub.source();
    look(&source, 0).await.unwrap();
    stub.calls();
    // A look between the rounds: nine plain calls and four of profiling for each GPU.
    look(&source, 1).await.unwrap();
    let calls = stub.calls();
    assert!(calls.values().all(|n| *n == 8), "{calls:?}");
    assert_eq!(calls.len(), 13, "{calls:?}");
    for never in ["DeviceGetName", "DeviceGetPcieThroughput", "DeviceGetMigMode", "Init_v2"] {
        assert!(!calls.contains_key(never), "{calls:?}");
    }
    // A whole minute.
    for second in 2..=60 {
        look(&source, second).await.unwrap();
    }
    let calls = stub.calls();
    let per_look = calls.values().sum::<usize>() as f64 / 59.0 / 8.0;
    assert!(per_look < 15.5, "{per_look} calls a look and GPU: {calls:?}");
    assert_eq!(calls["DeviceGetName"], 8, "facts once a minute");
    // Twelve rounds: the count of processes, the list, and its place among graphics.
    assert_eq!(calls["DeviceGetComputeRunningProcesses_v3"], 8 * 12 * 2);
    assert_eq!(calls["EventSetWait_v2"], 12);
}

#[tokio::test]
async fn what_a_gpu_does_not_have_is_asked_once_a_minute() {
    let Some(stub) = Stub::without(&["ERRORS", "MEMORY"], "mode=busy\nmig=1\n") else { return };
    let source = stub.source();
    for second in 0..=59 {
        let sweep = look(&source, second).await.unwrap();
        let sample = only(&sweep);
        for unknown in [S::Util, S::Enc, S::EccUncorrected, S::MemUsed] {
            assert_eq!(sample.signals.get(unknown), None, "{unknown:?}");
        }
        assert_signals(&sample.signals, &[(S::Power, 612.345)]);
    }
    let calls = stub.calls();
    assert_eq!(calls["DeviceGetEncoderUtilization"], 1, "{calls:?}");
    look(&source, 60).await.unwrap();
    assert_eq!(stub.calls()["DeviceGetEncoderUtilization"], 1, "the driver may have changed");
}

#[tokio::test]
async fn processes_have_users_and_programs() {
    let Some(stub) = Stub::new("mode=busy\npids=4242,4243\n") else { return };
    stub.process(4242, "/usr/bin/python3\0train.py\0--token=secret\0");
    stub.process(4243, "/opt/bin/serve\x1b[2J\0");
    let source = stub.source();
    let sweep = look(&source, 0).await.unwrap();
    let sample = only(&sweep);
    let processes = sample.processes.as_deref().unwrap();
    let shown: Vec<_> = processes
        .iter()
        .map(|p| (p.pid, p.user.as_deref(), &*p.command, p.mem_mib, p.sm))
        .collect();
    // The largest first.
    let want = [
        (4243, Some("ada"), "serve\u{FFFD}[2J", Some(2_048.0), None),
        (4242, Some("ada"), "python3 train.py", Some(1_024.0), Some(0.93)),
    ];
    assert_eq!(shown, want);
    assert_eq!(sample.owner.user.as_deref(), Some("ada"));
    assert!(sample.names_owners);
    // One that ended, or is hidden: who holds the GPU is not known, so nobody is not nobody.
    stub.play("mode=busy\npids=999\n");
    let sweep = look(&source, 5).await.unwrap();
    let sample = only(&sweep);
    assert_eq!(sample.processes.as_deref().unwrap()[0].user, None);
    assert!(!sample.names_owners);
}

#[tokio::test]
async fn within_a_container_an_empty_list_proves_nothing() {
    let Some(stub) = Stub::new("") else { return };
    let link = stub.path("proc/self/ns/pid");
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink("pid:[4026532999]", &link).unwrap();
    let sweep = look(&stub.source(), 0).await.unwrap();
    assert!(only(&sweep).processes.as_ref().is_some_and(|p| p.is_empty()));
    assert!(!only(&sweep).names_owners);
}

fn mig(gpu_instance: u32) -> Mig {
    Mig { gpu_instance, profile: "1g.10gb".into() }
}

/// The tool's answer for the stub's slices.
const TOOL: &str = r#"<gpu id="00000000:00:10.0">
<mig_device>
<index>0</index>
<gpu_instance_id>9</gpu_instance_id>
</mig_device>
<mig_device>
<index>2</index>
<gpu_instance_id>11</gpu_instance_id>
</mig_device>"#;

#[tokio::test]
async fn slices_have_memory_processes_and_profiling_of_their_own() {
    let scenario = "mode=busy\nmig=1\ngpm=1\npids=4242\n";
    let Some(stub) = Stub::new(scenario) else { return };
    stub.process(4242, "train");
    stub.tool(TOOL);
    let source = stub.source();
    look(&source, 0).await.unwrap();
    let sweep = look(&source, 1).await.unwrap();
    assert!(sweep.troubles.is_empty(), "{:?}", sweep.troubles);
    let [first, second] = &sweep.samples[..] else { panic!("{sweep:#?}") };
    assert_eq!(first.identity.mig, Some(mig(9)));
    assert_eq!(second.identity.mig, Some(mig(11)));
    assert_eq!(first.identity.uuid, second.identity.uuid, "slices of one GPU");
    let want = [
        (S::MemTotal, 9_984.0),
        (S::MemUsed, 8_192.0),
        (S::SmActive, 0.8825),
        (S::Power, 612.345),
        (S::PowerLimit, 700.0),
    ];
    assert_signals(&first.signals, &want);
    assert_signals(&second.signals, &[(S::SmActive, 0.0), (S::Power, 612.345)]);
    assert_eq!(first.signals.get(S::Util), None, "unknown, not idle");
    assert_eq!(first.signals.get(S::Energy), None, "a sum of the whole board");
    assert_eq!(first.owner.user.as_deref(), Some("ada"));
    assert!(second.processes.as_ref().is_some_and(|p| p.is_empty()) && second.names_owners);
}

#[tokio::test]
async fn slices_are_told_apart_by_what_says_so_or_not_at_all() {
    let Some(stub) = Stub::new("mode=busy\nmig=1\n") else { return };
    let source = stub.source();
    let whole = look(&source, 0).await.unwrap();
    assert_eq!(only(&whole).identity.mig, None, "the GPU as one");
    assert!(whole.troubles[0].error.message.contains("cannot be told apart"));
    assert!(whole.troubles[0].error.fix.contains("nvidia-smi"));
    let found = |sweep: &Sweep| -> Vec<_> {
        sweep.samples.iter().map(|s| s.identity.mig.as_ref().map(|m| m.gpu_instance)).collect()
    };
    // Processes say in which instance they run, and it is remembered when they end.
    stub.play("mode=busy\nmig=1\npids=1,2\n");
    assert_eq!(found(&look(&source, 5).await.unwrap()), [Some(9), Some(11)]);
    stub.play("mode=busy\nmig=1\n");
    let after = look(&source, 65).await.unwrap();
    assert_eq!(found(&after), [Some(9), Some(11)]);
    assert!(after.troubles.is_empty());
    // Old drivers write it into the UUID.
    let Some(old) = Stub::new("mig=1\nnamed=1\n") else { return };
    assert_eq!(found(&look(&old.source(), 0).await.unwrap()), [Some(9), Some(11)]);
}

#[tokio::test]
async fn slices_that_go_away_are_noticed_at_the_next_round() {
    let Some(stub) = Stub::new("mode=busy\nmig=1\nnamed=1\n") else { return };
    let source = stub.source();
    assert_eq!(look(&source, 0).await.unwrap().samples.len(), 2);
    stub.play("mode=busy\nmig=0\n");
    for second in 1..=5 {
        look(&source, second).await.unwrap();
    }
    let whole = look(&source, 6).await.unwrap();
    assert_eq!(only(&whole).identity.mig, None);
}

#[tokio::test]
async fn a_gpu_that_is_lost_is_said_the_others_go_on_and_it_may_come_back() {
    let Some(stub) = Stub::new("gpus=2\nmode=busy\n") else { return };
    let source = stub.source();
    assert_eq!(look(&source, 0).await.unwrap().samples.len(), 2);
    for (from, mode, words) in [(100, "lost", "fell off"), (1_000, "reset", "reset")] {
        stub.play(&format!("gpus=2\nmode=busy\nmode1={mode}\n"));
        let sweep = look(&source, from).await.unwrap();
        assert_eq!(only(&sweep).identity.index, Some(0));
        assert_eq!((sweep.asked, sweep.answered), (1, 1));
        let [trouble] = &sweep.troubles[..] else { panic!("{sweep:#?}") };
        assert_eq!(&*trouble.host, "gpu-box GPU 1");
        assert_eq!(trouble.error.kind, ErrorKind::Unavailable);
        assert!(trouble.error.fix.contains(words), "{}", trouble.error.fix);
        // It is not asked again and again.
        stub.calls();
        look(&source, from + 1).await.unwrap();
        assert_eq!(stub.calls()["DeviceGetPowerUsage"], 1);
        // Only a library loaded anew finds it again.
        stub.play("gpus=2\nmode=busy\n");
        assert_eq!(look(&source, from + 2).await.unwrap().samples.len(), 1);
        let back = look(&source, from + 100).await.unwrap();
        assert_eq!((back.samples.len(), back.troubles.len()), (2, 0));
        assert_eq!(stub.calls()["Init_v2"], 1);
    }
}

#[tokio::test]
async fn a_gpu_that_tells_nothing_is_a_trouble_not_idle() {
    let Some(stub) = Stub::new("gpus=2\nmode0=denied\nmode1=unknown\n") else { return };
    let sweep = look(&stub.source(), 0).await.unwrap();
    assert!(sweep.samples.is_empty());
    let kinds: Vec<_> = sweep.troubles.iter().map(|t| t.error.kind).collect();
    assert_eq!(kinds, [ErrorKind::Denied, ErrorKind::Other]);
    assert!(sweep.troubles[0].error.fix.contains("/dev/nvidia"));
}

#[tokio::test]
async fn without_driver_or_permission_it_is_said_and_tried_again() {
    let Some(stub) = Stub::new("init=9\n") else { return };
    let source = stub.source();
    let error = look(&source, 0).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unavailable);
    assert!(error.fix.contains("modprobe"), "{error:?}");
    stub.play("init=4\n");
    assert_eq!(look(&source, 4).await.unwrap_err(), error, "not so soon again");
    let denied = look(&source, 5).await.unwrap_err();
    assert_eq!(denied.kind, ErrorKind::Denied);
    stub.play("init=18\n");
    let mixed = look(&source, 15).await.unwrap_err();
    assert!(mixed.message.contains("another version"), "{mixed:?}");
    stub.play("mode=busy\n");
    assert_eq!(look(&source, 35).await.unwrap().samples.len(), 1);
    assert!(present(&stub.settings()));
    assert_eq!(probe(&stub.settings()), Ok(1));
}

#[tokio::test]
async fn without_a_library_it_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("libnvidia-ml.so.1");
    let settings = Settings { library: Some(missing.clone()), ..Settings::default() };
    let error = look(&Local::new(settings.clone()), 0).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unavailable);
    assert!(error.message.contains("libnvidia-ml.so.1 cannot be loaded"), "{error:?}");
    assert!(error.fix.contains("Install NVIDIA's driver"));
    std::fs::write(&missing, "no library").unwrap();
    assert!(!present(&settings));
    let Some(stub) = Stub::without(&["SHUTDOWN"], "") else { return };
    let error = look(&stub.source(), 0).await.unwrap_err();
    assert!(error.message.contains("lacks a function: nvmlShutdown"), "{error:?}");
}

#[tokio::test]
async fn another_number_of_gpus_is_noticed_within_a_minute() {
    let Some(stub) = Stub::new("gpus=1\n") else { return };
    let source = stub.source();
    look(&source, 0).await.unwrap();
    stub.play("gpus=3\n");
    assert_eq!(look(&source, 30).await.unwrap().samples.len(), 1);
    assert_eq!(look(&source, 60).await.unwrap().samples.len(), 3);
}

#[tokio::test]
async fn an_xid_error_is_heard() {
    let Some(stub) = Stub::new("gpus=2\n") else { return };
    let source = stub.source();
    look(&source, 0).await.unwrap();
    stub.play("gpus=2\nxid=79\n");
    let sweep = look(&source, 5).await.unwrap();
    let xids: Vec<_> = sweep.samples.iter().map(|s| s.signals.get(S::Xid)).collect();
    assert_eq!(xids, [Some(79.0), None]);
    let later = look(&source, 11).await.unwrap();
    assert_eq!(later.samples[0].signals.get(S::Xid), Some(79.0), "it stays");
}

#[tokio::test]
async fn slow_calls_are_made_for_who_looks_closely() {
    let Some(stub) = Stub::new("mode=busy\n") else { return };
    let source = stub.source();
    look(&source, 0).await.unwrap();
    let close = look_at(&source, 5, "i-0123456789abcdef0").await;
    assert!(!close.partial);
    let want = [(S::PcieTx, 1_024_000.0), (S::PcieRx, 2_048_000.0)];
    assert_signals(&only(&close).signals, &want);
    stub.calls();
    let elsewhere = look_at(&source, 6, "another-host").await;
    assert!(elsewhere.partial && elsewhere.samples.is_empty());
    assert_eq!((elsewhere.asked, stub.calls().len()), (0, 0));
    let away = look(&source, 10).await.unwrap();
    assert_eq!(only(&away).signals.get(S::PcieTx), None);
}

#[tokio::test]
async fn a_driver_that_hangs_is_said_and_nothing_piles_up() {
    let source = Local::new(Settings::default());
    // A thread that never takes anything, as one that is stuck in a call.
    let (requests, waiting) = sync_channel(QUEUE);
    *source.requests.lock().unwrap() = Some(requests);
    let look = || {
        let (reply, answer) = oneshot::channel();
        let request = Request {
            now: at(0),
            focus: Arc::default(),
            with_recent: false,
            origin: "x".into(),
            reply,
        };
        (source.hand_over(request), answer)
    };
    let held: Vec<_> = (0..QUEUE).map(|_| look()).collect();
    assert!(held.iter().all(|(sent, _)| sent.is_ok()));
    let error = look().0.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Timeout);
    drop(waiting);
}

#[test]
fn it_looks_each_second() {
    let source = Local::new(Settings::default());
    assert_eq!(source.every(), Duration::from_secs(1));
    assert_eq!(source.focus_every(), Some(Duration::from_secs(1)));
    assert_eq!(source.source(), SourceId::Nvml);
}
