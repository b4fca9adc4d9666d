//! Every reader of AWS's answers against hostile text, through the real client stack: nothing that
//! steers a terminal becomes a value, and no identifier is one that was cleaned.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

use futures_util::FutureExt as _;
use serde_json::json;

use super::paging_tests::{Call, call, lists};
use super::testing::{Cbor, Reply, Request, Server};
use super::{AwsProvider, AwsQueries};
use crate::domain::storage::Bucket;
use crate::domain::text::hostile::{TEXTS, said};
use crate::domain::{Platform, ResourceKind, Scope, Tenancy};
use crate::source::athena::service::QueryService as _;
use crate::source::inspect_storage::StorageInspector as _;
use crate::source::provider::PriceWanted;
use crate::source::storage::{ListPlace, StorageSource as _};
use crate::source::{Inspector as _, Provider as _};

pub(super) const ACCOUNT: &str = "123456789012";

/// Sets of EC2's answers. `§` stands for hostile text, `¶` for an identifier.
const EC2: &str = "<reservationSet><item><instancesSet><item><instanceId>¶</instanceId>\
    <imageId>§</imageId><instanceType>§</instanceType><keyName>§</keyName>\
    <launchTime>2026-01-01T00:00:00.000Z</launchTime><reason>§</reason>\
    <instanceState><code>16</code><name>running</name></instanceState>\
    <placement><availabilityZone>§</availabilityZone><groupName>§</groupName></placement>\
    <subnetId>§</subnetId><vpcId>§</vpcId><privateIpAddress>§</privateIpAddress>\
    <privateDnsName>§</privateDnsName><ipAddress>§</ipAddress><groupSet><item><groupId>§</groupId>\
    </item></groupSet><iamInstanceProfile><arn>§</arn></iamInstanceProfile>\
    <instanceLifecycle>spot</instanceLifecycle><spotInstanceRequestId>¶</spotInstanceRequestId>\
    <capacityReservationId>§</capacityReservationId><usageOperation>§</usageOperation>\
    <platformDetails>§</platformDetails>\
    <networkInterfaceSet><item><association><publicIp>§</publicIp></association></item>\
    </networkInterfaceSet><rootDeviceType>ebs</rootDeviceType><rootDeviceName>§</rootDeviceName>\
    <blockDeviceMapping><item><deviceName>§</deviceName><ebs><volumeId>§</volumeId></ebs></item>\
    </blockDeviceMapping><tagSet><item><key>§</key><value>§</value></item>\
    <item><key>Name</key><value>§</value></item>\
    <item><key>aws:autoscaling:groupName</key><value>§</value></item></tagSet></item></instancesSet>\
    </item></reservationSet>\
    <volumeSet><item><volumeId>¶</volumeId><size>5</size><volumeType>§</volumeType>\
    <status>§</status><availabilityZone>§</availabilityZone><snapshotId>§</snapshotId>\
    <attachmentSet><item><instanceId>§</instanceId><device>§</device></item></attachmentSet>\
    <tagSet><item><key>§</key><value>§</value></item></tagSet></item></volumeSet>\
    <snapshotSet><item><snapshotId>¶</snapshotId><volumeId>§</volumeId><status>§</status>\
    <description>§</description><tagSet><item><key>§</key><value>§</value></item></tagSet></item>\
    </snapshotSet><imagesSet><item><imageId>¶</imageId><blockDeviceMapping><item><ebs>\
    <snapshotId>§</snapshotId></ebs></item></blockDeviceMapping></item></imagesSet>\
    <volumeModificationSet><item><volumeId>¶</volumeId><modificationState>§</modificationState>\
    <statusMessage>§</statusMessage></item></volumeModificationSet>\
    <addressesSet><item><publicIp>§</publicIp><allocationId>§</allocationId>\
    <associationId>§</associationId><networkInterfaceId>¶</networkInterfaceId>\
    <tagSet><item><key>Name</key><value>§</value></item></tagSet></item>\
    <item><publicIp>§</publicIp><instanceId>i-1</instanceId></item></addressesSet>\
    <networkInterfaceSet><item><networkInterfaceId>§</networkInterfaceId><status>§</status></item>\
    </networkInterfaceSet>\
    <natGatewaySet><item><natGatewayId>¶</natGatewayId><state>§</state><tagSet><item>\
    <key>Name</key><value>§</value></item></tagSet></item></natGatewaySet>\
    <routeTableSet><item><routeTableId>§</routeTableId><routeSet><item><natGatewayId>¶</natGatewayId>\
    </item></routeSet></item></routeTableSet>\
    <vpcEndpointSet><item><vpcEndpointId>¶</vpcEndpointId><vpcId>§</vpcId>\
    <serviceName>§</serviceName><state>§</state></item></vpcEndpointSet>\
    <instanceTypeSet><item><instanceType>§</instanceType><vCpuInfo><defaultVCpus>4</defaultVCpus>\
    </vCpuInfo><networkInfo><networkPerformance>§</networkPerformance></networkInfo><gpuInfo><gpus>\
    <item><name>§</name><manufacturer>§</manufacturer><count>1</count></item></gpus></gpuInfo></item>\
    </instanceTypeSet><instanceTypeOfferingSet><item><instanceType>§</instanceType>\
    <location>§</location></item></instanceTypeOfferingSet>\
    <spotPriceHistorySet><item><instanceType>§</instanceType><availabilityZone>§</availabilityZone>\
    <productDescription>Linux/UNIX</productDescription><spotPrice>1.5</spotPrice>\
    <timestamp>2026-01-01T00:00:00.000Z</timestamp></item></spotPriceHistorySet>\
    <spotInstanceRequestSet><item><spotInstanceRequestId>¶</spotInstanceRequestId><type>§</type>\
    </item></spotInstanceRequestSet>\
    <reservedInstancesSet><item><reservedInstancesId>¶</reservedInstancesId>\
    <instanceType>§</instanceType><availabilityZone>§</availabilityZone>\
    <scope>Availability Zone</scope><start>2026-01-01T00:00:00.000Z</start>\
    <end>2027-01-01T00:00:00.000Z</end><duration>31536000</duration><usagePrice>1.0</usagePrice>\
    <fixedPrice>0.0</fixedPrice><instanceCount>1</instanceCount>\
    <productDescription>Linux/UNIX</productDescription><state>active</state>\
    <currencyCode>USD</currencyCode><offeringType>§</offeringType><offeringClass>§</offeringClass>\
    </item></reservedInstancesSet>\
    <capacityReservationSet><item><capacityReservationId>¶</capacityReservationId>\
    <ownerId>123456789012</ownerId><instanceType>§</instanceType>\
    <instancePlatform>Linux/UNIX</instancePlatform><availabilityZone>§</availabilityZone>\
    <totalInstanceCount>1</totalInstanceCount><state>active</state><tenancy>§</tenancy>\
    <startDate>2026-01-01T00:00:00.000Z</startDate></item></capacityReservationSet>\
    <regionInfo><item><regionName>§</regionName></item><item><regionName>eu-west-1</regionName></item>\
    </regionInfo><disableApiStop><value>true</value></disableApiStop>";

