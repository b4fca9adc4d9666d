//! Reserved Instances, capacity reservations and Savings Plans, which no emulator has: a proxy before
//! the emulator that answers for them in the shapes of EC2 and of Savings Plans, and forwards the rest.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::fault::{Request, about};
use crate::server::{Reply, Server};

/// The account that the emulators know.
const ACCOUNT: &str = "123456789012";

/// What the account has committed to.
#[derive(Clone, Debug, Default)]
pub struct Committed {
    /// Items of `DescribeReservedInstances` by region.
    reserved: BTreeMap<&'static str, Vec<String>>,
    /// Items of `DescribeCapacityReservations` by region.
    capacity: BTreeMap<&'static str, Vec<String>>,
    /// Plans.
    plans: Vec<Value>,
    /// Rates by plan.
    rates: BTreeMap<&'static str, Vec<Value>>,
}

/// So many days from now.
fn days(n: i64) -> String {
    (Timestamp::now() + SignedDuration::from_hours(24 * n)).strftime("%FT%T.000Z").to_string()
}

impl Committed {
    /// Regional Reserved Instances that end in so many days; a term that is over is `retired`.
    pub fn reserved(
        mut self,
        region: &'static str,
        instance_type: &str,
        count: u32,
        usd_per_hour: f64,
        left: i64,
    ) -> Self {
        let state = if left > 0 { "active" } else { "retired" };
        let n = self.reserved.values().map(Vec::len).sum::<usize>();
        let item = format!(
            "<item><reservedInstancesId>e5a2ff3b-7d14-494f-90af-{n:012}</reservedInstancesId>\
             <instanceType>{instance_type}</instanceType><start>{}</start><end>{}</end>\
             <duration>31536000</duration><usagePrice>0.0</usagePrice><fixedPrice>0.0</fixedPrice>\
             <instanceCount>{count}</instanceCount>\
             <productDescription>Linux/UNIX (Amazon VPC)</productDescription><state>{state}</state>\
             <instanceTenancy>default</instanceTenancy><currencyCode>USD</currencyCode>\
             <offeringClass>standard</offeringClass><offeringType>No Upfront</offeringType>\
             <scope>Region</scope><recurringCharges><item><amount>{usd_per_hour}</amount>\
             <frequency>Hourly</frequency></item></recurringCharges></item>",
            days(left - 365),
            days(left),
        );
        self.reserved.entry(region).or_default().push(item);
        self
    }

    /// An on-demand capacity reservation for who names it, of which nothing is used.
    pub fn capacity(mut self, region: &'static str, instance_type: &str, count: u32) -> Self {
        let item = format!(
            "<item><capacityReservationId>cr-0123456789abcdef0</capacityReservationId>\
             <ownerId>{ACCOUNT}</ownerId><availabilityZone>{region}c</availabilityZone>\
             <instanceType>{instance_type}</instanceType>\
             <instancePlatform>Linux/UNIX</instancePlatform><tenancy>default</tenancy>\
             <totalInstanceCount>{count}</totalInstanceCount>\
             <availableInstanceCount>{count}</availableInstanceCount>\
             <ebsOptimized>false</ebsOptimized><state>active</state><startDate>{}</startDate>\
             <endDateType>unlimited</endDateType>\
             <instanceMatchCriteria>targeted</instanceMatchCriteria>\
             <reservationType>default</reservationType></item>",
            days(-30),
        );
        self.capacity.entry(region).or_default().push(item);
        self
    }

    /// An EC2 Instance Savings Plan of a family in us-east-1, with what it takes for some types.
    pub fn plan(
        mut self,
        id: &'static str,
        family: &str,
        usd_per_hour: f64,
        rates: &[(&str, f64)],
    ) -> Self {
        self.plans.push(json!({
            "offeringId": "4414cb9c-7e8b-4a6e-8b5f-7d1cEXAMPLE", "savingsPlanId": id,
            "savingsPlanArn": format!("arn:aws:savingsplans::{ACCOUNT}:savingsplan/{id}"),
            "description": "1 year No Upfront EC2 Instance Savings Plan",
            "start": days(-100), "end": days(265), "state": "active", "region": "us-east-1",
            "ec2InstanceFamily": family, "savingsPlanType": "EC2Instance",
            "paymentOption": "No Upfront", "productTypes": ["EC2"], "currency": "USD",
            "commitment": format!("{usd_per_hour:.8}"), "upfrontPaymentAmount": "0.0",
            "recurringPaymentAmount": format!("{usd_per_hour:.8}"),
            "termDurationInSeconds": 31_536_000, "tags": {}
        }));
        // The rows that a careless reader would take are beside the right one.
        let rows = rates.iter().flat_map(|(name, usd)| {
            [("BoxUsage", *usd), ("UnusedBox", usd * 0.5)].map(|(usage, usd)| {
                json!({
                    "rate": format!("{usd:.5}"), "currency": "USD", "unit": "Hrs",
                    "productType": "EC2", "serviceCode": "AmazonEC2",
                    "usageType": format!("{usage}:{name}"), "operation": "RunInstances",
                    "properties": [
                        {"name": "region", "value": "us-east-1"},
                        {"name": "instanceType", "value": name},
                        {"name": "instanceFamily", "value": family},
                        {"name": "productDescription", "value": "Linux/UNIX"},
                        {"name": "tenancy", "value": "shared"}
                    ]
                })
            })
        });
        self.rates.insert(id, rows.collect());
        self
    }

    /// The body and its content type; `None` for what the emulator answers.
    fn answer(&self, request: &Request) -> Option<(&'static str, String)> {
        let xml = |action: &str, set: &str, items: Option<&Vec<String>>| {
            let items = items.map(|all| all.concat()).unwrap_or_default();
            let name = format!("{action}Response");
            format!(
                "<{name} xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\"><requestId>0\
                 </requestId><{set}>{items}</{set}></{name}>"
            )
        };
        let region = request.region.as_str();
        let asked: Value = serde_json::from_str(&request.body).unwrap_or_default();
        Some(match request.action.as_str() {
            action @ "DescribeReservedInstances" => {
                ("text/xml", xml(action, "reservedInstancesSet", self.reserved.get(region)))
            }
            action @ "DescribeCapacityReservations" => {
                ("text/xml", xml(action, "capacityReservationSet", self.capacity.get(region)))
            }
            "DescribeSavingsPlans" => {
                ("application/json", json!({ "savingsPlans": self.plans }).to_string())
            }
            "DescribeSavingsPlanRates" => {
                let plan = asked["savingsPlanId"].as_str().unwrap_or_default();
                let rows = self.rates.get(plan).cloned().unwrap_or_default();
                let body = json!({ "savingsPlanId": plan, "searchResults": rows });
                ("application/json", body.to_string())
            }
            _ => return None,
        })
    }

    /// Starts the proxy before an emulator (`http://host:port`) and returns its address.
    pub fn before(self, upstream: &str) -> String {
        let upstream = upstream.to_owned();
        let server =
            Server::start(move |number, request| match self.answer(&about(request, number)) {
                Some((kind, body)) => Reply::new(200, kind, body),
                None => request.forward(&upstream).map_or(Reply::Close, Reply::Raw),
            });
        server.forever()
    }
}
