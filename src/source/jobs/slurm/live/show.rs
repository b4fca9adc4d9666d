//! Records of `scontrol show node -d` and `show job -d`.
//!
//! A record begins in the first column and ends with an empty line. Only keys at the beginning of a line are read: what else
//! stands in a line may be text that somebody wrote, as comments and names are.

use super::super::gres;
use super::super::held::{HeldRecord, NodeRecord};
use super::super::nodes;

/// Nodes in a text.
pub(super) fn nodes(text: &str) -> Vec<NodeRecord> {
    let mut all: Vec<NodeRecord> = Vec::new();
    for line in text.lines() {
        if let Some(name) = value(line, "NodeName=").filter(|_| line.starts_with("NodeName=")) {
            all.push(NodeRecord { name: name.to_owned(), ..NodeRecord::default() });
            continue;
        }
        let Some(node) = all.last_mut() else { continue };
        let line = line.trim_start();
        let of = |key: &str| value(line, key).map(str::to_owned);
        if let Some(list) = of("Gres=") {
            node.gpus = gres::gpus(&list);
        } else if let Some(list) = of("GresUsed=") {
            node.used = gres::gpus(&list);
        } else if let Some(address) = of("NodeAddr=") {
            node.address = address;
        } else if let Some(state) = of("State=") {
            node.state = state;
        } else if let Some(at) = of("BootTime=") {
            node.booted = at.parse().unwrap_or_default();
        } else if let Some(rest) = line.strip_prefix("Reason=") {
            (node.reason, node.reason_at) = reason(rest);
        } else if let Some(id) = of("InstanceId=") {
            node.instance_id = id;
            let kind = line.split_whitespace().find_map(|word| word.strip_prefix("InstanceType="));
            kind.unwrap_or_default().clone_into(&mut node.instance_type);
        }
    }
    all
}

/// Reason and time of `Not responding [slurm@1763632800]`; 0 where the time is not told.
fn reason(text: &str) -> (String, i64) {
    let told = text.trim_end().strip_suffix(']').and_then(|text| text.rsplit_once(" ["));
    let told = told.and_then(|(reason, by)| Some((reason, by.rsplit_once('@')?.1)));
    match told {
        Some((reason, at)) => (reason.to_owned(), at.parse().unwrap_or_default()),
        None => (text.trim_end().to_owned(), 0),
    }
}

/// GPUs that jobs hold, by node.
pub(super) fn held(text: &str) -> Vec<HeldRecord> {
    let mut all = Vec::new();
    let mut job = HeldRecord::default();
    for line in text.lines() {
        if line.starts_with("JobId=") {
            job = of_head(line);
            continue;
        }
        let line = line.trim_start();
        if let Some(user) = value(line, "UserId=").filter(|_| job.user.is_empty()) {
            job.user = user.split_once('(').map_or(user, |(name, _)| name).to_owned();
        } else if let Some(list) = value(line, "Nodes=") {
            let gres = line.split_whitespace().find_map(|word| word.strip_prefix("GRES="));
            let Some(gpus) = gres.and_then(gres::gpus).filter(|gpus| gpus.count > 0) else {
                continue;
            };
            all.extend(nodes::names(list).iter().map(|node| HeldRecord {
                node: node.to_string(),
                gpus: gpus.clone(),
                ..job.clone()
            }));
        }
    }
    all
}

/// The job of `JobId=35 ArrayJobId=33 ArrayTaskId=1 JobName=…`, whose name is the rest of the line.
fn of_head(line: &str) -> HeldRecord {
    let ids = line.split_once(" JobName=").map_or(line, |(ids, _)| ids);
    let of = |key: &str| ids.split_whitespace().find_map(|word| word.strip_prefix(key));
    let raw = of("JobId=").unwrap_or_default();
    let job = match (of("ArrayJobId="), of("ArrayTaskId="), of("HetJobId="), of("HetJobOffset=")) {
        (Some(array), Some(task), ..) => format!("{array}_{task}"),
        (.., Some(first), Some(offset)) => format!("{first}+{offset}"),
        _ => raw.to_owned(),
    };
    HeldRecord { raw: raw.to_owned(), job, ..HeldRecord::default() }
}

/// The word behind a key at the beginning of a line; `None` for another line.
fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(key)?;
    Some(rest.split_whitespace().next().unwrap_or_default())
}