/// Answers of the services that speak the query protocol.
const QUERY: &str = "<Arn>§</Arn><UserId>§</UserId><Account>123456789012</Account>\
    <LoadBalancers><member><LoadBalancerArn>¶</LoadBalancerArn><LoadBalancerName>§</LoadBalancerName>\
    <Type>network</Type><State><Code>§</Code></State></member></LoadBalancers>\
    <TagDescriptions><member><ResourceArn>¶</ResourceArn><Tags><member><Key>Name</Key>\
    <Value>§</Value></member></Tags></member></TagDescriptions>\
    <TargetGroups><member><TargetGroupArn>arn:g</TargetGroupArn><TargetGroupName>§</TargetGroupName>\
    <TargetType>instance</TargetType><VpcId>§</VpcId><LoadBalancerArns><member>¶</member>\
    </LoadBalancerArns></member></TargetGroups>\
    <TargetHealthDescriptions><member><Target><Id>§</Id></Target><TargetHealth><State>§</State>\
    </TargetHealth></member></TargetHealthDescriptions>\
    <AutoScalingInstances><member><InstanceId>i-1</InstanceId>\
    <AutoScalingGroupName>§</AutoScalingGroupName><LifecycleState>§</LifecycleState>\
    <ProtectedFromScaleIn>false</ProtectedFromScaleIn></member></AutoScalingInstances>\
    <AutoScalingGroups><member><AutoScalingGroupName>§</AutoScalingGroupName><MinSize>1</MinSize>\
    <DesiredCapacity>2</DesiredCapacity></member></AutoScalingGroups>";

