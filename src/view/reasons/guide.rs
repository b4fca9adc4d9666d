//! What the guide says of the memory that a model needs, of types, and of its own figures.

use super::figures::gb;
use super::size::FRACTIONAL_GPU;
use crate::analyze::rightsize::guide::{
    GuideFail as F, GuideNote as N, GuideWarning as W, InputUnit, MemoryPart as P,
};
use crate::domain::storage::GIB;
use crate::view::format::{self, grouped, usd_per_hour};

/// One sentence: what speaks for a type, or what to know of it.
pub fn guide_note(note: N) -> String {
    match note {
        N::PcieTraining => {
            "Its GPUs talk over PCIe: what they exchange in every step (weights and gradients) \
             slows them, here by two fifths."
                .into()
        }
        N::PlacementGroup(boxes) => format!(
            "{boxes} boxes in one placement group, joined by EFA: one that stops, stops all."
        ),
        N::ScaledFp16 => "It has no BF16: FP16 with loss scaling instead.".into(),
        N::Copies { copies, gpus } => {
            let gpus = format::plural(gpus as usize, "GPU");
            format!("{copies} copies on {gpus} each: one copy alone leaves the others idle.")
        }
        N::PcieServing => "A copy spans GPUs over PCIe: a token takes longer than computed.".into(),
        N::NoFp8 => "It has no FP8: weights of 8 bits are computed with at 16.".into(),
        N::NoBf16 => "It has no BF16: FP16 instead.".into(),
        N::FractionalGpu => FRACTIONAL_GPU.into(),
        N::Arm => "Arm: images and wheels for aarch64.".into(),
        N::DataFit(store_gb) => format!("The data fit on its instance store of {}.", gb(store_gb)),
        N::DataOverNetwork { store_gb, hours } => format!(
            "The data do not fit on its instance store of {}: one pass over the network takes at \
             least {} h.",
            gb(store_gb),
            grouped(hours, 1)
        ),
    }
}

/// One sentence: what the figures rest on, or what they leave out.
pub fn guide_warning(warning: &W) -> String {
    match warning {
        W::Memory { billions, bytes } => format!(
            "{billions}B parameters need {} GiB here: the task and the precision decide, not a \
             boundary of 10B parameters.",
            grouped(bytes / GIB, 1)
        ),
        W::FourBitTraining => {
            "4 bits cannot be trained in full: the figures are those of 16 bits. Adapters on 4 \
             bits (LoRA) are another task."
                .into()
        }
        W::Latency(ms) => format!(
            "{} per token is bytes read ÷ memory bandwidth: fewer bits or more bandwidth help, \
             more TFLOPS do not. Queueing comes on top; measure under load.",
            InputUnit::Milliseconds.show(*ms)
        ),
        W::LatencyUnused => "Nobody waits for it: the latency counts for nothing.".into(),
        W::Data(size) => format!(
            "The size of the data ({}) decides about disks and network, not about the GPU; what \
             counts is whether reading keeps up.",
            InputUnit::Gigabytes.show(*size)
        ),
        W::PriceFactor { dearest, times, cheapest } => format!(
            "{dearest} costs {}× what {cheapest} does, at the prices of today: such factors change \
             with the list (p4d was 27× a g5.2xlarge before June 2025, 18.1× after).",
            grouped(*times, 1)
        ),
        W::NoType => "No type that is priced in the region does it: see what each lacks.".into(),
        W::OtherAccelerators(types) => format!(
            "{types} types with other accelerators (Trainium, Inferentia, AMD) are not compared: \
             they need other software."
        ),
        W::ZonesUnread => {
            "Which zones offer what was not read: capacity is another question still.".into()
        }
        W::CpuMayDo => "Below 1B parameters a CPU may do; CPU-only types are not compared.".into(),
        W::SpeedBounds => {
            "Speeds are bounds from data sheets (60% of the bandwidth, 40% of the peak reached), \
             not measurements: run the cheapest two for an hour before choosing."
                .into()
        }
    }
}

/// A clause: why a type does not do the task.
pub fn guide_fail(fail: &F) -> String {
    match fail {
        F::NoGpu => "no NVIDIA GPU whose speed is known".to_owned(),
        F::Memory(has, needs) => format!(
            "{} GiB per GPU can be filled, {} GiB needed",
            grouped(has / GIB, 1),
            grouped(needs / GIB, 1)
        ),
        F::Efa => "it takes several boxes, and it has no EFA".to_owned(),
        F::Latency(ms) => format!("a token takes {} ms", grouped(*ms, 1)),
        F::Budget(usd) => format!("it costs {}", usd_per_hour(*usd)),
        F::NotOffered => "no zone offers it".to_owned(),
    }
}

/// Name of a part of the memory.
pub fn memory_part(part: P) -> &'static str {
    match part {
        P::TrainedWeights(_) | P::FrozenWeights(_) | P::ServedWeights(_) => "weights",
        P::Gradients(_) => "gradients",
        P::OptimiserStates(_) => "optimiser states (Adam)",
        P::Adapters { .. } => "adapters with their states",
        P::KvCache { .. } => "KV cache",
        P::Activations { .. } => "activations, recomputed",
        P::Logits { .. } => "logits and their gradient",
        P::Overhead => "CUDA, NCCL, workspace",
    }
}

