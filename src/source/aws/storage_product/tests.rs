//! Products in the shape of the API's answer, cut to what matters.

use serde_json::json;

use super::*;

fn now() -> Timestamp {
    "2026-11-01T00:00:00Z".parse().unwrap()
}

/// A product of a region with prices at volumes.
fn product(
    region: &str,
    offer: &str,
    usage: &str,
    operation: &str,
    unit: &str,
    usd: &[(&str, &str)],
) -> String {
    let dimensions: serde_json::Map<String, Value> = usd
        .iter()
        .enumerate()
        .map(|(i, (from, usd))| {
            let value = json!({
                "unit": unit, "beginRange": from, "endRange": "Inf", "description": "",
                "pricePerUnit": {"USD": usd}, "appliesTo": []
            });
            (format!("SKU.JRTCKXETXF.{i}"), value)
        })
        .collect();
    json!({
        "product": {
            "productFamily": "Storage", "sku": "SKU",
            "attributes": {
                "regionCode": region, "servicecode": offer, "locationType": "AWS Region",
                "usagetype": usage, "operation": operation, "servicename": "Amazon Simple Storage Service"
            }
        },
        "serviceCode": offer,
        "terms": {"OnDemand": {"SKU.JRTCKXETXF": {
            "offerTermCode": "JRTCKXETXF", "effectiveDate": "2026-09-01T00:00:00Z",
            "priceDimensions": dimensions, "termAttributes": {}
        }}},
        "version": "20260928000000", "publicationDate": "2026-09-28T00:00:00Z"
    })
    .to_string()
}

fn s3_of(usage: &str, operation: &str, unit: &str, usd: &str) -> String {
    product("us-east-1", "AmazonS3", usage, operation, unit, &[("0", usd)])
}

fn read(products: &[String]) -> S3Prices {
    s3(products.iter().map(String::as_str), "us-east-1", now())
}

fn near(got: Option<f64>, want: f64) {
    assert!(got.is_some_and(|g| (g - want).abs() < 1e-12), "{got:?} is not {want}");
}

#[test]
fn volume_steps_are_read_in_order() {
    let steps = [("512000", "0.0210000000"), ("0", "0.0230000000"), ("51200", "0.0220000000")];
    let p = read(&[product("us-east-1", "AmazonS3", "TimedStorage-ByteHrs", "", "GB-Mo", &steps)]);
    let embedded = crate::source::storage_prices::s3("us-east-1").unwrap();
    assert_eq!(p.tiers[0].storage, embedded.tiers[0].storage);
    near(p.tiers[0].retrieval_per_gib, 0.0);
    assert_eq!(p.provenance, Provenance::Live { at: now() });
    assert!(p.tiers[Tier::ItFrequent.index()].storage.is_empty());
}

#[test]
fn what_only_ends_alike_is_not_standard_storage() {
    for usage in [
        "Tables-TimedStorage-ByteHrs",
        "USW2-Tables-TimedStorage-ByteHrs",
        "Annotation-TimedStorage-ByteHrs",
        "Files-TimedStorage-ByteHrs",
        "Vectors-TimedStorage-ByteHrs",
        "TimedStorage-ByteHrs-Extra",
        "USW2-LAX1-TimedStorage-ByteHrs",
    ] {
        let p = read(&[s3_of(usage, "", "GB-Mo", "0.0265")]);
        assert!(p.tiers.iter().all(|t| t.storage.is_empty()), "{usage}");
    }
    // Both in one list: the right one is found whatever the order.
    let tables = s3_of("Tables-TimedStorage-ByteHrs", "", "GB-Mo", "0.0265");
    let right = s3_of("TimedStorage-ByteHrs", "", "GB-Mo", "0.023");
    for list in [[tables.clone(), right.clone()], [right, tables]] {
        near(read(&list).tiers[0].storage.first().map(|s| s.usd), 0.023);
    }
    assert!(
        read(&[s3_of("Tables-Requests-INT-Tier2", "", "Requests", "0.0005")])
            .tier(Tier::ItFrequent)
            .unwrap()
            .get_per_1000
            .is_none()
    );
}

#[test]
fn the_prefix_of_a_region_is_not_its_code() {
    for (region, usage) in [
        ("eu-west-1", "EU-TimedStorage-ByteHrs"),
        ("eu-central-1", "EUC1-TimedStorage-ByteHrs"),
        ("us-east-1", "TimedStorage-ByteHrs"),
        ("us-east-1", "USE1-TimedStorage-ByteHrs"),
        ("ap-southeast-6", "APS8-TimedStorage-ByteHrs"),
        ("ca-central-1", "CAN1-TimedStorage-ByteHrs"),
        ("us-gov-west-1", "UGW1-TimedStorage-ByteHrs"),
    ] {
        let one = product(region, "AmazonS3", usage, "", "GB-Mo", &[("0", "0.025")]);
        let p = s3([one.as_str()].into_iter(), region, now());
        near(p.tiers[0].storage.first().map(|s| s.usd), 0.025);
        // And it is of that region alone.
        let p = s3([one.as_str()].into_iter(), "xx-nowhere-1", now());
        assert!(p.tiers[0].storage.is_empty());
    }
    assert_eq!(without_region("ca-central-1-KMS-Keys"), "ca-central-1-KMS-Keys");
    assert_eq!(without_region("Requests-Tier1"), "Requests-Tier1");
}

