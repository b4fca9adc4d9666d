//! Where in a key a step is named: the conventions of training frameworks, byte by byte.
//!
//! The shallowest part of a key that names a step is the step: what lies deeper
//! (`checkpoint-500/global_step500/`) belongs to it.

use memchr::memmem;

use crate::domain::storage::Family;

/// Convention by which a step is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pattern {
    /// `checkpoint-500/`, `checkpoint_500/`, `ckpt-500/`.
    Checkpoint,
    /// `iter_0001000/`, of Megatron.
    Iter,
    /// `global_step1000/`.
    GlobalStep,
    /// `step-250/`, `step_250/`, `step=250/`.
    Step,
    /// `step1000/`, without a separator.
    BareStep,
    /// `12345/` with files of Orbax inside.
    Number,
    /// `epoch=3-step=4000.ckpt`, a file or a directory.
    StepEquals,
    /// `epoch_3/`, numbered by epochs.
    Epoch,
    /// `model.ckpt-1000.index`.
    Tensorflow,
    /// `model_step_1000.pt`.
    Weights,
}

impl Pattern {
    /// All patterns, in the order of their numbers.
    pub const ALL: [Self; 10] = [
        Self::Checkpoint,
        Self::Iter,
        Self::GlobalStep,
        Self::Step,
        Self::BareStep,
        Self::Number,
        Self::StepEquals,
        Self::Epoch,
        Self::Tensorflow,
        Self::Weights,
    ];

    /// True when runs of this framework family may use the pattern.
    pub fn may_be(self, family: Family) -> bool {
        match family {
            Family::Generic => true,
            Family::HfTrainer | Family::HfDeepspeed => self == Self::Checkpoint,
            Family::Deepspeed => self == Self::GlobalStep,
            Family::MegatronLegacy | Family::MegatronDist => self == Self::Iter,
            Family::TorchDcp => !matches!(self, Self::Iter | Self::BareStep | Self::Tensorflow),
            Family::Orbax => matches!(self, Self::Number | Self::Checkpoint | Self::Step),
            Family::Lightning | Family::Nemo => self == Self::StepEquals,
            Family::Tensorflow => self == Self::Tensorflow,
            Family::Olmo => self == Self::BareStep,
        }
    }
}

/// A step found in a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match {
    /// Convention of the name.
    pub pattern: Pattern,
    /// End of the parent directory in the key, with its `/`.
    pub parent_end: usize,
    /// End of the step's name, which begins at `parent_end`: behind the `/` of a directory, or behind the byte
    /// after the number in a file name, so that the name of step 100 is no prefix of that of step 1000.
    pub token_end: usize,
    /// Index in the key at which the path below the step begins.
    pub rest: usize,
    /// Number of the step.
    pub step: u64,
    /// True for the directory of a save that Orbax has not committed.
    pub is_temporary: bool,
}

/// Longest number that is taken for a step: more digits are hashes and moments in nanoseconds.
const MAX_DIGITS: usize = 12;

/// The shallowest step named in a key; `None` for a key that belongs to no step.
pub fn find(key: &[u8]) -> Option<Match> {
    let mut start = 0;
    for slash in memchr::memchr_iter(b'/', key) {
        if let Some(found) = directory(key, start, slash) {
            return Some(found);
        }
        start = slash + 1;
    }
    file(key, start)
}

/// Number of a step named in a deeper directory, searched from `from` on; `None` without one.
pub fn nested(key: &[u8], from: usize) -> Option<u64> {
    let mut start = from;
    for slash in memchr::memchr_iter(b'/', key.get(from..)?) {
        if let Some(found) = directory(key, start, from + slash) {
            return Some(found.step);
        }
        start = from + slash + 1;
    }
    None
}

/// The digits at the end of a name: where they begin, and their value.
fn trailing_number(name: &[u8]) -> Option<(usize, u64)> {
    let count = name.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    if count == 0 || count > MAX_DIGITS {
        return None;
    }
    let start = name.len() - count;
    Some((start, number(&name[start..])))
}

/// The digits at the beginning of a text: how many, and their value.
fn leading_number(text: &[u8]) -> Option<(usize, u64)> {
    let count = text.iter().take_while(|b| b.is_ascii_digit()).count();
    (1..=MAX_DIGITS).contains(&count).then(|| (count, number(&text[..count])))
}

fn number(digits: &[u8]) -> u64 {
    digits.iter().fold(0, |n, d| n * 10 + u64::from(d - b'0'))
}

