//! The command line of `burntop teams`, `budgets` and `quotas`.

use clap::{Args, Subcommand, ValueEnum};

use crate::analyze::teams::{Dimension, RunsBy};
use crate::cli::bill::args::OfArgs;
use crate::cli::list_options::ListOptions;

/// `burntop teams`, and what is below it.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct TeamsArgs {
    /// What is below it; `None` = the dollars.
    #[command(subcommand)]
    pub what: Option<TeamsCommand>,
    /// By what dollars are allocated: team, project, env, cost_center or user.
    #[allow(clippy::doc_markdown, reason = "it is the help, which has no marks")]
    #[arg(long, value_name = "KEY", value_parser = dimension, default_value = "team")]
    pub by: Dimension,
    /// Of which bill.
    #[command(flatten)]
    pub of: OfArgs,
    /// How they are listed.
    #[command(flatten)]
    pub list: ListOptions,
}

impl TeamsArgs {
    /// The options of the list that it prints.
    pub const fn list(&self) -> &ListOptions {
        match &self.what {
            Some(TeamsCommand::Tags(args)) => &args.list,
            None => &self.list,
        }
    }
}

fn dimension(text: &str) -> Result<Dimension, String> {
    let known = Dimension::WORDS.join(", ");
    Dimension::of(text).ok_or_else(|| format!("dollars are allocated by {known}"))
}

fn runs_by(text: &str) -> Result<RunsBy, String> {
    let known = RunsBy::WORDS.join(", ");
    let found = RunsBy::ALL.into_iter().find(|by| by.word() == text);
    found.ok_or_else(|| format!("what jobs cost is by {known}"))
}

/// What `teams` shows besides dollars.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub enum TeamsCommand {
    /// Lists resources without the tags that each shall have, the most dollars first.
    ///
    /// `required_tags` of `[teams]` in the configuration says which tags. With `--fail-on findings` the exit code is 1
    /// where a resource lacks one.
    Tags(TagsArgs),
}

/// Which resources without tags, and what is printed of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct TagsArgs {
    /// Prints text to copy instead of the list.
    #[arg(long, value_enum, value_name = "WHAT")]
    pub print: Option<TagText>,
    /// Of which bill.
    #[command(flatten)]
    pub of: OfArgs,
    /// How they are listed.
    #[command(flatten)]
    pub list: ListOptions,
}

/// Text that tags what has no tags, or keeps what is new from having none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TagText {
    /// A command per resource, with placeholders for the values.
    Commands,
    /// A tag policy of AWS Organizations, by which the keys are written in one way.
    TagPolicy,
    /// What a launch template has so that instances, volumes and interfaces are born tagged.
    LaunchTemplate,
}

/// Unit costs of which period, and how they are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct UnitsArgs {
    /// Those of jobs alone, a row for each team, project or user.
    #[arg(long, value_name = "KEY", value_parser = runs_by)]
    pub by: Option<RunsBy>,
    /// Of which bill.
    #[command(flatten)]
    pub of: OfArgs,
    /// How they are listed.
    #[command(flatten)]
    pub list: ListOptions,
}

/// Budgets of which period, and how they are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct BudgetsArgs {
    /// Asks the accounts for the budgets of AWS Budgets as well (free): their current period, as AWS says it.
    #[arg(long, conflicts_with = "period")]
    pub aws: bool,
    /// Of which bill.
    #[command(flatten)]
    pub of: OfArgs,
    /// How they are listed.
    #[command(flatten)]
    pub list: ListOptions,
}

/// What people and tools cost beside which bill, and how they are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct PeopleArgs {
    /// Prints text to copy instead of the list.
    #[arg(long, value_enum, value_name = "WHAT")]
    pub print: Option<PeopleText>,
    /// Of which bill.
    #[command(flatten)]
    pub of: OfArgs,
    /// How they are listed.
    #[command(flatten)]
    pub list: ListOptions,
}

/// Text to copy of what people cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PeopleText {
    /// The command of the calculator of total cost, filled from the bill and from `[people]`.
    Tco,
}

/// Which quotas, and how they are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct QuotasArgs {
    /// May a team start these instances? Exit code 1 where they exceed a quota or a budget of the team. `region` says
    /// where, for the price (us-east-1 without it).
    #[arg(long, value_name = "team=NAME,type=TYPE,count=N[,region=CODE]", value_parser = what_if)]
    pub what_if: Option<WhatIf>,
    /// How they are listed.
    #[command(flatten)]
    pub list: ListOptions,
}

/// Instances that a team asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhatIf {
    /// The team.
    pub team: String,
    /// Instance type.
    pub instance_type: String,
    /// Number of instances.
    pub count: u32,
    /// Region code; `None` where none is named.
    pub region: Option<String>,
}

/// Instances at most that a question is about.
const COUNT_AT_MOST: u32 = 100_000;

fn what_if(text: &str) -> Result<WhatIf, String> {
    let form =
        "it is written team=nlp,type=p5.48xlarge,count=2, with region=eu-west-1 where it matters";
    let (mut team, mut instance_type, mut count, mut region) = (None, None, 1, None);
    for part in text.split(',') {
        let (key, value) = part.split_once('=').ok_or_else(|| form.to_owned())?;
        let value = value.trim();
        if value.is_empty() || value.chars().any(crate::domain::text::is_unsafe) {
            return Err(form.into());
        }
        match key.trim() {
            "team" => team = Some(value.to_owned()),
            "type" => instance_type = Some(value.to_owned()),
            "region" => region = Some(value.to_owned()),
            "count" => {
                let n = value.parse().ok().filter(|n| (1..=COUNT_AT_MOST).contains(n));
                count =
                    n.ok_or_else(|| format!("count is a whole number from 1 to {COUNT_AT_MOST}"))?;
            }
            _ => return Err(form.into()),
        }
    }
    let (Some(team), Some(instance_type)) = (team, instance_type) else { return Err(form.into()) };
    Ok(WhatIf { team, instance_type, count, region })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_names_a_team_and_a_type() {
        let asked = what_if("team=nlp,type=p5.48xlarge,count=2").unwrap();
        assert_eq!((asked.team.as_str(), asked.count, asked.region), ("nlp", 2, None));
        assert_eq!(what_if("type=g6.xlarge, team=a,region=eu-west-1").unwrap().count, 1);
        for text in
            ["", "team=nlp", "team=,type=x", "team=a,type=b,count=0", "team=a,type=b,x=1", "team"]
        {
            assert!(what_if(text).is_err(), "{text}");
        }
    }
}