#[test]
fn restores_and_moves_share_a_usage_type() {
    let list = [
        s3_of("Requests-Tier3", "RestoreObject", "Requests", "0.0000500000"),
        s3_of("Requests-Tier3", "S3-GlacierTransition", "Requests", "0.0000300000"),
        s3_of("Requests-Tier3", "S3-GDATransition", "Requests", "0.0000500000"),
        s3_of("Standard-Retrieval-Bytes", "RestoreObject", "GB", "0.0100000000"),
        s3_of("Standard-Retrieval-Bytes", "DeepArchiveRestoreObject", "GB", "0.0200000000"),
        s3_of("Requests-GLACIER-Tier1", "PutObject", "Requests", "0.0000300000"),
        s3_of("Requests-GLACIER-Tier1", "PostObject", "Requests", "0.0000300000"),
        s3_of("Requests-GLACIER-Tier1", "CompleteMultipartUpload", "Requests", "0.0000500000"),
        s3_of("Requests-Tier4", "", "Requests", "0.0000100000"),
        s3_of("Monitoring-Automation-INT", "", "Objects", "0.0000025000"),
        s3_of("Retrieval-GIR", "", "GB", "0.0300000000"),
        s3_of("Retrieval-SIA-GIR", "", "GB", "9.0"),
    ];
    let p = read(&list);
    let tier = |t| p.tier(t).unwrap();
    near(tier(Tier::Glacier).restore_per_1000, 0.05);
    near(tier(Tier::Glacier).transition_per_1000, 0.03);
    near(tier(Tier::Glacier).retrieval_per_gib, 0.01);
    near(tier(Tier::Glacier).put_per_1000, 0.03);
    near(tier(Tier::DeepArchive).transition_per_1000, 0.05);
    near(tier(Tier::DeepArchive).retrieval_per_gib, 0.02);
    near(tier(Tier::GlacierIr).retrieval_per_gib, 0.03);
    for t in [Tier::StandardIa, Tier::OnezoneIa, Tier::ItFrequent] {
        near(tier(t).transition_per_1000, 0.01);
    }
    near(p.monitoring_per_1000, 0.0025);
    assert!(p.notes.is_empty());
}

#[test]
fn deep_archive_is_sold_apart() {
    let apart = |usage: &str, operation: &str, unit: &str, usd: &str| {
        product("us-east-1", "AmazonS3GlacierDeepArchive", usage, operation, unit, &[("0", usd)])
    };
    let p = read(&[
        apart("TimedStorage-GDA-ByteHrs", "", "GB-Mo", "0.00099"),
        apart("Requests-GDA-Tier1", "PostObject", "Requests", "0.00005"),
        apart("Requests-GDA-Tier3", "DeepArchiveRestoreObject", "Requests", "0.0001"),
    ]);
    let deep = p.tier(Tier::DeepArchive).unwrap();
    near(deep.storage.first().map(|s| s.usd), 0.000_99);
    near(deep.put_per_1000, 0.05);
    near(deep.restore_per_1000, 0.10);
    // Intelligent-Tiering's tier of that name is another price.
    assert!(p.tier(Tier::ItDeepArchive).unwrap().storage.is_empty());
}

#[test]
fn other_services_and_zones_sell_the_same_words() {
    let logs = product(
        "us-east-1",
        "AmazonCloudWatch",
        "TimedStorage-ByteHrs",
        "",
        "GB-Mo",
        &[("0", "0.03")],
    );
    let zone =
        s3_of("TimedStorage-ByteHrs", "", "GB-Mo", "0.05").replace("AWS Region", "AWS Local Zone");
    let p = read(&[logs, zone]);
    assert!(p.tiers[0].storage.is_empty());
    // Overheads that are sold under the usage type of Standard (ap-southeast-6).
    let overhead = s3_of("TimedStorage-ByteHrs", "INTAAS3ObjectOverhead", "GB-Mo", "0.02415");
    let right = s3_of("TimedStorage-ByteHrs", "", "GB-Mo", "0.02625");
    near(read(&[overhead, right]).tiers[0].storage.first().map(|s| s.usd), 0.026_25);
}

