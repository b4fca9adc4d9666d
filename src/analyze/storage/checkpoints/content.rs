//! What a file of a step says about its writer, by its name.

use std::hash::BuildHasher as _;

use foldhash::fast::FixedState;

/// Bit: a file that checkpoints consist of: weights, optimizer states, or a marker.
pub const LOOKS: u32 = 1;
/// Bit: a name that only training frameworks write.
pub const MARK: u32 = 1 << 1;
/// Bit: `….index.json`, the list of shards.
pub const SHARD_INDEX: u32 = 1 << 2;
/// Bit: `.metadata`, which `PyTorch` DCP writes last.
pub const DCP_METADATA: u32 = 1 << 3;
/// Bit: `….distcp`, a shard of `PyTorch` DCP.
pub const DISTCP: u32 = 1 << 4;
/// Bit: a directory of one Megatron rank.
pub const MEGATRON_RANK: u32 = 1 << 5;
/// Bit: a `DeepSpeed` state.
pub const DEEPSPEED: u32 = 1 << 6;
/// Bit: `trainer_state.json` of the Hugging Face Trainer.
pub const TRAINER_STATE: u32 = 1 << 7;
/// Bit: a file that Orbax writes.
pub const ORBAX: u32 = 1 << 8;
/// Bit: `commit_success.txt`, Orbax' mark of a committed save.
pub const COMMIT: u32 = 1 << 9;
/// Bit: `….index` of `TensorFlow`.
pub const TF_INDEX: u32 = 1 << 10;
/// Bit: `….meta` of `TensorFlow`.
pub const TF_META: u32 = 1 << 11;
/// Bit: a save that is not committed.
pub const TEMPORARY: u32 = 1 << 12;
/// Bit: `…-unfinished`, the marker of a save in progress.
pub const UNFINISHED: u32 = 1 << 13;
/// Bit: a name in `NeMo`'s form.
pub const NEMO: u32 = 1 << 14;
/// Bit: `common.pt` of Megatron.
pub const COMMON: u32 = 1 << 15;
/// Bit: a size or date that is missing or impossible.
pub const MALFORMED: u32 = 1 << 16;
/// Bit: under Object Lock or legal hold, or a replica.
pub const HELD: u32 = 1 << 17;
/// Bit: no date.
pub const UNDATED: u32 = 1 << 18;

/// Bits that a complete step must have where most steps of its run have them.
pub const EXPECTED: [u32; 9] =
    [SHARD_INDEX, DCP_METADATA, DEEPSPEED, TRAINER_STATE, ORBAX, COMMIT, TF_INDEX, TF_META, COMMON];

/// Set of files that a checkpoint is split into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    /// Digest of the name without the shard's number, common to the set.
    pub stem: u64,
    /// Number of files in the complete set.
    pub of: u32,
}

/// Bits of a file, from its path below the step's directory (or behind the step's number).
pub fn bits(rest: &[u8]) -> u32 {
    let name = match memchr::memrchr(b'/', rest) {
        Some(slash) => &rest[slash + 1..],
        None => rest,
    };
    let known = named(name);
    if known != 0 {
        return known;
    }
    if is_orbax(rest) {
        return LOOKS | MARK | ORBAX;
    }
    let Some(dot) = memchr::memrchr(b'.', name) else { return 0 };
    let (stem, extension) = name.split_at(dot);
    match extension {
        b".distcp" => LOOKS | MARK | DISTCP,
        b".pt" | b".pth" | b".bin" | b".safetensors" | b".ckpt" => weights(rest, stem, extension),
        b".h5" | b".msgpack" | b".npz" | b".gguf" | b".pdparams" | b".pdopt" | b".pkl" => LOOKS,
        b".json" if stem.ends_with(b".index") => LOOKS | MARK | SHARD_INDEX,
        b".index" => LOOKS | MARK | TF_INDEX,
        b".meta" => LOOKS | MARK | TF_META,
        _ if extension.starts_with(b".data-") => LOOKS | MARK,
        _ => 0,
    }
}

