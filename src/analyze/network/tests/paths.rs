//! Ends, and bytes that count once.

use super::*;

#[test]
fn ends_are_those_of_the_usage_type_and_what_it_does_not_say_is_not_known() {
    for (region, usage_type, path, from, to) in [
        ("us-east-1", "DataTransfer-Out-Bytes", "internet", "us-east-1", "internet"),
        ("eu-west-1", "EU-DataTransfer-In-Bytes", "internet", "internet", "eu-west-1"),
        ("", "DataTransfer-Out-Bytes", "internet", "us-east-1", "internet"),
        ("us-east-1", "USE1-USW2-AWS-Out-Bytes", "inter_region", "us-east-1", "us-west-2"),
        ("us-west-2", "USW2-USE1-AWS-In-Bytes", "inter_region", "us-east-1", "us-west-2"),
        ("us-east-1", "APN1-AWS-Out-Bytes", "inter_region", "us-east-1", "ap-northeast-1"),
        ("", "APN1-AWS-Out-Bytes", "inter_region", "us-east-1", "ap-northeast-1"),
        ("eu-west-1", "EU-AWS-Out-Bytes", "inter_region", "eu-west-1", "–"),
        ("us-east-1", "USE1-XYZ9-AWS-Out-Bytes", "inter_region", "us-east-1", "XYZ9"),
        ("us-west-2", "USW2-DataTransfer-Regional-Bytes", "inter_az", "us-west-2", "us-west-2"),
        ("us-west-2", "USW2-NatGateway-Bytes", "nat", "us-west-2", "–"),
        ("us-east-1", "CloudFront-Out-Bytes", "cdn", "us-east-1", "cdn"),
        ("us-east-1", "USE1-DataXfer-Out:dc.3", "direct_connect", "us-east-1", "–"),
    ] {
        let line = LineOf { region, ..gb(EC2, (usage_type, ""), 1.0, "1") };
        let [row] = &rows(&[line])[..] else { panic!("{usage_type}") };
        let end = |end: &Option<Arc<str>>| end.as_deref().unwrap_or("–").to_owned();
        let found = (row.key.path.word(), end(&row.key.from), end(&row.key.to));
        assert_eq!(found, (path, from.to_owned(), to.to_owned()), "{usage_type}");
    }
}

#[test]
fn bytes_between_zones_count_once_though_both_sides_pay() {
    let regional = |operation, resource, quantity, usd| LineOf {
        resource,
        ..gb(EC2, ("DataTransfer-Regional-Bytes", operation), quantity, usd)
    };
    let found = rows(&[
        regional("InterZone-Out", "i-1", 100.0, "1"),
        regional("InterZone-In", "i-2", 80.0, "0.8"),
        // The same bytes once more, at no price.
        gb(EC2, ("USE1-DataTransfer-xAZ-Out-Bytes", "InterZone-Out"), 95.0, "0"),
    ]);
    assert!(near(all_gb(&found, NetworkPath::InterAz), 100.0), "{found:#?}");
    // Each side has its share of the 100 GB: 100 ÷ 180 and 80 ÷ 180 of it.
    let of = |resource: &str| {
        let row = found.iter().find(|row| row.key.resource.as_deref() == Some(resource)).unwrap();
        (row.bytes.unwrap() / GB, row.usd_per_gb().unwrap())
    };
    assert!(near(of("i-1").0, 100.0 * 100.0 / 180.0) && near(of("i-2").0, 100.0 * 80.0 / 180.0));
    assert!(near(of("i-1").1, 0.018), "what both pay is the price of a GB");

    // One side alone: all of its bytes. Where nobody says the side, both are in it.
    let one = rows(&[regional("InterZone-In", "i-2", 80.0, "0.8")]);
    assert!(near(all_gb(&one, NetworkPath::InterAz), 80.0));
    let untold = rows(&[regional("", "i-2", 80.0, "0.8")]);
    assert!(near(all_gb(&untold, NetworkPath::InterAz), 40.0));
    // What the twin has beyond it counts.
    let more = rows(&[
        regional("InterZone-Out", "i-1", 10.0, "0.1"),
        gb(EC2, ("USE1-DataTransfer-xAZ-In-Bytes", "InterZone-In"), 15.0, "0"),
    ]);
    assert!(near(all_gb(&more, NetworkPath::InterAz), 15.0));
}