/// `text` inside XML, with what XML does not let stand as references.
fn in_xml(text: &str) -> String {
    let one = |c: char| match c {
        '<' | '>' | '&' | '"' | '\'' => format!("&#{};", u32::from(c)),
        // No XML can say it.
        '\0' => "\u{1}".to_owned(),
        c => c.to_string(),
    };
    text.chars()
        .map(one)
        .collect::<String>()
        .chars()
        .map(|c| if c.is_control() { format!("&#{};", u32::from(c)) } else { c.to_string() })
        .collect()
}

fn xml(document: &str, text: &str, id: &str) -> Reply {
    let body = document.replace('§', &in_xml(text)).replace('¶', &in_xml(id));
    Reply::new(200, "text/xml", body)
}

/// The answer to `request`, whatever it asks, with `text` wherever a text stands.
pub(super) fn answer(request: &Request, text: &str, id: &str) -> Reply {
    if let Some(target) = request.header("x-amz-target") {
        return json(target, text, id);
    }
    if request.path.contains("/operation/ListMetrics") {
        return metrics(text);
    }
    if request.path.ends_with("/operation/ListMetricStreams") {
        return metric_streams(text);
    }
    if let Some(operation) = request.path.strip_prefix("/v1/") {
        return batch(operation, text, id);
    }
    if request.path.starts_with("/Describe") {
        let plan = json!({
            "savingsPlanId": id, "savingsPlanArn": text, "description": text,
            "start": "2026-01-01T00:00:00.000Z", "end": "2026-12-31T23:59:59.000Z",
            "state": "active", "savingsPlanType": "EC2Instance", "paymentOption": text,
            "currency": "USD", "commitment": "7.5", "ec2InstanceFamily": text, "region": text,
        });
        let property = |name: &str, value: &str| json!({"name": name, "value": value});
        let rate = json!({
            "rate": "0.7", "currency": "USD", "unit": "Hrs", "productType": "EC2",
            "serviceCode": text, "usageType": "BoxUsage:x", "operation": "RunInstances",
            "properties": [property("region", text), property("instanceType", text),
                property("productDescription", "Linux/UNIX"), property("tenancy", "shared")],
        });
        let body = json!({"savingsPlans": [plan], "searchResults": [rate]});
        return Reply::aws_json(200, body.to_string());
    }
    let form = request.text();
    let Some(action) = form.split("Action=").nth(1).and_then(|rest| rest.split('&').next()) else {
        return s3(&request.path, text);
    };
    let document = if form.contains("Version=2016-11-15") {
        format!("<{action}Response>{EC2}</{action}Response>")
    } else {
        format!("<{action}Response><{action}Result>{QUERY}</{action}Result></{action}Response>")
    };
    xml(&document, text, id)
}

