//! Compares the observed state of an instance with the goal of the action.

use jiff::Timestamp;

use crate::act::plan::{EXPIRES_TAG, PlanItem, REMINDED_TAG, Verb};
use crate::domain::{InstanceState, Tags};
use crate::source::inspect::Seen;

/// Observed state of an instance compared with the goal of the verb.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ObservedState {
    /// In the state (or with the tags) that the verb asked for, in the life that was planned.
    Reached,
    /// In the state that was planned: no call has had an effect yet.
    Former,
    /// On the way to the goal, or in a state that does not decide yet.
    Moving,
    /// EC2 knows no such instance.
    Gone,
    /// In a state that the verb does not lead to; which one, in words.
    Elsewhere(String),
}

/// Compares `seen` with what `verb` asked for at `since`. An instance that was launched anew since
/// the plan is [`ObservedState::Elsewhere`]: nothing is known of the one that was planned.
pub(super) fn observe(
    verb: &Verb,
    item: &PlanItem,
    seen: &Seen,
    since: Timestamp,
) -> ObservedState {
    use InstanceState::{Pending, Running, ShuttingDown, Stopped, Stopping, Terminated};
    let Some(state) = seen.state else { return ObservedState::Gone };
    let same_life = seen.launched_at == Some(item.launched_at);
    let elsewhere = |text: String| ObservedState::Elsewhere(text);
    let anew = || {
        let at = seen.launched_at.map_or_else(|| "at an unknown time".into(), |at| at.to_string());
        elsewhere(format!("{}, and launched anew {at}", state.word()))
    };
    match verb {
        Verb::Stop | Verb::Terminate { .. } if !same_life => anew(),
        Verb::Stop => match state {
            Stopped => ObservedState::Reached,
            Terminated | ShuttingDown => elsewhere(format!("{}, not stopped", state.word())),
            _ if state == item.state => ObservedState::Former,
            _ => ObservedState::Moving,
        },
        Verb::Terminate { .. } => match state {
            Terminated => ObservedState::Reached,
            _ if state == item.state => ObservedState::Former,
            _ => ObservedState::Moving,
        },
        // A start is a new launch.
        Verb::Start => match state {
            Running => ObservedState::Reached,
            Pending | Stopping => ObservedState::Moving,
            Stopped if same_life => ObservedState::Former,
            Stopped => elsewhere("started, and stopped again".to_owned()),
            _ => elsewhere(format!("{}, not running", state.word())),
        },
        Verb::Mark { .. } | Verb::Remind | Verb::Unmark => {
            if is_tagged(verb, &seen.tags, since) {
                ObservedState::Reached
            } else if same_life {
                ObservedState::Former
            } else {
                anew()
            }
        }
    }
}

/// True when the tags are as the verb wants them.
fn is_tagged(verb: &Verb, tags: &Tags, since: Timestamp) -> bool {
    let time = |key| tags.get(key).and_then(|text| text.parse::<Timestamp>().ok());
    match verb {
        Verb::Mark { expires, .. } => {
            time(EXPIRES_TAG).is_some_and(|tag| tag.as_second() == expires.as_second())
        }
        // One from before is the reminder of an earlier mark.
        Verb::Remind => time(REMINDED_TAG).is_some_and(|tag| tag.as_second() >= since.as_second()),
        Verb::Unmark => tags.get(EXPIRES_TAG).is_none(),
        Verb::Stop | Verb::Terminate { .. } | Verb::Start => false,
    }
}

/// Outcome text of a row in the state that `verb` asked for.
pub(super) fn reached(verb: &Verb) -> String {
    match verb {
        Verb::Stop => "stopped".to_owned(),
        Verb::Terminate { .. } => "terminated".to_owned(),
        Verb::Start => "running".to_owned(),
        Verb::Mark { expires, .. } => format!("marked: {EXPIRES_TAG}={expires}"),
        Verb::Remind => "reminded".to_owned(),
        Verb::Unmark => "the mark is gone".to_owned(),
    }
}

/// Outcome text for an unexpected state; `None` where no state was seen.
pub(super) fn as_seen(seen: Option<InstanceState>) -> String {
    seen.map_or_else(|| "nothing could be seen of it".to_owned(), |s| format!("it is {}", s.word()))
}
