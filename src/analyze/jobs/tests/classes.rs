//! Classes of causes by what was seen.

use super::*;
use crate::domain::jobs::Cause;
use CauseClass as C;
use JobState as S;

fn class(of: &Attempt, evidence: &CauseEvidence) -> Option<C> {
    costs(vec![of.clone()], &input(evidence)).rows[0].class
}

#[test]
fn states_and_codes_tell_what_they_can_and_no_more() {
    let none = CauseEvidence::default();
    let by = |state, cause| {
        let mut of = attempt("a", state, 1, (0, 60));
        of.cause = cause;
        class(&of, &none)
    };
    assert_eq!(by(S::Completed, None), None);
    assert_eq!(by(S::Cancelled, Some(Cause::Cancelled)), None);
    assert_eq!(by(S::OutOfMemory, None), Some(C::OutOfMemory));
    assert_eq!(by(S::TimedOut, Some(Cause::TimeLimit)), Some(C::Scheduler));
    assert_eq!(by(S::NodeFault, None), Some(C::Hardware));
    assert_eq!(by(S::Preempted, Some(Cause::Requeued)), Some(C::Preempted));
    assert_eq!(by(S::Failed, Some(Cause::Signal(11))), Some(C::Code));
    assert_eq!(by(S::Failed, Some(Cause::Exit(127))), Some(C::Code));
    // An uncaught exception of any kind, a kill by whomever.
    assert_eq!(by(S::Failed, Some(Cause::Exit(1))), Some(C::Unknown));
    assert_eq!(by(S::Failed, Some(Cause::Signal(9))), Some(C::Unknown));
    assert_eq!(by(S::Failed, None), Some(C::Unknown));
}

#[test]
fn what_was_seen_in_that_minute_tells_more() {
    let mut of = attempt("a", S::Failed, 8, (0, 60));
    of.cause = Some(Cause::Exit(1));
    of.nodes = [text("n1")].into();
    let xid = |node: &str, code, minutes| CauseEvidence {
        xids: vec![XidSeen { node: text(node), code, at: at(minutes).unwrap() }],
        ..CauseEvidence::default()
    };
    assert_eq!(class(&of, &xid("n1", 79, 60)), Some(C::Hardware));
    assert_eq!(class(&of, &xid("n2", 79, 60)), Some(C::Unknown), "another node");
    assert_eq!(class(&of, &xid("n1", 79, 40)), Some(C::Unknown), "another time");
    assert_eq!(class(&of, &xid("n1", 13, 60)), Some(C::Code), "the program's own");
    let event = |minutes| vec![NodeEvent { node: text("n1"), at: at(minutes).unwrap() }];
    let notice = CauseEvidence { spot_notices: event(57), ..CauseEvidence::default() };
    assert_eq!(class(&of, &notice), Some(C::Preempted));
    let drain = CauseEvidence { drains: event(60), ..CauseEvidence::default() };
    assert_eq!(class(&of, &drain), Some(C::Hardware));
}

#[test]
fn the_tail_of_a_log_tells_the_first_cause() {
    let mut of = attempt("a", S::Failed, 8, (0, 60));
    of.cause = Some(Cause::Exit(1));
    let tail = |words: &str| {
        let evidence =
            CauseEvidence { tails: vec![(of.id.clone(), text(words))], ..CauseEvidence::default() };
        class(&of, &evidence)
    };
    assert_eq!(
        tail("torch.OutOfMemoryError: CUDA out of memory.\nNCCL WARN"),
        Some(C::OutOfMemory)
    );
    assert_eq!(tail("RuntimeError: NCCL error: remote process exited"), Some(C::Network));
    assert_eq!(tail("RuntimeError: DataLoader worker (pid 7) exited"), Some(C::DataPipeline));
    assert_eq!(tail("step 812: loss is nan, stopping"), Some(C::Numerical));
    assert_eq!(tail("OSError: [Errno 28] No space left on device"), Some(C::Storage));
    assert_eq!(tail("ModuleNotFoundError: No module named 'flash_attn'"), Some(C::Code));
    assert_eq!(tail("done"), Some(C::Unknown));
}
