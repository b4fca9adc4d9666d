//! Reserved Instances.

use std::sync::Arc;

use aws_sdk_ec2::types as ec2;

use super::AwsProvider;
use super::calls::DESCRIBE_RESERVED_INSTANCES;
use super::inventory::clean;
use super::limit::Api;
use super::{error, platform, time};
use crate::domain::text::is_id;
use crate::domain::{
    Commitment, CommitmentState, Commits, OfferingClass, PaymentOption, Provenance,
    ReservedInstances, SourceError,
};

/// Reserved Instances of a region, including recently ended ones; EC2 returns them without pages. Err when the call
/// fails.
pub async fn list(
    aws: &AwsProvider,
    account: &Arc<str>,
    region: &Arc<str>,
) -> Result<Vec<Commitment>, SourceError> {
    let _permit = aws.enter(Api::Ec2, region, 0).await;
    let client = aws.clients().await.ec2(region);
    let answer = client
        .describe_reserved_instances()
        .send()
        .await
        .map_err(|e| aws.failed(&DESCRIBE_RESERVED_INSTANCES, region, &e))?;
    let provenance = Provenance::Live { at: (aws.now)() };
    let read = |raw| read(raw, account, region, &provenance);
    // A purchase that is left out would make what it covers look like a saving.
    answer.reserved_instances().iter().map(read).collect::<Option<_>>().ok_or_else(|| {
        let place = aws.place(&DESCRIBE_RESERVED_INSTANCES, region);
        error::malformed("Reserved Instances came without id, type, term or price in USD", place)
    })
}

fn read(
    raw: &ec2::ReservedInstances,
    account: &Arc<str>,
    region: &Arc<str>,
    provenance: &Provenance,
) -> Option<Commitment> {
    let start = raw.start().and_then(time::from_sdk)?;
    let zonal = raw.scope() == Some(&ec2::Scope::AvailabilityZone);
    let az = raw.availability_zone().filter(|az| !az.is_empty());
    let state = state(raw);
    Some(Commitment {
        id: clean(raw.reserved_instances_id().filter(|id| is_id(id))),
        account: Arc::clone(account),
        state,
        start,
        end: raw.end().and_then(time::from_sdk),
        commits: Commits::Reserved(ReservedInstances {
            region: Arc::clone(region),
            az: az.filter(|_| zonal).map(|az| clean(Some(az))),
            instance_type: clean(Some(raw.instance_type()?.as_str())),
            platform: platform::of_product(raw.product_description()?.as_str()),
            tenancy: platform::tenancy(raw.instance_tenancy().map(ec2::Tenancy::as_str)),
            count: u32::try_from(raw.instance_count()?).ok()?,
            class: match raw.offering_class() {
                Some(ec2::OfferingClassType::Convertible) => OfferingClass::Convertible,
                _ => OfferingClass::Standard,
            },
            payment: match raw.offering_type() {
                Some(ec2::OfferingTypeValues::NoUpfront) => PaymentOption::NoUpfront,
                Some(ec2::OfferingTypeValues::PartialUpfront) => PaymentOption::PartialUpfront,
                Some(ec2::OfferingTypeValues::AllUpfront) => PaymentOption::AllUpfront,
                _ => PaymentOption::Other,
            },
            // Of what is over nobody needs the price.
            usd_per_hour: match usd_per_hour(raw) {
                None if state != CommitmentState::Ended => return None,
                usd => usd.filter(|_| !lacks_upfront(raw)),
            },
            upfront_usd: raw.fixed_price().map(decimal).filter(|_| !lacks_upfront(raw)),
        }),
        provenance: provenance.clone(),
    })
    .filter(|c| !c.id.is_empty() && (zonal == is_zonal(c)))
}

/// A zonal purchase that names no zone covers nobody knows what.
fn is_zonal(commitment: &Commitment) -> bool {
    matches!(&commitment.commits, Commits::Reserved(r) if r.az.is_some())
}

