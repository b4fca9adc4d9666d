//! The services of which no other part of the demo knows anything: a table. Amounts are those of a fleet of
//! [`DEFAULT_SIZE`] instances; what grows with the fleet says so. Three anomalies are planted in it.

use jiff::civil::Date;

use super::Estate;
use super::compute::{EC2, SAGEMAKER};
use super::hourly::VPC;
use super::ledger::{Ledger, What, at_list, prefix};
use crate::domain::Tags;
use crate::domain::bill::{TransferPath, Usd};
use crate::source::demo::DEFAULT_SIZE;
use crate::source::demo::hash::hash;
use crate::source::demo::places::{ACCOUNTS, REGIONS};

/// How the quantity of a row moves from day to day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rhythm {
    /// Not at all, and whatever the size of the fleet.
    Fixed,
    /// By 4% up or down.
    Steady,
    /// Like [`Self::Steady`], and a third of it on weekends.
    Working,
}

/// What is planted in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Planted {
    /// Nine times as much on the 11th and 12th of even months.
    Spike,
    /// Nothing at all from the 17th to the 24th of even months.
    Drop,
    /// Doubles in the course of odd months.
    Doubling,
}

impl Planted {
    /// Factor on a date, per mille.
    pub(super) fn per_mille(self, date: Date) -> u64 {
        let (is_even, day) = (date.month() % 2 == 0, date.day());
        match self {
            Self::Spike if is_even && (11..=12).contains(&day) => 9_000,
            Self::Drop if is_even && (17..=24).contains(&day) => 0,
            Self::Doubling if !is_even => {
                let part = f64::from(day - 1) / f64::from(date.days_in_month() - 1);
                (1_000.0 * part.exp2()).round() as u64
            }
            _ => 1_000,
        }
    }
}

/// A kind of usage of one account in one region.
pub(super) struct Row {
    /// Indices in [`ACCOUNTS`] and [`REGIONS`].
    place: (usize, usize),
    service: (&'static str, &'static str),
    family: &'static str,
    /// Usage type without the prefix of its region.
    pub usage_type: &'static str,
    operation: &'static str,
    unit: &'static str,
    path: Option<TransferPath>,
    /// USD per unit.
    usd: &'static str,
    /// Units in a day.
    per_day: u64,
    rhythm: Rhythm,
    resource: &'static str,
    tags: &'static [(&'static str, &'static str)],
    pub planted: Option<Planted>,
}

const fn row(
    place: (usize, usize),
    service: (&'static str, &'static str),
    usage_type: &'static str,
    usd: &'static str,
    per_day: u64,
    unit: &'static str,
) -> Row {
    Row {
        place,
        service,
        family: "",
        usage_type,
        operation: "",
        unit,
        path: None,
        usd,
        per_day,
        rhythm: Rhythm::Steady,
        resource: "",
        tags: &[],
        planted: None,
    }
}

impl Row {
    const fn is(mut self, family: &'static str, operation: &'static str) -> Self {
        self.family = family;
        self.operation = operation;
        self
    }

    const fn through(mut self, path: TransferPath, operation: &'static str) -> Self {
        self.path = Some(path);
        self.is("Data Transfer", operation)
    }

    const fn rhythm(mut self, rhythm: Rhythm) -> Self {
        self.rhythm = rhythm;
        self
    }

    const fn of(mut self, resource: &'static str) -> Self {
        self.resource = resource;
        self
    }

    const fn tagged(mut self, tags: &'static [(&'static str, &'static str)]) -> Self {
        self.tags = tags;
        self
    }

    const fn planted(mut self, planted: Planted) -> Self {
        self.planted = Some(planted);
        self
    }
}

const S3: (&str, &str) = ("Amazon Simple Storage Service", "AmazonS3");
const CLOUDWATCH: (&str, &str) = ("AmazonCloudWatch", "AmazonCloudWatch");
const KMS: (&str, &str) = ("AWS Key Management Service", "awskms");
const EFS: (&str, &str) = ("Amazon Elastic File System", "AmazonEFS");
const DYNAMODB: (&str, &str) = ("Amazon DynamoDB", "AmazonDynamoDB");
const DIRECT_CONNECT: (&str, &str) = ("AWS Direct Connect", "AWSDirectConnect");

