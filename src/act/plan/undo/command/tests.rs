//! The commands, read back as a shell reads them.

use std::process::Command;

use proptest::prelude::*;

use super::*;
use crate::act::plan::fixture::{ID, launch, scope};

/// The words of a line, as `sh` splits them. `aws` is a function that prints its arguments.
fn words(line: &str) -> Vec<String> {
    let script = format!("aws() {{ printf '%s\\0' \"$@\"; }}\n{line}\n");
    let out = Command::new("sh").args(["-c", &script]).output().unwrap();
    assert!(out.status.success(), "{line}: {}", String::from_utf8_lossy(&out.stderr));
    let text = String::from_utf8(out.stdout).unwrap();
    text.split_terminator('\0').map(str::to_owned).collect()
}

/// Splits words as a POSIX shell does where there are single quotes, backslashes and blanks alone.
fn split(line: &str) -> Vec<String> {
    let (mut out, mut word, mut open) = (Vec::new(), None::<String>, false);
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                open = !open;
                word.get_or_insert_default();
            }
            _ if open => word.get_or_insert_default().push(c),
            '#' if word.is_none() => break,
            '\\' => word.get_or_insert_default().extend(chars.next()),
            ' ' => out.extend(word.take()),
            // Anything else that a shell would act on must not stand bare.
            c if "$`\"|&;<>(){}*?[]#~=%!\n\t".contains(c) => panic!("bare {c:?} in {line}"),
            c => word.get_or_insert_default().push(c),
        }
    }
    assert!(!open, "an open quote in {line}");
    out.extend(word);
    out
}

fn tags_undo(key: &str, value: &str) -> Undo {
    let tags = vec![(key.to_owned(), Some(value.to_owned()))];
    Undo::Tags { scope: scope(), id: ID.into(), tags }
}

#[test]
fn start_and_stop() {
    let start = Undo::Start { scope: scope(), id: ID.into() };
    let line = "aws ec2 start-instances --instance-ids i-0aaaaaaaaaaaaaaa1 --region us-east-1 \
                # account 111122223333";
    assert_eq!(start.commands(), [line]);
    let stop = Undo::Stop { scope: scope(), id: ID.into() };
    assert_eq!(stop.commands(), [line.replace("start", "stop")]);
}

#[test]
fn tags_are_put_back_and_taken_away() {
    let tags = vec![
        ("burntop:expires".to_owned(), Some("2026-07-05T00:00:00Z".to_owned())),
        ("burntop:by".to_owned(), None),
    ];
    let undo = Undo::Tags { scope: scope(), id: ID.into(), tags };
    assert_eq!(
        undo.commands(),
        [
            "aws ec2 create-tags --resources i-0aaaaaaaaaaaaaaa1 --tags \
             '[{\"Key\":\"burntop:expires\",\"Value\":\"2026-07-05T00:00:00Z\"}]' --region us-east-1 \
             # account 111122223333",
            "aws ec2 delete-tags --resources i-0aaaaaaaaaaaaaaa1 --tags \
             '[{\"Key\":\"burntop:by\"}]' --region us-east-1 # account 111122223333",
        ]
    );
}

#[test]
fn a_launch_names_everything_that_was_kept() {
    let mut spec = launch();
    spec.tags.push(("aws:autoscaling:groupName".into(), "g".into()));
    spec.placement_group = Some("cluster".into());
    spec.iam_instance_profile = Some("arn:aws:iam::1:instance-profile/x".into());
    let (attach, lost) = (Vec::new(), Vec::new());
    let undo = Undo::Launch { scope: scope(), spec: Box::new(spec), attach, lost };
    let lines = undo.commands();
    let [line] = lines.as_slice() else { panic!("{lines:?}") };
    let words = split(line);
    assert_eq!(words[..4], ["aws", "ec2", "run-instances", "--cli-input-json"]);
    assert_eq!(words[5..], ["--region", "us-east-1"]);
    let request: Value = serde_json::from_str(&words[4]).unwrap();
    assert_eq!(
        request,
        json!({
            "InstanceType": "g5g.16xlarge",
            "MinCount": 1,
            "MaxCount": 1,
            "EbsOptimized": true,
            "ImageId": "ami-0123456789abcdef0",
            "KeyName": "ann",
            "SubnetId": "subnet-0a",
            "SecurityGroupIds": ["sg-0a"],
            "IamInstanceProfile": {"Arn": "arn:aws:iam::1:instance-profile/x"},
            "MetadataOptions": {"HttpTokens": "required"},
            "Placement": {"AvailabilityZone": "us-east-1a", "GroupName": "cluster"},
            "TagSpecifications": [{"ResourceType": "instance", "Tags": [
                {"Key": "Name", "Value": "train-7"},
                {"Key": "team", "Value": "nlp"},
            ]}],
        })
    );
}

#[test]
fn volumes_that_outlived_it_are_attached_to_the_new_one() {
    let attach = vec![("vol-1".into(), "/dev/sdf".into())];
    let undo = Undo::Launch { scope: scope(), spec: Box::new(launch()), attach, lost: Vec::new() };
    let lines = undo.commands();
    assert!(lines[0].starts_with("NEW=$(aws ec2 run-instances "), "{}", lines[0]);
    assert_eq!(
        lines[1],
        r#"aws ec2 wait instance-running --region us-east-1 --instance-ids "$NEW" # account 111122223333"#
    );
    assert_eq!(
        lines[2..],
        [
            r#"aws ec2 attach-volume --volume-id vol-1 --device /dev/sdf --region us-east-1 --instance-id "$NEW" # account 111122223333"#
        ]
    );
}

