//! Polls states until they are as wanted: an action counts as done when that was observed, never before.

use std::sync::Arc;

use crate::act::exec::pace::{Instant, sleep};

use super::Operator;
use super::call::is_in_service;
use super::judge::{ObservedState, as_seen, observe, reached};
use super::run::{FinishedRow, Row, Run};
use crate::act::plan::{ActApi, MAX_BATCH, OutcomeKind, Verb};
use crate::domain::{ErrorKind, Known, Scope, SourceError};
use crate::source::inspect::Seen;

impl Run<'_> {
    /// Polls the rows of a scope that have no outcome yet, until each has one.
    pub(super) async fn verify(&self, scope: &Scope, rows: impl IntoIterator<Item = usize>) {
        let patience = &self.op.patience;
        let until = Instant::now() + patience.visible_within;
        let mut pause = patience.poll;
        let mut open = self.open(rows);
        while !open.is_empty() {
            let over = Instant::now() >= until;
            let mut finished = Vec::new();
            for rows in open.chunks(MAX_BATCH) {
                let seen = self.op.states(scope, &self.ids(rows)).await;
                finished.extend(self.judge(scope, rows, &seen, over).await);
            }
            self.finish_rows(finished);
            open = self.open(open);
            if open.is_empty() || over {
                break;
            }
            sleep(pause.min(until.saturating_duration_since(Instant::now()))).await;
            pause = patience.next_poll(pause);
        }
    }

    async fn judge(
        &self,
        scope: &Scope,
        rows: &[usize],
        seen: &Known<Vec<Seen>>,
        over: bool,
    ) -> Vec<FinishedRow> {
        let mut finished = Vec::new();
        for (at, n) in rows.iter().enumerate() {
            let seen = match seen {
                Ok(seen) => &seen[at],
                Err(why) if over => {
                    let text = format!("it cannot be seen whether it happened: {why}");
                    finished.push((*n, OutcomeKind::Unknown, text));
                    continue;
                }
                Err(_) => continue,
            };
            if let Some(state) = seen.state {
                self.saw(*n, state);
            }
            let ended = self.rows(|all| {
                let row = &mut all[*n];
                let observed = observe(&self.plan().verb, &row.item, seen, self.plan().created_at);
                row.moving |= observed == ObservedState::Moving;
                end(&self.plan().verb, row, observed, over)
            });
            match ended {
                Some((OutcomeKind::Failed, text)) if self.may_be_leaving(scope, *n).await => {
                    let text = format!("{text}; its group may be letting it go: look again");
                    finished.push((*n, OutcomeKind::Unknown, text));
                }
                Some((kind, text)) => finished.push((*n, kind, text)),
                None => {}
            }
        }
        finished
    }

    /// True when a row that looks untouched may be on its way out of its Auto Scaling group: EC2
    /// shows nothing of that for minutes.
    async fn may_be_leaving(&self, scope: &Scope, row: usize) -> bool {
        let (via, id) = self.rows(|all| (all[row].checked.via.clone(), all[row].item.id.clone()));
        via != ActApi::Ec2 && !self.op.is_in_service(scope, &id).await
    }
}

impl Operator {
    /// State, launch time and tags of `ids` at this moment, in that order. Fails as a whole when
    /// the states cannot be read in time.
    pub(super) async fn states(&self, scope: &Scope, ids: &[Arc<str>]) -> Known<Vec<Seen>> {
        const OPERATION: &str = "ec2:DescribeInstances";
        let error = |kind, message| Arc::new(SourceError::new(kind, OPERATION, message, ""));
        let inspector = self.inspector(&scope.account);
        let inspector = inspector.ok_or_else(|| {
            error(ErrorKind::NoCredentials, "its account is not among those of this session")
        })?;
        let deadline = Instant::now() + self.patience.call;
        let asked = Self::within(deadline, OPERATION, inspector.states(scope, ids)).await?;
        let seen = asked.map_err(Arc::new)?;
        let is_whole = seen.len() == ids.len() && seen.iter().zip(ids).all(|(s, id)| s.id == *id);
        if is_whole {
            Ok(seen)
        } else {
            Err(error(ErrorKind::Malformed, "an instance was left out"))
        }
    }

    /// True when the Auto Scaling group of a member still counts on it.
    pub(super) async fn is_in_service(&self, scope: &Scope, id: &Arc<str>) -> bool {
        let Some(inspector) = self.inspector(&scope.account) else { return false };
        let deadline = Instant::now() + self.patience.call;
        let ids = [id.clone()];
        let asked = inspector.inspect(scope, &ids);
        let found = Self::within(deadline, "autoscaling:DescribeAutoScalingInstances", asked).await;
        let first = found.ok().and_then(|f| f.into_iter().next()).filter(|i| i.id == *id);
        first.is_some_and(|i| matches!(i.group, Ok(Some(group)) if is_in_service(&group)))
    }
}

/// How a row ends with what is seen of it; `None` while it is worth waiting.
fn end(
    verb: &Verb,
    row: &Row,
    observed: ObservedState,
    over: bool,
) -> Option<(OutcomeKind, String)> {
    use OutcomeKind::{Done, Failed, Refused, Unknown};
    let asked = row.accepted || row.doubtful;
    let why = || row.error.clone().unwrap_or_else(|| "it was not called".to_owned());
    match observed {
        ObservedState::Reached => Some((Done, reached(verb))),
        // EC2 forgets a terminated instance after a while.
        ObservedState::Gone
            if matches!(verb, Verb::Terminate { .. }) && (row.accepted || row.moving) =>
        {
            Some((Done, "terminated, and gone from EC2".to_owned()))
        }
        ObservedState::Gone if asked => {
            Some((Unknown, "EC2 knows no such instance any more".to_owned()))
        }
        ObservedState::Gone => {
            Some((Failed, format!("EC2 knows no such instance any more: {}", why())))
        }
        ObservedState::Elsewhere(text) if asked => Some((Unknown, text)),
        ObservedState::Elsewhere(text) => Some((Failed, format!("{text}: {}", why()))),
        ObservedState::Former if asked && !over => None,
        ObservedState::Former if row.accepted => Some((
            Unknown,
            format!("accepted, and not seen to have happened: {}", as_seen(row.state)),
        )),
        ObservedState::Former => match &row.refused {
            Some(refused) => Some((Refused, refused.clone())),
            None => Some((Failed, why())),
        },
        ObservedState::Moving if over => {
            Some((Unknown, format!("not there yet: {}; look again", as_seen(row.state))))
        }
        ObservedState::Moving => None,
    }
}