/// The directory `key[start..slash]`, if it is named as a step.
fn directory(key: &[u8], start: usize, slash: usize) -> Option<Match> {
    let name = &key[start..slash];
    let last = *name.last()?;
    let found = |pattern, step, is_temporary| Match {
        pattern,
        parent_end: start,
        token_end: slash + 1,
        rest: slash + 1,
        step,
        is_temporary,
    };
    if last.is_ascii_digit() {
        if let Some((at, step)) = trailing_number(name) {
            if let Some(pattern) = by_head(&name[..at], name.len() - at) {
                return Some(found(pattern, step, false));
            }
            if at == 0 && is_orbax_child(&key[slash + 1..]) {
                return Some(found(Pattern::Number, step, false));
            }
        }
        if let Some((stem, _)) = split_temporary(name) {
            let (at, step) = trailing_number(stem)?;
            let pattern = match by_head(&stem[..at], stem.len() - at) {
                Some(pattern) => pattern,
                None if at == 0 => Pattern::Number,
                None => return None,
            };
            return Some(found(pattern, step, true));
        }
    }
    let (_, step) = step_equals(name)?;
    Some(found(Pattern::StepEquals, step, false))
}

/// The pattern of what stands before the number of a directory.
fn by_head(head: &[u8], digits: usize) -> Option<Pattern> {
    Some(match head {
        b"checkpoint-" | b"checkpoint_" | b"ckpt-" | b"ckpt_" => Pattern::Checkpoint,
        // Megatron-LM writes seven digits at least; `iter_3` is something else.
        b"iter_" if digits >= 7 => Pattern::Iter,
        b"global_step" | b"global_step_" => Pattern::GlobalStep,
        b"step-" | b"step_" | b"step=" => Pattern::Step,
        b"step" => Pattern::BareStep,
        b"epoch" | b"epoch-" | b"epoch_" | b"epoch=" => Pattern::Epoch,
        _ => return None,
    })
}

/// `12345.orbax-checkpoint-tmp-1763600000`: what stands before, and the rest.
fn split_temporary(name: &[u8]) -> Option<(&[u8], &[u8])> {
    const MARK: &[u8] = b".orbax-checkpoint-tmp";
    if name.len() <= MARK.len() {
        return None;
    }
    let dot = memchr::memchr(b'.', name)?;
    name[dot..].starts_with(MARK).then(|| name.split_at(dot))
}

/// Names that Orbax writes right below a step. Only with one of them is a number a step: years,
/// shards and hashes are numbers too.
fn is_orbax_child(below: &[u8]) -> bool {
    let end = memchr::memchr(b'/', below);
    let name = &below[..end.unwrap_or(below.len())];
    match name {
        b"_CHECKPOINT_METADATA"
        | b"_METADATA"
        | b"_sharding"
        | b"commit_success.txt"
        | b"manifest.ocdbt"
        | b"_strings.json" => true,
        b"items" | b"default" | b"state" | b"params" | b"train_state" | b"model_params"
        | b"array_metadatas" => end.is_some(),
        _ => name.starts_with(b"ocdbt.process_") && end.is_some(),
    }
}

/// `…step=4000…`: where the digits end, and the number. The last one counts.
fn step_equals(name: &[u8]) -> Option<(usize, u64)> {
    const MARK: &[u8] = b"step=";
    // Most names have no `=` at all.
    memchr::memchr(b'=', name)?;
    let at = memmem::rfind(name, MARK)?;
    let (digits, step) = leading_number(&name[at + MARK.len()..])?;
    Some((at + MARK.len() + digits, step))
}

