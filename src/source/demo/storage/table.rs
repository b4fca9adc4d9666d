//! The buckets of the demo: those with a planted case, and ordinary ones of every project.
//! `docs/demo.md` lists the planted ones, and tests hold the page and the findings against this
//! table.

use jiff::civil::Date;

use super::super::hash::{hash, unit};
use super::super::places::TEAMS;
use super::super::profile::Fleet;
use crate::domain::storage::{Tier, Versioning};

/// Content of a bucket.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Content {
    /// Checkpoints of every framework, and lookalikes.
    Checkpoints,
    /// Data sets, and copies of them.
    Datasets,
    /// Artifacts with old versions and delete markers.
    Artifacts,
    /// The inventories of the account.
    Inventories,
    /// Objects of one kind, in one tier.
    Plain {
        /// Number of objects.
        objects: u32,
        /// Mean size, KiB.
        kib: u32,
        /// Storage tier.
        tier: Tier,
        /// Ages of the youngest and the oldest, days.
        days: (u32, u32),
    },
}

/// Growth of a bucket up to today.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Growth {
    /// Constant size.
    Flat,
    /// Linear from 0, this many days ago.
    Linear(u32),
    /// Doubles within this many days.
    Doubles(u32),
    /// Sawtooth: grows, and loses a third every this many days.
    Saw(u32),
    /// Was this many percent of today's size until this many days ago.
    Jumped(u32, u32),
}

/// Lifecycle rules of a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// No rules.
    None,
    /// Uploads aborted after 7 days, data to Glacier Instant Retrieval after 90.
    Good,
    /// [`Rules::Good`], and noncurrent versions deleted after 30 days.
    GoodVersioned,
    /// Rules that are often recommended and do nothing or cost money here: noncurrent expiration on unique keys,
    /// Standard-IA for objects read weekly.
    Foul,
    /// Rules managed by Terraform.
    Terraform,
    /// One rule, disabled.
    Disabled,
}

/// A bucket of the demo.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "what is planted, one by one")]
pub struct Planted {
    /// Name, without the suffix that differs between demos.
    pub name: String,
    /// What is planted; empty for an ordinary bucket.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "what tests and docs/demo.md hold the demo against")
    )]
    /// Description of the case, as in `docs/demo.md`; empty for an ordinary bucket.
    pub what: &'static str,
    /// Index of its account in `ACCOUNTS`.
    pub account: usize,
    /// Index of its region in `BUCKET_REGIONS`.
    pub region: usize,
    /// Kind of its content.
    pub content: Content,
    /// Versioning state.
    pub versioning: Versioning,
    /// Lifecycle rules.
    pub rules: Rules,
    /// Growth of its size.
    pub growth: Growth,
    /// Number of incomplete uploads, and the GiB of each one's parts.
    pub uploads: (u32, u32),
    /// True when a bucket policy denies everything except listing the bucket.
    pub denied: bool,
    /// True with request metrics, so that reads are known.
    pub reads: bool,
    /// True with Object Lock.
    pub locked: bool,
    /// True with replication.
    pub replicates: bool,
    /// Date of creation.
    pub created: Date,
}

impl Planted {
    fn new(name: &str, place: (usize, usize), content: Content, what: &'static str) -> Self {
        Self {
            name: name.to_owned(),
            what,
            account: place.0,
            region: place.1,
            content,
            versioning: Versioning::Off,
            rules: Rules::None,
            growth: Growth::Flat,
            uploads: (0, 0),
            denied: false,
            reads: false,
            locked: false,
            replicates: false,
            created: Date::constant(2023, 3, 14),
        }
    }

    fn rules(mut self, rules: Rules) -> Self {
        self.rules = rules;
        self
    }

    fn grew(mut self, growth: Growth) -> Self {
        self.growth = growth;
        self
    }

    fn versioned(mut self, versioning: Versioning) -> Self {
        self.versioning = versioning;
        self
    }
}

fn plain(objects: u32, kib: u32, tier: Tier, days: (u32, u32)) -> Content {
    Content::Plain { objects, kib, tier, days }
}

const GIB: u32 = 1 << 20;

