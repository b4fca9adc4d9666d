//! Every API call that burntop makes, with the IAM action it needs. Call sites take the name of
//! their operation from here, `burntop iam-policy` is generated from here, and a test walks the
//! sources so that no call is missing and none is listed that is not made.

/// An API operation that burntop calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The IAM action, `ec2:DescribeInstances`; also the operation's name in error messages.
    pub action: &'static str,
    /// Method of the SDK, such as `describe_instances`; for calls without an SDK crate, the name in the same style.
    pub method: &'static str,
    /// Purpose of the call, half a sentence for the printed policy.
    pub why: &'static str,
    /// True when the call changes nothing.
    pub read_only: bool,
}

/// STS operation `GetCallerIdentity`. Needs no permission, but an explicit deny can forbid it.
pub const GET_CALLER_IDENTITY: Call = Call {
    action: "sts:GetCallerIdentity",
    method: "get_caller_identity",
    why: "to know which account the figures belong to",
    read_only: true,
};

/// EC2 operation `DescribeRegions`.
pub const DESCRIBE_REGIONS: Call = Call {
    action: "ec2:DescribeRegions",
    method: "describe_regions",
    why: "to list the regions enabled in the account",
    read_only: true,
};

/// EC2 operation `DescribeInstances`.
pub const DESCRIBE_INSTANCES: Call = Call {
    action: "ec2:DescribeInstances",
    method: "describe_instances",
    why: "to list the instances with their tags",
    read_only: true,
};

/// EC2 operation `DescribeInstanceTypes`.
pub const DESCRIBE_INSTANCE_TYPES: Call = Call {
    action: "ec2:DescribeInstanceTypes",
    method: "describe_instance_types",
    why: "to know vCPUs, memory and accelerators of types newer than the built-in catalogue",
    read_only: true,
};

/// EC2 operation `DescribeSpotPriceHistory`.
pub const DESCRIBE_SPOT_PRICE_HISTORY: Call = Call {
    action: "ec2:DescribeSpotPriceHistory",
    method: "describe_spot_price_history",
    why: "to price Spot instances by zone",
    read_only: true,
};

/// CloudWatch operation `ListMetrics`.
pub const LIST_METRICS: Call = Call {
    action: "cloudwatch:ListMetrics",
    method: "list_metrics",
    why: "to find the GPU series of the CloudWatch agent and of Container Insights, and the sizes of \
          buckets",
    read_only: true,
};

/// CloudWatch operation `GetMetricData`, billed per metric requested.
pub const GET_METRIC_DATA: Call = Call {
    action: "cloudwatch:GetMetricData",
    method: "get_metric_data",
    why: "to read CPU, network, EBS and GPU activity, and the sizes of buckets",
    read_only: true,
};

/// Price List operation `GetProducts`.
pub const GET_PRODUCTS: Call = Call {
    action: "pricing:GetProducts",
    method: "get_products",
    why: "to read today's on-demand list prices",
    read_only: true,
};

/// Calls that read the fleet, in the order of first use. None allows a resource restriction (`"Resource": "*"`), per
/// the Service Authorization Reference.
pub const READING: [&Call; 8] = [
    &GET_CALLER_IDENTITY,
    &DESCRIBE_REGIONS,
    &DESCRIBE_INSTANCES,
    &DESCRIBE_INSTANCE_TYPES,
    &LIST_METRICS,
    &GET_METRIC_DATA,
    &GET_PRODUCTS,
    &DESCRIBE_SPOT_PRICE_HISTORY,
];

/// EC2 operation `DescribeReservedInstances`.
pub const DESCRIBE_RESERVED_INSTANCES: Call = Call {
    action: "ec2:DescribeReservedInstances",
    method: "describe_reserved_instances",
    why: "to know which instances Reserved Instances pay for",
    read_only: true,
};