/// An answer of AWS Batch.
fn batch(operation: &str, text: &str, id: &str) -> Reply {
    let place = format!("arn:aws:ecs:us-east-1:{ACCOUNT}:container-instance/c/{id}");
    let container = json!({"reason": text, "exitCode": 1, "containerInstanceArn": place,
        "instanceType": text, "resourceRequirements": [{"type": text, "value": text}]});
    let attempt = json!({"container": container, "statusReason": text,
        "startedAt": 1_700_000_000_000_i64, "stoppedAt": 1_700_000_060_000_i64});
    let body = match operation {
        "describejobqueues" => json!({"jobQueues": [{"jobQueueName": "q", "jobQueueType": text,
            "computeEnvironmentOrder": [{"computeEnvironment": text}]}]}),
        "describecomputeenvironments" => json!({"computeEnvironments": [{
            "computeEnvironmentArn": text, "computeResources": {"type": text,
            "instanceTypes": [format!("a.{text}")]}}]}),
        "listjobs" => json!({"jobSummaryList": [{"jobId": id, "status": text,
            "createdAt": 1_700_000_000_000_i64}]}),
        _ => json!({"jobs": [{"jobId": id, "jobArn": text, "jobName": text, "jobQueue": text,
            "status": "FAILED", "statusReason": text, "attempts": [attempt],
            "container": container, "tags": {"owner": text, text: text},
            "createdAt": 1_700_000_000_000_i64, "platformCapabilities": [text]}]}),
    };
    Reply::aws_json(200, body.to_string())
}

fn json(target: &str, text: &str, id: &str) -> Reply {
    let one = |name: &str| {
        json!({name: text, "EndpointName": text, "EndpointArn": text, "EndpointStatus": text,
            "NotebookInstanceName": text, "NotebookInstanceArn": "arn:n",
            "NotebookInstanceStatus": text, "InstanceType": text, "CreationTime": 1_700_000_000,
            "LastModifiedTime": 1_700_000_000, "AppName": text, "AppType": text, "DomainId": text,
            "UserProfileName": text, "Status": "InService"})
    };
    let product = json!({
        "product": {"attributes": {"regionCode": "us-east-1", "operation": "NatGateway",
            "usagetype": "NatGateway-Hours", "group": text, "instanceName": text,
            "instanceType": text}},
        "terms": {"OnDemand": {text: {"priceDimensions": {text: {"unit": "Hrs",
            "pricePerUnit": {"USD": "0.5"}}}, "effectiveDate": "2020-01-01T00:00:00Z"}}},
    });
    let body = match target.rsplit('.').next().unwrap_or_default() {
        "DescribeEndpoint" => json!({"EndpointName": text, "EndpointArn": "arn:e",
            "EndpointConfigName": text, "EndpointStatus": text, "CreationTime": 1_700_000_000,
            "LastModifiedTime": 1_700_000_000,
            "ProductionVariants": [{"VariantName": text, "CurrentInstanceCount": 1}]}),
        "DescribeEndpointConfig" => json!({"EndpointConfigName": text, "EndpointConfigArn": text,
            "CreationTime": 1_700_000_000, "ProductionVariants": [{"VariantName": text,
            "ModelName": text, "InstanceType": text, "InitialInstanceCount": 1}]}),
        "DescribeApp" => json!({"AppArn": "arn:a", "AppName": text, "AppType": text,
            "DomainId": text, "Status": "InService", "CreationTime": 1_700_000_000,
            "ResourceSpec": {"InstanceType": text}}),
        "ListTrainingJobs" => json!({"TrainingJobSummaries": [{"TrainingJobName": id,
            "TrainingJobArn": text, "TrainingJobStatus": text,
            "LastModifiedTime": 1_700_000_000}]}),
        "ListProcessingJobs" => json!({"ProcessingJobSummaries": [{"ProcessingJobName": id,
            "ProcessingJobArn": text, "ProcessingJobStatus": text,
            "LastModifiedTime": 1_700_000_000}]}),
        "DescribeTrainingJob" => json!({"TrainingJobName": id, "TrainingJobArn": text,
            "TrainingJobStatus": text, "SecondaryStatus": text, "FailureReason": text,
            "ResourceConfig": {"InstanceType": text, "InstanceCount": 1},
            "TuningJobArn": text, "CheckpointConfig": {"S3Uri": text}, "ExperimentConfig": {"ExperimentName": text},
            "SecondaryStatusTransitions": [{"Status": text, "StartTime": 1_700_000_000}]}),
        "DescribeProcessingJob" => json!({"ProcessingJobName": id, "ProcessingJobArn": text,
            "ProcessingJobStatus": text, "FailureReason": text, "ProcessingResources":
            {"ClusterConfig": {"InstanceType": text, "InstanceCount": 1}},
            "ExperimentConfig": {"ExperimentName": text}}),
        "ListClusters" => json!({"ClusterSummaries": [{"ClusterName": id, "ClusterArn": text}]}),
        "ListClusterNodes" => json!({"ClusterNodeSummaries": [{"InstanceId": id,
            "InstanceType": text, "InstanceGroupName": text, "InstanceStatus": {"Status": text},
            "LaunchTime": 1_700_000_000, "PrivateDnsHostname": format!("ip-{text}.ec2.internal")}]}),
        "DescribeClusterNode" => json!({"NodeDetails": {"CapacityType": text,
            "PrivatePrimaryIp": text, "PrivateDnsHostname": text}}),
        "ListTags" => {
            json!({"Tags": [{"Key": "Name", "Value": text}, {"Key": text, "Value": text}]})
        }
        "DescribeContainerInstances" => json!({"containerInstances": [{
            "containerInstanceArn":
                format!("arn:aws:ecs:us-east-1:{ACCOUNT}:container-instance/c/{id}"),
            "ec2InstanceId": text, "status": text,
            "attributes": [{"name": "ecs.instance-type", "value": text}]}]}),
        "DescribeLogGroups" => json!({"logGroups": [{"logGroupName": text, "storedBytes": 1}]}),
        "DescribeBudgets" => {
            let usd = json!({"Amount": "1", "Unit": "USD"});
            json!({"Budgets": [{"BudgetName": text, "BudgetType": "COST", "TimeUnit": "MONTHLY",
                "BudgetLimit": usd, "CalculatedSpend": {"ActualSpend": usd},
                "CostFilters": {text: [text]}, "FilterExpression": {"Not": text}}]})
        }
        "LookupEvents" => {
            let identity = json!({"type": "IAMUser", "userName": text, "arn": text});
            let event = json!({"userIdentity": identity}).to_string();
            json!({"Events": [{"EventName": "RunInstances", "EventTime": 1_770_091_506,
                "Username": text, "CloudTrailEvent": event}]})
        }
        "ListAccounts" => json!({"Accounts": [{"Id": ACCOUNT, "Arn": text, "Name": text,
            "Status": text}]}),
        "GetCostAndUsage" | "GetCostAndUsageWithResources" => {
            let cost = json!({"Amount": "1", "Unit": "USD"});
            json!({
                "ResultsByTime": [{
                    "TimePeriod": {"Start": "2026-02-01", "End": "2026-02-02"},
                    "Groups": [{"Keys": [text, text], "Metrics": {"UnblendedCost": cost,
                        "AmortizedCost": cost, "UsageQuantity": {"Amount": "1", "Unit": text}}}],
                }],
                "DimensionValueAttributes": [{"Value": text, "Attributes": {"description": text}}],
            })
        }
        "GetProducts" => json!({"PriceList": [product.to_string()]}),
        "StartQueryExecution" => json!({"QueryExecutionId": id}),
        "GetQueryExecution" => json!({"QueryExecution": {"Status": {"State": "FAILED",
            "StateChangeReason": text}}}),
        _ => {
            json!({"NotebookInstances": [one("Url")], "Endpoints": [one("x")], "Apps": [one("y")]})
        }
    };
    Reply::aws_json(200, body.to_string())
}