/// Names that are known as a whole.
fn named(name: &[u8]) -> u32 {
    match name {
        b"trainer_state.json" => LOOKS | MARK | TRAINER_STATE,
        b".metadata" => LOOKS | MARK | DCP_METADATA,
        b"common.pt" => LOOKS | MARK | COMMON,
        b"commit_success.txt" => LOOKS | MARK | ORBAX | COMMIT,
        b"latest" | b"metadata.json" | b"training_args.bin" | b"adapter_config.json" => LOOKS,
        b"_CHECKPOINT_METADATA" | b"_METADATA" | b"manifest.ocdbt" | b"_sharding" => {
            LOOKS | MARK | ORBAX
        }
        _ if name.ends_with(b"-unfinished") => LOOKS | MARK | UNFINISHED,
        _ => 0,
    }
}

fn is_orbax(rest: &[u8]) -> bool {
    memchr::memmem::find(rest, b"ocdbt.process_").is_some()
        || [&b"items/"[..], b"default/", b"state/", b"params/"].iter().any(|d| rest.starts_with(d))
            && (memchr::memmem::find(rest, b"/d/").is_some() || rest.ends_with(b".zarray"))
}

fn weights(rest: &[u8], stem: &[u8], extension: &[u8]) -> u32 {
    if stem.ends_with(b"_optim_states") || stem.ends_with(b"_model_states") {
        return LOOKS | MARK | DEEPSPEED;
    }
    if rest.starts_with(b"mp_rank_") || stem == b"model_optim_rng" {
        return LOOKS | MARK | MEGATRON_RANK;
    }
    let known = [
        &b"optimizer"[..],
        b"scheduler",
        b"rng_state",
        b"pytorch_model",
        b"adapter_model",
        b"model_world_size_",
        b"optim_world_size_",
        b"distrib_optim",
        b"random_states_",
    ];
    // `model.safetensors` and its shards; `model.pt` could be anybody's.
    let is_model = extension == b".safetensors" && stem.starts_with(b"model");
    if is_model || known.iter().any(|k| stem.starts_with(k)) { LOOKS | MARK } else { LOOKS }
}

/// Set of shards that a file such as `model-00001-of-00004.safetensors` belongs to; `None` for other names.
pub fn shard(rest: &[u8], hasher: &FixedState) -> Option<Shard> {
    let at = memchr::memmem::rfind(rest, b"-of-")?;
    let digits = |text: &[u8]| text.iter().take_while(|b| b.is_ascii_digit()).count();
    let after = &rest[at + 4..];
    let width = digits(after);
    let before = rest[..at].iter().rev().take_while(|b| b.is_ascii_digit()).count();
    if before == 0 || !(1..=7).contains(&width) {
        return None;
    }
    let of = after[..width].iter().fold(0, |n, d| n * 10 + u32::from(d - b'0'));
    Some(Shard { stem: hasher.hash_one(&rest[..at - before]), of })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_their_writers() {
        for (rest, wanted) in [
            ("trainer_state.json", TRAINER_STATE),
            ("model.safetensors.index.json", SHARD_INDEX),
            ("global_step500/bf16_zero_pp_rank_0_mp_rank_00_optim_states.pt", DEEPSPEED),
            ("mp_rank_00_001/model_optim_rng.pt", MEGATRON_RANK),
            ("__0_0.distcp", DISTCP),
            (".metadata", DCP_METADATA),
            ("items/ocdbt.process_3/d/abc", ORBAX),
            (".index", TF_INDEX),
            (".data-00000-of-00002", MARK),
            ("-consumed_samples=5.0-unfinished", UNFINISHED),
            ("pytorch_model.bin", MARK),
        ] {
            assert_eq!(bits(rest.as_bytes()) & (wanted | LOOKS), wanted | LOOKS, "{rest}");
        }
        for rest in ["images/000001.jpg", "README.md", "", "tokens", "config.json"] {
            assert_eq!(bits(rest.as_bytes()), 0, "{rest}");
        }
        assert_eq!(bits(b"shard_0001.bin"), LOOKS);
    }

    #[test]
    fn shards_of_one_set_have_one_stem() {
        let hasher = FixedState::default();
        let of = |rest: &str| shard(rest.as_bytes(), &hasher);
        let (a, b) =
            (of("model-00001-of-00004.safetensors"), of("model-00002-of-00004.safetensors"));
        assert_eq!(a, b);
        assert_eq!(a.unwrap().of, 4);
        assert_ne!(a, of("text/model-00001-of-00004.safetensors"));
        assert_eq!(of("best-of-luck.bin"), None);
        assert_eq!(of("model-1-of-99999999999.bin"), None);
    }
}