/// The file `key[start..]`, if it is named as a step.
fn file(key: &[u8], start: usize) -> Option<Match> {
    let name = &key[start..];
    let found = |pattern, end: usize, step| Match {
        pattern,
        parent_end: start,
        token_end: (start + end + 1).min(key.len()),
        rest: start + end,
        step,
        is_temporary: false,
    };
    match *name.last()? {
        // .ckpt, -unfinished
        b't' | b'd' if name.ends_with(b".ckpt") || name.ends_with(b"-unfinished") => {
            // A pointer, not a step.
            if name.ends_with(b"-last.ckpt") {
                return None;
            }
            if let Some((end, step)) = step_equals(name) {
                return Some(found(Pattern::StepEquals, end, step));
            }
        }
        // .index, .meta, .data-00000-of-00002
        b'x' | b'a' | b'0'..=b'9' => {
            let at = memmem::rfind(name, b"ckpt-")? + b"ckpt-".len();
            let (digits, step) = leading_number(&name[at..])?;
            let rest = &name[at + digits..];
            let is_part = rest == b".index" || rest == b".meta" || rest.starts_with(b".data-");
            return is_part.then(|| found(Pattern::Tensorflow, at + digits, step));
        }
        _ => {}
    }
    let dot = memchr::memrchr(b'.', name)?;
    if !matches!(&name[dot..], b".pt" | b".pth" | b".bin" | b".safetensors" | b".ckpt") {
        return None;
    }
    let (at, step) = trailing_number(&name[..dot])?;
    let head = &name[..at];
    let head = head.strip_suffix(b"_").or_else(|| head.strip_suffix(b"-")).unwrap_or(head);
    let word = [&b"step"[..], b"iter", b"ckpt", b"checkpoint", b"epoch"]
        .into_iter()
        .find_map(|word| head.strip_suffix(word))?;
    let is_word = matches!(word.last(), None | Some(b'_' | b'-' | b'.'));
    is_word.then(|| found(Pattern::Weights, dot, step))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(key: &str) -> Option<(Pattern, &str, &str, u64)> {
        let m = find(key.as_bytes())?;
        Some((m.pattern, &key[..m.parent_end], &key[m.parent_end..m.token_end], m.step))
    }

    #[test]
    fn every_convention_is_found_where_it_is_named() {
        use Pattern::{
            BareStep, Checkpoint, Epoch, GlobalStep, Iter, Number, Step, StepEquals, Tensorflow,
            Weights,
        };
        for (key, pattern, parent, token, step) in [
            ("a/checkpoint-500/model.safetensors", Checkpoint, "a/", "checkpoint-500/", 500),
            ("a/checkpoint-500/global_step500/x.pt", Checkpoint, "a/", "checkpoint-500/", 500),
            ("checkpoint_7/x", Checkpoint, "", "checkpoint_7/", 7),
            ("r/global_step1000/mp_rank_00.pt", GlobalStep, "r/", "global_step1000/", 1000),
            ("r/global_step_20/actor/x.pt", GlobalStep, "r/", "global_step_20/", 20),
            ("m/iter_0001000/mp_rank_00/x.pt", Iter, "m/", "iter_0001000/", 1000),
            ("t/checkpoint/step-250/__0_0.distcp", Step, "t/checkpoint/", "step-250/", 250),
            ("t/step=250/x", Step, "t/", "step=250/", 250),
            ("o/step1000/model.pt", BareStep, "o/", "step1000/", 1000),
            ("j/12345/_CHECKPOINT_METADATA", Number, "j/", "12345/", 12345),
            ("j/12345/items/manifest.ocdbt", Number, "j/", "12345/", 12345),
            ("l/epoch=3-step=4000.ckpt", StepEquals, "l/", "epoch=3-step=4000.", 4000),
            ("l/epoch=3-step=4000-v1.ckpt", StepEquals, "l/", "epoch=3-step=4000-", 4000),
            (
                "l/epoch=3-step=4000.ckpt/checkpoint/x.pt",
                StepEquals,
                "l/",
                "epoch=3-step=4000.ckpt/",
                4000,
            ),
            (
                "n/g--val_loss=2.31-step=40-consumed_samples=5.0-unfinished",
                StepEquals,
                "n/",
                "g--val_loss=2.31-step=40-",
                40,
            ),
            ("e/epoch_3/x.pt", Epoch, "e/", "epoch_3/", 3),
            ("tf/model.ckpt-1000.index", Tensorflow, "tf/", "model.ckpt-1000.", 1000),
            ("tf/model.ckpt-0.data-00000-of-00002", Tensorflow, "tf/", "model.ckpt-0.", 0),
            ("g/unet_step_900.pt", Weights, "g/", "unet_step_900.", 900),
            ("g/iter900.pth", Weights, "g/", "iter900.", 900),
            ("g/x-ckpt-900.safetensors", Weights, "g/", "x-ckpt-900.", 900),
        ] {
            assert_eq!(found(key), Some((pattern, parent, token, step)), "{key}");
        }
        let m = find(b"j/30.orbax-checkpoint-tmp-1763600000/items/d/0").unwrap();
        assert_eq!((m.pattern, m.step, m.is_temporary), (Number, 30, true));
    }

    #[test]
    fn what_only_looks_alike_is_no_step() {
        for key in [
            "",
            "/",
            "//",
            "logs/2026/10/00001.json.gz",
            "data/000123/part.bin",
            "a/iter_3/x.pt",
            "a/checkpoint-/x.pt",
            "a/mycheckpoint-5/x.pt",
            "a/checkpoint-500-old/x.pt",
            "a/checkpoint-5000000000000000000000/x.pt",
            "l/last.ckpt",
            "n/g--val_loss=1-step=5-consumed_samples=1.0-last.ckpt",
            "l/overstep900.pt",
            "l/model-00001-of-00004.safetensors",
            "o/step1000-unsharded/model.pt",
            "j/12345/items",
            "j/12345/defaults/x",
            "a/checkpoint-500",
            "j/.orbax-checkpoint-tmp-5/x",
        ] {
            assert_eq!(found(key), None, "{key}");
        }
    }

    #[test]
    fn a_step_within_a_step_is_told() {
        let key = b"a/checkpoint-500/global_step501/x.pt";
        assert_eq!(nested(key, find(key).unwrap().rest), Some(501));
        let key = b"a/checkpoint-500/x.pt";
        assert_eq!(nested(key, find(key).unwrap().rest), None);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read_and_what_is_found_lies_within(
            key in proptest::collection::vec(proptest::sample::select(&b"/step=-_.0123checkpoint\xff+ "[..]), 0..60),
        ) {
            if let Some(m) = find(&key) {
                assert!(m.parent_end < m.token_end && m.token_end <= key.len());
                assert!(m.rest <= key.len());
                assert!(m.parent_end == 0 || key[m.parent_end - 1] == b'/');
            }
        }
    }
}
