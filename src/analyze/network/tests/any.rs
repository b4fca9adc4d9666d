//! What holds of any bill.

use proptest::prelude::*;

use super::*;
use crate::analyze::bill::fixture::any_bills;
use crate::analyze::bill::{BillKey, Category, Measured, Only, anatomy, breakdown};
use crate::domain::bill::{Bill, Charge};

/// Services, usage types, operations and units of generated lines.
const KINDS: [(&str, &str, &str, &str); 18] = [
    (EC2, "DataTransfer-Out-Bytes", "RunInstances", "GB"),
    (EC2, "DataTransfer-In-Bytes", "RunInstances", "GB"),
    (S3, "USE1-USW2-AWS-Out-Bytes", "GetObject", "GB"),
    (S3, "USW2-USE1-AWS-In-Bytes", "GetObject", "GB"),
    (S3, "USE1-USW2-S3RTC-Out-Bytes", "", "GB"),
    (S3, "USE1-USW2-AWS-Out-Bytes", "ReplicateObject", "GB"),
    (EC2, "DataTransfer-Regional-Bytes", "InterZone-In", "GB"),
    (EC2, "DataTransfer-Regional-Bytes", "InterZone-Out", "GB"),
    (EC2, "DataTransfer-xAZ-Out-Bytes", "InterZone-Out", "GB"),
    (EC2, "NatGateway-Bytes", "NatGateway", "GB"),
    (EC2, "NatGateway-Hours", "NatGateway", "Hrs"),
    (VPC, "VpcEndpoint-Hours", "VpcEndpoint", "Hrs"),
    (VPC, "VpcEndpoint-Bytes", "VpcEndpoint", "GB"),
    (S3, "Requests-Tier2", "GetObject", "Requests"),
    (S3, "EU-Requests-SIA-Tier1", "PutObject", "Requests"),
    (S3, "C3DataTransfer-Out-Bytes", "GetObject", "GB"),
    (S3, "TimedStorage-ByteHrs", "", "GB-Mo"),
    ("Amazon Route 53", "DNS-Queries", "", "Queries"),
];

type AnyLine = ((usize, usize, usize, usize), (usize, i64, u32));

fn any_network() -> impl Strategy<Value = Vec<AnyLine>> {
    let amounts = (0_usize..9, -1_000_000_000_i64..9_000_000_000_000, 0_u32..5_000_000);
    proptest::collection::vec(((0_usize..18, 0_usize..3, 0_usize..3, 0_usize..3), amounts), 0..60)
}

fn bill(lines: &[AnyLine]) -> Arc<Bill> {
    let amounts: Vec<String> =
        lines.iter().map(|(_, (_, units, _))| format!("{units}e-10")).collect();
    let lines: Vec<LineOf<'_>> = lines
        .iter()
        .zip(&amounts)
        .map(|(((kind, region, account, resource), (charge, _, quantity)), usd)| {
            let (service, usage_type, operation, unit) = KINDS[*kind];
            LineOf {
                region: ["us-east-1", "us-west-2", ""][*region],
                account: ["1", "2", ""][*account],
                resource: ["", "corpus", "nat-1"][*resource],
                // Mostly use.
                charge: Charge::ALL
                    .get(*charge)
                    .copied()
                    .filter(|_| charge % 2 == 1)
                    .unwrap_or(Charge::Usage),
                ..line(service, (usage_type, operation), (f64::from(*quantity), unit), usd)
            }
        })
        .collect();
    bill_of("2026-10", &["team", "job"], &lines)
}

/// What `burntop bill` shows: the network of the anatomy, and requests by their usage types within its storage.
fn of_the_bill(bills: &[Arc<Bill>]) -> (Usd, Usd) {
    let network =
        &anatomy(bills, &settings(), &Measured::default()).rows[Category::Network as usize];
    let storage = Only { key: BillKey::Category, value: Some(Category::Storage.word().into()) };
    let keys = [BillKey::Service, BillKey::UsageType];
    let by_type = breakdown(bills, &keys, &[storage], &settings()).unwrap();
    let is_request = |usage_type: &str| {
        usage_type.starts_with("Requests-") || usage_type.starts_with("EU-Requests-")
    };
    let requests = by_type.rows.iter().filter(|row| {
        row.values[0].as_deref() == Some(S3) && row.values[1].as_deref().is_some_and(is_request)
    });
    (network.effective, requests.map(|row| row.sums.effective).sum())
}

proptest! {
    #[test]
    fn rows_add_up_to_what_the_bill_shows_and_no_more_is_avoidable_than_a_row_costs(
        lines in any_network(),
        others in any_bills(),
    ) {
        let bills: Vec<Arc<Bill>> = [vec![bill(&lines)], others].concat();
        let found = network(&bills, &[], &settings());
        prop_assert_eq!((found.network, found.requests), of_the_bill(&bills));
        let sum: Usd = found.rows.iter().map(|row| row.usd).sum();
        prop_assert_eq!(sum, found.network + found.requests);
        for row in &found.rows {
            if let Some(avoidable) = row.avoidable() {
                prop_assert!(avoidable >= Usd::ZERO && avoidable <= row.usd, "{:?}", row);
            }
            prop_assert!(row.bytes.is_none_or(|bytes| bytes >= 0.0), "{:?}", row);
        }
        // A line is in one row: no two rows are of the same lines.
        let mut keys: Vec<&RowKey> = found.rows.iter().map(|row| &row.key).collect();
        keys.sort_unstable();
        let all = keys.len();
        keys.dedup();
        prop_assert_eq!(keys.len(), all);
    }

    #[test]
    fn the_order_of_lines_and_bills_changes_nothing(lines in any_network()) {
        let mut turned = lines.clone();
        turned.reverse();
        let sums = |lines: &[AnyLine]| {
            let rows = network(&[bill(lines)], &[], &settings()).rows;
            rows.into_iter().map(|row| (row.key, row.usd)).collect::<Vec<_>>()
        };
        let (mut a, mut b) = (sums(&lines), sums(&turned));
        a.sort();
        b.sort();
        prop_assert_eq!(a, b);
    }
}
