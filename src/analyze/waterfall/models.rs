//! Behind the steps: what models could be run cheaper for, on what is left. It is no step: nothing is certain of it.

use std::sync::Arc;

use super::bill::{Bill, Machine};
use crate::fleet::savings::{ModelRow, Potential};

/// Upper bound of what measures on models could save on what the steps left of the workloads, of each by its largest measure.
/// What commitments pay for is no part of it: they go on paying. `None` where nothing is left of any.
pub(super) fn potential(bill: &Bill<'_>, models: &[Arc<ModelRow>]) -> Option<Potential> {
    let left = Left::of(bill);
    let mut found = Potential { up_to_usd_per_hour: 0.0, workloads: 0, scripts: 0 };
    for row in models.iter().filter(|row| row.is_largest) {
        let workload = &row.workload;
        if workload.instances.is_empty() {
            found.scripts += 1;
            continue;
        }
        let Some(up_to) = row.up_to_usd_per_hour.filter(|_| workload.usd_per_hour > 0.0) else {
            continue;
        };
        let share = (up_to / workload.usd_per_hour).clamp(0.0, 1.0);
        let machines = workload.instances.iter().filter_map(|id| bill.machine(id));
        let usd: f64 = machines.map(|at| left.of_machine(bill, &bill.machines[at])).sum();
        if share * usd > 0.0 {
            found.up_to_usd_per_hour += share * usd;
            found.workloads += 1;
        }
    }
    // Failed runs and purchases took parts of them.
    found.up_to_usd_per_hour = found.up_to_usd_per_hour.min(bill.usd_per_hour().max(0.0));
    (found.workloads > 0).then_some(found)
}

/// What is left to be saved of each machine.
struct Left {
    /// Machines by meter that no step stopped.
    on_meter: Vec<f64>,
}

impl Left {
    fn of(bill: &Bill<'_>) -> Self {
        let mut on_meter = vec![0.0; bill.units.len()];
        for meter in bill.machines.iter().filter(|m| !m.gone).filter_map(|m| m.meter) {
            on_meter[meter] += 1.0;
        }
        Self { on_meter }
    }

    /// What a machine costs beyond commitments, USD/h: machines of a meter have equal parts of its hours on demand.
    fn of_machine(&self, bill: &Bill<'_>, machine: &Machine<'_>) -> f64 {
        if machine.gone {
            return 0.0;
        }
        match machine.meter {
            Some(meter) => {
                let open = bill.applied.on_demand_units[meter] / self.on_meter[meter];
                bill.price[meter].unwrap_or(0.0) * open
            }
            None => machine.flat.unwrap_or(0.0),
        }
    }
}