/// EC2 operation `DescribeCapacityReservations`.
pub const DESCRIBE_CAPACITY_RESERVATIONS: Call = Call {
    action: "ec2:DescribeCapacityReservations",
    method: "describe_capacity_reservations",
    why: "to find capacity that is paid for and not used",
    read_only: true,
};

/// Savings Plans operation `DescribeSavingsPlans`.
pub const DESCRIBE_SAVINGS_PLANS: Call = Call {
    action: "savingsplans:DescribeSavingsPlans",
    method: "describe_savings_plans",
    why: "to know which instances Savings Plans pay for",
    read_only: true,
};

/// Savings Plans operation `DescribeSavingsPlanRates`.
pub const DESCRIBE_SAVINGS_PLAN_RATES: Call = Call {
    action: "savingsplans:DescribeSavingsPlanRates",
    method: "describe_savings_plan_rates",
    why: "to know what a Savings Plan takes for each instance type",
    read_only: true,
};

/// EC2 operation `DescribeInstanceTypeOfferings`.
pub const DESCRIBE_INSTANCE_TYPE_OFFERINGS: Call = Call {
    action: "ec2:DescribeInstanceTypeOfferings",
    method: "describe_instance_type_offerings",
    why: "to propose only instance types that a zone offers",
    read_only: true,
};

/// Calls that read commitments. None allows a resource restriction, except the rates of single plans, which are read
/// for all plans.
pub const COMMITMENTS: [&Call; 4] = [
    &DESCRIBE_RESERVED_INSTANCES,
    &DESCRIBE_CAPACITY_RESERVATIONS,
    &DESCRIBE_SAVINGS_PLANS,
    &DESCRIBE_SAVINGS_PLAN_RATES,
];

/// Calls that read the Spot market, besides the Spot prices in [`READING`].
pub const MARKET: [&Call; 1] = [&DESCRIBE_INSTANCE_TYPE_OFFERINGS];

/// EC2 operation `DescribeVolumes`.
pub const DESCRIBE_VOLUMES: Call = Call {
    action: "ec2:DescribeVolumes",
    method: "describe_volumes",
    why: "to list volumes, and to say which die with an instance and which go on billing",
    read_only: true,
};

/// EC2 operation `DescribeSnapshots`.
pub const DESCRIBE_SNAPSHOTS: Call = Call {
    action: "ec2:DescribeSnapshots",
    method: "describe_snapshots",
    why: "to list the account's own snapshots",
    read_only: true,
};

/// EC2 operation `DescribeImages`.
pub const DESCRIBE_IMAGES: Call = Call {
    action: "ec2:DescribeImages",
    method: "describe_images",
    why: "to know which snapshots an image is made of",
    read_only: true,
};

/// S3 operation `ListBuckets`.
pub const LIST_BUCKETS: Call = Call {
    action: "s3:ListAllMyBuckets",
    method: "list_buckets",
    why: "to list the buckets",
    read_only: true,
};

/// S3 operation `ListDirectoryBuckets`.
pub const LIST_DIRECTORY_BUCKETS: Call = Call {
    action: "s3express:ListAllMyDirectoryBuckets",
    method: "list_directory_buckets",
    why: "to list the buckets of Express One Zone",
    read_only: true,
};

/// S3 operation `GetBucketLocation`.
pub const GET_BUCKET_LOCATION: Call = Call {
    action: "s3:GetBucketLocation",
    method: "get_bucket_location",
    why: "to ask each bucket in its own region",
    read_only: true,
};

/// S3 operation `GetBucketTagging`.
pub const GET_BUCKET_TAGGING: Call = Call {
    action: "s3:GetBucketTagging",
    method: "get_bucket_tagging",
    why: "to know whose a bucket is",
    read_only: true,
};

/// S3 operation `GetBucketVersioning`.
pub const GET_BUCKET_VERSIONING: Call = Call {
    action: "s3:GetBucketVersioning",
    method: "get_bucket_versioning",
    why: "to know whether a deletion frees anything",
    read_only: true,
};