fn state(raw: &ec2::ReservedInstances) -> CommitmentState {
    use ec2::ReservedInstanceState as State;
    match raw.state() {
        Some(State::Active) => CommitmentState::Active,
        Some(State::PaymentPending | State::Queued) => CommitmentState::Pending,
        _ => CommitmentState::Ended,
    }
}

/// True for a purchase paid upfront that lists no such payment: one that was modified (split, merged,
/// moved to another zone or scope) "lists a $0 fixed price", and what was really paid stands with the
/// purchase before it, which is over.
fn lacks_upfront(raw: &ec2::ReservedInstances) -> bool {
    use ec2::OfferingTypeValues::{AllUpfront, PartialUpfront};
    matches!(raw.offering_type(), Some(AllUpfront | PartialUpfront))
        && raw.fixed_price().is_none_or(|usd| usd <= 0.0)
}

/// Upfront ÷ hours of the term + recurring charges + usage price, per instance and hour.
fn usd_per_hour(raw: &ec2::ReservedInstances) -> Option<f64> {
    if raw.currency_code().is_some_and(|c| c.as_str() != "USD") {
        return None;
    }
    let upfront = decimal(raw.fixed_price().unwrap_or(0.0));
    let hours = raw.duration().unwrap_or(0) as f64 / 3600.0;
    if upfront > 0.0 && hours <= 0.0 {
        return None;
    }
    let spread = if upfront > 0.0 { upfront / hours } else { 0.0 };
    let hourly = |c: &&ec2::RecurringCharge| {
        c.frequency().is_none_or(|f| *f == ec2::RecurringChargeFrequency::Hourly)
    };
    let charges = raw.recurring_charges().iter().filter(hourly);
    let recurring: f64 = charges.filter_map(ec2::RecurringCharge::amount).sum();
    let usd = spread + recurring + decimal(raw.usage_price().unwrap_or(0.0));
    (usd.is_finite() && usd >= 0.0).then_some(usd)
}

