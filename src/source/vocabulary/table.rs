//! The metric names, as the exporters' sources and documentation have them.

use super::{Family, Metric, Part};
use crate::domain::{GpuSignal as S, Throttle};

/// Percent to ratio.
const PERCENT: f64 = 0.01;
/// Bytes to MiB.
const BYTES: f64 = 1.0 / 1_048_576.0;
/// Hz to MHz.
const HERTZ: f64 = 1e-6;
/// A thousandth: mW to W, mJ to J.
const MILLI: f64 = 1e-3;

/// Name of a metric, its part, scale and rank.
type Line = (&'static str, Part, f64, u8);

const fn of(name: &'static str, signal: S, scale: f64) -> Line {
    (name, Part::Signal(signal), scale, 0)
}

const fn second(name: &'static str, signal: S, scale: f64) -> Line {
    (name, Part::Signal(signal), scale, 1)
}

const fn part(name: &'static str, part: Part, scale: f64) -> Line {
    (name, part, scale, 0)
}

const fn bit(name: &'static str, bit: u64) -> Line {
    (name, Part::ThrottleBit(bit), 1.0, 0)
}

/// DCGM field ids as `dcgm_fields.h` names them, before and since 4.6 (the old ones stay as macros,
/// and the name exported is whatever the site's list of fields says). `GPU_UTIL_RATIO` is still
/// 0–100; `FB_USED_PERCENT` always was 0–1.
const DCGM: &[Line] = &[
    of("DCGM_FI_DEV_GPU_UTIL", S::Util, PERCENT),
    of("DCGM_FI_DEV_GPU_UTIL_RATIO", S::Util, PERCENT),
    of("DCGM_FI_PROF_GR_ENGINE_ACTIVE", S::GrEngine, 1.0),
    of("DCGM_FI_PROF_GR_ENGINE_UTIL_RATIO", S::GrEngine, 1.0),
    of("DCGM_FI_PROF_SM_ACTIVE", S::SmActive, 1.0),
    of("DCGM_FI_PROF_SM_UTIL_RATIO", S::SmActive, 1.0),
    of("DCGM_FI_PROF_SM_OCCUPANCY", S::SmOccupancy, 1.0),
    of("DCGM_FI_PROF_SM_OCCUPANCY_RATIO", S::SmOccupancy, 1.0),
    of("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", S::Tensor, 1.0),
    of("DCGM_FI_PROF_TENSOR_UTIL_RATIO", S::Tensor, 1.0),
    of("DCGM_FI_PROF_DRAM_ACTIVE", S::Dram, 1.0),
    of("DCGM_FI_PROF_DRAM_UTIL_RATIO", S::Dram, 1.0),
    of("DCGM_FI_DEV_MEM_COPY_UTIL", S::MemCopy, PERCENT),
    of("DCGM_FI_DEV_ENC_UTIL", S::Enc, PERCENT),
    of("DCGM_FI_DEV_DEC_UTIL", S::Dec, PERCENT),
    // MiB.
    of("DCGM_FI_DEV_FB_USED", S::MemUsed, 1.0),
    of("DCGM_FI_DEV_FB_TOTAL", S::MemTotal, 1.0),
    part("DCGM_FI_DEV_FB_FREE", Part::MemFree, 1.0),
    part("DCGM_FI_DEV_FB_RESERVED", Part::MemReserved, 1.0),
    part("DCGM_FI_DEV_FB_USED_PERCENT", Part::MemShare, 1.0),
    part("DCGM_FI_DEV_FB_USED_RATIO", Part::MemShare, 1.0),
    of("DCGM_FI_DEV_POWER_USAGE", S::Power, 1.0),
    of("DCGM_FI_DEV_BOARD_POWER_WATTS", S::Power, 1.0),
    second("DCGM_FI_DEV_POWER_USAGE_INSTANT", S::Power, 1.0),
    second("DCGM_FI_DEV_BOARD_POWER_RAW_WATTS", S::Power, 1.0),
    of("DCGM_FI_DEV_ENFORCED_POWER_LIMIT", S::PowerLimit, 1.0),
    of("DCGM_FI_DEV_BOARD_POWER_LIMIT_ENFORCED_WATTS", S::PowerLimit, 1.0),
    second("DCGM_FI_DEV_POWER_MGMT_LIMIT", S::PowerLimit, 1.0),
    second("DCGM_FI_DEV_BOARD_POWER_LIMIT_REQUESTED_WATTS", S::PowerLimit, 1.0),
    // mJ since the driver was loaded.
    of("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", S::Energy, MILLI),
    of("DCGM_FI_DEV_GPU_TEMP", S::Temp, 1.0),
    of("DCGM_FI_DEV_GPU_TEMP_CELSIUS", S::Temp, 1.0),
    of("DCGM_FI_DEV_MEMORY_TEMP", S::MemTemp, 1.0),
    of("DCGM_FI_DEV_MEMORY_TEMP_CELSIUS", S::MemTemp, 1.0),
    of("DCGM_FI_DEV_SM_CLOCK", S::SmClock, 1.0),
    of("DCGM_FI_DEV_MAX_SM_CLOCK", S::SmClockMax, 1.0),
    of("DCGM_FI_DEV_MEM_CLOCK", S::MemClock, 1.0),
    // Rates, B/s.
    of("DCGM_FI_PROF_PCIE_TX_BYTES", S::PcieTx, 1.0),
    of("DCGM_FI_PROF_PCIE_RX_BYTES", S::PcieRx, 1.0),
    part("DCGM_FI_PROF_NVLINK_TX_BYTES", Part::NvlinkTx, 1.0),
    part("DCGM_FI_PROF_NVLINK_RX_BYTES", Part::NvlinkRx, 1.0),
    of("DCGM_FI_DEV_XID_ERRORS", S::Xid, 1.0),
    of("DCGM_FI_DEV_XID_ERROR", S::Xid, 1.0),
    of("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", S::EccUncorrected, 1.0),
    of("DCGM_FI_DEV_ROW_REMAP_FAILURE", S::RemapFailure, 1.0),
    of("DCGM_FI_DEV_ROW_REMAP_FAILED", S::RemapFailure, 1.0),
    part("DCGM_FI_DEV_CLOCKS_EVENT_REASONS", Part::Throttle, 1.0),
    part("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", Part::Throttle, 1.0),
];

/// `nvidia_gpu_exporter`: the queries of nvidia-smi with base units; those of the GPU
/// instances come from its NVML backend.
const NVIDIA_SMI: &[Line] = &[
    part("nvidia_smi_gpu_info", Part::Labels, 1.0),
    part("nvidia_smi_mig_info", Part::Labels, 1.0),
    of("nvidia_smi_utilization_gpu_ratio", S::Util, 1.0),
    of("nvidia_smi_utilization_memory_ratio", S::MemCopy, 1.0),
    of("nvidia_smi_utilization_encoder_ratio", S::Enc, 1.0),
    of("nvidia_smi_utilization_decoder_ratio", S::Dec, 1.0),
    of("nvidia_smi_mig_graphics_activity_ratio", S::GrEngine, 1.0),
    of("nvidia_smi_mig_sm_activity_ratio", S::SmActive, 1.0),
    of("nvidia_smi_mig_sm_occupancy_ratio", S::SmOccupancy, 1.0),
    of("nvidia_smi_mig_tensor_activity_ratio", S::Tensor, 1.0),
    of("nvidia_smi_memory_used_bytes", S::MemUsed, BYTES),
    of("nvidia_smi_memory_total_bytes", S::MemTotal, BYTES),
    of("nvidia_smi_mig_memory_used_bytes", S::MemUsed, BYTES),
    of("nvidia_smi_mig_memory_total_bytes", S::MemTotal, BYTES),
    of("nvidia_smi_power_draw_watts", S::Power, 1.0),
    second("nvidia_smi_power_draw_instant_watts", S::Power, 1.0),
    second("nvidia_smi_power_draw_average_watts", S::Power, 1.0),
    of("nvidia_smi_enforced_power_limit_watts", S::PowerLimit, 1.0),
    second("nvidia_smi_power_limit_watts", S::PowerLimit, 1.0),
    of("nvidia_smi_energy_joules_total", S::Energy, 1.0),
    of("nvidia_smi_temperature_gpu", S::Temp, 1.0),
    of("nvidia_smi_temperature_memory", S::MemTemp, 1.0),
    of("nvidia_smi_clocks_current_sm_clock_hz", S::SmClock, HERTZ),
    of("nvidia_smi_clocks_max_sm_clock_hz", S::SmClockMax, HERTZ),
    of("nvidia_smi_clocks_current_memory_clock_hz", S::MemClock, HERTZ),
    of("nvidia_smi_pcie_throughput_tx_bytes_per_second", S::PcieTx, 1.0),
    of("nvidia_smi_pcie_throughput_rx_bytes_per_second", S::PcieRx, 1.0),
    of("nvidia_smi_mig_pcie_throughput_tx_bytes_per_second", S::PcieTx, 1.0),
    of("nvidia_smi_mig_pcie_throughput_rx_bytes_per_second", S::PcieRx, 1.0),
    part("nvidia_smi_xid_last_timestamp_seconds", Part::XidSeen, 1.0),
    of("nvidia_smi_ecc_errors_uncorrected_volatile_total", S::EccUncorrected, 1.0),
    of("nvidia_smi_remapped_rows_failure", S::RemapFailure, 1.0),
    of("nvidia_smi_gpu_recovery_action", S::RecoveryAction, 1.0),
    part("nvidia_smi_clocks_event_reasons_active", Part::Throttle, 1.0),
    part("nvidia_smi_clocks_throttle_reasons_active", Part::Throttle, 1.0),
    bit("nvidia_smi_clocks_event_reasons_gpu_idle", Throttle::GPU_IDLE),
    bit("nvidia_smi_clocks_throttle_reasons_gpu_idle", Throttle::GPU_IDLE),
    bit("nvidia_smi_clocks_event_reasons_sw_power_cap", Throttle::SW_POWER_CAP),
    bit("nvidia_smi_clocks_event_reasons_hw_slowdown", Throttle::HW_SLOWDOWN),
    bit("nvidia_smi_clocks_event_reasons_sync_boost", Throttle::SYNC_BOOST),
    bit("nvidia_smi_clocks_event_reasons_sw_thermal_slowdown", Throttle::SW_THERMAL),
    bit("nvidia_smi_clocks_event_reasons_hw_thermal_slowdown", Throttle::HW_THERMAL),
    bit("nvidia_smi_clocks_event_reasons_hw_power_brake_slowdown", Throttle::HW_POWER_BRAKE),
    part("nvidia_smi_compute_apps", Part::Processes, 1.0),
    part("nvidia_smi_compute_app_info", Part::Process, 1.0),
    part("nvidia_smi_compute_app_used_memory_bytes", Part::ProcessMem, BYTES),
];

/// all-smi's API mode.
const ALL_SMI: &[Line] = &[
    part("all_smi_gpu_info", Part::Labels, 1.0),
    of("all_smi_gpu_utilization", S::Util, PERCENT),
    of("all_smi_gpu_memory_used_bytes", S::MemUsed, BYTES),
    of("all_smi_gpu_memory_total_bytes", S::MemTotal, BYTES),
    of("all_smi_gpu_power_consumption_watts", S::Power, 1.0),
    of("all_smi_gpu_power_limit_current_watts", S::PowerLimit, 1.0),
    of("all_smi_gpu_energy_hw_millijoules_total", S::Energy, MILLI),
    of("all_smi_gpu_temperature_celsius", S::Temp, 1.0),
    of("all_smi_gpu_frequency_mhz", S::SmClock, 1.0),
    of("all_smi_gpu_clock_graphics_max_mhz", S::SmClockMax, 1.0),
    // From NVML's GPM or DCGM, on Hopper and later, 0–1.
    of("all_smi_gpu_graphics_active_ratio", S::GrEngine, 1.0),
    of("all_smi_gpu_sm_active_ratio", S::SmActive, 1.0),
    of("all_smi_gpu_sm_occupancy", S::SmOccupancy, 1.0),
    of("all_smi_gpu_tensor_active_ratio", S::Tensor, 1.0),
    of("all_smi_gpu_memory_bandwidth_utilization", S::Dram, 1.0),
    of("all_smi_mig_instance_utilization_gpu", S::Util, PERCENT),
    of("all_smi_mig_instance_utilization_memory", S::MemCopy, PERCENT),
    of("all_smi_mig_instance_memory_used_bytes", S::MemUsed, BYTES),
    of("all_smi_mig_instance_memory_total_bytes", S::MemTotal, BYTES),
];

/// neuron-monitor's companion for Prometheus: cores are counted through over the whole host.
const NEURON: &[Line] = &[
    part("neuron_hardware_info", Part::Labels, 1.0),
    of("neuroncore_utilization_ratio", S::NeuronCore, 1.0),
    part("neuroncore_memory_usage_constants", Part::CoreMem(0), BYTES),
    part("neuroncore_memory_usage_model_code", Part::CoreMem(1), BYTES),
    part("neuroncore_memory_usage_model_shared_scratchpad", Part::CoreMem(2), BYTES),
    part("neuroncore_memory_usage_runtime_memory", Part::CoreMem(3), BYTES),
    part("neuroncore_memory_usage_tensors", Part::CoreMem(4), BYTES),
];

/// The exporter that Jobstats uses. Its `…_percent` of the profiling counters are 0–1.
const JOBSTATS: &[Line] = &[
    of("nvidia_gpu_duty_cycle", S::Util, PERCENT),
    of("nvidia_gpu_graphics_util_percent", S::GrEngine, 1.0),
    of("nvidia_gpu_sm_util_percent", S::SmActive, 1.0),
    of("nvidia_gpu_memory_used_bytes", S::MemUsed, BYTES),
    of("nvidia_gpu_memory_total_bytes", S::MemTotal, BYTES),
    of("nvidia_gpu_power_usage_milliwatts", S::Power, MILLI),
    of("nvidia_gpu_temperature_celsius", S::Temp, 1.0),
    part("nvidia_gpu_jobId", Part::JobId, 1.0),
    part("nvidia_gpu_jobUid", Part::UserId, 1.0),
];

/// All metric names of the table with their meaning.
pub fn all() -> impl Iterator<Item = (&'static str, Metric)> {
    [
        (Family::Dcgm, DCGM),
        (Family::NvidiaSmi, NVIDIA_SMI),
        (Family::AllSmi, ALL_SMI),
        (Family::Neuron, NEURON),
        (Family::Jobstats, JOBSTATS),
    ]
    .into_iter()
    .flat_map(|(family, lines)| {
        lines
            .iter()
            .map(move |&(name, part, scale, rank)| (name, Metric { part, scale, family, rank }))
    })
}
