//! What holds for any box: a proposal meets every need, is cheaper and offered, and no type that
//! does is cheaper than it.

use proptest::prelude::*;

use super::*;

/// GPUs by name: compute capability ×10, TFLOPS, GB/s, MIG; written down a second time.
const GPUS: &[(&str, u32, f64, f64)] = &[
    ("V100", 70, 125.0, 900.0),
    ("T4", 75, 65.0, 320.0),
    ("T4g", 75, 65.0, 320.0),
    ("A100", 80, 312.0, 1555.0),
    ("A10G", 86, 70.0, 600.0),
    ("L4", 89, 121.0, 300.0),
    ("L40S", 89, 362.0, 864.0),
    ("H100", 90, 989.0, 3350.0),
    ("H200", 90, 989.0, 4800.0),
    ("B200", 100, 2250.0, 7700.0),
    ("B300", 103, 2250.0, 7700.0),
    ("GB200", 100, 2250.0, 7700.0),
    ("RTX PRO Server 6000", 120, 480.0, 1597.0),
    ("RTX PRO 4500", 120, 200.0, 800.0),
];

fn gpu(spec: &TypeSpec) -> Option<(u32, f64, f64)> {
    let a = spec.accelerator.as_ref()?;
    let (_, capability, tflops, mut bandwidth) = *GPUS.iter().find(|g| g.0 == &*a.model)?;
    if &*spec.name == "p4de.24xlarge" {
        bandwidth = 2039.0;
    }
    let part = a.equivalents / f64::from(a.devices);
    Some((capability, tflops * part, bandwidth * part))
}

/// Whether a type would do, by the rules as docs/savings.md states them.
fn would_do(seen: &Seen, old: &TypeSpec, new: &TypeSpec) -> bool {
    let kind = |s: &TypeSpec| s.accelerator.as_ref().map(|a| a.kind);
    let arm = |s: &TypeSpec| s.name.starts_with("g5g") || s.name.starts_with("p6e-gb");
    if kind(old) != kind(new) || arm(old) != arm(new) {
        return false;
    }
    if new.name.ends_with("metal") && !old.name.ends_with("metal") {
        return false;
    }
    let class = |s: &TypeSpec| (s.accelerator.is_none()).then(|| s.name.as_bytes()[1]);
    if class(old).zip(class(new)).is_some_and(|(old, new)| new < old) {
        return false;
    }
    let peak = seen.cpu_max.unwrap_or((seen.cpu_mean.unwrap_or(100.0) * 2.0).min(100.0));
    let cpus = (peak / 100.0 * f64::from(old.vcpus) / 0.8).min(f64::from(old.vcpus));
    let devices = old.devices();
    let memory = if devices > 0 && seen.working < devices {
        old.memory_mib * u64::from(seen.working) / u64::from(devices)
    } else {
        old.memory_mib
    };
    let store = old.instance_store_gb == 0 || new.instance_store_gb > 0;
    if f64::from(new.vcpus) < cpus || new.memory_mib < memory || !store {
        return false;
    }
    let (Some(a), Some(b)) = (&old.accelerator, &new.accelerator) else { return true };
    let nvlink = |s: &TypeSpec| s.name.starts_with('p') && s.devices() > 1;
    if b.devices < seen.working || (nvlink(old) && seen.working > 1 && !nvlink(new)) {
        return false;
    }
    let used = seen.gpu_gib.map(|gib| (gib * 1024.0).ceil() / 0.7);
    let kept = seen.gpu_gib.is_none_or(|gib| gib * 1024.0 / a.memory_mib as f64 >= 0.7)
        && seen.activity < 0.5
        || seen.gpu_gib.is_none();
    let fits = b.memory_mib >= a.memory_mib
        || (!kept
            && used
                .is_some_and(|u| b.memory_mib as f64 * 0.92 >= u.ceil().min(a.memory_mib as f64)));
    if !fits {
        return false;
    }
    if a.model == b.model && b.equivalents >= f64::from(b.devices) {
        return true;
    }
    let (Some(x), Some(y)) = (gpu(old), gpu(new)) else { return false };
    let speed = (seen.gpu_peak / 100.0 / 0.8).min(1.0);
    y.0 >= x.0 && (y.1 / x.1).min(y.2 / x.2) >= speed
}

