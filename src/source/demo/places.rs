//! The accounts, regions and teams of the demo. All invented; account ids and names are those
//! that AWS's own documentation uses for examples.

/// An account of the demo.
pub(super) struct Account {
    /// 12-digit id.
    pub id: &'static str,
    /// What its owner calls it.
    pub label: &'static str,
    /// Environments that its instances are tagged with; the first is the usual one.
    pub environments: [&'static str; 2],
    /// Its spelling of the keys for team, project, environment and cost center: each account
    /// grew its own, as they do.
    pub tag_keys: [&'static str; 4],
}

/// A region of the demo.
pub(super) struct Region {
    /// Code.
    pub code: &'static str,
    /// Local time minus UTC in hours (standard time), for the rhythm of the day.
    pub utc_offset: i32,
    /// What a type costs here over its price in us-east-1, where the catalogue does not say.
    pub price_factor: f64,
    /// What private DNS names end in.
    pub dns_suffix: &'static str,
}

/// A team with its projects.
pub(super) struct Team {
    /// Name.
    pub name: &'static str,
    /// Projects.
    pub projects: [&'static str; 3],
    /// Cost center.
    pub cost_center: &'static str,
}

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

/// Zones of every region.
pub(super) const ZONES: [char; 3] = ['a', 'b', 'c'];

pub(super) const TEAMS: [Team; 7] = [
    Team { name: "nlp", projects: ["llm-7b", "llm-70b", "tokenizer"], cost_center: "cc-1001" },
    Team { name: "vision", projects: ["detect", "segment", "ocr"], cost_center: "cc-1002" },
    Team { name: "speech", projects: ["asr", "tts", "diarize"], cost_center: "cc-1003" },
    Team { name: "recsys", projects: ["ranker", "twotower", "feeds"], cost_center: "cc-2001" },
    Team { name: "robotics", projects: ["sim", "policy", "slam"], cost_center: "cc-2002" },
    Team { name: "data", projects: ["lake", "features", "events"], cost_center: "cc-3001" },
    Team { name: "platform", projects: ["ci", "gateway", "metrics"], cost_center: "cc-3002" },
];
