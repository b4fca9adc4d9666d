//! Fixes, calculated by hand.

use super::*;

fn nat(gb_usd: (f64, &'static str), hours_usd: (f64, &'static str)) -> [LineOf<'static>; 2] {
    let of = |usage_type, (quantity, usd): (f64, &'static str), unit| LineOf {
        resource: "nat-1",
        ..line(EC2, (usage_type, "NatGateway"), (quantity, unit), usd)
    };
    [of("NatGateway-Bytes", gb_usd, "GB"), of("NatGateway-Hours", hours_usd, "Hrs")]
}

fn usd(text: &str) -> Usd {
    Usd::parse(text.as_bytes()).unwrap()
}

/// The row of a path.
fn of(rows: &[NetworkRow], path: NetworkPath) -> &NetworkRow {
    rows.iter().find(|row| row.key.path == path).unwrap()
}

#[test]
fn what_goes_to_s3_through_a_gateway_needs_none_and_its_hours_stay() {
    let stored = line(S3, ("TimedStorage-ByteHrs", ""), (1.0, "GB-Mo"), "0.023");
    let [bytes, hours] = nat((1_000.0, "45"), (744.0, "33.48"));
    let found = rows(&[bytes, hours, stored]);
    let fix = of(&found, NetworkPath::Nat).fix.unwrap();
    assert_eq!((fix.remedy, fix.confidence), (Remedy::GatewayEndpoint, Confidence::UpTo));
    assert_eq!((fix.avoidable, fix.own_usd), (Some(usd("45")), Some(Usd::ZERO)));
    assert_eq!(fix.pay_back_months(), Some(0.0));
    // A discount in a line of its own leaves less than the bytes cost.
    let discount = LineOf {
        charge: crate::domain::bill::Charge::Discount,
        usd: "-50",
        quantity: 0.0,
        ..bytes
    };
    let less = rows(&[bytes, hours, stored, discount]);
    assert_eq!(of(&less, NetworkPath::Nat).avoidable(), None);
}

#[test]
fn without_s3_an_interface_endpoint_is_weighed_with_its_own_price() {
    // 1,000 GB at $0.045; an endpoint for as many hours: 744 × $0.01 + 1,000 × $0.01 = $17.44.
    let found = rows(&nat((1_000.0, "45"), (744.0, "33.48")));
    let fix = of(&found, NetworkPath::Nat).fix.unwrap();
    assert_eq!((fix.own_usd, fix.avoidable), (Some(usd("17.44")), Some(usd("27.56"))));
    // It pays from 744 × $0.01 ÷ ($0.045 - $0.01) a GB = 212.57 GB.
    let Remedy::InterfaceEndpoint { pays_from_bytes } = fix.remedy else { panic!("{fix:?}") };
    assert!(near(pays_from_bytes / GB, 7.44 / 0.035));
    // Below that none is proposed.
    let small = rows(&nat((200.0, "9"), (744.0, "33.48")));
    assert_eq!(of(&small, NetworkPath::Nat).fix, None);
    // The price of an endpoint that the bill shows counts before the list's.
    let endpoint = |usage_type, quantity, unit, usd| {
        line(VPC, (usage_type, "VpcEndpoint"), (quantity, unit), usd)
    };
    let billed = rows(
        &[
            &nat((1_000.0, "45"), (744.0, "33.48"))[..],
            &[
                endpoint("VpcEndpoint-Hours", 100.0, "Hrs", "2"),
                endpoint("VpcEndpoint-Bytes", 100.0, "GB", "1"),
            ],
        ]
        .concat(),
    );
    // 744 × $0.02 + 1,000 × $0.01.
    assert_eq!(of(&billed, NetworkPath::Nat).fix.unwrap().own_usd, Some(usd("24.88")));
}

#[test]
fn a_gateway_or_endpoint_without_bytes_is_idle_where_the_bill_names_it() {
    let [_, hours] = nat((0.0, "0"), (744.0, "33.48"));
    let found = rows(&[hours]);
    let fix = found[0].fix.unwrap();
    assert_eq!((fix.remedy, fix.confidence), (Remedy::DeleteIdle, Confidence::High));
    assert_eq!(fix.avoidable, Some(usd("33.48")));
    // Without a resource its bytes may be anywhere.
    assert_eq!(rows(&[LineOf { resource: "", ..hours }])[0].fix, None);
}

#[test]
fn a_bucket_beside_its_readers_pays_back_its_move() {
    let read = LineOf {
        resource: "corpus",
        ..gb(S3, ("USE1-USW2-AWS-Out-Bytes", "GetObject"), 5_000.0, "100")
    };
    let stored = LineOf {
        resource: "corpus",
        day: 31,
        ..line(S3, ("TimedStorage-ByteHrs", ""), (2_500.0, "GB-Mo"), "57.5")
    };
    let found = rows(&[read, stored]);
    let row = of(&found, NetworkPath::InterRegion);
    let fix = row.fix.unwrap();
    assert_eq!((fix.remedy, fix.confidence), (Remedy::CoLocation, Confidence::High));
    // 2,500 GB go over once, at $0.02.
    assert_eq!((fix.avoidable, fix.once_usd), (Some(usd("100")), Some(usd("50"))));
    assert!(near(fix.pay_back_months().unwrap(), 0.5));
    // Half a month has half of the GB-months.
    let early = rows(&[
        LineOf { day: 15, ..read },
        LineOf { day: 15, quantity: 2_500.0 * 15.0 / 31.0, ..stored },
    ]);
    assert_eq!(of(&early, NetworkPath::InterRegion).fix.unwrap().once_usd, Some(usd("50")));
    // Without the bucket it is a bound, and what a move costs is not known.
    let bound = rows(&[LineOf { resource: "", ..read }]);
    let fix = bound[0].fix.unwrap();
    assert_eq!((fix.confidence, fix.once_usd), (Confidence::UpTo, None));
    assert_eq!(fix.pay_back_months(), None);
}

