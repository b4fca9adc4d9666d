//! The cascade: which signals are asked for every instance, and which only for those that the
//! first ones leave in doubt.

use crate::domain::Signal;

/// The signals of a policy in the order of asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stages {
    /// Asked for every instance: one CPU signal, and the GPUs where there are any.
    pub first: Vec<Signal>,
    /// Asked only where the first stage has not already shown a busy instance: one witnessed
    /// busy hour settles the verdict, and more evidence could not change it.
    pub second: Vec<Signal>,
}

/// Splits the signals that a policy needs of one instance. Mean CPU comes first where the policy
/// wants it (it rules out most of a fleet), else the CPU maximum.
pub fn stages(needed: &[Signal]) -> Stages {
    let opener =
        [Signal::CpuMean, Signal::CpuMax].into_iter().find(|signal| needed.contains(signal));
    let (first, second) =
        needed.iter().partition(|&&signal| signal.gpu().is_some() || Some(signal) == opener);
    Stages { first, second }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_and_gpu_come_first_and_the_rest_only_in_doubt() {
        use Signal::{CpuMax, CpuMean, EbsReadOps, GpuMax, GpuMean, NetworkIn, NetworkOut};
        let split = stages(&[CpuMax, CpuMean, NetworkIn, EbsReadOps, GpuMax(0), GpuMean(0)]);
        assert_eq!(split.first, [CpuMean, GpuMax(0), GpuMean(0)]);
        assert_eq!(split.second, [CpuMax, NetworkIn, EbsReadOps]);
        // A policy that looks at the peak alone does not pay for the mean.
        let peak = stages(&[NetworkIn, NetworkOut, CpuMax]);
        assert_eq!((peak.first, peak.second), (vec![CpuMax], vec![NetworkIn, NetworkOut]));
        assert_eq!(stages(&[]), Stages { first: vec![], second: vec![] });
    }
}