use Rhythm::{Fixed, Working};
use TransferPath::{Cdn, DirectConnect, Endpoint, InterAz, InterRegion, Internet, TransitGateway};

/// All rows.
pub(super) const ROWS: [Row; 38] = [
    row((0, 0), EC2, "DataTransfer-Out-Bytes", "0.09", 2_600, "GB")
        .through(Internet, "RunInstances")
        .tagged(&[("team", "platform"), ("environment", "prod")]),
    row((1, 0), S3, "DataTransfer-Out-Bytes", "0.09", 700, "GB").through(Internet, "GetObject"),
    row((0, 0), EC2, "DataTransfer-In-Bytes", "0", 9_000, "GB").through(Internet, "RunInstances"),
    row((1, 0), S3, "USE1-USW2-AWS-Out-Bytes", "0.02", 9_500, "GB")
        .through(InterRegion, "GetObject"),
    row((2, 2), EC2, "USE1-AWS-Out-Bytes", "0.02", 2_100, "GB")
        .through(InterRegion, "PublicIP-Out"),
    row((0, 1), EC2, "DataTransfer-Regional-Bytes", "0.01", 21_000, "GB")
        .through(InterAz, "InterZone-Out")
        .planted(Planted::Doubling),
    row((0, 1), EC2, "DataTransfer-Regional-Bytes", "0.01", 21_000, "GB")
        .through(InterAz, "InterZone-In")
        .planted(Planted::Doubling),
    row((1, 0), EC2, "DataTransfer-Regional-Bytes", "0.01", 14_000, "GB")
        .through(InterAz, "InterZone-Out"),
    row((1, 0), EC2, "DataTransfer-Regional-Bytes", "0.01", 14_000, "GB")
        .through(InterAz, "InterZone-In"),
    row((0, 0), VPC, "VpcEndpoint-Hours", "0.01", 144, "Hrs")
        .through(Endpoint, "VpcEndpoint")
        .rhythm(Fixed),
    row((0, 0), VPC, "VpcEndpoint-Bytes", "0.01", 5_200, "GB").through(Endpoint, "VpcEndpoint"),
    row((2, 0), VPC, "TransitGateway-Hours", "0.05", 72, "hour")
        .through(TransitGateway, "TransitGatewayVPC")
        .rhythm(Fixed),
    row((2, 0), VPC, "TransitGateway-Bytes", "0.02", 3_100, "GigaBytes")
        .through(TransitGateway, "TransitGatewayVPC"),
    row((2, 0), DIRECT_CONNECT, "USE1-EqDC2-PortUsage:1G", "0.3", 24, "Hrs")
        .through(DirectConnect, "CreateConnection")
        .rhythm(Fixed),
    row((2, 0), DIRECT_CONNECT, "DataXfer-Out:dc.3", "0.02", 2_400, "GB")
        .through(DirectConnect, "LoadBalancing"),
    row(
        (0, 0),
        ("Amazon CloudFront", "AmazonCloudFront"),
        "US-DataTransfer-Out-Bytes",
        "0.085",
        900,
        "GB",
    )
    .through(Cdn, "GET"),
    row((1, 0), SAGEMAKER, "Train:ml.p4d.24xlarge", "27.4471", 96, "Hrs")
        .is("ML Instance", "CreateTrainingJob")
        .rhythm(Working)
        .of("arn:aws:sagemaker:us-east-1:444455556666:training-job/llm-7b-sft")
        .tagged(&[("Team", "nlp"), ("Project", "llm-7b"), ("Environment", "research")]),
    row((1, 0), SAGEMAKER, "Train:ml.g5.12xlarge", "7.09", 60, "Hrs")
        .is("ML Instance", "CreateTrainingJob")
        .rhythm(Working)
        .of("arn:aws:sagemaker:us-east-1:444455556666:training-job/ocr-nightly")
        .tagged(&[("Team", "vision"), ("Project", "ocr"), ("Environment", "research")]),
    row((2, 0), SAGEMAKER, "Processing:ml.m5.4xlarge", "0.96", 110, "Hrs")
        .is("ML Instance", "CreateProcessingJob")
        .tagged(&[("team", "data"), ("app", "features"), ("env", "prod")]),
    row((2, 0), SAGEMAKER, "FeatureStore:WriteRequestUnits", "0.00000125", 38_000_000, "Units")
        .is("ML Feature Store", "PutRecord")
        .tagged(&[("team", "data"), ("app", "features")]),
    row(
        (0, 0),
        ("Amazon Bedrock", "AmazonBedrock"),
        "InputTokenCount",
        "0.000003",
        9_000_000,
        "Tokens",
    )
    .is("Model inference", "InvokeModelInference")
    .rhythm(Working)
    .tagged(&[("team", "platform"), ("project", "gateway")]),
    row((1, 0), EFS, "TimedStorage-ByteHrs", "0.3", 280, "GB-Mo")
        .is("Storage", "")
        .of("arn:aws:elasticfilesystem:us-east-1:444455556666:file-system/fs-0a51c0de7e57f11e5")
        .tagged(&[("Team", "vision")]),
    row((1, 1), ("Amazon FSx", "AmazonFSx"), "Storage-SSD.Lustre.250", "0.21", 1_900, "GB-Mo")
        .is("Storage", "CreateFileSystem:Lustre")
        .of("arn:aws:fsx:us-west-2:444455556666:file-system/fs-0f5c1u57re0dea11"),
    row(
        (0, 0),
        ("Amazon OpenSearch Service", "AmazonES"),
        "ESInstance:r6g.2xlarge",
        "0.67",
        72,
        "Hrs",
    )
    .is("Amazon OpenSearch Service Instance", "ESDomain")
    .rhythm(Fixed)
    .of("arn:aws:es:us-east-1:111122223333:domain/rag-index")
    .tagged(&[("team", "nlp"), ("environment", "prod")]),
    row((0, 0), ("Amazon OpenSearch Service", "AmazonES"), "ES:GP3-Storage", "0.122", 200, "GB-Mo")
        .is("Amazon OpenSearch Service Volume", "ESDomain")
        .rhythm(Fixed)
        .of("arn:aws:es:us-east-1:111122223333:domain/rag-index")
        .tagged(&[("team", "nlp"), ("environment", "prod")]),
    row((2, 0), DYNAMODB, "WriteRequestUnits", "0.000000625", 290_000_000, "WriteRequestUnits")
        .is("Amazon DynamoDB PayPerRequest Throughput", "PayPerRequestThroughput")
        .of("arn:aws:dynamodb:us-east-1:777788889999:table/online-features")
        .tagged(&[("team", "data"), ("app", "features"), ("env", "prod")])
        .planted(Planted::Drop),
    row((2, 0), DYNAMODB, "TimedStorage-ByteHrs", "0.25", 40, "GB-Mo")
        .is("Database Storage", "StandardStorage")
        .of("arn:aws:dynamodb:us-east-1:777788889999:table/online-features")
        .tagged(&[("team", "data"), ("app", "features"), ("env", "prod")]),
    row(
        (0, 0),
        ("Amazon EC2 Container Registry (ECR)", "AmazonECR"),
        "TimedStorage-ByteHrs",
        "0.1",
        160,
        "GB-Mo",
    )
    .is("EC2 Container Registry", ""),
    row((1, 0), CLOUDWATCH, "DataProcessing-Bytes", "0.5", 190, "GB")
        .is("Data Payload", "PutLogEvents")
        .of("arn:aws:logs:us-east-1:444455556666:log-group:/train/workers")
        .tagged(&[("Team", "nlp")])
        .planted(Planted::Spike),
    row((0, 0), CLOUDWATCH, "CW:MetricMonitorUsage", "0.3", 610, "Metrics")
        .is("Metric", "MetricStorage"),
    row((2, 0), CLOUDWATCH, "TimedStorage-ByteHrs", "0.03", 900, "GB-Mo")
        .is("Storage Snapshot", "HourlyStorageMetering"),
    row((0, 0), KMS, "KMS-Keys", "1", 2, "Keys").is("Encryption Key", "").rhythm(Fixed),
    row((0, 0), KMS, "KMS-Requests", "0.000003", 7_500_000, "Requests")
        .is("API Request", "GenerateDataKey"),
    row(
        (0, 0),
        ("Amazon GuardDuty", "AmazonGuardDuty"),
        "PaidEventsAnalyzed",
        "0.000004",
        5_000_000,
        "Events",
    ),
    row(
        (0, 0),
        ("AWS CloudTrail", "AWSCloudTrail"),
        "PaidEventsRecorded",
        "0.00002",
        2_200_000,
        "Events",
    ),
    row(
        (2, 2),
        ("AWS Config", "AWSConfig"),
        "ConfigurationItemRecorded",
        "0.003",
        9_000,
        "ConfigurationItemRecorded",
    ),
    row(
        (0, 0),
        ("Amazon Elastic Container Service for Kubernetes", "AmazonEKS"),
        "AmazonEKS-Hours:perCluster",
        "0.1",
        48,
        "Hrs",
    )
    .is("Compute", "CreateOperation")
    .rhythm(Fixed),
    row((2, 1), ("AWS Glue", "AWSGlue"), "ETL-DPU-Hour", "0.44", 300, "DPU-Hour")
        .is("AWS Glue", "Jobrun")
        .rhythm(Working)
        .tagged(&[("team", "data"), ("app", "lake"), ("env", "prod")]),
];