#[test]
fn a_bucket_that_several_regions_read_needs_a_copy_in_each() {
    let read = |usage_type, usd| LineOf {
        resource: "corpus",
        ..gb(S3, (usage_type, "GetObject"), 5_000.0, usd)
    };
    let stored = LineOf {
        resource: "corpus",
        day: 31,
        ..line(S3, ("TimedStorage-ByteHrs", ""), (2_500.0, "GB-Mo"), "57.5")
    };
    let (west, ohio) = ("USE1-USW2-AWS-Out-Bytes", "USE1-USE2-AWS-Out-Bytes");
    let found = rows(&[read(west, "100"), read(ohio, "50"), stored]);
    let [west, ohio] = &found[..2] else { panic!("{found:#?}") };
    let fix = west.fix.unwrap();
    assert_eq!((fix.avoidable, fix.own_usd), (Some(usd("42.5")), Some(usd("57.5"))));
    assert_eq!(fix.confidence, Confidence::UpTo);
    // A copy for $57.50 a month saves no $50.
    assert_eq!(ohio.fix, None);
    // Two accounts that read it in one region share the copy.
    let two = LineOf { account: "2", ..read("USE1-USW2-AWS-Out-Bytes", "300") };
    let found = rows(&[read("USE1-USW2-AWS-Out-Bytes", "100"), two, stored]);
    let once: Vec<_> = found[..2].iter().map(|row| row.fix.unwrap().once_usd.unwrap()).collect();
    // 2,500 GB at $0.06 and at $0.02, of which three quarters and one are theirs.
    assert_eq!(once, [usd("112.5"), usd("12.5")]);
}

#[test]
fn replication_zones_and_the_internet_have_their_fixes() {
    let found = rows(&[
        gb(S3, ("USE1-USW2-AWS-Out-Bytes", "ReplicateObject"), 10.0, "0.2"),
        gb(EC2, ("DataTransfer-Regional-Bytes", "InterZone-Out"), 10.0, "0.1"),
        gb(EC2, ("DataTransfer-Out-Bytes", "RunInstances"), 10.0, "0.9"),
        gb(EC2, ("DataTransfer-In-Bytes", "RunInstances"), 10.0, "0"),
    ]);
    let words: Vec<_> = found.iter().map(|row| row.fix.map(|fix| fix.remedy.word())).collect();
    assert_eq!(words, [Some("compression"), Some("replication_rules"), Some("one_zone"), None]);
    // How far it compresses the bill does not tell.
    assert_eq!(found[0].avoidable(), None);
    assert_eq!(found[2].avoidable(), Some(usd("0.1")));
}

#[test]
fn objects_are_small_only_where_the_bill_tells_all_that_was_read() {
    let of_bucket = |line| LineOf { resource: "crops", ..line };
    let requests = of_bucket(line(
        S3,
        ("Requests-Tier2", "GetObject"),
        (1_048_576.0, "Requests"),
        "0.4194304",
    ));
    // 128 GB in 1,048,576 requests: 128 KiB each.
    let within = of_bucket(gb(S3, ("C3DataTransfer-Out-Bytes", "GetObject"), 128.0, "0"));
    let found = rows(&[requests, within]);
    let fix = of(&found, NetworkPath::Requests).fix.unwrap();
    let Remedy::PackObjects { mean_bytes } = fix.remedy else { panic!("{fix:?}") };
    assert!(near(mean_bytes, 131_072.0));
    // Objects of 8 MiB take 1/64 of the requests.
    assert_eq!(fix.avoidable, Some(usd("0.412876800")));
    // Writing is no reading: its price stays.
    let put = of_bucket(line(S3, ("Requests-Tier1", "PutObject"), (1e6, "Requests"), "5"));
    let both = rows(&[requests, within, put]);
    let row = of(&both, NetworkPath::Requests);
    assert_eq!((row.requests, row.avoidable()), (Some(2_048_576.0), Some(usd("0.4128768"))));
    let large = rows(&[requests, LineOf { quantity: 2_048.0, ..within }]);
    assert_eq!(of(&large, NetworkPath::Requests).fix, None);
    // What is read within the region is not on the bill: the mean is not known.
    let out = of_bucket(gb(S3, ("DataTransfer-Out-Bytes", "GetObject"), 128.0, "11.52"));
    assert_eq!(of(&rows(&[requests, out]), NetworkPath::Requests).fix, None);
}