/// The amount that was written: EC2's single-precision prices are decimal numbers.
fn decimal(amount: f32) -> f64 {
    amount.to_string().parse().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::super::testing::{Reply, Server};
    use crate::domain::{ErrorKind, Platform, Tenancy};
    use crate::source::Provider;

    use super::*;

    fn item(more: &str) -> String {
        format!(
            "<item><reservedInstancesId>e5a2ff3b-7d14-494f-90af-0b5d0EXAMPLE</reservedInstancesId>\
             <instanceType>p4d.24xlarge</instanceType><start>2025-06-01T00:00:00.000Z</start>\
             <end>2026-06-01T00:00:00.000Z</end><duration>31536000</duration>\
             <productDescription>Linux/UNIX (Amazon VPC)</productDescription>\
             <currencyCode>USD</currencyCode>{more}</item>"
        )
    }

    fn answer(items: &str) -> Reply {
        Reply::xml(format!(
            "<DescribeReservedInstancesResponse xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\">\
             <requestId>r</requestId><reservedInstancesSet>{items}</reservedInstancesSet>\
             </DescribeReservedInstancesResponse>"
        ))
    }

    async fn read(items: String) -> Result<Vec<Commitment>, SourceError> {
        let items = Mutex::new(items);
        let server = Server::start(move |_, request| {
            assert!(request.text().contains("Action=DescribeReservedInstances"));
            answer(&items.lock().unwrap())
        });
        server.provider().reserved_instances(&"123456789012".into(), &"us-east-1".into()).await
    }

    #[tokio::test]
    async fn upfront_is_spread_over_the_term_and_the_scope_decides_about_the_zone() {
        let partial = item(
            "<fixedPrice>43800.0</fixedPrice><usagePrice>0.5</usagePrice><instanceCount>3</instanceCount>\
             <instanceTenancy>default</instanceTenancy><offeringClass>convertible</offeringClass>\
             <offeringType>Partial Upfront</offeringType><scope>Region</scope><state>active</state>\
             <recurringCharges><item><amount>4.5</amount><frequency>Hourly</frequency></item>\
             </recurringCharges>",
        );
        let zonal = item(
            "<fixedPrice>0.0</fixedPrice><usagePrice>0.0</usagePrice><instanceCount>1</instanceCount>\
             <instanceTenancy>dedicated</instanceTenancy><offeringClass>standard</offeringClass>\
             <offeringType>No Upfront</offeringType><scope>Availability Zone</scope>\
             <availabilityZone>us-east-1b</availabilityZone><state>payment-pending</state>\
             <recurringCharges><item><amount>13.1</amount><frequency>Hourly</frequency></item>\
             </recurringCharges>",
        );
        let all = read(partial + &zonal).await.unwrap();
        let reserved = |c: &Commitment| match &c.commits {
            Commits::Reserved(r) => r.clone(),
            other => panic!("{other:?}"),
        };
        let first = reserved(&all[0]);
        // By hand: 43,800 / 8,760 h = 5, + 4.50 + 0.50.
        assert!((first.usd_per_hour.unwrap() - 10.0).abs() < 1e-9, "{:?}", first.usd_per_hour);
        assert_eq!((first.count, first.az, first.upfront_usd), (3, None, Some(43_800.0)));
        assert_eq!(first.payment, PaymentOption::PartialUpfront);
        assert_eq!((first.class, first.platform), (OfferingClass::Convertible, Platform::Linux));
        assert_eq!(all[0].state, CommitmentState::Active);
        assert_eq!(all[0].end, Some("2026-06-01T00:00:00Z".parse().unwrap()));
        let second = reserved(&all[1]);
        assert!((second.usd_per_hour.unwrap() - 13.1).abs() < 1e-12);
        assert_eq!(second.upfront_usd, Some(0.0));
        assert_eq!(second.az.as_deref(), Some("us-east-1b"));
        assert_eq!((second.tenancy, second.class), (Tenancy::Dedicated, OfferingClass::Standard));
        assert_eq!(all[1].state, CommitmentState::Pending);
    }

    #[tokio::test]
    async fn a_modified_purchase_lists_no_upfront_and_is_not_free() {
        for (payment, charge) in [("All Upfront", "0.0"), ("Partial Upfront", "4.5")] {
            let modified = item(&format!(
                "<fixedPrice>0.0</fixedPrice><usagePrice>0.0</usagePrice>\
                 <instanceCount>1</instanceCount><offeringType>{payment}</offeringType>\
                 <scope>Region</scope><state>active</state><recurringCharges><item>\
                 <amount>{charge}</amount><frequency>Hourly</frequency></item></recurringCharges>"
            ));
            let all = read(modified).await.unwrap();
            let Commits::Reserved(reserved) = &all[0].commits else { panic!("{all:?}") };
            assert_eq!((reserved.usd_per_hour, reserved.upfront_usd), (None, None), "{payment}");
        }
    }

    #[tokio::test]
    async fn what_cannot_be_read_in_full_is_no_list_and_a_refusal_names_the_action() {
        let count = "<instanceCount>1</instanceCount><scope>Region</scope><state>active</state>";
        assert_eq!(read(String::new()).await, Ok(vec![]));
        let cny = item(&format!("{count}<fixedPrice>1.0</fixedPrice>")).replace("USD", "CNY");
        for broken in [
            item(&count.replace("Region", "Availability Zone")),
            item("<scope>Region</scope>"),
            item(&format!("{count}<fixedPrice>9.0</fixedPrice>")).replace("31536000", "0"),
            cny,
        ] {
            let error = read(broken).await.unwrap_err();
            assert_eq!(error.kind, ErrorKind::Malformed);
        }
        let server = Server::start(|_, _| Reply::ec2_error(403, "UnauthorizedOperation", "no"));
        let aws = server.provider();
        let error = aws.reserved_instances(&"1".into(), &"us-east-1".into()).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Denied);
        assert_eq!(error.operation, "ec2:DescribeReservedInstances");
    }
}