/// The planted buckets, without the ordinary ones.
pub fn planted() -> Vec<Planted> {
    use Versioning::{Enabled, Suspended};
    vec![
        Planted {
            uploads: (14, 180),
            ..Planted::new(
                "ml-checkpoints",
                (1, 0),
                Content::Checkpoints,
                "runs of every framework, active ones and wrecks among them; uploads never completed",
            )
            .grew(Growth::Doubles(120))
        },
        Planted {
            reads: true,
            ..Planted::new(
                "ml-datasets",
                (2, 0),
                Content::Datasets,
                "a data set and three copies of it: byte for byte, with another part size, under KMS",
            )
            .rules(Rules::Foul)
            .grew(Growth::Jumped(55, 210))
        },
        Planted::new(
            "ml-artifacts",
            (0, 1),
            Content::Artifacts,
            "versions switched on and nothing that ever deletes old ones",
        )
        .versioned(Enabled)
        .rules(Rules::None)
        .grew(Growth::Linear(500)),
        Planted::new(
            "serving-models",
            (0, 0),
            plain(60, 14 * GIB, Tier::Standard, (20, 400)),
            "rules that Terraform owns: burntop writes a patch, no PUT",
        )
        .versioned(Enabled)
        .rules(Rules::Terraform),
        Planted {
            denied: true,
            ..Planted::new(
                "legal-hold-archive",
                (0, 0),
                plain(400, 6 * GIB, Tier::Standard, (300, 900)),
                "its policy denies everything: CloudWatch alone tells its size",
            )
        },
        Planted::new(
            "old-experiments-2023",
            (1, 1),
            plain(900, 26 * GIB, Tier::Standard, (420, 900)),
            "nothing was written for more than a year, all of it in Standard",
        ),
        Planted::new(
            "feature-json",
            (2, 0),
            plain(2_400, 18, Tier::StandardIa, (40, 300)),
            "small objects in Standard-IA: each is billed as 128 KiB",
        )
        .rules(Rules::Disabled),
        Planted {
            uploads: (220, 42),
            ..Planted::new(
                "ingest-landing",
                (2, 2),
                plain(800, 900_000, Tier::Standard, (0, 20)),
                "dark bytes: more in uploads never completed than in objects",
            )
            .grew(Growth::Saw(14))
        },
        Planted::new(
            "video-raw",
            (1, 0),
            plain(1_500, 30 * GIB, Tier::Standard, (100, 700)),
            "large and cold, in Standard: the wrong tier for its use",
        )
        .grew(Growth::Linear(700)),
        Planted {
            reads: true,
            ..Planted::new(
                "eval-cache",
                (1, 4),
                plain(1_200, 260_000, Tier::ItFrequent, (1, 120)),
                "Intelligent-Tiering, as it should be; nothing runs in its region, and it is read each day",
            )
            .rules(Rules::Good)
            .grew(Growth::Saw(30))
        },
        Planted {
            locked: true,
            ..Planted::new(
                "audit-logs",
                (0, 0),
                plain(2_000, 9_000, Tier::GlacierIr, (1, 800)),
                "Object Lock: nothing of it can be deleted",
            )
            .versioned(Enabled)
            .rules(Rules::GoodVersioned)
            .grew(Growth::Linear(800))
        },
        Planted {
            replicates: true,
            ..Planted::new(
                "registry",
                (0, 2),
                plain(700, 2 * GIB, Tier::Standard, (2, 600)),
                "replicated to another region",
            )
            .versioned(Enabled)
            .rules(Rules::GoodVersioned)
        },
        Planted::new(
            "backup-2022",
            (2, 1),
            plain(300, 90 * GIB, Tier::DeepArchive, (700, 1_400)),
            "Deep Archive, as cheap as it gets",
        )
        .rules(Rules::Good),
        Planted::new(
            "scratch",
            (1, 3),
            plain(1_000, GIB, Tier::Standard, (0, 200)),
            "versions suspended, and what was kept before is still billed",
        )
        .versioned(Suspended),
        Planted::new(
            "sprawl",
            (1, 0),
            plain(1_800, 3 * GIB, Tier::Standard, (0, 240)),
            "doubles every two months: the sprawl curve",
        )
        .grew(Growth::Doubles(60)),
        Planted::new("inventory-prod", (0, 0), Content::Inventories, ""),
        Planted::new("inventory-research", (1, 0), Content::Inventories, ""),
        Planted::new("inventory-data", (2, 0), Content::Inventories, ""),
    ]
}

/// All buckets of a demo: the planted ones, and one per project.
pub fn buckets(fleet: Fleet) -> Vec<Planted> {
    let mut out = planted();
    for (t, team) in TEAMS.iter().enumerate() {
        for (p, project) in team.projects.iter().enumerate() {
            out.push(ordinary(fleet, &format!("{}-{project}", team.name), t * 3 + p));
        }
    }
    out
}

fn ordinary(fleet: Fleet, name: &str, number: usize) -> Planted {
    let draw = |purpose| unit(hash(fleet.key(), 0x5703 + number as u64, purpose));
    let content = plain(
        200 + (draw(1) * 1_200.0) as u32,
        1_000 + (draw(2).powi(3) * 6_000_000.0) as u32,
        if draw(3) < 0.8 { Tier::Standard } else { Tier::ItFrequent },
        ((draw(4) * 20.0) as u32, 60 + (draw(5) * 600.0) as u32),
    );
    let growth = match draw(6) {
        u if u < 0.35 => Growth::Flat,
        u if u < 0.75 => Growth::Linear(200 + (draw(7) * 900.0) as u32),
        u if u < 0.9 => Growth::Saw(7 + (draw(7) * 30.0) as u32),
        _ => Growth::Doubles(150 + (draw(7) * 200.0) as u32),
    };
    let rules = match draw(8) {
        u if u < 0.45 => Rules::None,
        u if u < 0.85 => Rules::Good,
        _ => Rules::Foul,
    };
    Planted::new(name, (number % 3, (draw(9) * 4.0) as usize % 4), content, "")
        .rules(rules)
        .grew(growth)
}