#[test]
fn two_prices_zero_garbage_and_the_future_are_no_price() {
    let one = s3_of("TimedStorage-ByteHrs", "", "GB-Mo", "0.023");
    let p = read(&[one.clone(), one.clone()]);
    near(p.tiers[0].storage.first().map(|s| s.usd), 0.023);
    let p = read(&[one.clone(), s3_of("TimedStorage-ByteHrs", "", "GB-Mo", "0.024")]);
    assert!(p.tiers[0].storage.is_empty());
    assert_eq!(p.notes[0].price, "standard storage");
    for bad in [
        one.replace("0.023", "0.0000000000"),
        one.replace("0.023", "NaN"),
        one.replace("\"USD\"", "\"CNY\""),
        one.replace("2026-09-01", "2027-09-01"),
        one.replace("GB-Mo", "Hrs"),
        one.replace("\"beginRange\":\"0\"", "\"beginRange\":\"100\""),
        "{\"product\": 3}".to_owned(),
        "not json".to_owned(),
    ] {
        let p = read(std::slice::from_ref(&bad));
        assert!(p.tiers.iter().all(|t| *t == TierPrices::default()), "{bad}");
    }
    assert!(read(&[]).notes.is_empty());
}

#[test]
fn volumes_and_snapshots() {
    let ebs_of = |usage: &str, unit: &str, usd: &str| {
        product("eu-central-1", "AmazonEC2", usage, "", unit, &[("0", usd)])
    };
    let list = [
        ebs_of("EUC1-EBS:VolumeUsage.gp2", "GB-Mo", "0.119"),
        ebs_of("EUC1-EBS:VolumeUsage.gp3", "GB-Mo", "0.0952"),
        ebs_of("EUC1-EBS:VolumeP-IOPS.gp3", "IOPS-Mo", "0.006"),
        ebs_of("EUC1-EBS:VolumeP-Throughput.gp3", "GiBps-mo", "48.7424"),
        ebs_of("EUC1-EBS:VolumeUsage.piops", "GB-Mo", "0.149"),
        ebs_of("EUC1-EBS:VolumeP-IOPS.piops", "IOPS-Mo", "0.078"),
        ebs_of("EUC1-EBS:VolumeUsage.io2", "GB-month", "0.149"),
        ebs_of("EUC1-EBS:VolumeP-IOPS.io2", "IOPS-Mo", "0.078"),
        ebs_of("EUC1-EBS:VolumeP-IOPS.io2.tier2", "IOPS-Mo", "0.0546"),
        ebs_of("EUC1-EBS:VolumeP-IOPS.io2.tier3", "IOPS-Mo", "0.03822"),
        ebs_of("EUC1-EBS:VolumeUsage", "GB-Mo", "0.059"),
        ebs_of("EUC1-EBS:SnapshotUsage", "GB-Mo", "0.054"),
        ebs_of("EUC1-EBS:SnapshotUsageUnderBilling", "GB-Mo", "0"),
        ebs_of("EUC1-EBS:SnapshotArchiveStorage", "GB-Mo", "0.0135"),
        ebs_of("EUC1-EBS:VolumeIOUsage", "IOs", "0.00000006"),
    ];
    let p = ebs(list.iter().map(String::as_str), "eu-central-1", now());
    let kind = |k| p.kind(k).unwrap();
    near(kind(VolumeKind::Gp2).gib, 0.119);
    let gp3 = kind(VolumeKind::Gp3);
    assert_eq!(gp3.iops.iter().map(|s| s.from_gib).collect::<Vec<_>>(), [0.0, 3000.0]);
    near(gp3.mibps.last().map(|s| s.usd), 0.0476);
    near(kind(VolumeKind::Io1).iops.first().map(|s| s.usd), 0.078);
    assert_eq!(kind(VolumeKind::Io2).iops.len(), 3);
    near(kind(VolumeKind::Magnetic).gib, 0.059);
    near(p.snapshot_gib, 0.054);
    near(p.archive_gib, 0.0135);
    assert_eq!((p.archive_restore_gib, p.kind(VolumeKind::St1)), (None, None));
    // A step of io2 that is missing makes its IOPS unknown, not cheap.
    let p = ebs(list[..9].iter().map(String::as_str), "eu-central-1", now());
    assert!(p.kind(VolumeKind::Io2).unwrap().iops.is_empty());
    // The same product by the MiB/s.
    let by_mib = ebs_of("EUC1-EBS:VolumeP-Throughput.gp3", "MiBps-Mo", "0.0476");
    let list = [list[1].clone(), by_mib];
    let p = ebs(list.iter().map(String::as_str), "eu-central-1", now());
    near(p.kind(VolumeKind::Gp3).unwrap().mibps.last().map(|s| s.usd), 0.0476);
}
