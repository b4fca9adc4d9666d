//! Makes plans of decisions.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use super::caps::stricter;
use super::decide::{Decision, DecisionKind, Scene, whole_second};
use super::file::{Policy, Rule};
use super::mark;
use crate::act::plan::{Breach, CapUse, Draft, Plan, Verb, draft};
use crate::fleet::{Fleet, Row};

/// How long a plan of a policy is valid: it runs at once or not at all.
const VALID_FOR: SignedDuration = SignedDuration::from_mins(15);

/// A plan of a policy run, held against the caps.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// Kind of decisions that it carries out.
    pub kind: DecisionKind,
    /// The plan. Its justification is empty on purpose: should an instance turn out to be
    /// production after all, nobody has said why it may be stopped, and so it cannot be.
    pub plan: Plan,
    /// Caps that the plan breaks; it does not run then, in whole: which instances are the right
    /// ones to leave out is for a person to say.
    pub breaches: Vec<Breach>,
    /// Use of each cap that holds for it, armed or not; empty where none does.
    pub caps: Vec<CapUse>,
}

/// Plans for decisions, in the order in which they run: first those that remove a mark or notify an owner, last those
/// that stop. Marks of one rule share an end and a reason, and so a plan.
pub fn plans(
    policy: &Policy,
    fleet: &Fleet,
    decisions: &[Decision],
    scene: &Scene<'_>,
    preset: &str,
) -> Vec<Planned> {
    let now = scene.ctx.now;
    let mut out = Vec::new();
    let mut add = |kind: DecisionKind, verb: Verb, chosen: Vec<&Decision>| {
        let rows: Vec<&Row> = chosen.iter().map(|d| &*d.row).collect();
        let filter = filters(policy, &chosen);
        let details =
            Draft { verb, preset, filter: &filter, justification: "", valid_for: VALID_FOR, now };
        // The one error of a draft is that there is nothing in it.
        if let Ok(plan) = draft(fleet, &rows, scene.rules, &details) {
            // The caps count everything that was decided, also what a guard takes out later: that is
            // the number that nobody expected.
            let (breaches, caps) = plan.held_against(&stricter(&scene.rules.caps, &policy.caps));
            out.push(Planned { kind, plan, breaches, caps });
        }
    };
    let of = |kind| decisions.iter().filter(move |d| d.kind == kind);
    add(DecisionKind::Unmark, Verb::Unmark, of(DecisionKind::Unmark).collect());
    add(DecisionKind::Remind, Verb::Remind, of(DecisionKind::Remind).collect());
    for (i, rule) in policy.rules.iter().enumerate() {
        let chosen = of(DecisionKind::Mark).filter(|d| d.rule == Some(i)).collect();
        add(DecisionKind::Mark, mark_verb(policy, rule, now), chosen);
    }
    add(DecisionKind::Stop, Verb::Stop, of(DecisionKind::Stop).collect());
    out
}

fn mark_verb(policy: &Policy, rule: &Rule, now: Timestamp) -> Verb {
    let made = whole_second(now);
    let expires = made.saturating_add(rule.grace).unwrap_or(Timestamp::MAX);
    Verb::Mark { expires, reason: mark::reason(&policy.name, &rule.name, made, &rule.reason) }
}

/// The filters of the rules that chose the rows.
fn filters(policy: &Policy, chosen: &[&Decision]) -> String {
    let rules: BTreeSet<usize> = chosen.iter().filter_map(|d| d.rule).collect();
    let texts: Vec<&str> = rules.iter().map(|i| policy.rules[*i].filter_text.as_str()).collect();
    match texts.as_slice() {
        [] => String::new(),
        [only] => (*only).to_owned(),
        // An empty filter matches everything, and so does an alternative with one.
        all if all.iter().any(|t| t.trim().is_empty()) => String::new(),
        all => all.iter().map(|t| format!("({t})")).collect::<Vec<_>>().join(" or "),
    }
}
