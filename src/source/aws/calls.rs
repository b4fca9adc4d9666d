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

/// Calls, each in a row: the constant, the IAM action, the method, whether it reads or writes, and what
/// it is wanted for.
macro_rules! calls {
    ($($(#[$doc:meta])* $name:ident $service:ident:$action:ident $method:ident $does:ident $why:literal;)*) => {
        $(
            $(#[$doc])*
            #[doc = concat!("`", stringify!($service), ":", stringify!($action), "`: ", $why, ".")]
            pub const $name: Call = Call {
                action: concat!(stringify!($service), ":", stringify!($action)),
                method: stringify!($method),
                why: $why,
                read_only: calls!(@$does),
            };
        )*
    };
    (@read) => { true };
    (@write) => { false };
}

calls! {
    /// STS `GetCallerIdentity`. Needs no permission, but an explicit deny can forbid it.
    GET_CALLER_IDENTITY sts:GetCallerIdentity get_caller_identity read
        "to know which account the figures belong to";
    DESCRIBE_REGIONS ec2:DescribeRegions describe_regions read
        "to list the regions enabled in the account";
    DESCRIBE_INSTANCES ec2:DescribeInstances describe_instances read
        "to list the instances with their tags";
    DESCRIBE_INSTANCE_TYPES ec2:DescribeInstanceTypes describe_instance_types read
        "to know vCPUs, memory and accelerators of types newer than the built-in catalogue";
    DESCRIBE_SPOT_PRICE_HISTORY ec2:DescribeSpotPriceHistory describe_spot_price_history read
        "to price Spot instances by zone";
    LIST_METRICS cloudwatch:ListMetrics list_metrics read
        "to find the GPU series of the CloudWatch agent and of Container Insights, and the sizes of buckets";
    /// CloudWatch `GetMetricData`, billed per metric requested.
    GET_METRIC_DATA cloudwatch:GetMetricData get_metric_data read
        "to read CPU, network, EBS and GPU activity, and the sizes of buckets";
    GET_PRODUCTS pricing:GetProducts get_products read "to read today's on-demand list prices";
}

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

calls! {
    DESCRIBE_RESERVED_INSTANCES ec2:DescribeReservedInstances describe_reserved_instances read
        "to know which instances Reserved Instances pay for";
    DESCRIBE_CAPACITY_RESERVATIONS ec2:DescribeCapacityReservations describe_capacity_reservations read
        "to find capacity that is paid for and not used";
    DESCRIBE_SAVINGS_PLANS savingsplans:DescribeSavingsPlans describe_savings_plans read
        "to know which instances Savings Plans pay for";
    DESCRIBE_SAVINGS_PLAN_RATES savingsplans:DescribeSavingsPlanRates describe_savings_plan_rates read
        "to know what a Savings Plan takes for each instance type";
    DESCRIBE_INSTANCE_TYPE_OFFERINGS ec2:DescribeInstanceTypeOfferings describe_instance_type_offerings read
        "to propose only instance types that a zone offers";
}

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

calls! {
    DESCRIBE_VOLUMES ec2:DescribeVolumes describe_volumes read
        "to list volumes, and to say which die with an instance and which go on billing";
    DESCRIBE_SNAPSHOTS ec2:DescribeSnapshots describe_snapshots read
        "to list the account's own snapshots";
    DESCRIBE_IMAGES ec2:DescribeImages describe_images read
        "to know which snapshots an image is made of";
    LIST_BUCKETS s3:ListAllMyBuckets list_buckets read "to list the buckets";
    LIST_DIRECTORY_BUCKETS s3express:ListAllMyDirectoryBuckets list_directory_buckets read
        "to list the buckets of Express One Zone";
    GET_BUCKET_LOCATION s3:GetBucketLocation get_bucket_location read
        "to ask each bucket in its own region";
    GET_BUCKET_TAGGING s3:GetBucketTagging get_bucket_tagging read "to know whose a bucket is";
    GET_BUCKET_VERSIONING s3:GetBucketVersioning get_bucket_versioning read
        "to know whether a deletion frees anything";
    GET_BUCKET_LIFECYCLE_CONFIGURATION s3:GetLifecycleConfiguration get_bucket_lifecycle_configuration read
        "to read lifecycle rules";
    GET_OBJECT_LOCK_CONFIGURATION s3:GetBucketObjectLockConfiguration get_object_lock_configuration read
        "to know what may not be deleted";
    GET_BUCKET_REPLICATION s3:GetReplicationConfiguration get_bucket_replication read
        "to tell replicas from copies";
    LIST_BUCKET_INVENTORY_CONFIGURATIONS s3:GetInventoryConfiguration list_bucket_inventory_configurations read
        "to find the inventories of a bucket";
    LIST_BUCKET_METRICS_CONFIGURATIONS s3:GetMetricsConfiguration list_bucket_metrics_configurations read
        "to know whether requests of a bucket are counted";
    /// S3 `HeadBucket`, which names the region even where it refuses.
    HEAD_BUCKET s3:ListBucket head_bucket read
        "to find the region of a bucket whose location nobody may ask";
    /// S3 `ListObjectsV2`, billed per page.
    LIST_OBJECTS_V2 s3:ListBucket list_objects_v2 read
        "to list a bucket without an inventory, when told to";
    /// S3 `ListObjectVersions`, billed per page.
    LIST_OBJECT_VERSIONS s3:ListBucketVersions list_object_versions read
        "to list all versions, when told to";
    /// S3 `ListMultipartUploads`, billed per page.
    LIST_MULTIPART_UPLOADS s3:ListBucketMultipartUploads list_multipart_uploads read
        "to find uploads that were never completed, when told to";
    /// S3 `ListParts`, billed per page.
    LIST_PARTS s3:ListMultipartUploadParts list_parts read
        "to know how large such uploads are, when told to";
    GET_OBJECT s3:GetObject get_object read "to read S3 inventories";
}

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

calls! {
    /// Athena `StartQueryExecution`, billed by what the query scans.
    START_QUERY_EXECUTION athena:StartQueryExecution start_query_execution write
        "to add up an inventory or a bill that is too large for one machine, when told to";
    GET_QUERY_EXECUTION athena:GetQueryExecution get_query_execution read
        "to know how far such a query is";
    GET_QUERY_RESULTS athena:GetQueryResults get_query_results read
        "to read what such a query found";
    STOP_QUERY_EXECUTION athena:StopQueryExecution stop_query_execution write
        "to stop a query that nobody waits for any more";
    GET_TABLE_METADATA athena:GetTableMetadata get_table_metadata read
        "to know the columns of a bill's table, and where its data lie";
}

/// Calls of queries over inventories and bills, made only on request. They write results to S3 and an external table to the
/// Glue catalogue, and change nothing else.
pub const QUERIES: [&Call; 5] = [
    &START_QUERY_EXECUTION,
    &GET_QUERY_EXECUTION,
    &GET_QUERY_RESULTS,
    &STOP_QUERY_EXECUTION,
    &GET_TABLE_METADATA,
];

calls! {
    /// Cost Explorer `GetCostAndUsage`, billed per page.
    GET_COST_AND_USAGE ce:GetCostAndUsage get_cost_and_usage read
        "to read what was billed where there is no export, when told to";
    /// Cost Explorer `GetCostAndUsageWithResources`, billed per page.
    GET_COST_AND_USAGE_WITH_RESOURCES ce:GetCostAndUsageWithResources get_cost_and_usage_with_resources read
        "to read what single instances were billed, when told to";
}

/// Calls that read costs. Billed, and made only on request. None allows a restriction to resources but views of the bill.
pub const COSTS: [&Call; 2] = [&GET_COST_AND_USAGE, &GET_COST_AND_USAGE_WITH_RESOURCES];

calls! {
    /// AWS Budgets `DescribeBudgets`, which IAM knows by another name. Free.
    DESCRIBE_BUDGETS budgets:ViewBudget describe_budgets read
        "to list the budgets of AWS Budgets, when told to";
}

/// Calls that read budgets. Made only on request, and where the list of budgets is on screen. Budgets could be restricted one by one; a list needs all of them.
pub const BUDGETS: [&Call; 1] = [&DESCRIBE_BUDGETS];

calls! {
    DESCRIBE_INSTANCE_ATTRIBUTE ec2:DescribeInstanceAttribute describe_instance_attribute read
        "to know whether an instance is protected from being stopped or terminated";
    DESCRIBE_ADDRESSES ec2:DescribeAddresses describe_addresses read
        "to say which public addresses are lost and which go on billing";
    DESCRIBE_SPOT_INSTANCE_REQUESTS ec2:DescribeSpotInstanceRequests describe_spot_instance_requests read
        "to know whether a Spot request would bring an instance back";
    DESCRIBE_AUTO_SCALING_INSTANCES autoscaling:DescribeAutoScalingInstances describe_auto_scaling_instances read
        "to know which group an instance is a member of";
    DESCRIBE_AUTO_SCALING_GROUPS autoscaling:DescribeAutoScalingGroups describe_auto_scaling_groups read
        "to know how many instances a group wants";
    DESCRIBE_TARGET_GROUPS elasticloadbalancing:DescribeTargetGroups describe_target_groups read
        "to find the load balancers that send requests to an instance";
    DESCRIBE_TARGET_HEALTH elasticloadbalancing:DescribeTargetHealth describe_target_health read
        "to know whether a load balancer sends requests to an instance now";
    DESCRIBE_VOLUMES_MODIFICATIONS ec2:DescribeVolumesModifications describe_volumes_modifications read
        "to know when a volume was last modified, and how far that has come";
}

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

calls! {
    DESCRIBE_NETWORK_INTERFACES ec2:DescribeNetworkInterfaces describe_network_interfaces read
        "to know whether the interface that an Elastic IP belongs to is used";
    DESCRIBE_NAT_GATEWAYS ec2:DescribeNatGateways describe_nat_gateways read "to list NAT gateways";
    DESCRIBE_ROUTE_TABLES ec2:DescribeRouteTables describe_route_tables read
        "to know which routes lead to a NAT gateway";
    DESCRIBE_VPC_ENDPOINTS ec2:DescribeVpcEndpoints describe_vpc_endpoints read
        "to list endpoints of VPCs, and to know what goes through a NAT gateway and need not";
    DESCRIBE_LOG_GROUPS logs:DescribeLogGroups describe_log_groups read
        "to list log groups that keep everything for ever";
    LIST_METRIC_STREAMS cloudwatch:ListMetricStreams list_metric_streams read
        "to list metric streams, which send metrics out of CloudWatch";
    DESCRIBE_LOAD_BALANCERS elasticloadbalancing:DescribeLoadBalancers describe_load_balancers read
        "to list load balancers";
    DESCRIBE_TAGS elasticloadbalancing:DescribeTags describe_tags read
        "to know whose a load balancer is, and whether it is exempt";
    LIST_NOTEBOOK_INSTANCES sagemaker:ListNotebookInstances list_notebook_instances read
        "to list notebook instances";
    LIST_ENDPOINTS sagemaker:ListEndpoints list_endpoints read "to list endpoints";
    DESCRIBE_ENDPOINT sagemaker:DescribeEndpoint describe_endpoint read
        "to know how many instances an endpoint runs on";
    DESCRIBE_ENDPOINT_CONFIG sagemaker:DescribeEndpointConfig describe_endpoint_config read
        "to know which type of instance an endpoint runs on";
    LIST_APPS sagemaker:ListApps list_apps read "to list the apps of Studio";
    DESCRIBE_APP sagemaker:DescribeApp describe_app read
        "to know when an app of Studio was last used";
    LIST_TAGS sagemaker:ListTags list_tags read
        "to know whose a notebook, endpoint or app is, and whether it is exempt";
}

calls! {
    LIST_TRAINING_JOBS sagemaker:ListTrainingJobs list_training_jobs read
        "to list the training jobs of SageMaker";
    DESCRIBE_TRAINING_JOB sagemaker:DescribeTrainingJob describe_training_job read
        "to know what a training job held, how it ended and what of it is billed";
    LIST_PROCESSING_JOBS sagemaker:ListProcessingJobs list_processing_jobs read
        "to list the processing jobs of SageMaker";
    DESCRIBE_PROCESSING_JOB sagemaker:DescribeProcessingJob describe_processing_job read
        "to know what a processing job held and how it ended";
    LIST_CLUSTERS sagemaker:ListClusters list_clusters read "to list the clusters of HyperPod";
    LIST_CLUSTER_NODES sagemaker:ListClusterNodes list_cluster_nodes read
        "to know which instances are behind the names of nodes of HyperPod";
    DESCRIBE_CLUSTER_NODE sagemaker:DescribeClusterNode describe_cluster_node read
        "to know whether nodes of HyperPod are Spot, and their addresses";
    DESCRIBE_JOB_QUEUES batch:DescribeJobQueues describe_job_queues read
        "to list the job queues of AWS Batch";
    DESCRIBE_COMPUTE_ENVIRONMENTS batch:DescribeComputeEnvironments describe_compute_environments read
        "to know which queues of AWS Batch have Spot capacity, and which have one instance type alone";
    LIST_JOBS batch:ListJobs list_jobs read "to list the jobs of a queue of AWS Batch";
    DESCRIBE_JOBS batch:DescribeJobs describe_jobs read
        "to know what jobs of AWS Batch held and how they ended";
    DESCRIBE_CONTAINER_INSTANCES ecs:DescribeContainerInstances describe_container_instances read
        "to know which instances jobs of AWS Batch run on";
}

/// Calls that read the jobs of SageMaker and AWS Batch, and instances of HyperPod, where `[[jobs.sagemaker]]` and `[[jobs.batch]]` name them.
pub const JOBS: [&Call; 12] = [
    &LIST_TRAINING_JOBS,
    &DESCRIBE_TRAINING_JOB,
    &LIST_PROCESSING_JOBS,
    &DESCRIBE_PROCESSING_JOB,
    &LIST_CLUSTERS,
    &LIST_CLUSTER_NODES,
    &DESCRIBE_CLUSTER_NODE,
    &DESCRIBE_JOB_QUEUES,
    &DESCRIBE_COMPUTE_ENVIRONMENTS,
    &LIST_JOBS,
    &DESCRIBE_JOBS,
    &DESCRIBE_CONTAINER_INSTANCES,
];

/// Calls that read resources other than instances, besides those of [`READING`].
pub const RESOURCES: [&Call; 18] = [
    &DESCRIBE_ADDRESSES,
    &DESCRIBE_NETWORK_INTERFACES,
    &DESCRIBE_NAT_GATEWAYS,
    &DESCRIBE_ROUTE_TABLES,
    &DESCRIBE_VPC_ENDPOINTS,
    &DESCRIBE_LOG_GROUPS,
    &LIST_METRIC_STREAMS,
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

calls! {
    LOOKUP_EVENTS cloudtrail:LookupEvents lookup_events read
        "to know who launched an idle instance, asked of one instance at a time";
}

/// Calls that find a person to ask about an instance. They allow no resource restriction, and cost nothing.
pub const ASKING: [&Call; 1] = [&LOOKUP_EVENTS];

calls! {
    LIST_ACCOUNTS organizations:ListAccounts list_accounts read
        "to find the accounts of the organization";
    STOP_INSTANCES ec2:StopInstances stop_instances write "to stop instances";
    TERMINATE_INSTANCES ec2:TerminateInstances terminate_instances write "to terminate instances";
    START_INSTANCES ec2:StartInstances start_instances write "to start stopped instances again";
    CREATE_TAGS ec2:CreateTags create_tags write "to mark instances with the tags `burntop:*`";
    DELETE_TAGS ec2:DeleteTags delete_tags write "to take the marks away again";
    TERMINATE_INSTANCE_IN_AUTO_SCALING_GROUP autoscaling:TerminateInstanceInAutoScalingGroup terminate_instance_in_auto_scaling_group write
        "to terminate members of groups so that the group knows";
    CREATE_SNAPSHOT ec2:CreateSnapshot create_snapshot write
        "to keep what is on a volume before it is deleted";
    DELETE_VOLUME ec2:DeleteVolume delete_volume write
        "to delete unattached volumes, after their snapshot has completed";
    MODIFY_VOLUME ec2:ModifyVolume modify_volume write "to make gp2 volumes gp3";
    PUT_BUCKET_LIFECYCLE_CONFIGURATION s3:PutLifecycleConfiguration put_bucket_lifecycle_configuration write
        "to put lifecycle rules";
    /// S3 `DeleteBucketLifecycle`, which IAM knows by the name of the PUT.
    DELETE_BUCKET_LIFECYCLE s3:PutLifecycleConfiguration delete_bucket_lifecycle write
        "to take back the first rules of a bucket";
}

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

calls! {
    /// STS `AssumeRole`, made by the SDK's credential provider for roles from the config. Not in
    /// [`READING`] because it must be granted on the role's ARN and never on `*`.
    ASSUME_ROLE sts:AssumeRole assume_role read
        "to read accounts through the roles named in the config";
}

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
        let savings =
            COMMITMENTS.into_iter().chain(MARKET).chain(RESOURCES).chain(COSTS).chain(BUDGETS);
        let savings = savings.chain(JOBS).chain(ASKING);
        let reads = READING.into_iter().chain(savings).chain(storage).chain([&LIST_ACCOUNTS]);
        reads.chain(PREFLIGHT).chain(WRITES)
    }

    /// Where IAM calls an operation by another name (Service Authorization Reference,
    /// "Actions, resources, and condition keys" for Amazon S3 and for AWS Budget Service).
    const OTHER_NAMES: [(&str, &str); 15] = [
        ("describe_budgets", "budgets:ViewBudget"),
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
            "logs",
            "ce",
            "cloudtrail",
            "batch",
            "ecs",
        ];
        for call in all().chain([&ASSUME_ROLE]) {
            let reads = ["get_", "list_", "describe_", "head_", "lookup_"];
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
