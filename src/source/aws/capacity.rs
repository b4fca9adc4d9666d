//! Capacity reservations and Capacity Blocks.

use std::sync::Arc;

use aws_sdk_ec2::types as ec2;

use super::AwsProvider;
use super::calls::DESCRIBE_CAPACITY_RESERVATIONS;
use super::inventory::clean;
use super::limit::Api;
use super::{error, platform, time};
use crate::domain::text::is_id;
use crate::domain::{
    CapacityReservation, Commitment, CommitmentState, Commits, Provenance, ReservesCapacity,
    SourceError,
};

/// The most that one page holds (service limit, EC2 API reference).
const PAGE: i32 = 1_000;

/// Capacity reservations and Capacity Blocks that the account owns in a region. Those that others share with it are
/// billed to their owners and left out; EC2 lists ended ones for an hour. Err when a page cannot be read.
pub async fn list(
    aws: &AwsProvider,
    account: &Arc<str>,
    region: &Arc<str>,
) -> Result<Vec<Commitment>, SourceError> {
    let client = aws.clients().await.ec2(region);
    let ask = |token| {
        client.describe_capacity_reservations().max_results(PAGE).set_next_token(token).send()
    };
    let mut out = Vec::new();
    aws.each_page((Api::Ec2, &DESCRIBE_CAPACITY_RESERVATIONS), region, ask, |page| {
        let provenance = Provenance::Live { at: (aws.now)() };
        let own = |raw: &&ec2::CapacityReservation| raw.owner_id().is_none_or(|o| *o == **account);
        for raw in page.capacity_reservations().iter().filter(own) {
            let read = read(raw, account, region, &provenance).ok_or_else(|| {
                let place = aws.place(&DESCRIBE_CAPACITY_RESERVATIONS, region);
                error::malformed("a capacity reservation came without id, type or count", place)
            })?;
            out.push(read);
        }
        Ok(page.next_token)
    })
    .await?;
    Ok(out)
}

fn read(
    raw: &ec2::CapacityReservation,
    account: &Arc<str>,
    region: &Arc<str>,
    provenance: &Provenance,
) -> Option<Commitment> {
    let id = raw.capacity_reservation_id().filter(|id| is_id(id))?;
    let start = raw.start_date().or(raw.create_date()).and_then(time::from_sdk)?;
    let block = raw.reservation_type() == Some(&ec2::CapacityReservationType::CapacityBlock);
    let count = |n: Option<i32>| u32::try_from(n.unwrap_or(0)).unwrap_or(0);
    let total = u32::try_from(raw.total_instance_count()?).ok()?;
    Some(Commitment {
        id: clean(Some(id)),
        account: Arc::clone(account),
        state: state(raw),
        start,
        end: raw.end_date().and_then(time::from_sdk),
        commits: Commits::Capacity(CapacityReservation {
            region: Arc::clone(region),
            az: clean(raw.availability_zone()),
            instance_type: clean(Some(raw.instance_type().filter(|t| !t.is_empty())?)),
            platform: platform::of_product(raw.instance_platform()?.as_str()),
            tenancy: platform::tenancy(raw.tenancy().map(ec2::CapacityReservationTenancy::as_str)),
            total,
            available: count(raw.available_instance_count()).min(total),
            // No API tells what a block cost: DescribeCapacityBlocks has no fee.
            reserves: match block {
                true => ReservesCapacity::Block { upfront_usd: None },
                false => ReservesCapacity::OnDemand,
            },
            targeted: block
                || raw.instance_match_criteria() == Some(&ec2::InstanceMatchCriteria::Targeted),
        }),
        provenance: provenance.clone(),
    })
}

/// What bills is active: a reservation that is being cancelled still does.
fn state(raw: &ec2::CapacityReservation) -> CommitmentState {
    use ec2::CapacityReservationState as State;
    match raw.state() {
        Some(State::Active | State::Cancelling | State::Unavailable) => CommitmentState::Active,
        Some(
            State::Pending
            | State::Scheduled
            | State::PaymentPending
            | State::Assessing
            | State::Delayed,
        ) => CommitmentState::Pending,
        _ => CommitmentState::Ended,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Reply, Server};
    use crate::domain::{ErrorKind, Platform};
    use crate::source::Provider;

    use super::*;

    fn item(id: &str, owner: &str, more: &str) -> String {
        format!(
            "<item><capacityReservationId>{id}</capacityReservationId><ownerId>{owner}</ownerId>\
             <instanceType>p5.48xlarge</instanceType><instancePlatform>Linux/UNIX</instancePlatform>\
             <availabilityZone>us-east-1a</availabilityZone><tenancy>default</tenancy>\
             <totalInstanceCount>4</totalInstanceCount>\
             <availableInstanceCount>3</availableInstanceCount>\
             <startDate>2026-01-10T11:30:00.000Z</startDate>\
             <createDate>2026-01-01T00:00:00.000Z</createDate>{more}</item>"
        )
    }

    fn page(items: &str, next: &str) -> Reply {
        Reply::xml(format!(
            "<DescribeCapacityReservationsResponse \
             xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\"><nextToken>{next}</nextToken>\
             <capacityReservationSet>{items}</capacityReservationSet>\
             </DescribeCapacityReservationsResponse>"
        ))
    }

    #[tokio::test]
    async fn blocks_reservations_and_what_belongs_to_others_are_told_apart() {
        let server = Server::start(|_, request| {
            let form = request.text();
            assert!(form.contains("Action=DescribeCapacityReservations"));
            let open = "<state>active</state><instanceMatchCriteria>open</instanceMatchCriteria>\
                        <reservationType>default</reservationType>";
            let block = "<state>scheduled</state><reservationType>capacity-block</reservationType>\
                         <endDate>2026-02-10T11:30:00.000Z</endDate>";
            if form.contains("NextToken=two") {
                page(&item("cr-2", "123456789012", block), "")
            } else {
                let own = item("cr-1", "123456789012", open);
                page(&(own + &item("cr-3", "999999999999", open)), "two")
            }
        });
        let all = server
            .provider()
            .capacity_reservations(&"123456789012".into(), &"us-east-1".into())
            .await
            .unwrap();
        let ids: Vec<&str> = all.iter().map(|c| &*c.id).collect();
        assert_eq!(ids, ["cr-1", "cr-2"], "all pages, and nothing of another owner");
        let capacity = |c: &Commitment| match &c.commits {
            Commits::Capacity(c) => c.clone(),
            other => panic!("{other:?}"),
        };
        let open = capacity(&all[0]);
        assert_eq!((open.total, open.available, open.targeted), (4, 3, false));
        assert_eq!((open.reserves, open.platform), (ReservesCapacity::OnDemand, Platform::Linux));
        assert_eq!((all[0].state, all[0].end), (CommitmentState::Active, None));
        let block = capacity(&all[1]);
        assert_eq!(block.reserves, ReservesCapacity::Block { upfront_usd: None });
        assert_eq!(all[1].state, CommitmentState::Pending);
        assert_eq!(all[1].end, Some("2026-02-10T11:30:00Z".parse().unwrap()));
    }

    #[tokio::test]
    async fn a_reservation_without_a_count_makes_the_list_unreadable() {
        let server = Server::start(|_, _| {
            let whole = item("cr-1", "1", "<state>active</state>");
            page(&whole.replace("<totalInstanceCount>4</totalInstanceCount>", ""), "")
        });
        let aws = server.provider();
        let error = aws.capacity_reservations(&"1".into(), &"us-east-1".into()).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Malformed);
    }
}
