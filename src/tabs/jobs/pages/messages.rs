//! The messages to the users of several attempts, one to each.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::message::{about, message, written};
use crate::tabs::jobs::picture::{JobRow, JobsPicture};
use crate::view::ViewContext;

/// One message to each user of these attempts, by name and source: a name may be of another person elsewhere. As of a single attempt,
/// of several with a part for each, in their order. Those whose user nobody names are left out.
pub fn messages(jobs: &JobsPicture, rows: &[Arc<JobRow>], ctx: &ViewContext) -> Vec<String> {
    let mut by_user: BTreeMap<(&str, &'static str), Vec<&JobRow>> = BTreeMap::new();
    for row in rows {
        let of = &row.of.attempt;
        if let Some(user) = of.user.as_deref() {
            by_user.entry((user, of.id.source.word())).or_default().push(row);
        }
    }
    let of_user = |(to, rows): (&(&str, &str), &Vec<&JobRow>)| match &rows[..] {
        [one] => message(jobs, one, ctx),
        all => of_several(jobs, *to, all, ctx),
    };
    by_user.iter().map(of_user).collect()
}

fn of_several(
    jobs: &JobsPicture,
    (user, source): (&str, &str),
    rows: &[&JobRow],
    ctx: &ViewContext,
) -> String {
    let count = rows.len();
    let mut lines =
        vec![format!("To {user} (user of these {count} attempts of jobs, as read from {source}):")];
    for row in rows {
        lines.push(String::new());
        lines.extend(about(jobs, row, ctx));
    }
    written(&lines)
}
