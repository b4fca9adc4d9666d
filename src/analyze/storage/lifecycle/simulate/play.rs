//! What happens to one group of objects, day by day; a day brings one action at most.

use super::Assumptions;
use super::compiled::{Compiled, Rules};
use super::fold::{Group, Kind};
use crate::analyze::storage::lifecycle::lint::allows;
use crate::domain::storage::{StorageClass, Tier, Versioning};

/// Action of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Moved out of a tier into another.
    Move(Tier, Tier),
    /// Deleted for good out of a tier.
    Delete(Tier),
    /// Hidden behind a delete marker; billed on.
    Hide,
}

/// Something that happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Event {
    /// Day since 1970, at midnight.
    pub(super) day: i64,
    /// Index of the rule in the configuration.
    pub(super) rule: usize,
    pub(super) action: Action,
    /// Days since it came into the tier that it leaves.
    pub(super) days_in_tier: i64,
}

/// From a day on, in a tier.
pub(super) type Stay = (i64, Tier);

/// Actions on a group of objects, day by day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Story {
    pub(super) stays: Vec<Stay>,
    /// Day on which it is deleted for good; `None` when no rule deletes it.
    pub(super) ends: Option<i64>,
    pub(super) events: Vec<Event>,
    /// Rules that would have to know how many newer versions there are.
    pub(super) uncounted: Vec<usize>,
}

/// How cold a class is: of two moves on one day the colder one is made.
fn depth(class: StorageClass) -> u8 {
    match class {
        StorageClass::Standard | StorageClass::ReducedRedundancy | StorageClass::ExpressOnezone => {
            0
        }
        StorageClass::StandardIa => 1,
        StorageClass::IntelligentTiering => 2,
        StorageClass::OnezoneIa => 3,
        StorageClass::GlacierIr => 4,
        StorageClass::Glacier => 5,
        StorageClass::DeepArchive => 6,
    }
}

struct State<'a> {
    rules: &'a Rules,
    matching: Vec<&'a Compiled>,
    is_small: bool,
    assumptions: Assumptions,
    kind: Kind,
    class: StorageClass,
    tier: Tier,
    created: i64,
    /// Since when it is in its class.
    entered: i64,
    /// Since when it is noncurrent.
    since: Option<i64>,
}

/// Plays a group from midnight of day `start` to that of `end`.
pub(super) fn play(
    group: &Group,
    rules: &Rules,
    assumptions: Assumptions,
    start: i64,
    end: i64,
) -> Story {
    let mut story = Story {
        stays: vec![(start, group.tier)],
        ends: None,
        events: Vec::new(),
        uncounted: Vec::new(),
    };
    let Some(class) = group.tier.class() else { return story };
    if group.kind == Kind::Unknown || group.prefix == u32::MAX {
        return story;
    }
    let is_old = matches!(group.kind, Kind::Noncurrent | Kind::NoncurrentLocked);
    let created = i64::from(group.day);
    let mut state = State {
        rules,
        matching: rules.matching(group.prefix, group.size).filter(|r| !r.is_tagged).collect(),
        is_small: rules.is_small(group.size),
        assumptions,
        kind: group.kind,
        class,
        tier: group.tier,
        created,
        entered: created,
        // A list does not say when a version was overwritten; the latest it can have been is the
        // moment of the list, and no saving is claimed before it is sure.
        since: is_old.then_some(start),
    };
    let mut cursor = start;
    while let Some((day, rule, action)) = state.next(cursor, end) {
        let days_in_tier = day - state.entered;
        story.events.push(Event { day, rule, action, days_in_tier });
        match action {
            Action::Delete(_) => {
                story.ends = Some(day);
                break;
            }
            Action::Move(_, to) => state.moved(day, to, end, &mut story.stays),
            Action::Hide => {
                state.since = Some(day);
                if state.kind == Kind::CurrentLocked {
                    state.kind = Kind::NoncurrentLocked;
                }
            }
        }
        cursor = day + 1;
    }
    // Access tiers that a deletion or a further move came before.
    let over = story.ends.unwrap_or(end);
    story.stays.retain(|(day, _)| *day < over || *day == start);
    story.uncounted = state.uncounted();
    story
}

impl State<'_> {
    /// The next action from `cursor` on and before `end`.
    fn next(&self, cursor: i64, end: i64) -> Option<(i64, usize, Action)> {
        // Day, order within the day (deletion, moves from cold to warm, hiding), rule.
        let mut best: Option<((i64, u8, usize), Action)> = None;
        let mut offer = |due: i64, order: u8, rule: usize, action: Action| {
            let day = due.max(cursor);
            let key = (day, order, rule);
            if day < end && best.as_ref().is_none_or(|(b, _)| key < *b) {
                best = Some((key, action));
            }
        };
        for rule in &self.matching {
            let mut moves = |due: i64, to: StorageClass| {
                if allows(self.class, to) && self.rules.lets_move(rule, to, self.is_small) {
                    let action = Action::Move(self.tier, Tier::of(to));
                    offer(due, 10 - depth(to), rule.rule, action);
                }
            };
            match self.since {
                None => {
                    for (due, to) in &rule.moves {
                        moves(due.on(self.created), *to);
                    }
                    if let Some((due, action)) = self.expiry(rule) {
                        let order = if action == Action::Hide { 20 } else { 0 };
                        offer(due, order, rule.rule, action);
                    }
                }
                Some(since) => {
                    for (days, to, counts) in &rule.old_moves {
                        if !counts {
                            moves(since + days, *to);
                        }
                    }
                    if let Some((days, false)) = rule.old_expires
                        && self.kind != Kind::NoncurrentLocked
                    {
                        offer(since + days, 0, rule.rule, Action::Delete(self.tier));
                    }
                }
            }
        }
        best.map(|((day, _, rule), action)| (day, rule, action))
    }

    /// When a rule expires the current version, and what that means here.
    fn expiry(&self, rule: &Compiled) -> Option<(i64, Action)> {
        let due = rule.expires?.on(self.created);
        let hides = match self.assumptions.versioning {
            Some(Versioning::Enabled) => true,
            // The marker takes the place of a version without an id.
            Some(Versioning::Suspended) => self.kind != Kind::CurrentNull,
            Some(Versioning::Off) | None => false,
        };
        if hides {
            Some((due, Action::Hide))
        } else if self.kind == Kind::CurrentLocked {
            None
        } else {
            Some((due, Action::Delete(self.tier)))
        }
    }

    fn moved(&mut self, day: i64, to: Tier, end: i64, stays: &mut Vec<Stay>) {
        // What Intelligent-Tiering would have done later is not to come.
        stays.retain(|(d, _)| *d < day);
        stays.push((day, to));
        self.entered = day;
        self.tier = to;
        if let Some(class) = to.class() {
            self.class = class;
        }
        let sinks = self.assumptions.is_unread && !self.is_small;
        if to == Tier::ItFrequent && sinks {
            for (after, tier) in [(30, Tier::ItInfrequent), (90, Tier::ItArchiveInstant)] {
                if day + after < end {
                    stays.push((day + after, tier));
                }
            }
        }
    }

    /// Rules that ask for a number of newer versions, of what is or becomes noncurrent.
    fn uncounted(&self) -> Vec<usize> {
        if self.since.is_none() {
            return Vec::new();
        }
        let counts = |r: &&&Compiled| {
            r.old_moves.iter().any(|(_, _, counts)| *counts)
                || r.old_expires.is_some_and(|(_, counts)| counts)
        };
        self.matching.iter().filter(counts).map(|r| r.rule).collect()
    }
}