/// S3 operation `GetBucketLifecycleConfiguration`.
pub const GET_BUCKET_LIFECYCLE_CONFIGURATION: Call = Call {
    action: "s3:GetLifecycleConfiguration",
    method: "get_bucket_lifecycle_configuration",
    why: "to read lifecycle rules",
    read_only: true,
};

/// S3 operation `GetObjectLockConfiguration`.
pub const GET_OBJECT_LOCK_CONFIGURATION: Call = Call {
    action: "s3:GetBucketObjectLockConfiguration",
    method: "get_object_lock_configuration",
    why: "to know what may not be deleted",
    read_only: true,
};

/// S3 operation `GetBucketReplication`.
pub const GET_BUCKET_REPLICATION: Call = Call {
    action: "s3:GetReplicationConfiguration",
    method: "get_bucket_replication",
    why: "to tell replicas from copies",
    read_only: true,
};

/// S3 operation `ListBucketInventoryConfigurations`.
pub const LIST_BUCKET_INVENTORY_CONFIGURATIONS: Call = Call {
    action: "s3:GetInventoryConfiguration",
    method: "list_bucket_inventory_configurations",
    why: "to find the inventories of a bucket",
    read_only: true,
};

/// S3 operation `ListBucketMetricsConfigurations`.
pub const LIST_BUCKET_METRICS_CONFIGURATIONS: Call = Call {
    action: "s3:GetMetricsConfiguration",
    method: "list_bucket_metrics_configurations",
    why: "to know whether requests of a bucket are counted",
    read_only: true,
};

/// S3 operation `HeadBucket`, which names the region even where it refuses.
pub const HEAD_BUCKET: Call = Call {
    action: "s3:ListBucket",
    method: "head_bucket",
    why: "to find the region of a bucket whose location nobody may ask",
    read_only: true,
};

/// S3 operation `ListObjectsV2`, billed per page.
pub const LIST_OBJECTS_V2: Call = Call {
    action: "s3:ListBucket",
    method: "list_objects_v2",
    why: "to list a bucket without an inventory, when told to",
    read_only: true,
};

/// S3 operation `ListObjectVersions`, billed per page.
pub const LIST_OBJECT_VERSIONS: Call = Call {
    action: "s3:ListBucketVersions",
    method: "list_object_versions",
    why: "to list all versions, when told to",
    read_only: true,
};

/// S3 operation `ListMultipartUploads`, billed per page.
pub const LIST_MULTIPART_UPLOADS: Call = Call {
    action: "s3:ListBucketMultipartUploads",
    method: "list_multipart_uploads",
    why: "to find uploads that were never completed, when told to",
    read_only: true,
};

/// S3 operation `ListParts`, billed per page.
pub const LIST_PARTS: Call = Call {
    action: "s3:ListMultipartUploadParts",
    method: "list_parts",
    why: "to know how large such uploads are, when told to",
    read_only: true,
};

/// S3 operation `GetObject`.
pub const GET_OBJECT: Call = Call {
    action: "s3:GetObject",
    method: "get_object",
    why: "to read S3 inventories",
    read_only: true,
};

/// Calls that read volumes and snapshots. None allows a resource restriction.
pub const VOLUMES: [&Call; 3] = [&DESCRIBE_VOLUMES, &DESCRIBE_SNAPSHOTS, &DESCRIBE_IMAGES];

/// Calls that read buckets and their configuration, not their content.
pub const BUCKETS: [&Call; 10] = [
    &LIST_BUCKETS,
    &LIST_DIRECTORY_BUCKETS,
    &GET_BUCKET_LOCATION,
    &GET_BUCKET_TAGGING,
    &GET_BUCKET_VERSIONING,
    &GET_BUCKET_LIFECYCLE_CONFIGURATION,
    &GET_OBJECT_LOCK_CONFIGURATION,
    &GET_BUCKET_REPLICATION,
    &LIST_BUCKET_INVENTORY_CONFIGURATIONS,
    &LIST_BUCKET_METRICS_CONFIGURATIONS,
];

