use super::*;

const FILES: [(&str, BillFormat); 4] = [
    ("synthetic-cur1.csv.gz", BillFormat::Cur1),
    ("synthetic-cur2.parquet", BillFormat::Cur2),
    ("synthetic-focus-1.0-aws.parquet", BillFormat::Focus10),
    ("synthetic-focus-1.2-aws.parquet", BillFormat::Focus12),
];

use crate::domain::bill::{BillFormat, BillNote, Charge, PeriodState, Pricing, TransferPath, Usd};

fn usd(text: &str) -> Usd {
    Usd::parse(text.as_bytes()).unwrap()
}

#[test]
fn totals_of_all_formats_are_equal_to_the_last_digit() {
    let total = usd("535198.6889153277");
    for (file, format) in FILES {
        let bills = read_all(&[data(file)], &["team"]).unwrap();
        let [bill] = &bills[..] else { panic!("{file}: {}", bills.len()) };
        assert_eq!(bill.head.format, format);
        println!(
            "{file} {} {} {:?}",
            bill.head.total.billed, bill.head.total.effective, bill.head.notes
        );
        assert_eq!(bill.head.total.billed, total, "{file}");
        assert_eq!(bill.head.total.effective, total, "{file}");
    }
}

/// Effective cost of use by team, which all files tell alike.
#[test]
fn teams_regions_and_resources_are_those_of_the_ground_truth() {
    let truth = std::fs::read(data("synthetic-ground-truth.json")).unwrap();
    let truth: serde_json::Value = serde_json::from_slice(&truth).unwrap();
    for (file, format) in FILES {
        let bill = read_all(&[data(file)], &["team", "project"]).unwrap().remove(0);
        let truth = |key: &str| truth[key].as_object().unwrap().clone();
        for (team, wanted) in truth("effective_usage_by_team") {
            let team = if team == "(untagged)" { "" } else { &team };
            let of_team = bill.cells.iter().filter(|cell| {
                cell.key.charge == Charge::Usage && bill.name(bill.tag(cell.key.owner, 0)) == team
            });
            let sum: Usd = of_team.map(|cell| cell.sums.effective).sum();
            assert_eq!(sum.rounded(4), usd(&wanted.to_string()), "{file} {team}");
        }
        for (usage_type, wanted) in truth("cost_by_usage_type") {
            let of_type = bill.cells.iter().filter(|cell| {
                let kind = bill.kind(cell.key.kind).unwrap();
                bill.name(kind.usage_type) == usage_type && kind.path.is_some()
            });
            let sum: Usd = of_type.map(|cell| cell.sums.effective).sum();
            assert_eq!(sum.rounded(4), usd(&wanted.to_string()), "{file} {usage_type}");
        }
        let unused: Usd = bill
            .cells
            .iter()
            .filter(|cell| cell.key.pricing == Pricing::UnusedCommitment)
            .map(|cell| cell.sums.effective)
            .sum();
        assert_eq!(unused, usd("90577.92"), "{file}");
        let by_resource: Usd = bill.resources.iter().map(|cell| cell.sums.effective).sum();
        assert_eq!(by_resource, bill.head.total.effective);
        assert!(
            bill.find("arn:aws:ec2:us-east-1:111111111111:instance/i-00000000000000000").is_some()
        );
        let us_east = bill.find("us-east-1").unwrap();
        assert!(
            bill.cells
                .iter()
                .any(|cell| cell.key.region == us_east && cell.key.charge == Charge::Usage)
        );
        assert_eq!(bill.head.period.to_string(), "2026-10");
        assert_eq!(
            (bill.head.last_day, bill.head.has_days, bill.head.has_resources),
            (31, true, true)
        );
        assert_eq!(&*bill.head.provider, "AWS");
        assert_eq!(&*bill.head.payer, "999900000001");
        let lines =
            if format == BillFormat::Cur1 || format == BillFormat::Cur2 { 2_554 } else { 2_328 };
        assert_eq!(bill.head.lines, lines, "{file}");
        if format != BillFormat::Cur1 {
            let account = bill.find("111111111111").unwrap();
            assert_eq!(bill.account_name(account), Some("acct 111"));
        }
    }
}

