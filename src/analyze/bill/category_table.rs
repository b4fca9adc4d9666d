//! What services and usage types are for: one table of rows, the first that fits decides.

use crate::domain::bill::{Bill, UsageKind, line_columns as line};
use crate::domain::sql;

/// What a kind of use is for, before tags are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Compute; tags tell training from serving.
    Compute,
    /// Compute that trains, unless tags say that it serves.
    Training,
    /// Compute that serves, unless tags say that it trains.
    Serving,
    /// See [`super::Category`].
    Storage,
    Network,
    Operations,
    Fees,
}

impl Class {
    /// True for compute, whose tags tell training from serving.
    pub(super) const fn asks_tags(self) -> bool {
        matches!(self, Self::Compute | Self::Training | Self::Serving)
    }
}

/// A row: a class, services by code or by a part of their name, parts of usage types. Without services it is for all
/// of them, without usage types for all of theirs.
struct Row(Class, &'static [&'static str], &'static [&'static str]);

/// Compared ignoring ASCII case. Network paths are sorted before it.
const ROWS: &[Row] = &[
    // Of services with several kinds of use.
    Row(Class::Storage, &["AmazonEC2", "Elastic Compute Cloud", "EC2 - Other"], &["EBS:"]),
    Row(Class::Network, &["AmazonEC2", "EC2 - Other"], &["ElasticIP:", "NatGateway", "PublicIPv4"]),
    Row(Class::Storage, &["SageMaker"], &["FeatureStore", "VolumeUsage", "-Storage"]),
    Row(Class::Training, &["SageMaker"], &["Train:", "WarmPool:"]),
    Row(Class::Serving, &["SageMaker"], &["Host:", "AsyncInf:", "ServerlessInf", "Tsform:"]),
    Row(Class::Training, &["Bedrock"], &["Customization", "FineTun"]),
    Row(Class::Serving, &["Bedrock", "Elastic Inference"], &[]),
    // Savings Plans come before what they cover.
    Row(Class::Compute, &["SavingsPlans", "Savings Plans"], &[]),
    Row(
        Class::Storage,
        &[
            "AmazonS3",
            "Simple Storage Service",
            "Glacier",
            "AmazonEFS",
            "Elastic File System",
            "FSx",
            "AmazonES",
            "OpenSearch",
            "Elasticsearch",
            "DynamoDB",
            "Feature Store",
            "AmazonECR",
            "Container Registry",
            "Elastic Block Store",
            "AWSBackup",
            "AWS Backup",
            "StorageGateway",
            "Storage Gateway",
            "AmazonRDS",
            "Relational Database",
            "Aurora",
            "ElastiCache",
            "MemoryDB",
            "Redshift",
            "DocDB",
            "DocumentDB",
            "Neptune",
            "Timestream",
            "Keyspaces",
            "Blob Storage",
            "Cloud Storage",
            "Azure Storage",
        ],
        &[],
    ),
    Row(
        Class::Network,
        &[
            "AmazonVPC",
            "Virtual Private Cloud",
            "AWSDataTransfer",
            "Data Transfer",
            "CloudFront",
            "DirectConnect",
            "Direct Connect",
            "AWSELB",
            "Load Balancing",
            "Route53",
            "Route 53",
            "GlobalAccelerator",
            "Global Accelerator",
            "TransitGateway",
            "Transit Gateway",
            "ApiGateway",
            "API Gateway",
            "NetworkFirewall",
            "Network Firewall",
            "Bandwidth",
            "Virtual Network",
        ],
        &[],
    ),
    Row(
        Class::Operations,
        &[
            "CloudWatch",
            "X-Ray",
            "XRay",
            "awskms",
            "Key Management",
            "CloudTrail",
            "AWSConfig",
            "AWS Config",
            "GuardDuty",
            "SecurityHub",
            "Security Hub",
            "Inspector",
            "Macie",
            "AWSSecretsManager",
            "Secrets Manager",
            "SystemsManager",
            "Systems Manager",
            "AWSSupport",
            "AWS Support",
            "Support (",
            "CostExplorer",
            "Cost Explorer",
            "AWSBudgets",
            "Prometheus",
            "Grafana",
            "awswaf",
            "AWS WAF",
            "Shield",
            "Directory Service",
            "Detective",
            "CodeBuild",
            "CodePipeline",
        ],
        &[],
    ),
    Row(Class::Fees, &["Marketplace", "OCB"], &[]),
    Row(
        Class::Compute,
        &[
            "AmazonEC2",
            "Elastic Compute Cloud",
            "EC2 - Other",
            "SageMaker",
            "AWSLambda",
            "AWS Lambda",
            "AmazonECS",
            "AmazonEKS",
            "Elastic Container Service",
            "Kubernetes",
            "Fargate",
            "AWSBatch",
            "ParallelCluster",
            "ElasticMapReduce",
            "Elastic MapReduce",
            "AWSGlue",
            "AWS Glue",
            "Athena",
            "Lightsail",
            "Virtual Machines",
            "Compute Engine",
            "Vertex AI",
        ],
        &[],
    ),
];

/// By product family of CUR or service category of FOCUS, for services that no row names.
const FAMILIES: &[(Class, &[&str])] = &[
    (Class::Compute, &["Compute", "AI and Machine Learning", "Analytics"]),
    (Class::Storage, &["Storage", "Database"]),
    (Class::Network, &["Network", "Data Transfer", "Load Balancer"]),
    (Class::Fees, &["Marketplace"]),
];

