//! What is said of an instance that could run on Spot, and what speaks for or against it.

use crate::analyze::spot::SPOT_TAG;
use crate::domain::format::{self, counted, dollars, grouped, plural};
use crate::domain::{Figure, OwnerKind};
use crate::fleet::savings::{
    Named, NoPolicy, SpotBecause as B, SpotNote as N, SpotWork, WorkSource,
};

/// One sentence. Clean text.
pub fn spot(note: &N) -> String {
    match note {
        N::SayWhat => format!(
            "Say what it does: tag {SPOT_TAG}=yes, partial or no, or a rule in [[spot.rules]]."
        ),
        N::IfItBears { spot, az, on_demand } => format!(
            "If it bears interruptions: {} on Spot in {az}, {} on demand.",
            per_h(*spot),
            per_h(*on_demand)
        ),
        N::NoPrice { is_on_demand } => {
            let what = if *is_on_demand { "on demand" } else { "on Spot" };
            format!("No price {what} is known, so nothing is said of its worth.")
        }
        N::Dearer { spot, on_demand } => format!(
            "No: Spot costs {} in its cheapest zone, on demand {}.",
            per_h(*spot),
            per_h(*on_demand)
        ),
        N::Pays { lost, bears, each } => {
            let each = each.map(|each| format!(", about an interruption every {}", span(each)));
            format!(
                "Lost time adds {} to its hours; the discount bears {}{}.",
                percent(*lost),
                percent(*bears),
                each.unwrap_or_default()
            )
        }
        N::LosesMore { lost, bears } => format!(
            "No: lost time adds {} to its hours, the discount bears {}.",
            percent(*lost),
            percent(*bears)
        ),
        N::NeverFinishes => "No: it would be interrupted before anything is finished.".into(),
        N::PerhapsTogether(size) => format!(
            "If it trains together with all {size} of its fleet, interruptions come {size} times \
             as often."
        ),
        N::OneJob { size, each } => format!(
            "The {size} of its fleet are taken for one job: one that is interrupted stops all, \
             {size} times as often as one alone, once in {}.",
            span(*each)
        ),
        N::DearZones { dear, of } => {
            let costs = if dear.len() == 1 { "costs" } else { "cost" };
            format!(
                "{} of {of} zones {costs} what on demand does or more: {}.",
                dear.len(),
                dear.join(", ")
            )
        }
        N::OtherZone { best, here, spot } => {
            let price = spot.map_or_else(
                || "no Spot price is known there".to_owned(),
                |usd| format!("Spot costs {} there", per_h(usd)),
            );
            format!(
                "Counted with {best}; it runs in {here}, and {price}. Volumes stay in their zone."
            )
        }
        N::NoHistory => "No history of the price: it is that of one moment.".into(),
        N::OnePolicy { whole, partly } => format!(
            "{whole} of its group may move, of {partly} only a part: the group has one policy, and \
             the stricter holds for all."
        ),
        N::NoneMoves { count, on_demand } => {
            format!("None moves: of {count} that run, {on_demand} stay on demand.")
        }
        N::SomeMove { moves, of } => format!(
            "{moves} of {of} on demand move, {} stay; figures are the share of each.",
            of - moves
        ),
        N::NetUnread => super::NET_UNREAD.into(),
        N::NetUnknown(why) => format!("Net unknown: {}.", super::net_unknown(why)),
        N::Net(note) => format!("Net: {}.", super::net_note(*note)),
        N::PaidBy { kind, id, until, is_no } => {
            let until = until.map_or(String::new(), |end| {
                format!(" until {}", end.to_zoned(jiff::tz::TimeZone::UTC).date())
            });
            let what = format!("{} {id}", kind.label());
            if *is_no {
                format!(
                    "No: {what} pays for it{until}, and what moves leaves it without other use."
                )
            } else {
                format!(
                    "{what} pays for a part of it{until}; the net counts what that finds to do."
                )
            }
        }
        N::MoveAway(pinned) => format!(
            "{} of its group must stay on demand, and a group keeps no particular ones there: move \
             it to a group of its own.",
            some_of(pinned)
        ),
        N::Belongs { kind, name } => belongs(*kind, name),
        N::MustDrain => {
            "Must leave the load balancer and finish its requests within the two minutes of notice."
                .into()
        }
        N::MustRepeat => "Jobs must be safe to run twice.".into(),
        N::MustCheckpoint(every) => {
            let every = every.map_or(String::new(), |hours| format!(" every {}", span(hours)));
            format!(
                "Must write checkpoints{every} to storage that outlives the instance; notice comes \
                 two minutes ahead."
            )
        }
        N::Shortened { from, to } => format!(
            "Not every {}, as the band alone would have it: it counts what is taken back within a \
             month, and many Spot instances run for hours only. {} is the longest that is advised.",
            span(*from),
            span(*to)
        ),
        N::LosesStore => "What lies on its instance store is lost with it.".into(),
        N::Interrupted { band, date, each } => format!(
            "Spot Advisor of {date}: {} a month taken back, counted as one in {}.",
            band.label(),
            span(*each)
        ),
        N::InterruptedPerhaps { band, each } => {
            let what = band.map_or_else(
                || "No interruption band is known".to_owned(),
                |(band, date)| {
                    format!(
                        "Spot Advisor of {date}: {} a month taken back, with no upper edge",
                        band.label()
                    )
                },
            );
            format!("{what}; one in {} is assumed.", span(*each))
        }
        N::Assumed { checkpoint, job, restart, available } => {
            let parts = [
                checkpoint.map(|hours| format!("{} to write a checkpoint", span(hours))),
                job.map(|hours| format!("jobs of {}", span(hours))),
                restart.map(|hours| format!("{} to restart", span(hours))),
                available.map(|share| {
                    format!("Spot to be had {} of the time, on demand for the rest", percent(share))
                }),
            ];
            let parts: Vec<String> = parts.into_iter().flatten().collect();
            format!("Assumed: {}.", parts.join("; "))
        }
        N::OddTag { tag, value } => {
            format!("Tag {tag} is \"{value}\", which is no number of minutes.")
        }
        N::NotNow => {
            "Not now: commitments pay for it, and what moves leaves them without use.".into()
        }
        N::UnknownMembers(n) => {
            format!(
                "Nothing says what {} of the group do: the base keeps as many on \
                 demand, but no particular ones. Tag them with {SPOT_TAG} first.",
                plural(*n as usize, "member")
            )
        }
        N::LeaveOut(pinned) => {
            format!("{} stay on demand: leave them out of what moves.", some_of(pinned))
        }
        N::NoGroup => "In no Auto Scaling group yet: make one with this policy.".into(),
        N::FewTypes(n) => {
            let fit = counted(*n, "type fits", "types fit");
            format!(
                "{fit}; AWS advises ten. Give the group subnets in every zone that offers them."
            )
        }
        N::OfferingsUnread => {
            "Which zones offer which type was not read: a type with a price may be missing.".into()
        }
        N::NoFallback => {
            "A group does not fall back to on demand by itself where there is no Spot: raise the \
             percentage above the base then."
                .into()
        }
        N::CountsHours(share) => {
            format!("Its net counts {} of the hours on Spot.", percent(*share))
        }
        #[cfg(test)]
        N::Fixture(said) => (*said).to_owned(),
    }
}

