//! Who launched the boxes of the demo, as its `CloudTrail` has it.

use jiff::{SignedDuration, Timestamp};

use super::hash::{hash, unit};
use super::profile::Profile;
use crate::domain::{Instance, Launch, Launcher, OwnerKind};

/// People of the demo, those who run its jobs among them.
const PEOPLE: [&str; 6] = ["ines", "omar", "wei", "lena", "tomas", "aiko"];

/// Share of boxes without an owner whose launch the trail does not have, and share that a pipeline launched.
const UNKNOWN: f64 = 0.1;
const PIPELINE: f64 = 0.15;

/// Launch of a box that EC2 dates `at`; `None` where the trail has none.
pub(super) fn launch(profile: &Profile, instance: &Instance, at: Timestamp) -> Option<Launch> {
    let draw = |purpose| unit(hash(profile.hash, 0x1A0C, purpose));
    let by = match instance.owners.first().map(|owner| owner.kind) {
        Some(OwnerKind::Asg) => Launcher::Service("EC2 Auto Scaling".into()),
        Some(OwnerKind::Eks) => Launcher::Service("an EKS node group".into()),
        Some(OwnerKind::Batch) => Launcher::Service("AWS Batch".into()),
        Some(OwnerKind::Emr) => Launcher::Service("EMR".into()),
        Some(OwnerKind::HyperPod) => Launcher::Service("SageMaker".into()),
        Some(OwnerKind::Karpenter) => {
            Launcher::Program { session: "karpenter".into(), role: "KarpenterController".into() }
        }
        Some(OwnerKind::Ecs | OwnerKind::CloudFormation) | None if draw(0) < UNKNOWN => {
            return None;
        }
        Some(OwnerKind::Ecs | OwnerKind::CloudFormation) | None if draw(0) < UNKNOWN + PIPELINE => {
            Launcher::Program { session: "GitHubActions".into(), role: "ci-deploy".into() }
        }
        Some(OwnerKind::Ecs | OwnerKind::CloudFormation) | None => {
            let which = (draw(1) * PEOPLE.len() as f64) as usize;
            Launcher::Person(PEOPLE.get(which).copied().unwrap_or("ines").into())
        }
    };
    // The request comes a little before the launch that EC2 dates.
    let at = at.checked_sub(SignedDuration::from_secs(2)).unwrap_or(at);
    Some(Launch { at, by })
}