fn metrics(text: &str) -> Reply {
    let text: &'static str = String::from(text).leak();
    let dimension = |name: &'static str, value: &'static str| {
        Cbor::Map(vec![("Name", Cbor::Text(name)), ("Value", Cbor::Text(value))])
    };
    let all = |pairs: [(&'static str, &'static str); 3]| {
        let pairs = pairs.map(|(n, v)| dimension(n, v));
        let (namespace, name) = (Cbor::Text(text), Cbor::Text(text));
        Cbor::Map(vec![
            ("Namespace", namespace),
            ("MetricName", name),
            ("Dimensions", Cbor::List(pairs.into())),
        ])
    };
    // Dimensions are sent back as they came: those that would have to be cleaned are left out.
    let list = vec![
        all([("InstanceId", text), ("index", "0"), ("host", text)]),
        all([("InstanceId", "i-1"), ("index", "0"), (text, "x")]),
        all([("InstanceId", "i-1"), ("index", "0"), ("host", "h")]),
    ];
    Reply::cbor(&Cbor::Map(vec![("Metrics", Cbor::List(list))]))
}

fn metric_streams(text: &str) -> Reply {
    let text: &'static str = String::from(text).leak();
    let entry = Cbor::Map(vec![("Name", Cbor::Text(text)), ("State", Cbor::Text(text))]);
    Reply::cbor(&Cbor::Map(vec![("Entries", Cbor::List(vec![entry]))]))
}

