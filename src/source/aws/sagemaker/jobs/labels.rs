//! Whose a job is, by its tags.

use std::sync::Arc;

use crate::domain::Tags;
use crate::domain::jobs::Attempt;

/// Tag keys by which jobs are told apart, compared ignoring ASCII case; the first that a job has counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobTagKeys {
    /// Keys of the user.
    pub user: Vec<String>,
    /// Keys of the team.
    pub team: Vec<String>,
    /// Keys of the project.
    pub project: Vec<String>,
}

impl JobTagKeys {
    /// Writes what tags say into an attempt.
    pub(in crate::source::aws) fn label(&self, tags: &Tags, of: &mut Attempt) {
        let value = |keys: &[String]| -> Option<Arc<str>> {
            tags.find(keys).filter(|value| !value.trim().is_empty()).cloned()
        };
        of.user = value(&self.user);
        of.team = value(&self.team);
        of.project = value(&self.project);
    }
}
