//! What lines tell.

use super::*;

const SECOND: i64 = 1_770_336_000;

#[test]
fn reads_are_those_that_sent_an_object() {
    let at = "06/Feb/2026:00:00:00 +0000";
    let of = |operation, rest| line(at, "10.0.0.1", operation, "a/b", rest);
    let text = [
        of("REST.GET.OBJECT", "200 - 100 100"),
        of("REST.GET.OBJECT", "206 - 8 100"),
        of("WEBSITE.GET.OBJECT", "200 - 5 -"),
        of("REST.GET.OBJECT", "200 - - 0"),
        of("REST.GET.OBJECT", "304 - - 100"),
        of("REST.GET.OBJECT", "403 AccessDenied 243 -"),
        of("REST.HEAD.OBJECT", "200 - - 100"),
        of("REST.PUT.OBJECT", "200 - - 100"),
        of("REST.PUT.OBJECT", "403 AccessDenied 243 -"),
        of("S3.EXPIRE.OBJECT", "- - - 100"),
        of("REST.GET.BUCKET", "200 - 5000 -"),
        of("REST.PUT.PART", "200 - - 100"),
    ]
    .concat();
    let (events, reads) = read_text(text, ReadsBy::All);
    let told: Vec<_> = events.iter().map(|e| (e.kind, e.bytes, e.size)).collect();
    assert_eq!(
        told,
        [
            (ReadKind::Read, 100, Some(100)),
            (ReadKind::Read, 8, Some(100)),
            (ReadKind::Read, 5, None),
            (ReadKind::Read, 0, Some(0)),
            (ReadKind::Written, 0, None),
            (ReadKind::Written, 0, None),
        ]
    );
    assert_eq!((events[0].at, reads.lines, reads.failed_count), (SECOND * 1_000, 12, 0));
    let left_out = LeftOut { unsuccessful: 2, heads: 1, written: 2, requests: 3, flows: 0 };
    assert_eq!(reads.left_out, left_out);
    assert_eq!(reads.formats, [LogFormat::S3]);
}

#[test]
fn quotes_blanks_offsets_and_fields_that_are_missing_or_new_change_nothing() {
    let start =
        format!("{OWNER} corpus [06/Feb/2026:02:00:00 +0200] 10.0.0.1 - 3E57 REST.GET.OBJECT a/b");
    for rest in [
        r#""GET /corpus/a/b HTTP/1.1" 200 - 100 100"#,
        r#""GET /corpus/a/b?x=" 1 "y HTTP/1.1" 200 - 100 100 7"#,
        r#""GET /corpus/a/b?x=\" 404 y HTTP/1.1" 200 - 100 100 7 - "-" "-""#,
        "- 200 - 100 100",
        "\"GET /corpus/a/b HTTP/1.1\" 200 - 100 100 7 6 \"a \"quoted\" referer\" \"agent\" - x y z and more fields\r",
    ] {
        let (events, reads) = read_text(format!("{start} {rest}\n"), ReadsBy::All);
        assert_eq!(reads.failed, [], "{rest}");
        let [event] = events[..] else { panic!("{rest}: {events:?}") };
        assert_eq!((event.at, event.bytes, event.size), (SECOND * 1_000, 100, Some(100)), "{rest}");
    }
    let (events, _) = read_text(format!("{start} \"GET / HTTP/1.1\" 200 - 100\n"), ReadsBy::All);
    assert_eq!(events[0].size, None);
}

#[test]
fn groups_are_prefixes_or_readers() {
    let text =
        [get(0, "imagenet/train/1"), get(1, "imagenet/val/2"), get(2, "top"), get(3, "imagenet/3")]
            .concat();
    let names = |by| {
        let (events, reads) = read_text(text.clone(), by);
        events.iter().map(|e| reads.groups[e.group as usize].to_string()).collect::<Vec<_>>()
    };
    let one = ["corpus/imagenet/", "corpus/imagenet/", "corpus/", "corpus/imagenet/"];
    assert_eq!(names(ReadsBy::Prefix { depth: 1 }), one);
    let two = ["corpus/imagenet/train/", "corpus/imagenet/val/", "corpus/", "corpus/imagenet/"];
    assert_eq!(names(ReadsBy::Prefix { depth: 2 }), two);
    assert_eq!(names(ReadsBy::Reader), ["10.0.0.1"; 4]);
    assert_eq!(names(ReadsBy::All), [""; 4]);
    let many: String = (0..GROUPS_AT_MOST + 10).map(|i| get(0, &format!("{i}/x"))).collect();
    let (events, reads) = read_text(many, ReadsBy::Prefix { depth: 1 });
    assert_eq!((reads.groups.len(), reads.has_other_groups), (GROUPS_AT_MOST + 1, true));
    assert_eq!(events.iter().filter(|e| e.group as usize == GROUPS_AT_MOST).count(), 10);
    assert_eq!(&*reads.groups[GROUPS_AT_MOST], "(others)");
}

#[test]
fn one_object_has_one_hash_in_every_format() {
    let event = cloudtrail_event("GetObject", "a/b", "100");
    let (events, reads) = read_text(format!("{{\"Records\":[{event}]}}"), ReadsBy::All);
    let (others, _) = read_text(get(0, "a/b"), ReadsBy::All);
    assert_eq!(events[0].object, others[0].object);
    assert_eq!(reads.formats, [LogFormat::CloudTrail]);
}

