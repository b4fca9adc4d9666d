//! What the rules of a policy match in a fleet: who approves a filter sees whom it takes in.

use std::sync::Arc;

use serde::Serialize;

use super::caps::stricter;
use super::file::{Policy, RuleAction};
use crate::act::plan::{CapUse, Chosen, EnvironmentCount, Rules, by_environment};
use crate::domain::{InstanceState, VerdictKind};
use crate::fleet::{Fleet, Row};
use crate::tabs::idle::picture::Field;
use crate::view::format::span_long;
use crate::view::{TableField, ViewContext};

/// A rule in words, and the number of instances that it matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuleMatches {
    /// Name of the rule.
    pub rule: String,
    /// `stop` or `mark`.
    pub action: &'static str,
    /// Filter of the rule, as typed; empty for every instance.
    pub filter: String,
    /// Grace of the rule as it was understood: `4 days`.
    pub grace: String,
    /// How long before the end the owner is reminded, as it was understood; `None` for never.
    pub remind_before: Option<String>,
    /// Number of instances that the rule is the first to match, terminated ones left out.
    pub matches: usize,
    /// Number of these that are idle now.
    pub idle: usize,
    /// These instances counted by environment.
    pub environments: Vec<EnvironmentCount>,
}

impl RuleMatches {
    /// The rule in a sentence, and a line for each environment. `ellipsis` replaces those not named.
    pub fn lines(&self, ellipsis: &str) -> Vec<String> {
        let remind = self.remind_before.as_ref().map(|d| format!(", reminded {d} before"));
        let filter = match self.filter.as_str() {
            "" => "every instance".to_owned(),
            filter => format!("what matches {filter}"),
        };
        let head = format!(
            "{}: {} {filter} after a grace of {}{}; matches {} now, {} of them idle",
            self.rule,
            self.action,
            self.grace,
            remind.unwrap_or_default(),
            self.matches,
            self.idle
        );
        let environments = self.environments.iter().map(|e| format!("  {}", e.line(ellipsis)));
        std::iter::once(head).chain(environments).collect()
    }
}

/// The instances of `fleet`, terminated ones left out, each with the first rule that matches it.
pub fn matched(
    policy: &Policy,
    fleet: &Fleet,
    ctx: &ViewContext,
) -> Vec<(Option<usize>, Arc<Row>)> {
    let mut filters: Vec<_> = policy.rules.iter().map(|r| r.filter.searcher()).collect();
    let rows = Field::rows(&fleet.rows);
    let living = |(_, r): &(u32, &Arc<Row>)| r.instance.state != InstanceState::Terminated;
    let mut rule = |at| filters.iter_mut().position(|f| f.matches(&rows, at, ctx));
    (0..).zip(&fleet.rows).filter(living).map(|(at, row)| (rule(at), row.clone())).collect()
}

/// Counts what each rule matches. `rows` are instances with the index of their rule, as [`matched`]
/// or the decisions of a run give them.
pub fn matches<'a>(
    policy: &Policy,
    rules: &Rules,
    rows: impl Iterator<Item = (Option<usize>, &'a Row)> + Clone,
) -> Vec<RuleMatches> {
    let of = |index: usize| {
        let living = |row: &Row| row.instance.state != InstanceState::Terminated;
        rows.clone().filter(move |(rule, row)| *rule == Some(index) && living(row)).map(|(_, r)| r)
    };
    let one = |(index, rule): (usize, &super::Rule)| RuleMatches {
        rule: rule.name.clone(),
        action: rule.action.word(),
        filter: rule.filter_text.clone(),
        grace: span_long(rule.grace),
        remind_before: rule.remind_before.map(span_long),
        matches: of(index).count(),
        idle: of(index).filter(|row| is_idle(row)).count(),
        environments: by_environment(of(index).map(|row| chosen(row, rules))),
    };
    policy.rules.iter().enumerate().map(one).collect()
}

/// A row of the fleet as it is counted by environment.
pub fn chosen<'a>(row: &'a Row, rules: &Rules) -> Chosen<'a> {
    let instance = &*row.instance;
    Chosen {
        id: &instance.id,
        name: &instance.name,
        environment: row.environment.as_deref(),
        production: rules.is_production(&instance.scope.account, &instance.tags),
    }
}

/// Use of each cap by the most that one run could stop, were every grace over: all instances that
/// are idle now, matched by a rule that stops, and not production.
pub fn caps_at_worst(
    policy: &Policy,
    rules: &Rules,
    rows: &[(Option<usize>, Arc<Row>)],
) -> Vec<CapUse> {
    let stops = |rule: Option<usize>| {
        let rule = rule.and_then(|at| policy.rules.get(at));
        rule.is_some_and(|r| r.action == RuleAction::Stop)
    };
    let idle = rows.iter().filter(|(rule, row)| stops(*rule) && is_idle(row));
    let prices: Vec<Option<f64>> = idle
        .filter(|(_, row)| !chosen(row, rules).production)
        .map(|(_, row)| row.usd_per_hour())
        .collect();
    let fleet = u32::try_from(rows.len()).unwrap_or(u32::MAX);
    stricter(&rules.caps, &policy.caps).uses(&prices, fleet)
}

fn is_idle(row: &Row) -> bool {
    row.verdict.as_ref().is_some_and(|v| v.kind == VerdictKind::Idle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::act::plan::policy::parse;
    use crate::view::fixture::{ctx, fleet};

    #[test]
    fn each_instance_is_counted_for_the_first_rule_that_matches_it() {
        let text = "name = 'p'\n[[rules]]\nname = 'nlp'\nfilter = 'team=nlp'\naction = 'mark'\n\
                    grace = '1w2d'\nremind_before = '36h'\n[[rules]]\nname = 'rest'\nfilter = ''\n\
                    action = 'stop'\ngrace = '4d'";
        let policy = parse(text).unwrap();
        let fleet = fleet();
        let rules = Rules::default();
        let rows = matched(&policy, &fleet, &ctx());
        let living =
            fleet.rows.iter().filter(|r| r.instance.state != InstanceState::Terminated).count();
        assert_eq!(rows.len(), living);
        let found = matches(&policy, &rules, rows.iter().map(|(rule, row)| (*rule, &**row)));
        let nlp = fleet.rows.iter().filter(|r| {
            r.team.as_deref().is_some_and(|t| t.eq_ignore_ascii_case("nlp"))
                && r.instance.state != InstanceState::Terminated
        });
        assert_eq!(found[0].matches, nlp.count());
        assert!(found[0].matches > 0 && found[1].matches > 0);
        assert_eq!(found[0].matches + found[1].matches, living);
        for rule in &found {
            assert_eq!(rule.environments.iter().map(|e| e.count).sum::<usize>(), rule.matches);
            assert!(rule.idle <= rule.matches);
        }
        let said = &found[0].lines("…")[0];
        assert!(
            said.contains("nlp: mark what matches team=nlp after a grace of 9 days, reminded 1 day 12 hours before"),
            "{said}"
        );
        let worst = caps_at_worst(&policy, &rules, &rows);
        let stops = rows.iter().filter(|(rule, row)| {
            *rule == Some(1) && is_idle(row) && !chosen(row, &rules).production
        });
        assert_eq!(worst[0].value, Some(stops.count() as f64), "only what a rule stops counts");
        assert!(worst[0].value > Some(0.0));
    }
}