/// How a part of the memory is computed, with its figures.
pub fn memory_how(part: P) -> String {
    match part {
        P::TrainedWeights(of) | P::Gradients(of) | P::OptimiserStates(of) => {
            format!("{}B × {} bytes", of.billions, of.bytes)
        }
        P::FrozenWeights(of) => format!("{}B × {:.3} bytes, frozen", of.billions, of.bytes),
        P::Adapters { billions, share } => {
            format!("{billions}B × {} × 16 bytes", format::percent(share * 100.0, 2))
        }
        P::ServedWeights(of) => format!("{}B × {:.3} bytes", of.billions, of.bytes),
        P::KvCache { tokens, bytes } => format!("{tokens} tokens × {:.0} KiB", bytes / 1024.0),
        P::Activations { tokens, sequences, hidden, layers } => format!(
            "{tokens} tokens × {sequences} × {hidden:.0} × ({layers:.0} layers × 2 + 34) bytes"
        ),
        P::Logits { tokens, sequences, vocabulary } => {
            format!("{tokens} tokens × {sequences} × {vocabulary:.0} words × 8 bytes")
        }
        P::Overhead => "2 GiB on each GPU".to_owned(),
    }
}

/// Source of the formula of a part of the memory.
pub fn memory_source(part: P) -> &'static str {
    match part {
        P::TrainedWeights(_) | P::Gradients(_) | P::OptimiserStates(_) => {
            "ZeRO (Rajbhandari et al. 2020, §3.1): 2 + 2 + 12 bytes; Megatron Core, distributed \
             optimizer: 18 with FP32 gradients, 16 in FP32"
        }
        P::FrozenWeights(_) => "QLoRA (Dettmers et al. 2023): 4 bits + 0.127 bit of scales",
        P::Adapters { .. } => "ZeRO, §3.1, for the adapters alone",
        P::ServedWeights(_) => "parameters × bytes of the precision",
        P::KvCache { .. } => {
            "2 × layers × KV heads × head size × 2 bytes per token (PagedAttention, Kwon et al. \
             2023)"
        }
        P::Activations { .. } => {
            "Korthikanti et al. 2022: 2·s·b·h per layer kept, 34·s·b·h of the one computed anew \
             (attention does not keep its matrix)"
        }
        P::Logits { .. } => "both in FP32; a fused loss does without",
        P::Overhead => "of the house; a CUDA context alone takes 0.3–2 GiB",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::rightsize::guide::PerParameter;

    #[test]
    fn notes_and_warnings_read_as_sentences() {
        for (said, words) in [
            (
                guide_note(N::PlacementGroup(4)),
                "4 boxes in one placement group, joined by EFA: one that stops, stops all.",
            ),
            (
                guide_note(N::Copies { copies: 4, gpus: 2 }),
                "4 copies on 2 GPUs each: one copy alone leaves the others idle.",
            ),
            (guide_note(N::DataFit(250)), "The data fit on its instance store of 250 GB."),
            (
                guide_note(N::DataOverNetwork { store_gb: 250, hours: 3200.0 / 3600.0 }),
                "The data do not fit on its instance store of 250 GB: one pass over the network \
                 takes at least 0.9 h.",
            ),
            (
                guide_warning(&W::Memory { billions: 0.5, bytes: 3.0 * GIB }),
                "0.5B parameters need 3.0 GiB here: the task and the precision decide, not a \
                 boundary of 10B parameters.",
            ),
            (
                guide_warning(&W::PriceFactor {
                    dearest: "p4d.24xlarge".into(),
                    times: 21.957_642 / 1.212,
                    cheapest: "g5.2xlarge".into(),
                }),
                "p4d.24xlarge costs 18.1× what g5.2xlarge does, at the prices of today: such \
                 factors change with the list (p4d was 27× a g5.2xlarge before June 2025, 18.1× \
                 after).",
            ),
            (
                guide_fail(&F::Memory(14.4 * GIB, 17.4 * GIB)),
                "14.4 GiB per GPU can be filled, 17.4 GiB needed",
            ),
            (guide_fail(&F::Latency(91.92)), "a token takes 91.9 ms"),
            (guide_fail(&F::Budget(1.006)), "it costs $1.01/h"),
        ] {
            assert_eq!(said, words);
        }
    }

    #[test]
    fn memory_is_computed_before_the_eyes() {
        let of = |bytes| PerParameter { billions: 8.0, bytes };
        for (part, how) in [
            (P::TrainedWeights(of(2.0)), "8B × 2 bytes"),
            (P::FrozenWeights(of(0.515_875)), "8B × 0.516 bytes, frozen"),
            (P::Adapters { billions: 8.0, share: 0.005 }, "8B × 0.50% × 16 bytes"),
            (P::KvCache { tokens: 4096.0, bytes: 131_072.0 }, "4096 tokens × 128 KiB"),
            (
                P::Activations { tokens: 2048.0, sequences: 4.0, hidden: 4096.0, layers: 32.0 },
                "2048 tokens × 4 × 4096 × (32 layers × 2 + 34) bytes",
            ),
        ] {
            assert_eq!(memory_how(part), how);
        }
    }
}