/// One sentence: why a fleet has no policy to copy. Clean text.
pub fn no_policy(why: &NoPolicy) -> String {
    let rest = match why.fit {
        1 => "one that fits to a group of its own",
        _ => "others that fit to a group of their own",
    };
    format!(
        "No policy to copy: {} must stay on demand, and a group keeps a number of instances there, \
         never particular ones. Move the {rest}.",
        some_of(&why.pinned)
    )
}

/// One clause: which tag or rule says how an instance fits. Clean text.
pub fn spot_because(because: &B) -> String {
    match because {
        B::Tag(value) => format!("tag {SPOT_TAG}={value}"),
        B::TagUnread(value) => format!("tag {SPOT_TAG} is \"{value}\", none of yes, partial, no"),
        B::Rule(why) => format!("your rule: {why}"),
        B::RuleOf { tag, name } => {
            let tag = tag.as_ref().map(|(key, value)| format!("tag {key}={value}"));
            let name = name.as_ref().map(|name| format!("name {name}"));
            let parts: Vec<String> = tag.into_iter().chain(name).collect();
            format!("your rule for {}", parts.join(" and "))
        }
        B::Work { by, work } => format!("{}: {}", work_source(by), does(*work)),
        B::Both(by) => format!("{} speaks of serving and of batch work", work_source(by)),
        B::Nothing => "no tag and no rule says what it does".to_owned(),
        #[cfg(test)]
        B::Fixture(said) => (*said).to_owned(),
    }
}

fn work_source(by: &WorkSource) -> String {
    match by {
        WorkSource::EmrRole(role) => format!("EMR node of role {role}"),
        WorkSource::Tag(key, value) => format!("tag {key}={value}"),
        WorkSource::Batch => "run by AWS Batch".to_owned(),
        WorkSource::Telemetry => "names of what runs on its GPUs".to_owned(),
        WorkSource::Name(name) => format!("name {name}"),
        WorkSource::Owner(kind, name) => format!("{} {name}", kind.word()),
    }
}

fn does(work: SpotWork) -> &'static str {
    match work {
        SpotWork::Training => "training goes on from a checkpoint",
        SpotWork::Search => "a trial of a search can be run again",
        SpotWork::Batch => "a batch job can be run again",
        SpotWork::ServingReplaced => "serves in a group that replaces it",
        SpotWork::Serving => "serves, and no group would replace it",
        SpotWork::Interactive => "somebody sits at it",
        SpotWork::Stateful => "it keeps state",
        SpotWork::Other => "nothing says what it does",
    }
}

