//! The filter language over the texts of a job.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::filter::comparisons;
use crate::domain::bill::words;
use crate::domain::jobs::{Attempt, JobSource};
use crate::query::{Compare, Expr, FieldName, Kind, Operand, QueryError, Term};

words! {
    /// What of a job a filter may compare; the names are those of the fields of `burntop jobs`.
    RunKey {
        /// Where it was read.
        Source = "source",
        /// Cluster.
        Cluster = "cluster",
        /// Partition or queue.
        Queue = "queue",
        /// Name of the job.
        Name = "name",
        /// User.
        User = "user",
        /// Team.
        Team = "team",
        /// Project.
        Project = "project",
        /// Model of its GPUs.
        Model = "model",
        /// Instance type of its nodes.
        Type = "type",
        /// Region of its nodes.
        Region = "region",
    }
}

impl fmt::Display for RunKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FieldName for RunKey {
    type Names = ();

    fn resolve(name: &str, (): &()) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.word().eq_ignore_ascii_case(name))
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Source => Kind::Choice(&JobSource::WORDS),
            _ => Kind::Text,
        }
    }

    fn choices((): &()) -> Vec<(Self, &'static [&'static str])> {
        vec![(Self::Source, &JobSource::WORDS)]
    }

    fn known((): &()) -> Vec<&'static str> {
        Self::WORDS.to_vec()
    }
}

/// A filter over jobs: comparisons, as in `team=nlp and queue~train`. The empty one takes all.
#[derive(Clone, Debug, PartialEq)]
pub struct RunFilter(Expr<Compare<RunKey>>);

impl RunFilter {
    /// The filter that takes every job.
    pub const ALL: Self = Self(Expr::All);

    /// Parses a filter. Fails, with the column, for a text that is no comparison: nothing is searched for.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        comparisons(text).map(Self)
    }

    /// True for an attempt of a job that it takes.
    pub fn holds(&self, of: &Attempt) -> bool {
        self.0.holds(&mut |compare| {
            let text = match compare.field {
                RunKey::Source => Some(of.id.source.word()),
                RunKey::Cluster => Some(&*of.id.cluster).filter(|name| !name.is_empty()),
                RunKey::Queue => of.queue.as_deref(),
                RunKey::Name => of.name.as_deref(),
                RunKey::User => of.user.as_deref(),
                RunKey::Team => of.team.as_deref(),
                RunKey::Project => of.project.as_deref(),
                RunKey::Model => of.gpu_model.as_deref(),
                RunKey::Type => of.instance_type.as_deref(),
                RunKey::Region => of.region.as_deref(),
            };
            compare.holds(text.map_or(Operand::Unknown, Operand::Text))
        })
    }
}

/// Canonical text: names of keys, explicit `and`, only the parentheses needed.
impl fmt::Display for RunFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let terms: Expr<Term<RunKey>> = self.0.map(&mut |compare| Term::Compare(compare.clone()));
        terms.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::jobs::{AttemptId, JobState};

    #[test]
    fn a_filter_of_jobs_compares_their_texts_and_nothing_else() {
        let id = AttemptId {
            source: JobSource::Slurm,
            cluster: "prod".into(),
            raw: "1".into(),
            key: "1".into(),
        };
        let mut of = Attempt::new(id, "1".into(), JobState::Completed, "COMPLETED".into());
        of.team = Some("nlp".into());
        of.queue = Some("gpu-train".into());
        let holds = |text: &str| RunFilter::parse(text).unwrap().holds(&of);
        assert!(holds("") && holds("Team=NLP and queue~train") && holds("source=slurm"));
        assert!(!holds("team=vision") && !holds("cluster=test") && !holds("source=file"));
        assert!(!holds("user!=ana"), "unknown is no value");
        let filter = RunFilter::parse("TEAM=nlp (queue~a or queue~b)").unwrap();
        assert_eq!(filter.to_string(), "team=nlp and (queue~a or queue~b)");
        for text in ["nlp", "\"nlp\"", "teem=nlp", "team=", "source=slrum"] {
            assert!(RunFilter::parse(text).is_err(), "{text}");
        }
    }
}