/// Calls that list the content of a bucket. Billed, and made only on request.
pub const LISTS: [&Call; 5] =
    [&HEAD_BUCKET, &LIST_OBJECTS_V2, &LIST_OBJECT_VERSIONS, &LIST_MULTIPART_UPLOADS, &LIST_PARTS];

/// Athena operation `StartQueryExecution`, billed by what the query scans.
pub const START_QUERY_EXECUTION: Call = Call {
    action: "athena:StartQueryExecution",
    method: "start_query_execution",
    why: "to add up an inventory that is too large for one machine, when told to",
    read_only: false,
};

/// Athena operation `GetQueryExecution`.
pub const GET_QUERY_EXECUTION: Call = Call {
    action: "athena:GetQueryExecution",
    method: "get_query_execution",
    why: "to know how far such a query is",
    read_only: true,
};

/// Athena operation `GetQueryResults`.
pub const GET_QUERY_RESULTS: Call = Call {
    action: "athena:GetQueryResults",
    method: "get_query_results",
    why: "to read what such a query found",
    read_only: true,
};

/// Athena operation `StopQueryExecution`.
pub const STOP_QUERY_EXECUTION: Call = Call {
    action: "athena:StopQueryExecution",
    method: "stop_query_execution",
    why: "to stop a query that nobody waits for any more",
    read_only: false,
};

/// Calls of queries over inventories, made only on request. They write results to S3 and an external table to the Glue
/// catalogue, and change nothing else.
pub const QUERIES: [&Call; 4] =
    [&START_QUERY_EXECUTION, &GET_QUERY_EXECUTION, &GET_QUERY_RESULTS, &STOP_QUERY_EXECUTION];

/// EC2 operation `DescribeInstanceAttribute`.
pub const DESCRIBE_INSTANCE_ATTRIBUTE: Call = Call {
    action: "ec2:DescribeInstanceAttribute",
    method: "describe_instance_attribute",
    why: "to know whether an instance is protected from being stopped or terminated",
    read_only: true,
};

/// EC2 operation `DescribeAddresses`.
pub const DESCRIBE_ADDRESSES: Call = Call {
    action: "ec2:DescribeAddresses",
    method: "describe_addresses",
    why: "to say which public addresses are lost and which go on billing",
    read_only: true,
};

/// EC2 operation `DescribeSpotInstanceRequests`.
pub const DESCRIBE_SPOT_INSTANCE_REQUESTS: Call = Call {
    action: "ec2:DescribeSpotInstanceRequests",
    method: "describe_spot_instance_requests",
    why: "to know whether a Spot request would bring an instance back",
    read_only: true,
};

/// Auto Scaling operation `DescribeAutoScalingInstances`.
pub const DESCRIBE_AUTO_SCALING_INSTANCES: Call = Call {
    action: "autoscaling:DescribeAutoScalingInstances",
    method: "describe_auto_scaling_instances",
    why: "to know which group an instance is a member of",
    read_only: true,
};

/// Auto Scaling operation `DescribeAutoScalingGroups`.
pub const DESCRIBE_AUTO_SCALING_GROUPS: Call = Call {
    action: "autoscaling:DescribeAutoScalingGroups",
    method: "describe_auto_scaling_groups",
    why: "to know how many instances a group wants",
    read_only: true,
};

/// Elastic Load Balancing operation `DescribeTargetGroups`.
pub const DESCRIBE_TARGET_GROUPS: Call = Call {
    action: "elasticloadbalancing:DescribeTargetGroups",
    method: "describe_target_groups",
    why: "to find the load balancers that send requests to an instance",
    read_only: true,
};

