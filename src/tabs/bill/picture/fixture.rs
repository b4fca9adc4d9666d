//! Bills for tests: two months that are over and one that goes on, the same each time.

use std::sync::Arc;

use crate::domain::bill::{
    Bill, BillBuilder, BillHead, BillNote, Charge, Key, Line, NameId, OwnerId, PeriodState,
    Pricing, Sums, UsageKind, Usd,
};
use crate::domain::sample;

/// What a line of each day is: service, usage type, region, account, resource, team, cents a day.
type Use =
    (&'static str, &'static str, &'static str, &'static str, &'static str, &'static str, u64);

const USES: [Use; 9] = [
    (
        "Amazon Elastic Compute Cloud",
        "BoxUsage:p5.48xlarge",
        "us-east-1",
        "111122223333",
        "i-0a",
        "nlp",
        132_096,
    ),
    (
        "Amazon Elastic Compute Cloud",
        "BoxUsage:g5.48xlarge",
        "eu-west-1",
        "111122223333",
        "i-0b",
        "vision",
        39_091,
    ),
    (
        "Amazon SageMaker",
        "USE1-Train:ml.p4d.24xlarge",
        "us-east-1",
        "444455556666",
        "train-7",
        "nlp",
        60_210,
    ),
    (
        "Amazon SageMaker",
        "USE1-Host:ml.g5.xlarge",
        "us-east-1",
        "444455556666",
        "chat",
        "serving",
        8_450,
    ),
    (
        "Amazon Simple Storage Service",
        "TimedStorage-ByteHrs",
        "us-east-1",
        "111122223333",
        "checkpoints",
        "nlp",
        21_000,
    ),
    (
        "Amazon Elastic Compute Cloud",
        "EBS:VolumeUsage.gp3",
        "us-east-1",
        "111122223333",
        "vol-1",
        "",
        4_400,
    ),
    (
        "AWS Data Transfer",
        "USE1-DataTransfer-Out-Bytes",
        "us-east-1",
        "111122223333",
        "i-0a",
        "nlp",
        6_125,
    ),
    ("AmazonCloudWatch", "CW:MetricMonitorUsage", "us-east-1", "111122223333", "", "", 1_203),
    (
        "Amazon Relational Database Service",
        "InstanceUsage:db.r6g.large",
        "eu-west-1",
        "777788889999",
        "",
        "",
        2_800,
    ),
];

fn cents(cents: u64) -> Usd {
    Usd::parse(format!("{}.{:02}", cents / 100, cents % 100).as_bytes()).unwrap()
}

fn sums(usd: Usd) -> Sums {
    Sums {
        billed: usd,
        effective: usd,
        list: usd,
        net: usd,
        quantity: 24.0,
        lines: 24,
        without_list: 0,
    }
}

/// The bill of a month up to a day; its last use only from `rds_from` on.
fn bill(period: &str, last: u8, state: PeriodState, more: u64) -> Bill {
    let mut bill = BillBuilder::new(vec!["team".into()]);
    for day in 1..=last {
        for (at, (service, usage_type, region, account, resource, team, usd)) in
            USES.into_iter().enumerate()
        {
            // The database is new in the last month; a p5 rests on weekends.
            let weekend = day % 7 == 0 || day % 7 == 6;
            if (at == 8 && more < 200) || (at == 0 && weekend) {
                continue;
            }
            let kind = UsageKind {
                service: bill.name(service.as_bytes()),
                service_code: NameId::NONE,
                usage_type: bill.name(usage_type.as_bytes()),
                operation: NameId::NONE,
                family: NameId::NONE,
                unit: bill.name(b"Hrs"),
                path: None,
            };
            let team = bill.name(team.as_bytes());
            let key = Key {
                account: bill.name(account.as_bytes()),
                region: bill.name(region.as_bytes()),
                kind: bill.kind(kind),
                charge: Charge::Usage,
                pricing: Pricing::OnDemand,
                commitment: NameId::NONE,
                owner: bill.owner(&[team]),
            };
            let resource = bill.name(resource.as_bytes());
            let usd = cents(usd + usd * more / 1_000 + u64::from(day) * 10);
            bill.add(&Line { day, key, resource, sums: sums(usd) }).unwrap();
        }
    }
    let kind = UsageKind {
        service: bill.name(b"Tax"),
        service_code: NameId::NONE,
        usage_type: NameId::NONE,
        operation: NameId::NONE,
        family: NameId::NONE,
        unit: NameId::NONE,
        path: None,
    };
    let key = Key {
        account: bill.name(b"111122223333"),
        region: NameId::NONE,
        kind: bill.kind(kind),
        charge: Charge::Tax,
        pricing: Pricing::Other,
        commitment: NameId::NONE,
        owner: OwnerId::default(),
    };
    bill.add(&Line { day: 0, key, resource: NameId::NONE, sums: sums(cents(150_000)) }).unwrap();
    bill.finish(BillHead {
        export: "prod-cur".into(),
        payer: "111122223333".into(),
        state,
        written_at: Some("2026-01-14T21:00:00Z".parse().unwrap()),
        read_at: "2026-01-15T03:00:00Z".parse().unwrap(),
        notes: vec![BillNote::SplitRows { lines: 1_204, cost: cents(31_400) }],
        ..sample::bill_head(period)
    })
}

/// November, December, and January up to the 14th.
pub fn bills() -> Vec<Arc<Bill>> {
    vec![
        Arc::new(bill("2025-11", 30, PeriodState::Closed, 0)),
        Arc::new(bill("2025-12", 31, PeriodState::Closed, 100)),
        Arc::new(bill("2026-01", 14, PeriodState::Open, 250)),
    ]
}