/// What to change for what an owner manages.
fn belongs(kind: OwnerKind, name: &str) -> String {
    match kind {
        OwnerKind::Asg => format!(
            "Member of Auto Scaling group {name}: change its mixed instances policy, not the \
             instance."
        ),
        OwnerKind::Eks => format!(
            "Node of EKS cluster {name}: add a node group with capacity type SPOT; the group that \
             exists keeps its own."
        ),
        OwnerKind::Karpenter => format!(
            "Node of Karpenter pool {name}: allow `spot` in its karpenter.sh/capacity-type, not \
             the instance."
        ),
        OwnerKind::Ecs => format!(
            "Belongs to ECS cluster {name}: change the mixed instances policy of the Auto Scaling \
             group behind its capacity provider."
        ),
        OwnerKind::Batch => format!(
            "Run by Batch environment {name}: put one of type SPOT with \
             SPOT_PRICE_CAPACITY_OPTIMIZED before it in the queue, and retry what is interrupted."
        ),
        OwnerKind::Emr => format!("Node of EMR cluster {name}: its task nodes alone go on Spot."),
        OwnerKind::HyperPod => {
            format!("Node of HyperPod cluster {name}: the change belongs to its instance group.")
        }
        OwnerKind::CloudFormation => format!("Part of stack {name}: change it there."),
    }
}

/// `i-1, i-2 and 3 more`.
fn some_of(named: &Named) -> String {
    let names = named.names.join(", ");
    match named.more {
        0 => names,
        more => format!("{names} and {more} more"),
    }
}

/// `$4.41/h`, `$0.158/h`.
fn per_h(usd: Figure) -> String {
    format!("{}/h", dollars(grouped(usd.0, if usd.0.abs() < 1.0 { 3 } else { 2 })))
}

fn percent(share: Figure) -> String {
    let value = share.0 * 100.0;
    if value.is_infinite() {
        return "any".to_owned();
    }
    format::percent(value, usize::from(value.abs() < 10.0))
}

/// Hours in the unit that reads best.
fn span(hours: Figure) -> String {
    let (value, unit) = match hours.0 {
        h if h < 1.0 => (h * 60.0, "min"),
        h if h < 48.0 => (h, "h"),
        h => (h / 24.0, "d"),
    };
    let whole = value >= 10.0 || (value - value.round()).abs() < 0.05;
    format!("{} {unit}", grouped(value, usize::from(!whole)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_read_as_sentences() {
        let named = Named { names: vec!["i-1".into(), "i-2".into()], more: 3 };
        for (note, words) in [
            (
                N::Pays { lost: Figure(0.1), bears: Figure(1.65), each: Some(Figure(1.5)) },
                "Lost time adds 10% to its hours; the discount bears 165%, about an interruption \
                 every 1.5 h.",
            ),
            (
                N::LosesMore { lost: Figure(0.37), bears: Figure(f64::INFINITY) },
                "No: lost time adds 37% to its hours, the discount bears any.",
            ),
            (
                N::Assumed {
                    checkpoint: Some(Figure(5.0 / 60.0)),
                    job: None,
                    restart: Some(Figure(0.25)),
                    available: None,
                },
                "Assumed: 5 min to write a checkpoint; 15 min to restart.",
            ),
            (
                N::DearZones { dear: vec!["us-east-1a".into(), "us-east-1d".into()], of: 6 },
                "2 of 6 zones cost what on demand does or more: us-east-1a, us-east-1d.",
            ),
            (
                N::LeaveOut(named),
                "i-1, i-2 and 3 more stay on demand: leave them out of what moves.",
            ),
            (
                N::SomeMove { moves: 3, of: 5 },
                "3 of 5 on demand move, 2 stay; figures are the share of each.",
            ),
            (
                N::Dearer { spot: Figure(0.158), on_demand: Figure(4.41) },
                "No: Spot costs $0.158/h in its cheapest zone, on demand $4.41/h.",
            ),
        ] {
            assert_eq!(spot(&note), words);
        }
    }

    #[test]
    fn what_says_so_is_a_clause() {
        let by = WorkSource::Owner(OwnerKind::Asg, "train".into());
        let because = B::Work { by: by.clone(), work: SpotWork::Training };
        assert!(spot_because(&because).ends_with(" train: training goes on from a checkpoint"));
        assert!(spot_because(&B::Both(by)).ends_with(" train speaks of serving and of batch work"));
        let tag = Some(("team".into(), "nlp".into()));
        let rule = B::RuleOf { tag, name: Some("x-*".into()) };
        assert_eq!(spot_because(&rule), "your rule for tag team=nlp and name x-*");
    }
}
