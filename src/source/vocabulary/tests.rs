use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::*;
use crate::domain::gpu::SignalUnit;
use crate::domain::{GpuSample, GpuSignal as S, Throttle};
use crate::source::exposition::Reader;

fn gather() -> Gather {
    Gather::new(Arc::default())
}

fn of_page() -> Gather {
    let page = Page { address: "10.0.0.7:9400".into(), instance_id: None };
    Gather::of_page(Arc::default(), page, 512)
}

fn feed(gather: &mut Gather, page: &str) {
    let vocabulary = Arc::clone(gather.vocabulary());
    let tally = Reader::default().read(
        page.as_bytes(),
        |name| vocabulary.get(name),
        |metric, series| gather.take(&metric, series.labels.iter(), series.value),
    );
    assert_eq!(tally.errors, 0, "{tally:?}");
}

fn sweep(gather: &mut Gather, page: &str) -> Gathered {
    feed(gather, page);
    gather.finish(Timestamp::UNIX_EPOCH)
}

fn one(page: &str) -> GpuSample {
    let mut gathered = sweep(&mut gather(), page);
    assert_eq!(gathered.samples.len(), 1, "{gathered:#?}");
    gathered.samples.remove(0)
}

fn capture(name: &str) -> String {
    let path = format!("{}/tests/data/gpu/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

fn close(sample: &GpuSample, signal: S, want: f64) {
    let got = sample.signals.get(signal).map(f64::from);
    let near = got.is_some_and(|got| (got - want).abs() <= want.abs() * 1e-6 + 1e-9);
    assert!(near, "{signal:?}: {got:?}, not {want}");
}

/// A scale fits its signal: percent are hundredths, bytes are MiB.
#[test]
fn each_name_has_a_scale_that_leads_to_its_unit() {
    let vocabulary = Vocabulary::default();
    for (name, metric) in vocabulary.iter() {
        let Part::Signal(signal) = metric.part else { continue };
        let lower = name.to_ascii_lowercase();
        let want: &[f64] = match signal.unit() {
            SignalUnit::Ratio => &[1.0, 0.01],
            SignalUnit::Mebibytes if lower.contains("bytes") => &[1.0 / (1024.0 * 1024.0)],
            SignalUnit::Watts if lower.contains("milliwatts") => &[1e-3],
            SignalUnit::Joules if lower.contains("joules_total") && !lower.contains("milli") => {
                &[1.0]
            }
            SignalUnit::Joules => &[1e-3],
            SignalUnit::Megahertz if lower.ends_with("_hz") => &[1e-6],
            _ => &[1.0],
        };
        assert!(want.contains(&metric.scale), "{name}: {}", metric.scale);
    }
    // 0–100 in spite of its name; 0–1 in spite of its name.
    let scale = |name: &str| vocabulary.get(name).map(|metric| metric.scale);
    assert_eq!(scale("DCGM_FI_DEV_GPU_UTIL_RATIO"), Some(0.01));
    assert_eq!(scale("DCGM_FI_DEV_FB_USED_PERCENT"), Some(1.0));
    assert_eq!(scale("nvidia_gpu_sm_util_percent"), Some(1.0));
    assert_eq!(vocabulary.get("node_load1"), None);
}

#[test]
fn a_page_of_dcgm_exporter_is_eight_gpus_with_owners() {
    let page = capture("dcgm/h100x8.prom");
    let mut gather = of_page();
    let gathered = sweep(&mut gather, &page);
    assert_eq!((gathered.samples.len(), gathered.dropped), (8, Dropped::default()));
    let gpu = &gathered.samples[3];
    assert_eq!(gpu.identity.uuid.as_deref(), Some("GPU-13cee27a-2bd9-3915-479f-049378cffdd3"));
    assert_eq!((gpu.identity.index, &*gpu.identity.model), (Some(3), "NVIDIA H100 80GB HBM3"));
    assert_eq!(&*gpu.identity.pci_bus_id, "00000000:28:00.0");
    assert_eq!(gpu.identity.host.node.as_deref(), Some("gpu-node-0001"));
    assert_eq!(gpu.identity.host.address.as_deref(), Some("10.0.0.7:9400"));
    assert_eq!(gpu.owner.words().as_deref(), Some("team-1/llm-train-0-1"));
    assert!(gpu.names_owners);
    // Against the page, read by hand: one value per family and GPU.
    let of = |family: &str| -> f64 {
        let line = page.lines().find(|l| l.starts_with(family) && l.contains("gpu=\"3\"")).unwrap();
        line.rsplit(' ').next().unwrap().parse().unwrap()
    };
    close(gpu, S::Util, of("DCGM_FI_DEV_GPU_UTIL{") / 100.0);
    close(gpu, S::Enc, of("DCGM_FI_DEV_ENC_UTIL{") / 100.0);
    close(gpu, S::SmActive, of("DCGM_FI_PROF_SM_ACTIVE{"));
    close(gpu, S::Dram, of("DCGM_FI_PROF_DRAM_ACTIVE{"));
    close(gpu, S::Power, of("DCGM_FI_DEV_POWER_USAGE{"));
    close(gpu, S::Energy, of("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{") / 1000.0);
    let parts = ["USED{", "FREE{", "RESERVED{"];
    let total: f64 = parts.iter().map(|p| of(&format!("DCGM_FI_DEV_FB_{p}"))).sum();
    close(gpu, S::MemTotal, total);
    close(gpu, S::MemUsed, of("DCGM_FI_DEV_FB_USED{"));
    close(gpu, S::Xid, of("DCGM_FI_DEV_XID_ERRORS{"));
    close(gpu, S::PcieTx, of("DCGM_FI_PROF_PCIE_TX_BYTES{"));
}

#[test]
fn the_same_gpu_is_the_same_arc_in_the_next_sweep() {
    let page = capture("dcgm/h100x8.prom");
    let mut gather = of_page();
    let first = sweep(&mut gather, &page);
    let second = sweep(&mut gather, &page);
    for (a, b) in first.samples.iter().zip(&second.samples) {
        assert!(Arc::ptr_eq(&a.identity, &b.identity) && Arc::ptr_eq(&a.owner, &b.owner));
    }
    // A known page costs the vectors of its result and nothing per series.
    let vocabulary = Arc::clone(gather.vocabulary());
    let mut reader = Reader::default();
    let mut read = |gather: &mut Gather| {
        reader.read(
            page.as_bytes(),
            |name| vocabulary.get(name),
            |metric, series| gather.take(&metric, series.labels.iter(), series.value),
        );
    };
    read(&mut gather);
    gather.finish(Timestamp::UNIX_EPOCH);
    let taken = allocation_counter::measure(|| read(&mut gather));
    assert_eq!(taken.count_total, 0, "taking in known series");
    let finished = allocation_counter::measure(|| {
        gather.finish(Timestamp::UNIX_EPOCH);
    });
    assert!(finished.count_total <= 4, "{finished:?}");
}

#[test]
fn a_loaded_h100_of_nvidia_gpu_exporter() {
    let gpu = one(&capture("nvidia_gpu_exporter/h100-80gb-hbm3-load.prom"));
    assert_eq!(gpu.identity.uuid, None, "masked");
    assert_eq!((gpu.identity.index, &*gpu.identity.model), (Some(0), "NVIDIA H100 80GB HBM3"));
    close(&gpu, S::Util, 1.0);
    close(&gpu, S::MemCopy, 0.11);
    close(&gpu, S::Power, 631.95);
    close(&gpu, S::PowerLimit, 700.0);
    close(&gpu, S::MemUsed, 20_780_679_168.0 / 1_048_576.0);
    close(&gpu, S::MemTotal, 81_559.0);
    close(&gpu, S::SmClock, 1980.0);
    close(&gpu, S::SmClockMax, 1980.0);
    close(&gpu, S::RecoveryAction, 0.0);
    assert_eq!(gpu.throttle, Some(Throttle(0)));
    let processes = gpu.processes.unwrap();
    let seen: Vec<_> = processes.iter().map(|p| (p.pid, &*p.command)).collect();
    let memhog = "/root/tools/memhog";
    assert_eq!(seen, [(11327, memhog), (11328, memhog), (11345, "./gpu_burn")]);
    assert_eq!(processes[2].mem_mib, Some(15_690.0));
    assert!(!gpu.names_owners);
}

#[test]
fn an_idle_h100_and_the_phantom_of_an_l40s() {
    let gpu = one(&capture("nvidia_gpu_exporter/h100-80gb-hbm3-idle.prom"));
    assert!(gpu.throttle.unwrap().is_idle());
    assert_eq!(gpu.processes.as_deref(), Some(&[][..]), "counted: none");
    // 100% without a process: told as it is, judged elsewhere.
    let gpu = one(&capture("nvidia_gpu_exporter/l40s-idle.prom"));
    close(&gpu, S::Util, 1.0);
    close(&gpu, S::MemUsed, 0.0);
}

#[test]
fn a_partitioned_gpu_has_no_utilisation_rather_than_none_at_all() {
    let gpu = one(&capture("nvidia_gpu_exporter/h100-mig-load.prom"));
    assert_eq!(gpu.signals.get(S::Util), None);
    close(&gpu, S::Power, 433.78);
}

#[test]
fn slices_are_told_apart_and_take_over_what_their_gpu_is() {
    let page = r#"nvidia_smi_mig_info{uuid="6085db41-848b-e6eb-82c2-6abd7b0d0c03",mig_uuid="MIG-1",gpu_instance_id="3",profile="1g.10gb"} 1
nvidia_smi_mig_info{uuid="6085db41-848b-e6eb-82c2-6abd7b0d0c03",mig_uuid="MIG-2",gpu_instance_id="4",profile="3g.40gb"} 1
nvidia_smi_mig_sm_activity_ratio{uuid="6085db41-848b-e6eb-82c2-6abd7b0d0c03",gpu_instance_id="4"} 0.5
nvidia_smi_mig_memory_used_bytes{uuid="6085db41-848b-e6eb-82c2-6abd7b0d0c03",gpu_instance_id="3"} 1048576
nvidia_smi_power_draw_watts{uuid="6085db41-848b-e6eb-82c2-6abd7b0d0c03"} 300
nvidia_smi_gpu_info{uuid="6085db41-848b-e6eb-82c2-6abd7b0d0c03",index="2",name="NVIDIA H100 80GB HBM3",pci_bus_id="00000000:09:00.0"} 1
"#;
    let mut gather = of_page();
    let samples = sweep(&mut gather, page).samples;
    assert_eq!(samples.len(), 3);
    let slice = |gi: Option<u32>| {
        let is = |s: &&GpuSample| s.identity.mig.as_ref().map(|m| m.gpu_instance) == gi;
        samples.iter().find(is).unwrap()
    };
    let three = slice(Some(4));
    assert_eq!(three.identity.mig.as_ref().unwrap().slices(), Some(3));
    assert_eq!((three.identity.index, &*three.identity.model), (Some(2), "NVIDIA H100 80GB HBM3"));
    close(three, S::SmActive, 0.5);
    close(slice(Some(3)), S::MemUsed, 1.0);
    close(slice(None), S::Power, 300.0);
    assert_eq!(three.signals.get(S::Power), None);
    let again = sweep(&mut gather, page).samples;
    assert!(samples.iter().zip(&again).all(|(a, b)| Arc::ptr_eq(&a.identity, &b.identity)));
}

#[test]
fn a_page_with_one_family_each_and_a_series_without_labels() {
    let gathered = sweep(&mut gather(), &capture("dcgm/t4.prom"));
    assert_eq!(gathered.samples.len(), 2);
    assert_eq!(gathered.dropped, Dropped { unlabelled: 1, ..Dropped::default() });
    close(&gathered.samples[0], S::Power, 8.969);
    // The host is named by the id of a container: no name of a host.
    assert_eq!(gathered.samples[0].identity.host.node, None);
    // A share of an unknown total is no amount.
    assert_eq!(gathered.samples[1].signals.get(S::MemUsed), None);
}

#[test]
fn the_share_of_memory_counts_without_what_the_driver_keeps() {
    let gpu = one("DCGM_FI_DEV_FB_TOTAL{UUID=\"GPU-1\"} 81559\n\
         DCGM_FI_DEV_FB_RESERVED{UUID=\"GPU-1\"} 559\n\
         DCGM_FI_DEV_FB_USED_RATIO{UUID=\"GPU-1\"} 0.5\n");
    close(&gpu, S::MemUsed, 40_500.0);
}

/// As Prometheus gives it without `honor_labels`: `namespace` and `pod` are the exporter's.
#[test]
fn the_exporters_pod_owns_nothing() {
    let target = r#"instance="n1:9400",namespace="gpu-operator",pod="nvidia-dcgm-exporter-abcde",container="train""#;
    let page = format!(
        "DCGM_FI_DEV_GPU_UTIL{{UUID=\"GPU-1\",exported_namespace=\"team-0\",exported_pod=\"llm-0\",{target}}} 62\n\
         DCGM_FI_DEV_GPU_UTIL{{UUID=\"GPU-2\",{target}}} 0\n"
    );
    let samples = sweep(&mut gather(), &page).samples;
    assert_eq!(samples[0].owner.words().as_deref(), Some("team-0/llm-0"));
    assert!(samples[1].owner.is_nobody(), "{:?}", samples[1].owner);
    assert!(samples[1].names_owners, "the store names owners, so nobody is nobody");
    // Under a name that tells nothing, what is exported elsewhere on the target tells.
    let page = page.replace("nvidia-dcgm-exporter-abcde", "gpu-metrics-x7k2p");
    let samples = sweep(&mut gather(), &page).samples;
    assert!(samples[1].owner.is_nobody(), "{:?}", samples[1].owner);
}

#[test]
fn free_gpus_have_no_owner_labels_and_old_ones_other_names() {
    let page = r#"DCGM_FI_DEV_GPU_UTIL{gpu="0",UUID="GPU-8b",namespace="default",pod="tester",container="tester"} 0
DCGM_FI_DEV_GPU_UTIL{gpu="1",UUID="GPU-15"} 0
"#;
    let samples = sweep(&mut of_page(), page).samples;
    assert_eq!(samples[0].owner.words().as_deref(), Some("default/tester"));
    assert!(samples[1].owner.is_nobody() && samples[1].names_owners);
    let old = r#"dcgm_old{x="y"} 1
DCGM_FI_DEV_GPU_UTIL{gpu="0",uuid="GPU-8b",pod_namespace="a",pod_name="b",namespace="monitoring",pod="prom-0"} 0
"#;
    assert_eq!(one(old).owner.words().as_deref(), Some("a/b"));
    // Labels that are there and empty: the source names owners, and there is none.
    let gpu = one("DCGM_FI_DEV_GPU_UTIL{UUID=\"GPU-1\",exported_pod=\"\",instance=\"x\"} 3\n");
    assert!(gpu.owner.is_nobody() && gpu.names_owners);
    let gpu = one("DCGM_FI_DEV_GPU_UTIL{UUID=\"GPU-1\",instance=\"x\"} 3\n");
    assert!(!gpu.names_owners);
}

#[test]
fn both_names_at_once_during_an_upgrade_are_one_gpu() {
    let gpu =
        one(r#"DCGM_FI_DEV_GPU_UTIL{UUID="GPU-1",gpu="0",Hostname="n1",instance="n1:9400"} 40
DCGM_FI_DEV_GPU_UTIL{UUID="GPU-1",gpu="0",hostname="n1",instance="n1:9400"} 42
DCGM_FI_DEV_GPU_UTIL_RATIO{UUID="GPU-1",gpu="0",hostname="n1",instance="n1:9400"} 41
"#);
    close(&gpu, S::Util, 0.42);
    assert_eq!(gpu.identity.host.node.as_deref(), Some("n1"));
}

#[test]
fn jobs_and_pods_that_share_a_gpu_are_joined() {
    let gpu = one(r#"DCGM_FI_DEV_GPU_UTIL{UUID="GPU-1",hpc_job="101"} 40
DCGM_FI_DEV_GPU_UTIL{UUID="GPU-1",hpc_job="102"} 90
DCGM_FI_DEV_FB_USED{UUID="GPU-1",hpc_job="101"} 10
DCGM_FI_DEV_FB_USED{UUID="GPU-1",hpc_job="102"} 30
"#);
    assert_eq!(gpu.owner.job.as_deref(), Some("101,102"));
    close(&gpu, S::Util, 0.9);
    close(&gpu, S::MemUsed, 30.0);
}

#[test]
fn jobstats_tells_jobs_by_label_or_by_value() {
    let gpu = one(
        r#"nvidia_gpu_duty_cycle{minor_number="0",name="NVIDIA A100-PCIE-40GB",uuid="GPU-ff",jobid="4711",userid="1001",instance="i12g1:9445"} 50
nvidia_gpu_power_usage_milliwatts{minor_number="0",name="NVIDIA A100-PCIE-40GB",uuid="GPU-ff",instance="i12g1:9445"} 250000
"#,
    );
    assert_eq!(gpu.owner.words().as_deref(), Some("1001 job 4711"));
    close(&gpu, S::Power, 250.0);
    assert_eq!(&*gpu.identity.model, "NVIDIA A100-PCIE-40GB");
    let page = r#"nvidia_gpu_jobId{minor_number="0",uuid="GPU-ff"} 34792230
nvidia_gpu_jobUid{minor_number="0",uuid="GPU-ff"} 1002
nvidia_gpu_jobId{minor_number="1",uuid="GPU-fe"} 0
"#;
    let samples = sweep(&mut gather(), page).samples;
    assert_eq!(samples[0].owner.words().as_deref(), Some("1002 job 34792230"));
    assert!(samples[1].owner.is_nobody() && samples[1].names_owners);
}

#[test]
fn the_labels_of_all_smi() {
    let page = r#"all_smi_gpu_utilization{gpu="NVIDIA H200 141GB HBM3", instance="node-0058", uuid="GPU-12345", index="0"} 25.5
all_smi_gpu_memory_used_bytes{gpu="NVIDIA H200 141GB HBM3", instance="node-0058", gpu_uuid="GPU-12345", gpu_index="0"} 8589934592
"#;
    let gathered = sweep(&mut of_page(), page);
    assert_eq!(gathered.samples.len(), 1);
    let gpu = &gathered.samples[0];
    assert_eq!((gpu.identity.index, &*gpu.identity.model), (Some(0), "NVIDIA H200 141GB HBM3"));
    assert_eq!(gpu.identity.host.node.as_deref(), Some("node-0058"));
    close(gpu, S::Util, 0.255);
    close(gpu, S::MemUsed, 8192.0);
}

#[test]
fn neuron_cores_become_devices() {
    let host = r#"instance_id="i-09db9b55e0095612f",instance_type="trn1.32xlarge""#;
    let mut lines = Vec::new();
    for (core, busy) in [(0, 0.9), (1, 0.1), (2, 0.4)] {
        let labels = format!("{{{host},neuroncore=\"{core}\",runtime_tag=\"367\"}}");
        lines.push(format!("neuroncore_utilization_ratio{labels} {busy}\n"));
        lines.push(format!("neuroncore_memory_usage_tensors{labels} 1048576\n"));
        lines.push(format!("neuroncore_memory_usage_constants{labels} 2097152\n"));
    }
    let page = lines.concat();
    let samples = sweep(&mut gather(), &page).samples;
    assert_eq!(samples.len(), 2);
    let gpu = &samples[0];
    assert_eq!((gpu.identity.index, &*gpu.identity.model), (Some(0), "Trainium"));
    assert_eq!(gpu.identity.host.instance_id.as_deref(), Some("i-09db9b55e0095612f"));
    close(gpu, S::NeuronCore, 0.5);
    close(gpu, S::MemUsed, 6.0);
    // The other core of the second device has no runtime: it does nothing.
    close(&samples[1], S::NeuronCore, 0.2);

    lines.push(format!(
        "neuron_hardware_info{{{host},neuron_device_count=\"4\",neuroncore_per_device_count=\"2\"}} 1\n"
    ));
    let page = lines.concat();
    // Of a store's answer what is missing is unknown, of a whole page it is not there.
    let samples = sweep(&mut gather(), &page).samples;
    assert_eq!(samples.len(), 4);
    assert_eq!(samples[3].signals.get(S::NeuronCore), None);
    let mut whole = of_page();
    feed(&mut whole, &page);
    whole.complete();
    let samples = whole.finish(Timestamp::UNIX_EPOCH).samples;
    close(&samples[3], S::NeuronCore, 0.0);
    close(&samples[0], S::NeuronCore, 0.5);
}

#[test]
fn nonsense_is_dropped_and_counted() {
    let page = "DCGM_FI_DEV_GPU_UTIL{UUID=\"GPU-1\"} 7407936\n\
        DCGM_FI_DEV_POWER_USAGE{UUID=\"GPU-1\"} NaN\n\
        DCGM_FI_DEV_GPU_TEMP{UUID=\"GPU-1\"} 9223372036854775794\n\
        DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{UUID=\"GPU-1\"} 140737488355328\n\
        DCGM_FI_DEV_FB_FREE{UUID=\"GPU-1\"} 9.223372036854776e18\n\
        DCGM_FI_DEV_CLOCKS_EVENT_REASONS{UUID=\"GPU-1\"} 9223372036854775792\n\
        DCGM_FI_DEV_FB_USED{UUID=\"GPU-1\"} 100\n\
        DCGM_FI_DEV_GPU_UTIL{instance=\"a:1\"} 5\n";
    let gathered = sweep(&mut gather(), page);
    assert_eq!(gathered.dropped, Dropped { impossible: 6, nameless: 1, ..Dropped::default() });
    let known: Vec<_> = gathered.samples[0].signals.iter().collect();
    assert_eq!(known, [(S::MemUsed, 100.0)]);
    assert_eq!(gathered.samples[0].throttle, None);
}

#[test]
fn the_better_of_two_metrics_is_believed_in_any_order() {
    let lines = [
        "nvidia_smi_power_draw_instant_watts{uuid=\"a1\"} 145\n",
        "nvidia_smi_power_draw_watts{uuid=\"a1\"} 65\n",
    ];
    close(&one(&lines.concat()), S::Power, 65.0);
    close(&one(&[lines[1], lines[0]].concat()), S::Power, 65.0);
    close(&one(lines[0]), S::Power, 145.0);
}

#[test]
fn the_last_xid_is_the_latest() {
    let gpu = one("nvidia_smi_xid_last_timestamp_seconds{uuid=\"a1\",xid=\"79\"} 1800000000\n\
         nvidia_smi_xid_last_timestamp_seconds{uuid=\"a1\",xid=\"13\"} 1700000000\n");
    close(&gpu, S::Xid, 79.0);
}

#[test]
fn a_gpu_that_moves_is_where_it_is_now() {
    let mut gather = gather();
    let at = |node: &str| {
        format!(
            "DCGM_FI_DEV_GPU_UTIL{{UUID=\"GPU-1\",Hostname=\"{node}\",instance=\"{node}:9400\"}} 1\n"
        )
    };
    for node in ["n1", "n2", "n1"] {
        let samples = sweep(&mut gather, &at(node)).samples;
        assert_eq!(samples[0].identity.host.node.as_deref(), Some(node));
    }
    assert!(sweep(&mut gather, "").samples.is_empty(), "gone is gone");
}

#[test]
fn hosts_named_for_what_they_run_in_are_not_believed() {
    for hostname in ["localhost", "127.0.0.1", "nvidia-dcgm-exporter-x2x4z", "424773df46e0"] {
        let page = format!(
            "DCGM_FI_DEV_GPU_UTIL{{UUID=\"GPU-1\",Hostname=\"{hostname}\",instance=\"10.1.2.3:9400\"}} 1\n"
        );
        let host = one(&page).identity.host.clone();
        assert_eq!((host.node.as_deref(), host.shown()), (None, "10.1.2.3"), "{hostname}");
    }
}

#[test]
fn a_host_called_like_the_pod_is_the_pod() {
    // The one series has the labels of owners, as only one query of a sweep asks for them.
    let page = "DCGM_FI_DEV_FB_USED{UUID=\"GPU-1\",Hostname=\"gpu-metrics-x7k2p\",\
        instance=\"10.1.2.3:9400\"} 1\n\
        DCGM_FI_DEV_GPU_UTIL{UUID=\"GPU-1\",Hostname=\"gpu-metrics-x7k2p\",\
        pod=\"gpu-metrics-x7k2p\",exported_pod=\"a\",instance=\"10.1.2.3:9400\"} 1\n";
    assert_eq!(one(page).identity.host.shown(), "10.1.2.3");
}

#[test]
fn memory_of_labels_that_are_gone_is_given_back() {
    let mut gather = gather();
    for round in 0..40 {
        let line =
            |i| format!("DCGM_FI_DEV_GPU_UTIL{{UUID=\"GPU-{i}a\",exported_pod=\"p-{round}\"}} 1\n");
        let page: Vec<String> = (0..200).map(line).collect();
        let gathered = sweep(&mut gather, &page.concat());
        assert_eq!(gathered.samples.len(), 200);
        let pod = format!("p-{round}");
        assert!(gathered.samples.iter().all(|s| s.owner.pod.as_deref() == Some(&*pod)));
    }
    assert!(gather.remembered() <= 2 * 200 + 1024 + 200, "{}", gather.remembered());
}

#[test]
fn one_page_cannot_invent_devices_without_end() {
    let page = Page { address: "a:1".into(), instance_id: Some("i-1".into()) };
    let mut gather = Gather::of_page(Arc::default(), page, 16);
    let line = |i| format!("DCGM_FI_DEV_GPU_UTIL{{UUID=\"GPU-{i:x}f\"}} 1\n");
    let text: Vec<String> = (0..100).map(line).collect();
    let gathered = sweep(&mut gather, &text.concat());
    assert_eq!((gathered.samples.len(), gathered.dropped.excess), (16, 84));
    assert_eq!(gathered.samples[0].identity.host.instance_id.as_deref(), Some("i-1"));
}

#[test]
fn labels_are_made_safe_where_they_come_in() {
    let gpu = one(
        "DCGM_FI_DEV_GPU_UTIL{UUID=\"GPU-\u{1b}1\",modelName=\"a\u{1b}[2Jb\",exported_pod=\"x\\ny\"} 1\n",
    );
    let shown = format!("{gpu:?}");
    assert!(!shown.contains("\\u{1b}") && !shown.contains("\\n"), "{shown}");
    let long =
        format!("DCGM_FI_DEV_GPU_UTIL{{UUID=\"GPU-1\",pod=\"{}\"}} 1\n", "x".repeat(1 << 20));
    assert!(one(&long).owner.pod.as_ref().unwrap().len() < 2048);
}

#[test]
fn names_of_ones_own_are_understood_or_refused_with_a_reason() {
    let aliases = |signal: &str, metric: &str| {
        Vocabulary::with_aliases(&BTreeMap::from([(signal.to_owned(), vec![metric.to_owned()])]))
    };
    let own = aliases("sm_active", "site:sm_busy_percent * 0.01").unwrap();
    let metric = own.get("site:sm_busy_percent").unwrap();
    assert_eq!((metric.part, Some(metric.scale)), (Part::Signal(S::SmActive), Some(0.01)));
    assert!(own.get("DCGM_FI_DEV_GPU_UTIL").is_some());
    for (signal, name, words) in [
        ("sm", "x", "`sm` is no signal"),
        ("util", "x*zero", "`zero` is no positive number"),
        ("util", "x*-1", "no positive number"),
        ("util", "9x", "no metric name"),
        ("util", "a b", "no metric name"),
    ] {
        let error = aliases(signal, name).unwrap_err();
        assert!(error.contains(words), "{error}");
    }
}