fn s3(path: &str, text: &str) -> Reply {
    let is = |what: &str| path.contains(&format!("?{what}")) || path.contains(&format!("&{what}"));
    let document = if is("tagging") {
        "<Tagging><TagSet><Tag><Key>§</Key><Value>§</Value></Tag></TagSet></Tagging>"
    } else if is("location") {
        "<LocationConstraint>§</LocationConstraint>"
    } else if is("versioning") {
        "<VersioningConfiguration><Status>§</Status></VersioningConfiguration>"
    } else if is("object-lock") {
        "<ObjectLockConfiguration><ObjectLockEnabled>§</ObjectLockEnabled></ObjectLockConfiguration>"
    } else if is("inventory") {
        "<ListInventoryConfigurationsResult><InventoryConfiguration><Id>§</Id>\
         <IsEnabled>true</IsEnabled><IncludedObjectVersions>All</IncludedObjectVersions>\
         <Schedule><Frequency>Daily</Frequency></Schedule><Destination><S3BucketDestination>\
         <Bucket>arn:aws:s3:::§</Bucket><Format>§</Format><Prefix>§</Prefix></S3BucketDestination>\
         </Destination></InventoryConfiguration></ListInventoryConfigurationsResult>"
    } else if is("metrics") {
        "<ListMetricsConfigurationsResult><MetricsConfiguration><Id>§</Id></MetricsConfiguration>\
         </ListMetricsConfigurationsResult>"
    } else if is("lifecycle") {
        "<LifecycleConfiguration><Rule><ID>§</ID><Filter><Prefix>§</Prefix></Filter>\
         <Status>§</Status></Rule></LifecycleConfiguration>"
    } else if is("uploads") {
        "<ListMultipartUploadsResult><IsTruncated>false</IsTruncated></ListMultipartUploadsResult>"
    } else if path.starts_with("/?") || path == "/" {
        "<ListAllMyBucketsResult><Buckets><Bucket><Name>§</Name></Bucket><Bucket><Name>fine</Name>\
         <BucketRegion>§</BucketRegion></Bucket></Buckets></ListAllMyBucketsResult>"
    } else {
        "<Error><Code>§</Code><Message>§</Message></Error>"
    };
    xml(document, text, "")
}

/// An error of every protocol with `text` in each of its parts.
fn refusal(request: &Request, text: &str) -> Reply {
    let is_rest = ["/Describe", "/v1/"].iter().any(|start| request.path.starts_with(start));
    let json = request.header("x-amz-target").is_some() || is_rest;
    if json {
        let body = json!({"__type": text, "message": text, "Message": text});
        return Reply::aws_json(400, body.to_string());
    }
    let document = "<Response><Errors><Error><Code>§</Code><Message>§</Message></Error></Errors>\
        <RequestID>§</RequestID></Response>";
    let s3 = "<Error><Code>§</Code><Message>§</Message><RequestId>§</RequestId></Error>";
    let query = "<ErrorResponse><Error><Code>§</Code><Message>§</Message></Error></ErrorResponse>";
    let form = request.text();
    let document = match (form.contains("2016-11-15"), form.contains("Action=")) {
        (true, _) => document,
        (false, true) => query,
        (false, false) => s3,
    };
    let Reply::Whole(_, kind, more, body) = xml(document, text, "") else { unreachable!() };
    Reply::Whole(400, kind, more, body)
}

pub(super) fn scope() -> Scope {
    Scope::new(ACCOUNT, "us-east-1")
}

