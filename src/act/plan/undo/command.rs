//! The way back as shell commands.

use serde_json::{Value, json};

use super::{LostVolume, Undo};
use crate::domain::{LaunchSpec, Scope};

/// What stands before the account in the comment at the end of a line.
const IN_ACCOUNT: &str = " # account ";

/// Lines for a POSIX shell. Each says in a comment at its end which account it is for.
pub(super) fn lines(undo: &Undo) -> Vec<String> {
    let (Undo::Start { scope, .. }
    | Undo::Stop { scope, .. }
    | Undo::Launch { scope, .. }
    | Undo::Tags { scope, .. }) = undo;
    bare(undo).into_iter().map(|line| in_account(&line, scope)).collect()
}

fn bare(undo: &Undo) -> Vec<String> {
    match undo {
        Undo::Start { scope, id } => vec![ec2(scope, "start-instances", &["--instance-ids", id])],
        Undo::Stop { scope, id } => vec![ec2(scope, "stop-instances", &["--instance-ids", id])],
        Undo::Launch { scope, spec, attach, lost } => launch(scope, spec, attach, lost),
        Undo::Tags { scope, id, tags } => {
            let set: Vec<Value> = tags
                .iter()
                .filter_map(|(k, v)| v.as_ref().map(|v| json!({"Key": k, "Value": v})))
                .collect();
            let gone: Vec<Value> =
                tags.iter().filter(|t| t.1.is_none()).map(|t| json!({"Key": t.0})).collect();
            [("create-tags", set), ("delete-tags", gone)]
                .into_iter()
                .filter(|(_, tags)| !tags.is_empty())
                .map(|(verb, tags)| {
                    let tags = Value::Array(tags).to_string();
                    ec2(scope, verb, &["--resources", id, "--tags", &tags])
                })
                .collect()
        }
    }
}

fn launch(
    scope: &Scope,
    spec: &LaunchSpec,
    attach: &[(impl AsRef<str>, impl AsRef<str>)],
    lost: &[LostVolume],
) -> Vec<String> {
    let mut request = request(spec);
    let devices: Vec<Value> = lost.iter().filter_map(device).collect();
    if !devices.is_empty() {
        request["BlockDeviceMappings"] = json!(devices);
    }
    let request = request.to_string();
    let run = ec2(scope, "run-instances", &["--cli-input-json", &request]);
    if attach.is_empty() {
        return vec![run];
    }
    // A volume can be attached to a running instance alone, and its id is known after the launch.
    let mut out = vec![
        format!("NEW=$({run} --query 'Instances[0].InstanceId' --output text)"),
        format!("{} --instance-ids \"$NEW\"", ec2(scope, "wait", &["instance-running"])),
    ];
    out.extend(attach.iter().map(|(volume, device)| {
        let args = ["--volume-id", volume.as_ref(), "--device", device.as_ref()];
        format!("{} --instance-id \"$NEW\"", ec2(scope, "attach-volume", &args))
    }));
    out
}

/// A volume like one that was deleted; `None` for one whose size is not known, which EC2 would refuse.
/// The root has the size of the AMI's where its own is not known.
fn device(lost: &LostVolume) -> Option<Value> {
    let mut ebs = json!({ "DeleteOnTermination": true });
    match lost.size_gib {
        Some(gib) => ebs["VolumeSize"] = json!(gib),
        None if lost.root => {}
        None => return None,
    }
    if !lost.kind.is_empty() {
        ebs["VolumeType"] = json!(lost.kind);
    }
    // Of other types they follow from the size, and EC2 refuses them.
    if let Some(iops) = lost.iops.filter(|_| matches!(&*lost.kind, "gp3" | "io1" | "io2")) {
        ebs["Iops"] = json!(iops);
    }
    if let Some(mibps) = lost.throughput_mibps.filter(|_| &*lost.kind == "gp3") {
        ebs["Throughput"] = json!(mibps);
    }
    Some(json!({ "DeviceName": lost.device, "Ebs": ebs }))
}