#[test]
fn charges_and_prices_of_all_formats_are_told_alike() {
    let sums = FILES.map(|(file, _)| {
        let bill = read_all(&[data(file)], &[]).unwrap().remove(0);
        Charge::ALL.map(|charge| {
            let of_charge = bill.cells.iter().filter(|cell| cell.key.charge == charge);
            let both: Vec<_> = of_charge
                .map(|cell| (cell.key.pricing, cell.sums.billed, cell.sums.effective))
                .collect();
            Pricing::ALL.map(|pricing| {
                let of = both.iter().filter(|(p, ..)| *p == pricing);
                of.fold((Usd::ZERO, Usd::ZERO), |(a, b), (_, c, d)| (a + *c, b + *d))
            })
        })
    });
    let [cur1, cur2, focus10, focus12] = sums;
    assert_eq!(cur1, cur2);
    assert_eq!(focus10, focus12);
    for (charge, (cur, focus)) in Charge::ALL.into_iter().zip(cur2.into_iter().zip(focus10)) {
        // FOCUS has no refunds: they are adjustments.
        if !matches!(charge, Charge::Refund | Charge::Adjustment) {
            assert_eq!(cur, focus, "{charge:?}");
        }
    }
    assert_eq!(cur2[Charge::Refund as usize], focus10[Charge::Adjustment as usize]);
}

#[test]
fn all_transfer_rows_of_a_real_bill_are_classified_as_it_says() {
    let text = std::fs::read(data("cur1-legacy-aws-anonymous-1281.csv")).unwrap();
    let mut records = crate::domain::records::Records::new(&text[..], 1 << 16);
    let header: Vec<Vec<u8>> =
        records.read().unwrap().unwrap().iter().map(<[u8]>::to_vec).collect();
    let place = |name: &str| header.iter().position(|h| h == name.as_bytes()).unwrap();
    let places = [
        "lineItem/UsageType",
        "lineItem/Operation",
        "product/productFamily",
        "lineItem/ProductCode",
        "product/transferType",
    ]
    .map(place);
    let (mut rows, mut others) = (0, 0);
    while let Some(record) = records.read().unwrap() {
        let [usage_type, operation, family, code, said] =
            places.map(|at| std::str::from_utf8(record.get(at).unwrap()).unwrap());
        let found = TransferPath::of(usage_type, operation, family, code, "");
        let wanted = match said {
            "" => {
                others += u32::from(found.is_some());
                continue;
            }
            said if said.starts_with("InterRegion") => TransferPath::InterRegion,
            said if said.starts_with("IntraRegion") => TransferPath::InterAz,
            "AWS Inbound" | "AWS Outbound" => TransferPath::Internet,
            said => panic!("{said}"),
        };
        assert_eq!(found, Some(wanted), "{usage_type}");
        rows += 1;
    }
    assert_eq!((rows, others), (446, 0));
    let bill = read_all(&[data("cur1-legacy-aws-anonymous-1281.csv")], &[]).unwrap().remove(0);
    assert_eq!(bill.head.lines, 1_281);
    assert_eq!((bill.head.format, bill.head.state), (BillFormat::Cur1, PeriodState::Closed));
    let lines: u64 = bill
        .cells
        .iter()
        .filter(|cell| bill.kind(cell.key.kind).unwrap().path.is_some())
        .map(|cell| cell.sums.lines)
        .sum();
    assert_eq!(lines, 446);
}

#[test]
fn all_files_of_a_delivery_are_one_bill_and_each_period_has_its_own() {
    let twice = [data("synthetic-cur2.parquet"), data("synthetic-cur2.parquet")];
    let bill = read_all(&twice, &[]).unwrap().remove(0);
    let total = usd("535198.6889153277");
    assert_eq!(bill.head.total.billed, total + total);
    let duplicates = BillNote::DuplicateIds { lines: 2_554, billed: total };
    assert!(bill.head.notes.contains(&duplicates), "{:?}", bill.head.notes);
    let month = |n: u32| {
        format!("A,USD,1,{n},{n},Usage,2026-0{n}-01T00:00:00Z,2026-0{n}-02,2026-0{n}-03,S\n")
    };
    let header = "SubAccountId,BillingCurrency,BillingAccountId,BilledCost,EffectiveCost,ChargeCategory,BillingPeriodStart,ChargePeriodStart,ChargePeriodEnd,ServiceName\n";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bill.csv");
    std::fs::write(&path, [header, &month(3), &month(2), &month(3)].concat()).unwrap();
    let bills = read_all(std::slice::from_ref(&path), &[]).unwrap();
    let found: Vec<_> = bills
        .iter()
        .map(|b| (b.head.period.to_string(), b.head.total.billed, b.cells[0].day, b.head.state))
        .collect();
    assert_eq!(
        found,
        [
            ("2026-02".into(), usd("2"), 2, PeriodState::Closed),
            ("2026-03".into(), usd("6"), 2, PeriodState::Closed)
        ]
    );
    let fixed = ReadOptions { fixed_period: "2026-11".parse().ok(), ..options(&[]) };
    let bills = read(&[path], &fixed, &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(bills.len(), 1);
    assert_eq!((bills[0].cells[0].day, bills[0].head.state), (0, PeriodState::Open));
    assert!(bills[0].head.notes.contains(&BillNote::OutsidePeriod { lines: 3 }));
}