fn cloudtrail_event(name: &str, key: &str, bytes: &str) -> String {
    format!(
        "{{\"eventVersion\":\"1.09\",\"userIdentity\":{{\"type\":\"AssumedRole\"}},\"eventTime\":\"2026-02-06T00:00:00Z\",\
         \"eventSource\":\"s3.amazonaws.com\",\"eventName\":\"{name}\",\"sourceIPAddress\":\"10.0.0.7\",\
         \"requestParameters\":{{\"bucketName\":\"corpus\",\"Host\":\"corpus.s3.amazonaws.com\",\"key\":\"{key}\"}},\
         \"responseElements\":null,\"additionalEventData\":{{\"bytesTransferredIn\":0,\"bytesTransferredOut\":{bytes}}}}}"
    )
}

#[test]
fn events_of_cloudtrail_are_read_as_a_document_and_as_lines() {
    let events = [
        cloudtrail_event("GetObject", "a", "100"),
        cloudtrail_event("GetObject", "b", "28441.0"),
        cloudtrail_event("GetObject", "c", "9")
            .replace("\"responseElements\"", "\"errorCode\":\"AccessDenied\",\"x\""),
        cloudtrail_event("HeadObject", "a", "0"),
        cloudtrail_event("PutObject", "a", "0"),
        cloudtrail_event("GetObject", "a", "1").replace("s3.amazonaws.com", "kms.amazonaws.com"),
    ];
    for text in [
        format!("{{\"Records\":[{}]}}", events.join(",")),
        format!(" {{ \"Records\" : [\n{}\n] }}\n", events.join(",\n")),
        format!("[{}]", events.join(",")),
        events.join("\n"),
        format!("{}\n\n", events.join("\r\n")),
    ] {
        let (found, reads) = read_text(text.clone(), ReadsBy::Reader);
        assert_eq!(reads.failed, [], "{text}");
        let told: Vec<_> = found.iter().map(|e| (e.kind, e.bytes, e.size)).collect();
        let read = |bytes| (ReadKind::Read, bytes, None);
        assert_eq!(told, [read(100), read(28_441), (ReadKind::Written, 0, None)], "{text}");
        assert_eq!(&*reads.groups[found[0].group as usize], "10.0.0.7");
        let left_out = LeftOut { unsuccessful: 1, heads: 1, written: 1, requests: 1, flows: 0 };
        assert_eq!((reads.left_out, reads.lines), (left_out, 6));
    }
}

#[test]
fn flows_from_s3_are_summed_by_reader() {
    let head = "version interface-id srcaddr dstaddr bytes start action flow-direction pkt-dstaddr pkt-src-aws-service pkt-dst-aws-service";
    let of = |bytes: &str, action, way, reader, service| {
        format!("5 eni-1 3.5.1.1 10.0.0.9 {bytes} 1770336000 {action} {way} {reader} {service} -")
    };
    let text = [
        head.to_owned(),
        of("1000", "ACCEPT", "ingress", "10.0.0.1", "S3"),
        of("50", "ACCEPT", "egress", "10.0.0.1", "S3"),
        of("70", "ACCEPT", "ingress", "10.0.0.1", "DYNAMODB"),
        of("80", "REJECT", "ingress", "10.0.0.1", "S3"),
        of("-", "-", "-", "-", "-"),
        head.to_owned(),
        of("2000", "ACCEPT", "ingress", "10.0.0.2", "S3"),
    ]
    .join("\n");
    let (events, reads) = read_text(text.clone(), ReadsBy::Reader);
    let told: Vec<_> = events.iter().map(|e| (e.kind, e.bytes, e.at)).collect();
    assert_eq!(told, [1_000, 2_000].map(|bytes| (ReadKind::Flow, bytes, SECOND * 1_000)));
    assert_eq!(&*reads.groups[1], "10.0.0.2");
    assert_eq!((reads.left_out.flows, reads.failed_count, reads.has_no_direction), (4, 0, false));
    let without = text.replace("pkt-src-aws-service ", "protocol ");
    let (_, reads) = read_text(without, ReadsBy::Reader);
    assert_eq!(reads.broken[0].1, FileError::NoColumn("pkt-src-aws-service"));
    let underscored = text.replace("pkt-src-aws-service", "pkt_src_aws_service");
    assert_eq!(read_text(underscored, ReadsBy::All).0.len(), 2);
}

#[test]
fn folders_are_read_in_the_order_of_their_names_packed_or_not() {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(home.path().join("b/CloudTrail-Digest")).unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(home.path().join(name), bytes).unwrap();
    write("2026-02-06-00-01", get(1, "a").as_bytes());
    // Two members, as files that were put together have.
    write("b/2026-02-06-00-00.gz", &[packed(&get(0, "b")), packed(&get(2, "c"))].concat());
    write("b/CloudTrail-Digest/x.json", b"{\"awsAccountId\":\"1\"}");
    write("empty", b"");
    let (events, reads) = read_folder(home.path());
    let seconds: Vec<i64> = events.iter().map(|e| e.at / 1_000 - SECOND).collect();
    assert_eq!(seconds, [0, 1, 2]);
    assert_eq!((reads.files, reads.broken_count, reads.late), (3, 0, 0));
}