/// The readers of each file. True where foreign text reaches a value that is good. Lists in pages
/// are in the table of `paging_tests.rs`.
fn readers() -> Vec<(&'static str, bool, Call)> {
    let lists = lists().into_iter().map(|(file, _, foreign, _, call)| (file, foreign, call));
    // A look at an instance reads all of these.
    let lists = lists.filter(|(file, ..)| !file.starts_with("inspect/"));
    let others: [(&'static str, bool, Call); 12] = [
        ("storage_pricing.rs", false, call!(|aws| aws.s3_prices("us-east-1"))),
        ("identity.rs", true, call!(|aws| aws.identity())),
        ("identity.rs", false, call!(|aws| aws.regions())),
        (
            "reserved.rs",
            true,
            call!(|aws| aws.reserved_instances(&ACCOUNT.into(), &scope().region)),
        ),
        (
            "resource_prices.rs",
            false,
            call!(|aws| aws.resource_prices(
                &scope().region,
                &[ResourceKind::NatGateway, ResourceKind::Notebook]
            )),
        ),
        (
            "sagemaker/mod.rs",
            true,
            call!(|aws| aws.resources(&ACCOUNT.into(), &scope().region, ResourceKind::Endpoint)),
        ),
        ("buckets.rs", true, call!(|aws| aws.region_of("b"))),
        ("buckets.rs", true, call!(|aws| set_up(aws))),
        ("inspect/states.rs", true, call!(|aws| aws.states(&scope(), &["i-1".into()]))),
        ("inspect/mod.rs", true, call!(|aws| aws.inspect(&scope(), &["i-1".into()]))),
        ("inspect_storage.rs", true, call!(|aws| aws.volume(&scope(), &"i-1".into(), true))),
        ("listing.rs", false, call!(|aws| named(aws))),
    ];
    others.into_iter().chain(lists).collect()
}

async fn named(aws: &AwsProvider) -> impl Debug {
    aws.names(ListPlace { region: &scope().region, bucket: "b", prefix: "" }, None).await
}

/// A lifecycle is compared and put back: its texts stay as they are.
async fn set_up(aws: &AwsProvider) -> impl Debug {
    let bucket = Bucket { scope: scope(), name: "b".into(), created_at: None, is_directory: false };
    let mut config = aws.config(&bucket).await;
    config.lifecycle = Ok(None);
    config
}

pub(super) fn wanted() -> PriceWanted {
    PriceWanted {
        region: "us-east-1".into(),
        instance_type: "m5.large".into(),
        platform: Platform::Linux,
        tenancy: Tenancy::Shared,
    }
}

/// Files that read no text of an answer, and why.
const NOTHING: &[(&str, &str)] = &[
    (
        "account_jobs.rs",
        "how far jobs were read; every error passes `SourceError`, which cleans it",
    ),
    ("calls.rs", "what may be called"),
    ("clients.rs", "who calls"),
    ("config.rs", "how it is called"),
    ("error.rs", "every error above passes it"),
    ("json_api/", "how a service is asked; what it answers by who asks"),
    ("lifecycle.rs", "stays as it is: it is compared and put back, and cleaned where it is shown"),
    ("limit.rs", "how often it is called"),
    ("login.rs", "AWS config files; every error passes `SourceError`, which cleans it"),
    ("metric_days.rs", "times and numbers; its errors name what the configuration names"),
    ("mod.rs", "the trait"),
    ("network.rs", "how it is called"),
    ("network_error.rs", "every error passes `SourceError`, which cleans it"),
    ("network_facts.rs", "settings, cleaned as they are read"),
    ("paging.rs", "how lists are asked page by page"),
    ("platform.rs", "words into values of an enumeration"),
    ("product.rs", "prices by `pricing.rs`"),
    ("redaction.rs", "what is left of a line that a program wrote"),
    ("regions.rs", "a list of our own"),
    ("renewal.rs", "credentials"),
    ("resources.rs", "the trait"),
    ("signer.rs", "credentials"),
    ("storage.rs", "the trait"),
    ("storage_product/mod.rs", "prices by `storage_pricing.rs`"),
    ("time.rs", "moments"),
    ("trust.rs", "certificates; errors quote the path alone, and pass `SourceError`"),
    ("writing.rs", "clients for what changes something; answers by `act::exec`"),
];

/// Folders of which one row is enough.
const FOLDERS: [&str; 4] = ["batch/", "inspect/", "json_api/", "sagemaker/"];

#[test]
fn every_file_has_its_readers_here() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/source/aws");
    let folder = |path: &'static str| {
        FOLDERS.into_iter().find(|folder| path.starts_with(folder)).unwrap_or(path)
    };
    let known = readers().into_iter().map(|r| folder(r.0));
    let known: BTreeSet<&str> = known.chain(NOTHING.iter().map(|n| n.0)).collect();
    let mut seen = BTreeSet::new();
    for file in walkdir::WalkDir::new(&root).into_iter().map(Result::unwrap) {
        let path = file.path().strip_prefix(&root).unwrap().to_string_lossy().into_owned();
        let is_test = ["tests.rs", "testing.rs", "faults.rs"].iter().any(|t| path.ends_with(t));
        if file.path().extension() != Some("rs".as_ref()) || is_test {
            continue;
        }
        let name = FOLDERS.into_iter().find(|f| path.starts_with(f)).unwrap_or(&path);
        let known = known.get(name).copied();
        assert!(known.is_some(), "{path} has no row: what does it read, and is its text clean?");
        seen.extend(known);
    }
    assert_eq!(seen, known, "a row of a file that is gone");
}