/// Elastic Load Balancing operation `DescribeTargetHealth`.
pub const DESCRIBE_TARGET_HEALTH: Call = Call {
    action: "elasticloadbalancing:DescribeTargetHealth",
    method: "describe_target_health",
    why: "to know whether a load balancer sends requests to an instance now",
    read_only: true,
};

/// EC2 operation `DescribeVolumesModifications`.
pub const DESCRIBE_VOLUMES_MODIFICATIONS: Call = Call {
    action: "ec2:DescribeVolumesModifications",
    method: "describe_volumes_modifications",
    why: "to know when a volume was last modified, and how far that has come",
    read_only: true,
};

/// Further calls that read single instances before an action. None allows a resource restriction.
pub const PREFLIGHT: [&Call; 8] = [
    &DESCRIBE_VOLUMES_MODIFICATIONS,
    &DESCRIBE_INSTANCE_ATTRIBUTE,
    &DESCRIBE_ADDRESSES,
    &DESCRIBE_SPOT_INSTANCE_REQUESTS,
    &DESCRIBE_AUTO_SCALING_INSTANCES,
    &DESCRIBE_AUTO_SCALING_GROUPS,
    &DESCRIBE_TARGET_GROUPS,
    &DESCRIBE_TARGET_HEALTH,
];

/// EC2 operation `DescribeNetworkInterfaces`.
pub const DESCRIBE_NETWORK_INTERFACES: Call = Call {
    action: "ec2:DescribeNetworkInterfaces",
    method: "describe_network_interfaces",
    why: "to know whether the interface that an Elastic IP belongs to is used",
    read_only: true,
};

/// EC2 operation `DescribeNatGateways`.
pub const DESCRIBE_NAT_GATEWAYS: Call = Call {
    action: "ec2:DescribeNatGateways",
    method: "describe_nat_gateways",
    why: "to list NAT gateways",
    read_only: true,
};

/// EC2 operation `DescribeRouteTables`.
pub const DESCRIBE_ROUTE_TABLES: Call = Call {
    action: "ec2:DescribeRouteTables",
    method: "describe_route_tables",
    why: "to know which routes lead to a NAT gateway",
    read_only: true,
};

/// Elastic Load Balancing operation `DescribeLoadBalancers`.
pub const DESCRIBE_LOAD_BALANCERS: Call = Call {
    action: "elasticloadbalancing:DescribeLoadBalancers",
    method: "describe_load_balancers",
    why: "to list load balancers",
    read_only: true,
};

/// Elastic Load Balancing operation `DescribeTags`.
pub const DESCRIBE_TAGS: Call = Call {
    action: "elasticloadbalancing:DescribeTags",
    method: "describe_tags",
    why: "to know whose a load balancer is, and whether it is exempt",
    read_only: true,
};

/// SageMaker operation `ListNotebookInstances`.
pub const LIST_NOTEBOOK_INSTANCES: Call = Call {
    action: "sagemaker:ListNotebookInstances",
    method: "list_notebook_instances",
    why: "to list notebook instances",
    read_only: true,
};

/// SageMaker operation `ListEndpoints`.
pub const LIST_ENDPOINTS: Call = Call {
    action: "sagemaker:ListEndpoints",
    method: "list_endpoints",
    why: "to list endpoints",
    read_only: true,
};

/// SageMaker operation `DescribeEndpoint`.
pub const DESCRIBE_ENDPOINT: Call = Call {
    action: "sagemaker:DescribeEndpoint",
    method: "describe_endpoint",
    why: "to know how many instances an endpoint runs on",
    read_only: true,
};

/// SageMaker operation `DescribeEndpointConfig`.
pub const DESCRIBE_ENDPOINT_CONFIG: Call = Call {
    action: "sagemaker:DescribeEndpointConfig",
    method: "describe_endpoint_config",
    why: "to know which type of instance an endpoint runs on",
    read_only: true,
};

/// SageMaker operation `ListApps`.
pub const LIST_APPS: Call = Call {
    action: "sagemaker:ListApps",
    method: "list_apps",
    why: "to list the apps of Studio",
    read_only: true,
};

