//! Why the net of commitments is not known, and what it does not show by itself.

use crate::domain::{NetNote, NetUnknown};

/// One clause: why the net of commitments is not known.
pub fn net_unknown(why: &NetUnknown) -> String {
    match why {
        NetUnknown::NotRead => "commitments were not read".to_owned(),
        NetUnknown::Unread(unread) => unread.sentence(),
        NetUnknown::Rates { kind, id } => format!("rates of {} {id} are not known", kind.label()),
        NetUnknown::OnDemandPrice => "its on-demand price is not known".to_owned(),
        NetUnknown::OnDemandPriceOf { instance_type, region } => format!(
            "the on-demand price of {instance_type} in {region}, which shares commitments with it, \
             is not known"
        ),
        NetUnknown::SpotPrice => "its Spot price is not known".to_owned(),
        NetUnknown::SoftwarePrice => "the price of its software is not known".to_owned(),
        NetUnknown::ForeignCapacity(id) => {
            format!("it runs in capacity reservation {id} of an account that is not read")
        }
        #[cfg(test)]
        NetUnknown::Fixture(clause) => (*clause).to_owned(),
    }
}

/// One clause: what the net of an instance does not show by itself.
pub fn net_note(note: NetNote) -> &'static str {
    match note {
        NetNote::CapacityStaysBilled => "its capacity reservation goes on billing the room",
        NetNote::BlockPrepaid => "prepaid by its Capacity Block",
        NetNote::BlockPrepaidUnpriced => "prepaid by its Capacity Block; its price is not known",
        NetNote::ScheduledPrepaid => "prepaid as a scheduled instance",
        NetNote::HostBilled => "its dedicated host is billed in its place",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{CommitmentKind, CommitmentSource, Scope, Unread};

    #[test]
    fn the_net_says_what_it_lacks() {
        let unread = |scope, source, why: &str| {
            NetUnknown::Unread(Unread { scope, source, why: why.into() })
        };
        let (east, all) = (Scope::new("1", "us-east-1"), Scope::account_wide("1"));
        let (instance_type, region) = ("g5.xlarge".into(), "us-west-2".into());
        let kind = CommitmentKind::ComputePlan;
        for (why, words) in [
            (NetUnknown::NotRead, "commitments were not read"),
            (
                unread(east, CommitmentSource::ReservedInstances, "denied"),
                "Reserved Instances of 1/us-east-1: denied",
            ),
            (unread(all, CommitmentSource::SavingsPlans, "denied"), "Savings Plans of 1: denied"),
            (NetUnknown::Rates { kind, id: "sp".into() }, "rates of Compute SP sp are not known"),
            (NetUnknown::OnDemandPrice, "its on-demand price is not known"),
            (
                NetUnknown::OnDemandPriceOf { instance_type, region },
                "the on-demand price of g5.xlarge in us-west-2, which shares commitments with it, \
                 is not known",
            ),
            (NetUnknown::SpotPrice, "its Spot price is not known"),
            (
                NetUnknown::ForeignCapacity("cr".into()),
                "it runs in capacity reservation cr of an account that is not read",
            ),
        ] {
            assert_eq!(net_unknown(&why), words);
        }
    }

    #[test]
    fn a_note_of_the_net_is_a_clause() {
        assert_eq!(
            net_note(NetNote::CapacityStaysBilled),
            "its capacity reservation goes on billing the room"
        );
        assert_eq!(
            net_note(NetNote::BlockPrepaidUnpriced),
            "prepaid by its Capacity Block; its price is not known"
        );
    }
}
