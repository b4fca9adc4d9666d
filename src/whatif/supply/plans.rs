//! One hour of usage under reservations and Savings Plans, in AWS's order of application.
//!
//! Reserved Instances first, then EC2 Instance Savings Plans, then Compute Savings Plans. Plans of a
//! kind are applied together: to the owner's usage first, then to the other accounts'; the highest
//! saving against on-demand first, of equal ones the lowest rate. What is not used is lost with the
//! hour. (AWS Savings Plans User Guide, "Understanding how Savings Plans apply".)

/// Usage of one kind in this hour.
#[derive(Clone, Debug, PartialEq)]
pub struct Usage {
    /// Instance type, or any other meter.
    pub what: String,
    /// Account that runs it.
    pub account: String,
    /// Number of units that run.
    pub units: f64,
    /// USD per unit on demand.
    pub on_demand: f64,
}

/// A Reserved Instance, paid for whether used or not.
#[derive(Clone, Debug, PartialEq)]
pub struct Reserved {
    /// What it covers, as in [`Usage::what`].
    pub what: String,
    /// Account that owns it.
    pub account: String,
    /// Units that it covers in each hour.
    pub units: f64,
    /// USD per unit and hour, amortised.
    pub rate: f64,
}

/// Kind of Savings Plan, in the order of application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlanKind {
    /// EC2 Instance Savings Plan, for one family in one region.
    Instance,
    /// Compute Savings Plan, for all compute.
    Compute,
}

/// A Savings Plan in this hour.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Kind of plan.
    pub kind: PlanKind,
    /// Account that owns it.
    pub account: String,
    /// Commitment, USD per hour, used or not.
    pub usd_per_hour: f64,
    /// USD per unit by [`Usage::what`]; usage that is not listed is not covered.
    pub rates: Vec<(String, f64)>,
}

/// Commitment that pays for a part of some usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payer {
    /// Index in the list of reservations.
    Reserved(usize),
    /// Index in the list of plans.
    Plan(usize),
}

/// One step of the application of commitments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Applied {
    /// Index of the usage.
    pub usage: usize,
    /// The commitment that pays.
    pub by: Payer,
    /// Units covered.
    pub units: f64,
    /// USD of the commitment that these units use.
    pub usd: f64,
}

/// Charges of one hour.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bill {
    /// Steps of the application, in order.
    pub steps: Vec<Applied>,
    /// Units that run on demand, by usage.
    pub on_demand_units: Vec<f64>,
    /// USD for reservations and plans, used or not.
    pub committed_usd: f64,
    /// USD of plans that nothing used.
    pub unused_plan_usd: f64,
    /// USD of reservations that nothing used.
    pub unused_reserved_usd: f64,
    /// USD on demand.
    pub on_demand_usd: f64,
}

impl Bill {
    /// Total charges of the hour, USD.
    pub fn total_usd(&self) -> f64 {
        self.committed_usd + self.on_demand_usd
    }

    /// Units of a usage that commitments pay for.
    pub fn covered(&self, usage: usize) -> f64 {
        self.steps.iter().filter(|step| step.usage == usage).map(|step| step.units).sum()
    }
}

/// Charges of one hour. `sharing`: commitments of an account also serve the others.
pub fn bill(usage: &[Usage], reserved: &[Reserved], plans: &[Plan], sharing: bool) -> Bill {
    let mut hour = Hour {
        usage,
        open: usage.iter().map(|usage| usage.units.max(0.0)).collect(),
        steps: Vec::new(),
    };
    let mut reserved_left: Vec<f64> = reserved.iter().map(|r| r.units.max(0.0)).collect();
    let mut plan_left: Vec<f64> = plans.iter().map(|plan| plan.usd_per_hour.max(0.0)).collect();
    let scopes: &[Scope] = if sharing { &[Scope::Own, Scope::Others] } else { &[Scope::Own] };

    for scope in scopes {
        hour.reserve(reserved, &mut reserved_left, *scope);
    }
    for kind in [PlanKind::Instance, PlanKind::Compute] {
        for scope in scopes {
            hour.plan(plans, &mut plan_left, kind, *scope);
        }
    }

    let on_demand_usd = hour.open.iter().zip(usage).map(|(open, u)| open * u.on_demand).sum();
    let paid = |reserved: &Reserved| reserved.units.max(0.0) * reserved.rate;
    Bill {
        committed_usd: reserved.iter().map(paid).sum::<f64>()
            + plans.iter().map(|plan| plan.usd_per_hour.max(0.0)).sum::<f64>(),
        unused_plan_usd: plan_left.iter().sum(),
        unused_reserved_usd: reserved_left
            .iter()
            .zip(reserved)
            .map(|(left, r)| left * r.rate)
            .sum(),
        on_demand_usd,
        on_demand_units: hour.open,
        steps: hour.steps,
    }
}

/// Whose usage a round looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    Own,
    Others,
}

impl Scope {
    fn holds(self, owner: &str, account: &str) -> bool {
        (self == Self::Own) == (owner == account)
    }
}

struct Hour<'a> {
    usage: &'a [Usage],
    /// Units that nothing pays for yet.
    open: Vec<f64>,
    steps: Vec<Applied>,
}

impl Hour<'_> {
    fn reserve(&mut self, reserved: &[Reserved], left: &mut [f64], scope: Scope) {
        for (place, (reservation, left)) in reserved.iter().zip(left).enumerate() {
            for (at, usage) in self.usage.iter().enumerate() {
                let fits = usage.what == reservation.what
                    && scope.holds(&reservation.account, &usage.account);
                let units = left.min(self.open[at]);
                if !fits || units <= 0.0 {
                    continue;
                }
                *left -= units;
                self.open[at] -= units;
                let usd = units * reservation.rate;
                self.steps.push(Applied { usage: at, by: Payer::Reserved(place), units, usd });
            }
        }
    }

    fn plan(&mut self, plans: &[Plan], left: &mut [f64], kind: PlanKind, scope: Scope) {
        for (at, place, rate) in self.pairs(plans, kind, scope) {
            let units =
                if rate > 0.0 { self.open[at].min(left[place] / rate) } else { self.open[at] };
            if units <= 0.0 {
                continue;
            }
            let usd = units * rate;
            self.open[at] -= units;
            left[place] = (left[place] - usd).max(0.0);
            self.steps.push(Applied { usage: at, by: Payer::Plan(place), units, usd });
        }
    }

    /// Usage, plan and rate, in the order in which they are applied.
    fn pairs(&self, plans: &[Plan], kind: PlanKind, scope: Scope) -> Vec<(usize, usize, f64)> {
        let mut pairs = Vec::new();
        for (place, plan) in plans.iter().enumerate().filter(|(_, plan)| plan.kind == kind) {
            for (at, usage) in self.usage.iter().enumerate() {
                let rate = plan.rates.iter().find(|(what, _)| *what == usage.what);
                if let Some((_, rate)) = rate.filter(|_| scope.holds(&plan.account, &usage.account))
                {
                    pairs.push((at, place, *rate));
                }
            }
        }
        let saving = |(at, _, rate): &(usize, usize, f64)| 1.0 - rate / self.usage[*at].on_demand;
        pairs.sort_by(|a, b| {
            saving(b).total_cmp(&saving(a)).then(a.2.total_cmp(&b.2)).then(a.0.cmp(&b.0))
        });
        pairs
    }
}