/// What a kind of use is for.
pub(super) fn class_of(bill: &Bill, kind: &UsageKind) -> Class {
    if kind.path.is_some() {
        return Class::Network;
    }
    let (code, name) = (bill.name(kind.service_code), bill.name(kind.service));
    let (usage_type, family) = (bill.name(kind.usage_type), bill.name(kind.family));
    let fits = |Row(_, services, usage): &&Row| {
        let of_service = services.iter().any(|s| s.eq_ignore_ascii_case(code) || contains(name, s));
        of_service && (usage.is_empty() || usage.iter().any(|part| contains(usage_type, part)))
    };
    if let Some(Row(class, ..)) = ROWS.iter().find(fits) {
        return *class;
    }
    let named = FAMILIES.iter().find(|(_, words)| words.iter().any(|word| contains(family, word)));
    named.map_or(Class::Operations, |(class, _)| *class)
}

/// SQL of the class over [`mod@line`], by the same tables: `value` is what stands for a class.
pub(super) fn class_sql(value: impl Fn(Class) -> String) -> String {
    let lower = |texts: &[&str]| -> Vec<String> {
        texts.iter().map(|text| text.to_ascii_lowercase()).collect()
    };
    fn all(texts: &[String]) -> Vec<&str> {
        texts.iter().map(String::as_str).collect()
    }
    let holds = |column: &str, texts: &[&str]| {
        sql::holds_any(&format!("lower({column})"), &all(&lower(texts)))
    };
    let row = |Row(class, services, usage): &Row| {
        let code = format!("lower({})", line::SERVICE_CODE);
        let of_service = sql::any(&[
            sql::is_one_of(&code, &all(&lower(services))),
            holds(line::SERVICE, services),
        ]);
        let of_usage = (!usage.is_empty()).then(|| holds(line::USAGE_TYPE, usage));
        (sql::all(&[vec![of_service], Vec::from_iter(of_usage)].concat()), value(*class))
    };
    let family = |(class, words): &(Class, &[&str])| (holds(line::FAMILY, words), value(*class));
    let network = (line::IS_NETWORK.to_owned(), value(Class::Network));
    let rows = ROWS.iter().map(row).chain(FAMILIES.iter().map(family));
    let whens: Vec<(String, String)> = std::iter::once(network).chain(rows).collect();
    sql::case(&whens, &value(Class::Operations), 4)
}

/// True where `part` is in `text`, ignoring ASCII case.
fn contains(text: &str, part: &str) -> bool {
    text.as_bytes().windows(part.len()).any(|w| w.eq_ignore_ascii_case(part.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{LineOf, bill_of};
    use super::*;
    use crate::domain::bill::TransferPath;

    #[test]
    fn services_and_usage_types_have_the_class_of_the_first_row_that_fits() {
        let ec2 = "Amazon Elastic Compute Cloud";
        let cases = [
            (ec2, "USW2-BoxUsage:p5.48xlarge", "", None, Class::Compute),
            (ec2, "EBSOptimized:m5.large", "", None, Class::Compute),
            (ec2, "USE2-EBS:VolumeUsage.gp3", "", None, Class::Storage),
            (ec2, "NatGateway-Bytes", "", Some(TransferPath::Nat), Class::Network),
            ("EC2 - Other", "NatGateway-Hours", "", None, Class::Network),
            ("Amazon SageMaker", "USE1-Train:ml.p5.48xlarge", "", None, Class::Training),
            ("Amazon SageMaker", "USE1-Host:ml.g5.xlarge", "", None, Class::Serving),
            ("Amazon SageMaker", "USE1-Notebk:ml.t3.medium", "", None, Class::Compute),
            ("Amazon SageMaker", "FeatureStore:Storage", "", None, Class::Storage),
            ("Amazon Bedrock", "USE1-Claude-input-tokens", "", None, Class::Serving),
            (
                "Savings Plans for AWS Compute usage",
                "ComputeSP:1yrNoUpfront",
                "",
                None,
                Class::Compute,
            ),
            ("Amazon Simple Storage Service", "TimedStorage-ByteHrs", "", None, Class::Storage),
            ("Amazon OpenSearch Service", "ESInstance:r6g.large", "", None, Class::Storage),
            ("AmazonCloudWatch", "TimedStorage-ByteHrs", "", None, Class::Operations),
            ("AWS Key Management Service", "KMS-Requests", "", None, Class::Operations),
            ("Acme Label Studio", "Hours", "Compute", None, Class::Compute),
            ("Acme Label Studio", "Hours", "AWS Marketplace", None, Class::Fees),
            ("Acme Label Studio", "Hours", "", None, Class::Operations),
            ("Virtual Machines", "NC24ads", "Compute", None, Class::Compute),
        ];
        let lines: Vec<_> = cases
            .iter()
            .map(|(service, usage_type, family, path, _)| LineOf {
                service,
                usage_type,
                family,
                path: *path,
                ..LineOf::default()
            })
            .collect();
        let bill = bill_of("2026-10", &[], &lines);
        for (kind, (service, usage_type, .., class)) in bill.kinds().iter().zip(&cases) {
            assert_eq!(class_of(&bill, kind), *class, "{service} {usage_type}");
        }
    }
}