/// A volume that was deleted, of 500 GiB.
fn lost(id: &str, device: &str, kind: &str, root: bool) -> LostVolume {
    LostVolume {
        id: id.into(),
        device: device.into(),
        size_gib: Some(500),
        kind: kind.into(),
        iops: Some(4000),
        throughput_mibps: Some(250),
        root,
    }
}

#[test]
fn volumes_that_died_with_it_are_launched_anew_as_they_were() {
    let unsized_one = |id, root| LostVolume { size_gib: None, ..lost(id, "/dev/sdz", "gp2", root) };
    let lost = vec![
        lost("vol-r", "/dev/xvda", "gp2", true),
        lost("vol-1", "/dev/sdf", "gp3", false),
        lost("vol-2", "/dev/sdg", "io2", false),
        unsized_one("vol-3", false),
        unsized_one("vol-4", true),
    ];
    assert_eq!(lost[1].words(), "vol-1 (/dev/sdf, 500 GiB gp3)");
    assert_eq!(lost[3].words(), "vol-3 (/dev/sdz, gp2)");
    let attach = Vec::new();
    let undo = Undo::Launch { scope: scope(), spec: Box::new(launch()), attach, lost };
    let lines = undo.commands();
    let [line] = lines.as_slice() else { panic!("{lines:?}") };
    let request: Value = serde_json::from_str(&split(line)[4]).unwrap();
    let ebs = |more: Value| {
        let mut ebs = json!({ "DeleteOnTermination": true });
        ebs.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ebs
    };
    // IOPS of gp2 follow from its size; a data volume of unknown size cannot be launched.
    let devices = json!([
        {"DeviceName": "/dev/xvda", "Ebs": ebs(json!({"VolumeSize": 500, "VolumeType": "gp2"}))},
        {"DeviceName": "/dev/sdf", "Ebs": ebs(json!({
            "VolumeSize": 500, "VolumeType": "gp3", "Iops": 4000, "Throughput": 250
        }))},
        {"DeviceName": "/dev/sdg", "Ebs": ebs(json!({
            "VolumeSize": 500, "VolumeType": "io2", "Iops": 4000
        }))},
        {"DeviceName": "/dev/sdz", "Ebs": ebs(json!({"VolumeType": "gp2"}))},
    ]);
    assert_eq!(request["BlockDeviceMappings"], devices);
    // A log of a former version has no such list.
    let mut old = serde_json::to_value(&undo).unwrap();
    old.as_object_mut().unwrap().remove("lost");
    let old: Undo = serde_json::from_value(old).unwrap();
    assert!(!old.commands()[0].contains("BlockDeviceMappings"));
}

#[test]
fn a_real_shell_reads_what_was_meant() {
    for odd in
        ["it's", "'; rm -rf ~; '", "$(id) `id` $HOME", "a\nb", "\\'", "*", "", " ", "-x", "\"é\""]
    {
        let undo = tags_undo("k", odd);
        let expected = json!([{"Key": "k", "Value": odd}]).to_string();
        let words = words(&undo.commands()[0]);
        assert_eq!(words[..4], ["ec2", "create-tags", "--resources", ID]);
        assert_eq!(words[5], expected, "{odd:?}");
        // The region and the id are foreign as well: a plan file names them.
        let undo = Undo::Start { scope: Scope::new("1", odd), id: odd.into() };
        let words = self::words(&undo.commands()[0]);
        assert_eq!(words, ["ec2", "start-instances", "--instance-ids", odd, "--region", odd]);
    }
}

#[test]
fn a_line_names_its_account_or_the_profile_that_leads_there() {
    let start = Undo::Start { scope: scope(), id: ID.into() };
    let line = &start.commands()[0];
    let bare = "ec2 start-instances --instance-ids i-0aaaaaaaaaaaaaaa1 --region us-east-1";
    let with = |name: &'static str, profile: Option<&'static str>| {
        told(line, |id| (id == "111122223333").then_some((name, profile)))
    };
    assert_eq!(told(line, |_| None), *line);
    assert_eq!(uncommented(line), format!("aws {bare}"));
    assert_eq!(uncommented("aws x"), "aws x");
    assert_eq!(with("111122223333", None), *line);
    assert_eq!(with("ml", None), format!("aws {bare} # account 111122223333 (ml)"));
    assert!(with("a\nb;c", None).ends_with(" # account 111122223333 (a_b_c)"));
    assert_eq!(with("ml", Some("it's me")), format!("aws --profile 'it'\\''s me' {bare}"));
    // A foreign account cannot leave the comment.
    let odd = Undo::Start { scope: Scope::new("1\nrm x", "r"), id: ID.into() };
    assert!(odd.commands()[0].ends_with(" # account 1_rm_x"));
    let attach = vec![("vol-1".into(), "/dev/sdf".into())];
    let undo = Undo::Launch { scope: scope(), spec: Box::new(launch()), attach, lost: Vec::new() };
    for line in undo.commands() {
        let line = told(&line, |_| Some(("ml", Some("dev"))));
        assert!(line.contains("aws --profile dev ec2 ") && !line.contains('#'), "{line}");
    }
}

proptest! {
    #[test]
    fn quoting_is_undone_by_splitting(values in prop::collection::vec("\\PC*|[ -~\n\t]{0,12}", 0..5)) {
        let line: Vec<String> = values.iter().map(|v| quoted(v)).collect();
        prop_assert_eq!(split(&line.join(" ")), values);
    }
}