/// SageMaker operation `DescribeApp`.
pub const DESCRIBE_APP: Call = Call {
    action: "sagemaker:DescribeApp",
    method: "describe_app",
    why: "to know when an app of Studio was last used",
    read_only: true,
};

/// SageMaker operation `ListTags`.
pub const LIST_TAGS: Call = Call {
    action: "sagemaker:ListTags",
    method: "list_tags",
    why: "to know whose a notebook, endpoint or app is, and whether it is exempt",
    read_only: true,
};

/// Calls that read resources other than instances, besides those of [`READING`].
pub const RESOURCES: [&Call; 15] = [
    &DESCRIBE_ADDRESSES,
    &DESCRIBE_NETWORK_INTERFACES,
    &DESCRIBE_NAT_GATEWAYS,
    &DESCRIBE_ROUTE_TABLES,
    &DESCRIBE_LOAD_BALANCERS,
    &DESCRIBE_TAGS,
    &DESCRIBE_TARGET_GROUPS,
    &DESCRIBE_TARGET_HEALTH,
    &LIST_NOTEBOOK_INSTANCES,
    &LIST_ENDPOINTS,
    &DESCRIBE_ENDPOINT,
    &DESCRIBE_ENDPOINT_CONFIG,
    &LIST_APPS,
    &DESCRIBE_APP,
    &LIST_TAGS,
];

/// Organizations operation `ListAccounts`.
pub const LIST_ACCOUNTS: Call = Call {
    action: "organizations:ListAccounts",
    method: "list_accounts",
    why: "to find the accounts of the organization",
    read_only: true,
};

/// EC2 operation `StopInstances`.
pub const STOP_INSTANCES: Call = Call {
    action: "ec2:StopInstances",
    method: "stop_instances",
    why: "to stop instances",
    read_only: false,
};

/// EC2 operation `TerminateInstances`.
pub const TERMINATE_INSTANCES: Call = Call {
    action: "ec2:TerminateInstances",
    method: "terminate_instances",
    why: "to terminate instances",
    read_only: false,
};

/// EC2 operation `StartInstances`.
pub const START_INSTANCES: Call = Call {
    action: "ec2:StartInstances",
    method: "start_instances",
    why: "to start stopped instances again",
    read_only: false,
};

/// EC2 operation `CreateTags`.
pub const CREATE_TAGS: Call = Call {
    action: "ec2:CreateTags",
    method: "create_tags",
    why: "to mark instances with the tags `burntop:*`",
    read_only: false,
};

/// EC2 operation `DeleteTags`.
pub const DELETE_TAGS: Call = Call {
    action: "ec2:DeleteTags",
    method: "delete_tags",
    why: "to take the marks away again",
    read_only: false,
};

/// Auto Scaling operation `TerminateInstanceInAutoScalingGroup`.
pub const TERMINATE_INSTANCE_IN_AUTO_SCALING_GROUP: Call = Call {
    action: "autoscaling:TerminateInstanceInAutoScalingGroup",
    method: "terminate_instance_in_auto_scaling_group",
    why: "to terminate members of groups so that the group knows",
    read_only: false,
};

/// EC2 operation `CreateSnapshot`.
pub const CREATE_SNAPSHOT: Call = Call {
    action: "ec2:CreateSnapshot",
    method: "create_snapshot",
    why: "to keep what is on a volume before it is deleted",
    read_only: false,
};

/// EC2 operation `DeleteVolume`.
pub const DELETE_VOLUME: Call = Call {
    action: "ec2:DeleteVolume",
    method: "delete_volume",
    why: "to delete unattached volumes, after their snapshot has completed",
    read_only: false,
};

/// EC2 operation `ModifyVolume`.
pub const MODIFY_VOLUME: Call = Call {
    action: "ec2:ModifyVolume",
    method: "modify_volume",
    why: "to make gp2 volumes gp3",
    read_only: false,
};