/// Parts of a unit.
const PARTS: u64 = 1_000;

/// Writes the lines of all rows.
pub(super) fn write(ledger: &mut Ledger, estate: &Estate) {
    for (number, row) in ROWS.iter().enumerate() {
        let (Some(account), Some(region)) = (ACCOUNTS.get(row.place.0), REGIONS.get(row.place.1))
        else {
            continue;
        };
        let usage_type = format!("{}{}", prefix(region.code), row.usage_type);
        let what = What {
            family: row.family,
            usage_type: &usage_type,
            operation: row.operation,
            unit: row.unit,
            path: row.path,
            resource: row.resource,
            ..What::usage(account.id, region.code, row.service)
        };
        let tags = Tags::from_raw(row.tags.iter().copied());
        let usd = Usd::parse(row.usd.as_bytes()).unwrap_or_default();
        let slot = ledger.slot(&what, &tags);
        for (day, hours) in ledger.days() {
            let noise = hash(estate.fleet.key(), 0xb200 + number as u64, hours.start as u64);
            let parts = row.parts(ledger.month.day(day), estate.fleet.size(), noise);
            if parts > 0 {
                let quantity = parts as f64 / PARTS as f64;
                ledger.add(slot, day, at_list(usd.prorated(parts, PARTS), quantity));
            }
        }
    }
}

impl Row {
    /// Quantity of a day in [`PARTS`] of units, for a fleet of so many instances.
    fn parts(&self, date: Date, size: u32, noise: u64) -> u64 {
        let is_weekend = date.weekday().to_monday_zero_offset() >= 5;
        let whole = self.per_day * PARTS;
        let usual = match self.rhythm {
            Fixed => whole,
            _ => {
                let scaled = whole * u64::from(size) / DEFAULT_SIZE as u64;
                let rest = if self.rhythm == Working && is_weekend { 3 } else { 1 };
                scaled / rest * (960 + noise % 81) / 1_000
            }
        };
        usual * self.planted.map_or(1_000, |p| p.per_mille(date)) / 1_000
    }
}
