//! Guards against taking a target from load balancers that send it requests.

use super::scene::Scene;
use crate::act::plan::finding::FindingSink;
use crate::domain::TargetGroupFact;

/// Part that a registered target plays for its load balancer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Duty {
    /// The target gets requests, or may: unknown states count here, and `unavailable` (health checks are off, so
    /// requests are sent).
    Serving,
    /// The target gets no requests while another is healthy. Without a healthy one, load balancers send requests to all
    /// ("fail open").
    Standing,
    /// The target gets no requests: no listener uses the group, or its zone is off.
    Unused,
}

impl Duty {
    /// Duty that the health reported by the API means.
    pub fn of(fact: &TargetGroupFact) -> Self {
        match &*fact.health {
            "unused" => Self::Unused,
            "unhealthy" => Self::Standing,
            _ => Self::Serving,
        }
    }
}

pub(super) fn target_groups(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    const SOURCE: &str = "elasticloadbalancing:DescribeTargetHealth";
    let groups = match &scene.input.inspection.target_groups {
        Err(e) => return out.unknown("whether a load balancer sends it requests", e),
        Ok(groups) => groups,
    };
    for fact in groups {
        let name = &fact.name;
        match (Duty::of(fact), fact.other_healthy) {
            (Duty::Serving, 0) => {
                out.block(
                    format!("the last healthy target of {name}: deregister it first"),
                    SOURCE,
                );
            }
            (Duty::Serving, others) => {
                let text = format!("serves target group {name} ({}); {others} others", fact.health);
                out.warn(text, SOURCE);
            }
            (Duty::Standing, 0) => {
                let text = format!("unhealthy in {name}, where no target is healthy");
                out.warn(text, SOURCE);
            }
            (Duty::Standing | Duty::Unused, _) => {
                out.note(format!("registered in target group {name} ({})", fact.health), SOURCE);
            }
        }
    }
}