/// S3 operation `PutBucketLifecycleConfiguration`.
pub const PUT_BUCKET_LIFECYCLE_CONFIGURATION: Call = Call {
    action: "s3:PutLifecycleConfiguration",
    method: "put_bucket_lifecycle_configuration",
    why: "to put lifecycle rules",
    read_only: false,
};

/// S3 operation `DeleteBucketLifecycle`, which IAM covers by the action of the PUT.
pub const DELETE_BUCKET_LIFECYCLE: Call = Call {
    action: "s3:PutLifecycleConfiguration",
    method: "delete_bucket_lifecycle",
    why: "to take back the first rules of a bucket",
    read_only: false,
};

/// Calls that change resources. Only `act::exec` makes them.
pub const WRITES: [&Call; 11] = [
    &STOP_INSTANCES,
    &TERMINATE_INSTANCES,
    &START_INSTANCES,
    &CREATE_TAGS,
    &DELETE_TAGS,
    &TERMINATE_INSTANCE_IN_AUTO_SCALING_GROUP,
    &CREATE_SNAPSHOT,
    &DELETE_VOLUME,
    &MODIFY_VOLUME,
    &PUT_BUCKET_LIFECYCLE_CONFIGURATION,
    &DELETE_BUCKET_LIFECYCLE,
];

/// True for an IAM action that acting needs and reading the fleet does not: messages about it refer to the policy for
/// actions.
pub fn is_for_acting(action: &str) -> bool {
    let reads = RESOURCES.iter().chain(&VOLUMES).any(|c| c.action == action);
    !reads && PREFLIGHT.iter().chain(&WRITES).any(|c| c.action == action)
}

