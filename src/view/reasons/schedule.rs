//! Why no off-hours are proposed for an instance.

use crate::analyze::schedule::Obstacle as O;

/// A clause, the same for all instances that it stands in the way of. Clean text.
pub fn obstacle(why: &O) -> String {
    match why {
        O::NotRunning(_) => "not running".into(),
        O::Exempt => "exempt by tag".into(),
        O::Managed(owner) => {
            format!("managed by {}: its size is scheduled there", owner.kind.word())
        }
        O::InstanceStoreRoot => "its root device is instance store: it cannot be stopped".into(),
        O::Spot => "Spot: stopped by its request alone".into(),
        O::PaidInAdvance => "paid in advance: stopping it saves nothing".into(),
        O::NoTelemetry => "no telemetry of its accelerators, so nobody knows its hours".into(),
        O::NeverUsed => "never seen in use: a case for a stop, not for a schedule".into(),
        O::NeverSeen => "no hour of it was seen".into(),
        O::TooFewWeeks(weeks) => format!(
            "its quiet hours were not seen in {weeks} weeks yet, which is weak evidence; `--weeks \
             1` takes what there is"
        ),
        O::NoWindow(hours) => format!("no {hours} hours in a row were quiet in every week"),
    }
}

/// What differs between instances with one obstacle: the name of the owner, the state; empty for the others.
pub fn obstacle_detail(why: &O) -> &str {
    match why {
        O::NotRunning(state) => state.word(),
        O::Managed(owner) => &owner.name,
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{InstanceState, Owner, OwnerKind};

    #[test]
    fn obstacles_are_clauses_and_their_details_stand_apart() {
        let managed = O::Managed(Owner { kind: OwnerKind::Asg, name: "g".into() });
        for (why, words, detail) in [
            (managed, "managed by asg: its size is scheduled there", "g"),
            (O::NotRunning(InstanceState::Stopped), "not running", "stopped"),
            (
                O::TooFewWeeks(2),
                "its quiet hours were not seen in 2 weeks yet, which is weak evidence; `--weeks 1` \
                 takes what there is",
                "",
            ),
            (O::NoWindow(4), "no 4 hours in a row were quiet in every week", ""),
        ] {
            assert_eq!((obstacle(&why).as_str(), obstacle_detail(&why)), (words, detail));
        }
    }
}