/// `RunInstances` as JSON: the CLI's shorthand would read commas in values, and `file://` in
/// single arguments.
fn request(spec: &LaunchSpec) -> Value {
    let mut out = json!({
        "InstanceType": spec.instance_type,
        "MinCount": 1,
        "MaxCount": 1,
        "EbsOptimized": spec.ebs_optimized,
    });
    let mut set = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            out[key] = value;
        }
    };
    let text = |value: &Option<String>| value.as_ref().map(|v| json!(v));
    set("ImageId", text(&spec.image_id));
    set("KeyName", text(&spec.key_name));
    set("SubnetId", text(&spec.subnet_id));
    set("PrivateIpAddress", text(&spec.private_ip));
    let groups = &spec.security_group_ids;
    set("SecurityGroupIds", (!groups.is_empty()).then(|| json!(groups)));
    set("IamInstanceProfile", spec.iam_instance_profile.as_ref().map(|arn| json!({"Arn": arn})));
    set("MetadataOptions", spec.metadata_tokens.as_ref().map(|t| json!({"HttpTokens": t})));
    let mut placement = json!({});
    for (key, value) in [
        ("AvailabilityZone", &spec.availability_zone),
        ("GroupName", &spec.placement_group),
        ("Tenancy", &spec.tenancy),
    ] {
        if let Some(value) = value {
            placement[key] = json!(value);
        }
    }
    set("Placement", (placement != json!({})).then_some(placement));
    // EC2 refuses tags of AWS's own.
    let own = spec.tags.iter().filter(|(key, _)| !key.starts_with("aws:"));
    let tags: Vec<Value> = own.map(|(k, v)| json!({"Key": k, "Value": v})).collect();
    let tags = (!tags.is_empty()).then(|| json!([{"ResourceType": "instance", "Tags": tags}]));
    set("TagSpecifications", tags);
    out
}

/// `aws ec2 VERB ARGS… --region …`, every argument quoted where it needs to be.
fn ec2(scope: &Scope, verb: &str, args: &[&str]) -> String {
    let words = ["aws", "ec2", verb].into_iter().chain(args.iter().copied());
    line(words.chain(["--region", &scope.region]))
}

/// The words of a command of the AWS CLI with the region, as [`line()`].
pub(in crate::act::plan) fn aws(words: &[String], scope: &Scope) -> String {
    in_account(&line(words.iter().map(String::as_str).chain(["--region", &scope.region])), scope)
}

/// The line with its account in a comment.
fn in_account(line: &str, scope: &Scope) -> String {
    format!("{line}{IN_ACCOUNT}{}", in_comment(&scope.account))
}

/// The line without the comment that names its account. A zsh that reads no comments takes one for arguments.
pub fn uncommented(line: &str) -> &str {
    line.rsplit_once(IN_ACCOUNT).map_or(line, |(command, _)| command)
}

/// Text that neither ends a comment nor means anything to a shell that reads none.
fn in_comment(text: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    text.chars().map(|c| if safe(c) { c } else { '_' }).collect()
}

/// A line of the way back with what is known of its account: `known` gives its name and the profile
/// that leads there. A profile goes into the command, in place of the comment; else the comment names
/// the account.
pub fn told<'a>(line: &str, known: impl Fn(&str) -> Option<(&'a str, Option<&'a str>)>) -> String {
    let Some((command, account)) = line.rsplit_once(IN_ACCOUNT) else { return line.to_owned() };
    match known(account) {
        // The first word of this name is the program.
        Some((_, Some(profile))) => {
            command.replacen("aws ", &format!("aws --profile {} ", quoted(profile)), 1)
        }
        Some((name, None)) if name != account => format!("{line} ({})", in_comment(name)),
        _ => line.to_owned(),
    }
}

/// One line, every word quoted where it needs to be.
pub fn line<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// One word of a POSIX shell: as it is where every character is harmless, else in single quotes,
/// within which nothing has a meaning but the quote itself.
fn quoted(word: &str) -> String {
    let harmless = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':');
    if !word.is_empty() && word.chars().all(harmless) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests;
