//! A step as the file has it: one flat table, whose kind says which numbers it needs.

use serde::{Deserialize, Serialize};

use super::{Step, StepKind};

/// `week = 8`, `kind = "move"`, `share = 0.5`, `to = "p5.48xlarge"`, `ratio = 0.4`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StepTable {
    week: u16,
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    units: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    factor: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    share: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio: Option<f64>,
}

impl TryFrom<StepTable> for Step {
    type Error = String;

    fn try_from(table: StepTable) -> Result<Self, String> {
        let StepTable { week, kind, units, factor, share, to, ratio } = table;
        let need = |what: &str| format!("a step of kind `{kind}` needs {what}");
        let step = match &*kind {
            "launch" => StepKind::Launch { units: units.ok_or_else(|| need("`units`"))? },
            "scale" => StepKind::Scale { factor: factor.ok_or_else(|| need("`factor`"))? },
            "move" => {
                let all = || need("`share`, `to` and `ratio`");
                StepKind::Move {
                    share: share.ok_or_else(all)?,
                    to: to.clone().ok_or_else(all)?,
                    ratio: ratio.ok_or_else(all)?,
                }
            }
            _ => return Err("the kind of a step is `launch`, `scale` or `move`".to_owned()),
        };
        let used: &[&str] = match step {
            StepKind::Launch { .. } => &["units"],
            StepKind::Scale { .. } => &["factor"],
            StepKind::Move { .. } => &["share", "to", "ratio"],
        };
        let said = [
            ("units", units.is_some()),
            ("factor", factor.is_some()),
            ("share", share.is_some()),
            ("to", to.is_some()),
            ("ratio", ratio.is_some()),
        ];
        match said.iter().find(|(name, is_there)| *is_there && !used.contains(name)) {
            Some((name, _)) => Err(format!("a step of kind `{kind}` has no `{name}`")),
            None => Ok(Self { week, kind: step }),
        }
    }
}

impl From<Step> for StepTable {
    fn from(step: Step) -> Self {
        let table = Self { week: step.week, ..Self::default() };
        match step.kind {
            StepKind::Launch { units } => {
                Self { kind: "launch".to_owned(), units: Some(units), ..table }
            }
            StepKind::Scale { factor } => {
                Self { kind: "scale".to_owned(), factor: Some(factor), ..table }
            }
            StepKind::Move { share, to, ratio } => Self {
                kind: "move".to_owned(),
                share: Some(share),
                to: Some(to),
                ratio: Some(ratio),
                ..table
            },
        }
    }
}