mod hostile {
    use super::*;

    /// Several texts at once, shorter together than what is kept of one.
    fn blends() -> Vec<String> {
        TEXTS.chunks(9).map(<[&str]>::concat).collect()
    }

    #[tokio::test]
    async fn no_answer_of_aws_brings_unclean_text() {
        let mut n = 0;
        for text in blends() {
            let served = text.clone();
            let server = Server::start(move |_, request| answer(request, &served, "i-1"));
            let aws = Arc::new(server.provider());
            for (file, foreign, call) in readers() {
                let debug = call(&aws).await;
                said(file, &debug);
                let good = !debug.starts_with("Err(") && debug.contains('\u{FFFD}');
                assert!(!foreign || good, "{file}: {text:?} came out as {debug}");
                n += 1;
            }
        }
        assert!(n >= 120, "{n}");
        println!("hostile: answers of AWS: {n} inputs");
    }

    #[tokio::test]
    async fn an_identifier_that_would_have_to_be_cleaned_is_none() {
        let text = "i-\u{202e}1";
        let server = Server::start(move |_, request| answer(request, "fine", text));
        let aws = Arc::new(server.provider());
        let mut n = 0;
        for (file, _, call) in readers() {
            let debug = call(&aws).await;
            said(file, &debug);
            // Neither as it is nor cleaned.
            assert!(!debug.contains("i-\u{FFFD}1"), "{file}: {debug}");
            n += 1;
        }
        println!("hostile: identifiers of AWS: {n} inputs");
    }

    #[tokio::test]
    async fn no_error_of_aws_brings_unclean_text() {
        let mut n = 0;
        for text in blends() {
            let server = Server::start(move |_, request| refusal(request, &text));
            let aws = Arc::new(server.provider());
            for (file, _, call) in readers() {
                let debug = call(&aws).await;
                said(file, &debug);
                n += 1;
            }
        }
        assert!(n >= 120, "{n}");
        println!("hostile: errors of AWS: {n} inputs");
    }

    #[tokio::test]
    async fn athena_says_nothing_unclean() {
        let text: String = TEXTS.concat();
        let server = Server::start(move |_, request| answer(request, &text, "q-1"));
        let queries = AwsQueries {
            provider: Arc::new(server.provider()),
            region: "us-east-1".into(),
            workgroup: "w".into(),
            database: "d".into(),
            output: None,
        };
        said("athena.rs", &format!("{:?}", queries.state("q").await));
        // Names are compared and quoted; they are cleaned where they are shown.
        assert!(queries.table("d", "t").await.is_ok());
        println!("hostile: Athena: 2 inputs");
    }
}
