//! What an account answers about its storage: one cheap call per permission.

use std::sync::Arc;

use super::probe::{Asked, Permission, charge, judge, within};
use super::{Check, Terms};
use crate::domain::storage::Bucket;
use crate::domain::storage::bucket::Fact;
use crate::domain::{Scope, SourceError};
use crate::source::StorageSource;
use crate::source::ledger::BilledApi;

const fn permission(action: &'static str, lost: &'static str) -> Permission {
    Permission { action, needed: false, lost }
}

/// Permissions that are probed, in the order of the report. Those for lists of objects are not, since such
/// lists are billed and made on request only.
pub const STORAGE_PERMISSIONS: [Permission; 13] = [
    permission("s3:ListAllMyBuckets", "no bucket is seen"),
    permission("s3express:ListAllMyDirectoryBuckets", "no directory bucket is seen"),
    permission("s3:GetBucketLocation", "buckets whose region the list does not name stay unread"),
    permission("s3:GetBucketTagging", "nobody knows whose the buckets are"),
    permission("s3:GetBucketVersioning", "whether a deletion frees anything is not known"),
    permission("s3:GetLifecycleConfiguration", "buckets without rules are not found"),
    permission("s3:GetBucketObjectLockConfiguration", "what may not be deleted is not known"),
    permission("s3:GetReplicationConfiguration", "replicas are not told from copies"),
    permission("s3:GetInventoryConfiguration", "inventories have to be named by hand"),
    permission("s3:GetMetricsConfiguration", "how often a bucket is read is not known"),
    permission("ec2:DescribeVolumes", "no volume is seen"),
    permission("ec2:DescribeSnapshots", "no snapshot is seen"),
    permission("ec2:DescribeImages", "no snapshot can be called an orphan"),
];

/// The region in which directory buckets are asked for: Express One Zone is not in every one.
const EXPRESS: &str = "us-east-1";

/// Probes each permission by a cheap call in `region`, one of the fleet's.
pub async fn probes(
    source: &dyn StorageSource,
    account: &Arc<str>,
    region: &Arc<str>,
    terms: &Terms,
) -> Vec<Check> {
    let scope = Scope::new(account.clone(), region.clone());
    let limit = terms.limit;
    let express = [Arc::<str>::from(EXPRESS)];
    let (listed, volumes, snapshots, images) = tokio::join!(
        within(limit, "s3:ListAllMyBuckets", async {
            charge(BilledApi::S3List, terms).await?;
            source.buckets(account, &express).await
        }),
        within(limit, "ec2:DescribeVolumes", source.volumes(&scope, None)),
        within(limit, "ec2:DescribeSnapshots", source.snapshots(&scope, None)),
        within(limit, "ec2:DescribeImages", source.images(region, None)),
    );
    let mut checks = vec![judged("s3:ListAllMyBuckets", listed.as_ref().err())];
    let directories = listed.as_ref().ok().and_then(|l| l.troubles.first()).map(|(_, e)| e);
    checks.push(match &listed {
        Ok(_) => judged("s3express:ListAllMyDirectoryBuckets", directories),
        Err(e) => judged("s3express:ListAllMyDirectoryBuckets", Some(e)),
    });
    let first = listed.ok().and_then(|l| l.buckets.into_iter().find(|b| !b.is_directory));
    checks.extend(of_bucket(source, first, terms).await);
    checks.push(judged("ec2:DescribeVolumes", volumes.as_ref().err()));
    checks.push(judged("ec2:DescribeSnapshots", snapshots.as_ref().err()));
    checks.push(judged("ec2:DescribeImages", images.as_ref().err()));
    checks.into_iter().flatten().collect()
}

/// What one bucket answers stands for all of them; where there is none, nobody knows.
async fn of_bucket(
    source: &dyn StorageSource,
    bucket: Option<Bucket>,
    terms: &Terms,
) -> Vec<Option<Check>> {
    let skipped = |why: &str| {
        let names = STORAGE_PERMISSIONS[2..10].iter();
        names.map(|p| Some(Check::skip(&format!("permission/{}", p.action), why))).collect()
    };
    let Some(mut bucket) = bucket else {
        return skipped("not asked: there is no bucket to ask about");
    };
    let located: Asked<Arc<str>> = within(terms.limit, "s3:GetBucketLocation", async {
        charge(BilledApi::S3Get, terms).await?;
        source.region_of(&bucket.name).await
    })
    .await;
    let mut out = vec![judged("s3:GetBucketLocation", located.as_ref().err())];
    if let Ok(region) = located {
        bucket.scope.region = region;
    }
    let look = within(terms.limit, "s3:GetBucketTagging", async {
        charge(BilledApi::S3Get, terms).await?;
        Ok(source.config(&bucket).await)
    });
    match look.await {
        Ok(config) => {
            out.push(judged("s3:GetBucketTagging", failed(&config.tags)));
            out.push(judged("s3:GetBucketVersioning", failed(&config.versioning)));
            out.push(judged("s3:GetLifecycleConfiguration", failed(&config.lifecycle)));
            out.push(judged("s3:GetBucketObjectLockConfiguration", failed(&config.lock)));
            out.push(judged("s3:GetReplicationConfiguration", failed(&config.replicates)));
            out.push(judged("s3:GetInventoryConfiguration", failed(&config.inventories)));
            out.push(judged("s3:GetMetricsConfiguration", failed(&config.request_metrics)));
        }
        Err(error) => {
            let rest = STORAGE_PERMISSIONS[3..10].iter();
            out.extend(rest.map(|p| judged(p.action, Some(&error))));
        }
    }
    out
}

fn failed<T>(fact: &Fact<T>) -> Option<&SourceError> {
    fact.as_ref().err().map(|e| &**e)
}

fn judged(action: &str, error: Option<&SourceError>) -> Option<Check> {
    let permission = STORAGE_PERMISSIONS.iter().find(|p| p.action == action)?;
    Some(judge(permission, error))
}
