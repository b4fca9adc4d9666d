//! The processes on a GPU or a slice, and whose it is by them.

use std::collections::HashMap;
use std::sync::Arc;

use nvml_wrapper::Device;
use nvml_wrapper::enums::device::UsedGpuMemory;
use nvml_wrapper::struct_wrappers::device::ProcessInfo;

use super::call::{Call, Calls};
use super::gpu::SweepParams;
use super::process;
use crate::domain::{GpuOwner, GpuProcess};

/// Bytes of a MiB.
const MIB: f64 = 1_048_576.0;

/// The most processes kept of a GPU.
const MAX_PROCESSES: usize = 256;

/// Processes on a GPU or slice.
#[derive(Default)]
pub(super) struct Runs {
    /// List of processes; `None` when the driver does not report them.
    pub processes: Option<Arc<[GpuProcess]>>,
    /// Owner of the process with the most memory.
    pub owner: Arc<GpuOwner>,
    /// GPU instance id that the processes of a slice carry; `None` without one.
    pub instance: Option<u32>,
}

/// True when an empty owner proves that nobody uses the GPU: the process list is complete, and every process in it has
/// a user.
pub(super) fn names_owners(runs: &Runs, sees_all: bool) -> bool {
    sees_all && runs.processes.as_ref().is_some_and(|p| p.is_empty() || !runs.owner.is_nobody())
}

/// Processes on a device; with `seen`, also their recent utilisation since that time (µs), which is updated.
pub(super) fn runs(
    device: &Device<'_>,
    calls: &mut Calls,
    seen: Option<&mut u64>,
    params: &SweepParams<'_>,
) -> Runs {
    let compute = calls.ask(Call::Compute, || device.running_compute_processes());
    let graphics = calls.ask(Call::Graphics, || device.running_graphics_processes());
    // The driver keeps two lists; without that of compute nothing can be said.
    let Some(compute) = compute else { return Runs::default() };
    let lately = seen.map(|seen| lately(device, calls, seen)).unwrap_or_default();
    let mut infos: Vec<ProcessInfo> = compute;
    for info in graphics.into_iter().flatten() {
        if !infos.iter().any(|i| i.pid == info.pid) {
            infos.push(info);
        }
    }
    let instance = infos.iter().find_map(|i| i.gpu_instance_id);
    let mut processes: Vec<GpuProcess> = infos
        .iter()
        .take(MAX_PROCESSES)
        .map(|info| {
            let told = process::describe(params.places, params.users, info.pid);
            GpuProcess {
                pid: info.pid,
                user: told.user,
                command: told.command,
                mem_mib: match info.used_gpu_memory {
                    UsedGpuMemory::Used(bytes) => Some((bytes as f64 / MIB) as f32),
                    UsedGpuMemory::Unavailable => None,
                },
                sm: lately.get(&info.pid).map(|percent| *percent as f32 / 100.0),
            }
        })
        .collect();
    processes.sort_by(|a, b| {
        let size = |p: &GpuProcess| p.mem_mib.unwrap_or(0.0);
        size(b).total_cmp(&size(a)).then(a.pid.cmp(&b.pid))
    });
    let user = processes.iter().find_map(|p| p.user.clone());
    Runs {
        processes: Some(processes.into()),
        owner: Arc::new(GpuOwner { user, ..GpuOwner::default() }),
        instance,
    }
}

/// The newest use of the multiprocessors by process, percent, since the last look.
fn lately(device: &Device<'_>, calls: &mut Calls, seen: &mut u64) -> HashMap<u32, u32> {
    let since = *seen;
    let mut samples =
        calls.ask(Call::ProcessUse, || device.process_utilization_stats(since)).unwrap_or_default();
    samples.sort_by_key(|s| s.timestamp);
    if let Some(last) = samples.last() {
        *seen = last.timestamp;
    }
    samples.iter().filter(|s| s.sm_util <= 100).map(|s| (s.pid, s.sm_util)).collect()
}
