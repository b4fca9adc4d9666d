//! The accounts, regions and teams of the demo. All invented; account ids and names are those
//! that AWS's own documentation uses for examples.

/// An account of the demo.
pub(super) struct Account {
    /// 12-digit account id.
    pub id: &'static str,
    /// Name of the account in the configuration.
    pub label: &'static str,
    /// Environments in the tags of its instances; the first is the usual one.
    pub environments: [&'static str; 2],
    /// Tag keys for team, project, environment and cost center: each account has its own spelling.
    pub tag_keys: [&'static str; 4],
}

/// A region of the demo.
pub(super) struct Region {
    /// AWS region code, such as `us-east-1`.
    pub code: &'static str,
    /// Local time minus UTC in hours (standard time), for the rhythm of the day.
    pub utc_offset: i32,
    /// Factor over the price in us-east-1, for types without a list price in this region.
    pub price_factor: f64,
    /// Suffix of private DNS names.
    pub dns_suffix: &'static str,
}

/// A team with its projects.
pub(super) struct Team {
    /// Name of the team.
    pub name: &'static str,
    /// Names of its projects.
    pub projects: [&'static str; 3],
    /// Cost center of the team.
    pub cost_center: &'static str,
}

/// Accounts of the demo.
pub(super) const ACCOUNTS: [Account; 3] = [
    Account {
        id: "111122223333",
        label: "ml-prod",
        environments: ["prod", "staging"],
        tag_keys: ["team", "project", "environment", "cost-center"],
    },
    Account {
        id: "444455556666",
        label: "ml-research",
        environments: ["research", "dev"],
        tag_keys: ["Team", "Project", "Environment", "CostCenter"],
    },
    Account {
        id: "777788889999",
        label: "data-platform",
        environments: ["prod", "dev"],
        tag_keys: ["team", "app", "env", "cost_center"],
    },
];

/// Regions of the demo.
pub(super) const REGIONS: [Region; 4] = [
    Region { code: "us-east-1", utc_offset: -5, price_factor: 1.0, dns_suffix: "ec2.internal" },
    Region {
        code: "us-west-2",
        utc_offset: -8,
        price_factor: 1.0,
        dns_suffix: "us-west-2.compute.internal",
    },
    Region {
        code: "eu-west-1",
        utc_offset: 0,
        price_factor: 1.08,
        dns_suffix: "eu-west-1.compute.internal",
    },
    Region {
        code: "ap-northeast-1",
        utc_offset: 9,
        price_factor: 1.37,
        dns_suffix: "ap-northeast-1.compute.internal",
    },
];

/// Regions of buckets: those of the fleet, and one in which nothing runs.
pub(super) const BUCKET_REGIONS: [&str; 5] =
    [REGIONS[0].code, REGIONS[1].code, REGIONS[2].code, REGIONS[3].code, "us-east-2"];

/// Letters of the zones in every region.
pub(super) const ZONES: [char; 3] = ['a', 'b', 'c'];

/// Teams of the demo.
pub(super) const TEAMS: [Team; 7] = [
    Team { name: "nlp", projects: ["llm-7b", "llm-70b", "tokenizer"], cost_center: "cc-1001" },
    Team { name: "vision", projects: ["detect", "segment", "ocr"], cost_center: "cc-1002" },
    Team { name: "speech", projects: ["asr", "tts", "diarize"], cost_center: "cc-1003" },
    Team { name: "recsys", projects: ["ranker", "twotower", "feeds"], cost_center: "cc-2001" },
    Team { name: "robotics", projects: ["sim", "policy", "slam"], cost_center: "cc-2002" },
    Team { name: "data", projects: ["lake", "features", "events"], cost_center: "cc-3001" },
    Team { name: "platform", projects: ["ci", "gateway", "metrics"], cost_center: "cc-3002" },
];