#[test]
fn bytes_between_regions_are_the_senders_and_what_the_receiver_has_beyond_them() {
    let out = gb(S3, ("USE1-USW2-AWS-Out-Bytes", "GetObject"), 50.0, "1");
    let received = LineOf {
        region: "us-west-2",
        ..gb(S3, ("USW2-USE1-AWS-In-Bytes", "PutObject"), 40.0, "0")
    };
    let more = LineOf { quantity: 60.0, ..received };
    let timely = gb(S3, ("USE1-USW2-S3RTC-Out-Bytes", ""), 30.0, "0.45");
    let sum = |lines: &[LineOf<'_>]| all_gb(&rows(lines), NetworkPath::InterRegion);
    assert!(near(sum(&[out, received]), 50.0));
    assert!(near(sum(&[out, more]), 60.0));
    assert!(near(sum(&[received]), 40.0));
    assert!(near(sum(&[out, timely]), 50.0), "the fee is for the same bytes");
    let found = rows(&[out, received]);
    assert_eq!(found.len(), 1, "the receiver's row has neither cost nor bytes: {found:#?}");
    assert!(near(found[0].usd_per_gb().unwrap(), 0.02));
}

#[test]
fn hours_and_bytes_of_a_gateway_are_one_row_and_requests_have_no_bytes() {
    let nat = |usage_type, quantity, unit, usd| LineOf {
        resource: "arn:aws:ec2:us-east-1:111111111111:natgateway/nat-1",
        ..line(EC2, (usage_type, "NatGateway"), (quantity, unit), usd)
    };
    let found = rows(&[
        nat("NatGateway-Hours", 744.0, "Hrs", "33.48"),
        nat("NatGateway-Bytes", 1_000.0, "GB", "45"),
        line(S3, ("Requests-Tier2", "GetObject"), (1e6, "Requests"), "0.4"),
    ]);
    let [gateway, requests] = &found[..] else { panic!("{found:#?}") };
    assert_eq!(gateway.key.resource.as_deref(), Some("nat-1"));
    assert_eq!((gateway.hours, gateway.usd.to_string()), (Some(744.0), "78.48".to_owned()));
    assert_eq!((requests.bytes, requests.requests), (None, Some(1e6)));
    assert_eq!(requests.key.path, NetworkPath::Requests);
}

#[test]
fn a_path_that_only_a_description_tells_is_said_to_be_and_has_no_fix() {
    let untold = LineOf {
        path: Some(TransferPath::InterRegion),
        operation: "",
        ..gb(S3, ("", ""), 10.0, "0.2")
    };
    let free = LineOf { usd: "0", account: "222222222222", ..untold };
    let found = rows(&[untold, free]);
    let [row] = &found[..] else { panic!("{found:#?}") };
    assert_eq!((row.confidence(), row.fix), (Confidence::Low, None));
    assert_eq!((row.key.from.as_deref(), row.key.to.as_deref()), (Some("us-east-1"), None));
}

#[test]
fn a_trend_is_of_the_cost_of_a_day_and_none_where_there_was_none() {
    let out = |usd, account| LineOf {
        account,
        ..gb(EC2, ("DataTransfer-Out-Bytes", "RunInstances"), 1.0, usd)
    };
    let last = |day| LineOf { day, usd: "0.5", ..LineOf::default() };
    let before = bill_of("2026-09", &[], &[out("30", "1"), last(30)]);
    let bill = bill_of("2026-10", &[], &[out("15", "1"), out("7", "2"), last(10)]);
    let found = network(&[bill], &[before], &settings()).rows;
    // $1.50 a day after $1.
    assert!(near(found[0].trend.unwrap(), 0.5), "{found:#?}");
    assert_eq!(found[1].trend, None);
}