fn seen() -> impl Strategy<Value = Seen> {
    let names: Vec<&'static str> = catalogue::type_specs()
        .iter()
        .filter(|s| {
            let nvidia = s
                .accelerator
                .as_ref()
                .is_none_or(|a| a.kind == crate::domain::AcceleratorKind::NvidiaGpu);
            nvidia && catalogue::list_price("us-east-1", &s.name).is_some()
        })
        .map(|s| &*s.name)
        .collect();
    (
        proptest::sample::select(names),
        0.0..1.0_f64,
        1.0..100.0_f64,
        proptest::option::of(0.1..100.0_f64),
        proptest::option::of(0.1..60.0_f64),
        proptest::option::of(0.0..1.0_f64),
        0.0..1.0_f32,
    )
        .prop_map(|(name, works, gpu_peak, cpu_max, cpu_mean, gib, activity)| {
            let spec = catalogue::type_spec(name).unwrap();
            let devices = spec.devices();
            let memory = spec.accelerator.as_ref().map_or(0.0, |a| a.memory_mib as f64 / 1024.0);
            let working = (works * f64::from(devices)).ceil() as u32;
            let working = working.clamp(u32::from(devices > 0), devices);
            let partial = working < devices;
            Seen {
                instance_type: name,
                kind: if partial { VerdictKind::Partial } else { VerdictKind::Underused },
                working,
                gpu_peak,
                cpu_max,
                cpu_mean: cpu_mean.or(Some(50.0)),
                gpu_gib: gib.map(|share| (share * memory * 8.0).floor() / 8.0),
                activity,
                network: None,
                ..g5()
            }
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_other_type_that_would_do_is_cheaper(seen in seen(), zone in any::<u64>()) {
        let old = catalogue::type_spec(seen.instance_type).unwrap();
        let price = |name: &str| catalogue::list_price("us-east-1", name);
        let now = price(seen.instance_type).unwrap();
        // A zone that offers about two types of three.
        let offered: Vec<&str> = catalogue::type_specs()
            .iter()
            .enumerate()
            .filter(|(i, _)| (zone >> (i % 61)) & 1 == 1 || i % 3 == 0)
            .map(|(_, s)| &*s.name)
            .collect();
        let want = catalogue::type_specs()
            .iter()
            .filter(|new| offered.contains(&&*new.name) && would_do(&seen, old, new))
            .filter_map(|new| Some((price(&new.name)?, &*new.name)))
            .filter(|(usd, _)| *usd <= now * 0.95)
            .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(b.1)));
        let proposal = World::of([seen.clone()]).offers(&offered).one();
        match (&proposal.verdict, want) {
            (SizeVerdict::Smaller { to, usd_per_hour, .. }, Some((usd, name))) => {
                prop_assert_eq!((&**to, *usd_per_hour), (name, usd));
                let (was, types) = (Arc::from(seen.instance_type), &catalogue_book().types);
                let candidates = super::super::candidate_types([&was], types);
                prop_assert!(candidates.contains(to), "{} {to}", seen.instance_type);
                prop_assert_eq!(proposal.gross_usd_per_hour, Some(now - usd));
                // Nothing is committed: what is saved at list price is what the bill falls by.
                prop_assert!((proposal.net_usd_per_hour.unwrap() - (now - usd)).abs() < 1e-6);
            }
            (SizeVerdict::Cannot(_), None) => {}
            (got, want) => prop_assert!(false, "{got:?} {want:?} {:?}", proposal.says),
        }
    }

    #[test]
    fn packing_loses_no_block_and_no_box_overflows(
        blocks in proptest::collection::vec(1..8_u32, 1..12)
    ) {
        let boxes = super::super::judge::pack(blocks.clone(), 8);
        let sum: u32 = blocks.iter().sum();
        prop_assert!(boxes >= sum.div_ceil(8) as usize && boxes <= blocks.len());
        // First fit leaves no two boxes that would fit into one.
        prop_assert!(boxes <= 1 + (sum as usize * 2) / 8);
    }
}
