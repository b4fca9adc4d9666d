//! GPUs by what telemetry shows of them.

use super::families::{
    BLIND_BURN, BLIND_GPUS, BLIND_INSTANCES, GPU_BURN, GPU_EFFECTIVE, GPU_UNPRICED, GPU_WASTE,
    GPU_WASTE_UNKNOWN, GPUS,
};
use super::input::MetricsInput;
use super::page::Page;
use crate::domain::GpuState;
use crate::fleet::GpuFleet;
use crate::fleet::savings::known_sum;

/// Adds the figures of the GPUs; none before telemetry was joined, of states none without a GPU that reports.
pub(super) fn add(page: &mut Page, input: &MetricsInput<'_>) {
    let gpus = input.gpus;
    if gpus.as_of.is_none() {
        return;
    }
    if !gpus.rows.is_empty() {
        GpuState::ALL.into_iter().for_each(|state| of_state(page, gpus, state));
        page.single(&GPU_EFFECTIVE, gpus.totals.efficiency());
    }
    let missing: u32 = gpus.blind.iter().map(|blind| blind.missing).sum();
    page.single(&BLIND_INSTANCES, Some(gpus.blind.len() as f64));
    page.single(&BLIND_GPUS, Some(f64::from(missing)));
    let (usd, _) = known_sum(gpus.blind.iter().map(|blind| blind.usd_per_hour));
    page.single(&BLIND_BURN, usd);
}

fn of_state(page: &mut Page, gpus: &GpuFleet, state: GpuState) {
    let sums = gpus.totals.of_state(state);
    let labels = &[state.name()];
    page.set(&GPUS, labels, Some(sums.equivalents));
    let is_priced = sums.count == 0 || sums.unpriced < sums.count;
    page.set(&GPU_BURN, labels, is_priced.then_some(sums.burn));
    page.set(&GPU_UNPRICED, labels, Some(f64::from(sums.unpriced)));
    let of_state = gpus.rows.iter().filter(|row| row.verdict.state == state);
    let (waste, unknown) = known_sum(of_state.map(|row| row.waste_usd_per_hour));
    page.set(&GPU_WASTE, labels, waste);
    page.set(&GPU_WASTE_UNKNOWN, labels, Some(f64::from(unknown)));
}
