//! Text in place of a list without a row: how to get jobs, or why there are none.

use crate::app::content::Line;
use crate::app::{App, Role};
use crate::tabs::storage::pages::parts::paragraph;

/// Ways to jobs: what each needs, and what to write.
const WAYS: [(&str, &str); 5] = [
    (
        "Slurm on this host or one that ssh reaches; in the configuration, with `ssh = \"ops@login1\"` for another host:",
        "[[jobs.slurm]]\nname = \"prod\"",
    ),
    (
        "Training and processing jobs of SageMaker, or with `jobs.batch` those of AWS Batch, of an account that is read; in the configuration:",
        "[[jobs.sagemaker]]\nname = \"ml\"",
    ),
    (
        "Pods and jobs of Kubernetes, by the current context of a kubeconfig; in the configuration:",
        "[[jobs.kubernetes]]\nname = \"prod\"",
    ),
    ("The text of Slurm's sacct:", "burntop jobs import sacct.txt"),
    (
        "CSV or JSON lines of any other scheduler, an attempt a line:",
        "burntop jobs import jobs.csv",
    ),
];

/// Lines shown in place of a list without rows.
pub fn empty(app: &App, width: usize) -> Vec<Line> {
    let tab = app.jobs_tab();
    if let Some(why) = tab.trouble() {
        let mut lines = vec![Line::of(Role::Heading, "The jobs that are kept cannot be read")];
        paragraph(Role::Crit, why, width, &mut lines);
        return lines;
    }
    let Some(jobs) = app.jobs() else {
        return vec![Line::of(Role::Dim, "Reading the jobs that are kept.")];
    };
    if jobs.is_empty() {
        return ways_to_jobs(tab.is_reading(), jobs.damaged.as_deref(), width);
    }
    let mut lines = super::strip(app, width);
    let text = if tab.is_behind() { "Reading." } else { tab.look().spec().empty };
    paragraph(Role::Text, text, width, &mut lines);
    lines
}

/// What jobs would tell, and how to get them.
fn ways_to_jobs(is_reading: bool, damaged: Option<&str>, width: usize) -> Vec<Line> {
    let mut lines = vec![Line::of(Role::Heading, "No jobs are known yet")];
    if let Some(why) = damaged {
        paragraph(Role::Crit, why, width, &mut lines);
    }
    let text = "Jobs tell what each run cost, what failed ones took, and which GPUs do nothing for any of them.";
    paragraph(Role::Text, text, width, &mut lines);
    for (what, write) in WAYS {
        lines.push(Line::new());
        paragraph(Role::Text, what, width, &mut lines);
        let written = write.lines().map(|line| Line::new().text("    ").with(Role::Accent, line));
        lines.extend(written);
    }
    lines.push(Line::new());
    let text = match is_reading {
        true => "Reading the sources.",
        false => {
            "r looks again. `burntop doctor` says whether a source answers, and what on this host could be one."
        }
    };
    paragraph(Role::Dim, text, width, &mut lines);
    lines
}