/// STS operation `AssumeRole`, made by the SDK's credential provider for roles from the config. Not in
/// [`READING`] because it must be granted on the role's ARN and never on `*`.
pub const ASSUME_ROLE: Call = Call {
    action: "sts:AssumeRole",
    method: "assume_role",
    why: "to read accounts through the roles named in the config",
    read_only: true,
};

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    /// The sources that make calls, without their test modules, whitespace removed.
    fn sources() -> Vec<(String, String)> {
        fn walk(path: &Path, out: &mut Vec<(String, String)>) {
            if path.is_dir() {
                for entry in std::fs::read_dir(path).unwrap() {
                    walk(&entry.unwrap().path(), out);
                }
                return;
            }
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let for_tests = name == "tests.rs" || name == "calls.rs";
            if path.extension().is_none_or(|e| e != "rs") || for_tests {
                return;
            }
            let text = std::fs::read_to_string(path).unwrap();
            let code = text.split("mod tests {").next().unwrap();
            out.push((name, code.chars().filter(|c| !c.is_whitespace()).collect()));
        }
        let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut out = Vec::new();
        for place in ["source/aws", "act/exec/aws.rs", "act/exec/storage/aws.rs"] {
            walk(&src.join(place), &mut out);
        }
        out
    }

    /// Each call once or more.
    pub fn all() -> impl Iterator<Item = &'static Call> {
        let storage =
            VOLUMES.into_iter().chain(BUCKETS).chain(LISTS).chain([&GET_OBJECT]).chain(QUERIES);
        let savings = COMMITMENTS.into_iter().chain(MARKET).chain(RESOURCES);
        let reads = READING.into_iter().chain(savings).chain(storage).chain([&LIST_ACCOUNTS]);
        reads.chain(PREFLIGHT).chain(WRITES)
    }

    /// Where IAM calls an operation of S3 by another name (Service Authorization Reference,
    /// "Actions, resources, and condition keys for Amazon S3").
    const OTHER_NAMES: [(&str, &str); 14] = [
        ("put_bucket_lifecycle_configuration", "s3:PutLifecycleConfiguration"),
        ("delete_bucket_lifecycle", "s3:PutLifecycleConfiguration"),
        ("list_buckets", "s3:ListAllMyBuckets"),
        ("list_directory_buckets", "s3express:ListAllMyDirectoryBuckets"),
        ("get_bucket_lifecycle_configuration", "s3:GetLifecycleConfiguration"),
        ("get_object_lock_configuration", "s3:GetBucketObjectLockConfiguration"),
        ("get_bucket_replication", "s3:GetReplicationConfiguration"),
        ("list_bucket_inventory_configurations", "s3:GetInventoryConfiguration"),
        ("list_bucket_metrics_configurations", "s3:GetMetricsConfiguration"),
        ("head_bucket", "s3:ListBucket"),
        ("list_objects_v2", "s3:ListBucket"),
        ("list_object_versions", "s3:ListBucketVersions"),
        ("list_multipart_uploads", "s3:ListBucketMultipartUploads"),
        ("list_parts", "s3:ListMultipartUploadParts"),
    ];

    /// The identifiers that follow `marker` in `code`.
    fn after<'a>(code: &'a str, marker: &'a str) -> impl Iterator<Item = &'a str> {
        code.match_indices(marker).map(move |(at, _)| {
            let rest = &code[at + marker.len()..];
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            &rest[..end]
        })
    }

    /// `list_tags` of `ListTags`.
    fn snake(operation: &str) -> String {
        let letters = operation.char_indices().flat_map(|(i, c)| {
            let dash = (i > 0 && c.is_uppercase()).then_some('_');
            dash.into_iter().chain(c.to_lowercase())
        });
        letters.collect()
    }

    #[test]
    fn every_call_in_the_sources_is_in_the_table_and_the_other_way_round() {
        let known: BTreeSet<&str> = all().map(|c| c.method).collect();
        let mut made: BTreeSet<String> = BTreeSet::new();
        for (name, code) in sources() {
            // Clients are called `client` by convention; counting the `.send()`s makes sure that
            // nothing is sent by another name.
            let methods: Vec<&str> = after(&code, "client.").collect();
            let operations: Vec<&str> =
                methods.into_iter().filter(|m| !["clone", "as_ref"].contains(m)).collect();
            let sends = code.matches(".send()").count();
            assert_eq!(operations.len(), sends, "{name}: {operations:?} but {sends} sends");
            for operation in operations {
                assert!(known.contains(operation), "{name} calls {operation}");
                made.insert(operation.to_owned());
            }
            // Without the SDK's client of the service, an operation is named by its row.
            made.extend(after(&code, "READ:Read=Read::of(&").map(str::to_lowercase));
        }
        let made: BTreeSet<&str> = made.iter().map(String::as_str).collect();
        assert_eq!(made, known);
    }

    #[test]
    fn actions_are_the_iam_names_of_the_methods() {
        let services = [
            "ec2",
            "cloudwatch",
            "pricing",
            "sts",
            "autoscaling",
            "elasticloadbalancing",
            "s3",
            "athena",
            "sagemaker",
            "savingsplans",
            "organizations",
        ];
        for call in all().chain([&ASSUME_ROLE]) {
            let reads = ["get_", "list_", "describe_", "head_"];
            let reads = reads.iter().any(|p| call.method.starts_with(p));
            let queries = [&START_QUERY_EXECUTION, &STOP_QUERY_EXECUTION];
            let writes = WRITES.contains(&call) || queries.contains(&call);
            assert_eq!(call.read_only, !writes, "{}", call.action);
            assert!(call.read_only == (reads || *call == ASSUME_ROLE), "{}", call.action);
            if let Some((_, action)) = OTHER_NAMES.iter().find(|(m, _)| *m == call.method) {
                assert_eq!(call.action, *action);
                continue;
            }
            let (service, operation) = call.action.split_once(':').unwrap();
            assert!(services.contains(&service));
            assert_eq!(snake(operation), call.method);
        }
    }
}
