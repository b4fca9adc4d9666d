//! Whom to ask about an instance.

use std::sync::Arc;

use jiff::Timestamp;

use super::{GpuFleet, Row};
use crate::domain::{LaunchLook, Launcher, VerdictKind};

/// Keys of tags that name a person, in this order; compared without regard to case.
const OWNER_TAGS: [&str; 8] =
    ["owner", "contact", "created-by", "created_by", "createdby", "creator", "user", "email"];

/// Users that come with an image or a service: their processes name nobody.
const NOBODY: [&str; 12] = [
    "root",
    "ubuntu",
    "ec2-user",
    "admin",
    "debian",
    "centos",
    "rocky",
    "fedora",
    "hadoop",
    "jovyan",
    "sagemaker-user",
    "nobody",
];

/// Where the name of a person comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskFrom {
    /// A tag of the instance.
    Tag,
    /// The launch of the instance in `CloudTrail`, at this time.
    Launch(Timestamp),
    /// The user of processes or jobs on its GPUs.
    Processes,
}

impl AskFrom {
    /// Name in JSON, CSV and filters.
    pub const WORDS: [&'static str; 3] = ["tag", "launch", "processes"];

    /// Name in JSON, CSV and filters.
    pub fn word(self) -> &'static str {
        match self {
            Self::Tag => Self::WORDS[0],
            Self::Launch(_) => Self::WORDS[1],
            Self::Processes => Self::WORDS[2],
        }
    }
}

/// A person to ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Name as the source has it; clean text.
    pub name: Arc<str>,
    /// Where it comes from.
    pub from: AskFrom,
}

impl Row {
    /// The person to ask by a tag, else by the launch; `None` where neither names one.
    pub fn ask(&self) -> Option<Ask> {
        if let Some(name) = self.tagged_owner() {
            return Some(Ask { name: name.clone(), from: AskFrom::Tag });
        }
        match &self.launch.as_deref()?.look {
            LaunchLook::Found(launch) => match &launch.by {
                Launcher::Person(name) => {
                    Some(Ask { name: name.clone(), from: AskFrom::Launch(launch.at) })
                }
                Launcher::Program { .. } | Launcher::Service(_) => None,
            },
            LaunchLook::NotFound | LaunchLook::TooOld | LaunchLook::Unread { .. } => None,
        }
    }

    /// True where a tag names a person.
    pub fn names_owner(&self) -> bool {
        self.tagged_owner().is_some()
    }

    /// The first of the tags that is not empty: an empty one names nobody, and the next may.
    fn tagged_owner(&self) -> Option<&Arc<str>> {
        let tags = &self.instance.tags;
        OWNER_TAGS.iter().find_map(|key| tags.find(&[*key]).filter(|name| !name.trim().is_empty()))
    }

    /// The person to ask: as [`Self::ask`], else the user who holds most of its GPUs; of several with as many the first by
    /// name. `None` where nobody is named.
    pub fn ask_with(&self, gpus: Option<&GpuFleet>) -> Option<Ask> {
        self.ask().or_else(|| {
            let name = self.gpu_user(gpus?)?;
            Some(Ask { name, from: AskFrom::Processes })
        })
    }

    fn gpu_user(&self, gpus: &GpuFleet) -> Option<Arc<str>> {
        let own = gpus.rows.iter().filter(|gpu| {
            gpu.node.instance.as_ref().is_some_and(|row| row.instance.id == self.instance.id)
        });
        let mut users: Vec<(Arc<str>, usize)> = Vec::new();
        for gpu in own {
            let processes = gpu.sample.processes.iter().flat_map(|all| all.iter());
            let mut told = gpu
                .sample
                .owner
                .user
                .iter()
                .chain(processes.filter_map(|process| process.user.as_ref()));
            let Some(user) = told.find(|user| !NOBODY.contains(&&***user)) else { continue };
            match users.iter_mut().find(|(name, _)| name == user) {
                Some((_, count)) => *count += 1,
                None => users.push((user.clone(), 1)),
            }
        }
        users.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        users.into_iter().next().map(|(name, _)| name)
    }

    /// True where somebody should be asked about it: it runs and its verdict is idle, partly idle or underused.
    pub fn is_worth_asking(&self) -> bool {
        let kind = self.verdict.as_ref().map(|verdict| verdict.kind);
        let is_waste =
            matches!(kind, Some(VerdictKind::Idle | VerdictKind::Partial | VerdictKind::Underused));
        is_waste && self.instance.state.is_billed()
    }
}
