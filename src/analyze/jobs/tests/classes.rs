//! Classes of causes by codes and reasons.

use super::*;
use crate::domain::jobs::Cause;
use CauseClass as C;
use JobState as S;

fn class(of: &Attempt) -> Option<C> {
    cost(std::slice::from_ref(of))[0].class
}

#[test]
fn states_and_codes_tell_what_they_can_and_no_more() {
    let by = |state, cause| {
        let mut of = attempt("a", state, 1, (0, 60));
        of.cause = cause;
        class(&of)
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
fn the_reason_tells_the_first_cause() {
    let by_reason = |words: &str| {
        let mut of = attempt("a", S::Failed, 8, (0, 60));
        (of.cause, of.reason) = (Some(Cause::Exit(1)), Some(text(words)));
        class(&of)
    };
    assert_eq!(
        by_reason("torch.OutOfMemoryError: CUDA out of memory.\nNCCL WARN"),
        Some(C::OutOfMemory)
    );
    assert_eq!(by_reason("RuntimeError: NCCL error: remote process exited"), Some(C::Network));
    assert_eq!(by_reason("RuntimeError: DataLoader worker (pid 7) exited"), Some(C::DataPipeline));
    assert_eq!(by_reason("step 812: loss is nan, stopping"), Some(C::Numerical));
    assert_eq!(by_reason("OSError: [Errno 28] No space left on device"), Some(C::Storage));
    assert_eq!(by_reason("ModuleNotFoundError: No module named 'flash_attn'"), Some(C::Code));
    assert_eq!(
        by_reason("CapacityError: Unable to provision requested ML compute capacity."),
        Some(C::Scheduler)
    );
    assert_eq!(by_reason("done"), Some(C::Unknown));
}
