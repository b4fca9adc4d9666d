//! The guide as a form: its inputs in order, how they are typed, how far a key moves them.

use crate::analyze::rightsize::guide::{GuideAsk, INPUTS, InputSpec, InputUnit, Precision, Task};

/// An input of the form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GuideRow {
    /// What the model is to do.
    Task,
    /// How a parameter is held.
    Precision,
    /// Region of the prices.
    Region,
    /// A number.
    Number(&'static InputSpec),
}

/// The inputs, from the top.
pub fn guide_rows() -> impl ExactSizeIterator<Item = GuideRow> {
    (0..INPUTS.len() + 3).map(|at| match at {
        0 => GuideRow::Task,
        1 => GuideRow::Precision,
        2 => GuideRow::Region,
        _ => GuideRow::Number(&INPUTS[at - 3]),
    })
}

/// Other names of inputs, as they are typed.
const NAMES: [(&str, &str); 14] = [
    ("params", "parameters"),
    ("size", "parameters"),
    ("active", "active_parameters"),
    ("ctx", "context"),
    ("batch", "sequences"),
    ("concurrency", "sequences"),
    ("kv", "kv_per_token"),
    ("lora", "lora_share"),
    ("tokens", "train_tokens"),
    ("dataset", "data"),
    ("ms", "latency"),
    ("tps", "throughput"),
    ("usd", "budget"),
    ("mfu", "efficiency"),
];

/// Takes `name=value` in; an empty value and `none` take a number back. `task` and `precision` take
/// words.
pub fn guide_set(ask: &mut GuideAsk, name: &str, value: &str) -> Result<(), String> {
    let name = name.trim().to_ascii_lowercase().replace('-', "_");
    let value = value.trim();
    match &*name {
        "task" => {
            ask.task = task(value)?;
            return Ok(());
        }
        "precision" | "dtype" => {
            ask.precision = precision(value)?;
            return Ok(());
        }
        _ => {}
    }
    let full = NAMES.iter().find(|(short, _)| *short == name).map_or(&*name, |(_, full)| full);
    let Some(spec) = INPUTS.iter().find(|spec| spec.name == full) else {
        let mut names: Vec<&str> = vec!["task", "precision", "region"];
        names.extend(INPUTS.iter().map(|spec| spec.name));
        let name = crate::domain::text::clean(&name);
        return Err(format!("no input is called `{name}`: {}", names.join(", ")));
    };
    let number = guide_number(spec, value)?;
    ask.set(spec.input, number).map_err(|e| e.to_string())
}

/// The task of a word, also without its underscore.
fn task(word: &str) -> Result<Task, String> {
    let plain = |w: &str| w.to_ascii_lowercase().replace(['-', '_', ' '], "");
    let found = Task::ALL.into_iter().find(|t| plain(t.word()) == plain(word));
    let also = match &*plain(word) {
        "serve" | "serving" => Some(Task::Inference),
        "train" | "training" => Some(Task::Pretrain),
        "qlora" => Some(Task::Lora),
        _ => None,
    };
    let words = || Task::ALL.map(Task::word).join(", ");
    found
        .or(also)
        .ok_or_else(|| format!("`{}` is no task: {}", crate::domain::text::clean(word), words()))
}

fn precision(word: &str) -> Result<Precision, String> {
    let plain = word.to_ascii_lowercase();
    let also = match &*plain {
        "fp16" | "float16" | "bfloat16" => Some(Precision::Bf16),
        "int8" | "8bit" => Some(Precision::Fp8),
        "fp4" | "nf4" | "4bit" => Some(Precision::Int4),
        "float32" => Some(Precision::Fp32),
        _ => None,
    };
    Precision::from_word(&plain).or(also).ok_or_else(|| {
        let words = Precision::ALL.map(Precision::word).join(", ");
        format!("`{}` is no precision: {words}", crate::domain::text::clean(word))
    })
}

/// Reads a number with its unit: `7B`, `128k`, `50ms`, `2TB`, `$10/h`, `0.5%`; `None` for `none`.
pub fn guide_number(spec: &InputSpec, text: &str) -> Result<Option<f64>, String> {
    let text = text.trim();
    if text.is_empty() || text.eq_ignore_ascii_case("none") {
        return Ok(None);
    }
    let how = || format!("a number like {}", spec.unit.show(spec.default.unwrap_or(10.0)));
    let bare = text.trim_start_matches('$').replace([',', '_', ' '], "");
    let lower = bare.to_ascii_lowercase();
    let digits = lower.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '%');
    let unit = &lower[digits.len()..];
    let number: f64 = digits.parse().map_err(|_| how())?;
    let times = match (spec.unit, unit) {
        (_, "") => 1.0,
        (InputUnit::Billions, "b") => 1.0,
        (InputUnit::Billions, "m") => 1e-3,
        (InputUnit::Billions, "t") => 1e3,
        (InputUnit::Count | InputUnit::TokensPerSecond, "k") => 1e3,
        (InputUnit::Count | InputUnit::TokensPerSecond, "m") => 1e6,
        (InputUnit::TokensPerSecond, "tokens/s" | "/s") => 1.0,
        (InputUnit::KibPerToken, "kib" | "kib/token") => 1.0,
        (InputUnit::KibPerToken, "mib" | "mib/token") => 1024.0,
        (InputUnit::Percent, "%") => 1.0,
        (InputUnit::Gigabytes, "gb" | "g") => 1.0,
        (InputUnit::Gigabytes, "tb" | "t") => 1e3,
        (InputUnit::Gigabytes, "mb" | "m") => 1e-3,
        (InputUnit::Milliseconds, "ms") => 1.0,
        (InputUnit::Milliseconds, "s") => 1e3,
        (InputUnit::UsdPerHour, "/h") => 1.0,
        _ => return Err(how()),
    };
    // As near to the decimal that is meant as a number can be.
    Ok(Some((number * times * 1e9).round() / 1e9))
}

/// The value that a key leads to, within the range of the input; `times` steps of its factor.
/// Below the lowest, an input without a default is taken back.
pub fn guide_step(spec: &InputSpec, now: Option<f64>, up: bool, times: i32) -> Option<f64> {
    let Some(now) = now else {
        // In the middle of what makes sense, on a scale of factors.
        let low = spec.low.max(spec.high.min(1.0) * 1e-3);
        return Some(rounded((low * spec.high).sqrt()).clamp(spec.low, spec.high));
    };
    let factor = spec.factor.powi(times);
    let next = if up { (now * factor).max(spec.low.max(0.001)) } else { now / factor };
    let next = rounded(next);
    if next < spec.low * (1.0 - 1e-9) {
        return spec.default.map(|_| spec.low);
    }
    Some(next.min(spec.high))
}

/// Three digits: what a factor makes of a round number stays readable. Powers of two stay exact.
fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() || (value >= 1.0 && value.log2().fract() == 0.0) {
        return value;
    }
    let scale = 10f64.powf(2.0 - value.abs().log10().floor());
    (value * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::rightsize::guide::GuideInput;

    fn set(name: &str, value: &str) -> Result<GuideAsk, String> {
        let mut ask = GuideAsk::default();
        guide_set(&mut ask, name, value).map(|()| ask)
    }

    #[test]
    fn numbers_are_typed_with_their_units() {
        for (name, value, input, want) in [
            ("params", "7B", GuideInput::Parameters, 7.0),
            ("parameters", "350M", GuideInput::Parameters, 0.35),
            ("parameters", "1.1T", GuideInput::Parameters, 1100.0),
            ("ctx", "128k", GuideInput::Context, 128_000.0),
            ("latency", "50ms", GuideInput::Latency, 50.0),
            ("latency", "1.5s", GuideInput::Latency, 1500.0),
            ("data", "2TB", GuideInput::Data, 2000.0),
            ("budget", "$1,000/h", GuideInput::Budget, 1000.0),
            ("lora-share", "0.25%", GuideInput::LoraShare, 0.25),
            ("mfu", "38", GuideInput::Efficiency, 38.0),
            ("throughput", "2k", GuideInput::Throughput, 2000.0),
        ] {
            assert_eq!(set(name, value).unwrap().given(input), Some(want), "{name}={value}");
        }
        assert_eq!(set("latency", "none").unwrap().given(GuideInput::Latency), None);
        assert_eq!(set("task", "finetune").unwrap().task, Task::FineTune);
        assert_eq!(set("task", "fine-tune").unwrap().task, Task::FineTune);
        assert_eq!(set("precision", "fp16").unwrap().precision, Precision::Bf16);
    }

    #[test]
    fn what_makes_no_sense_says_what_would() {
        for (name, value, says) in [
            ("parametrs", "7B", "parameters"),
            ("task", "dance", "fine_tune"),
            ("precision", "fp64", "bf16"),
            ("params", "many", "a number like 8B"),
            ("params", "7GB", "a number like 8B"),
            ("params", "-1", "not from"),
            ("context", "1e300", "not from"),
        ] {
            let error = set(name, value).unwrap_err();
            assert!(error.contains(says), "{name}={value}: {error}");
        }
    }

    #[test]
    fn keys_move_within_the_range_and_back() {
        for spec in &INPUTS {
            let first = guide_step(spec, None, true, 1).unwrap();
            assert!((spec.low..=spec.high).contains(&first), "{}: {first}", spec.name);
            let (mut up, mut down) = (Some(first), Some(first));
            for _ in 0..400 {
                up = guide_step(spec, up, true, 1);
                down = down.and_then(|v| guide_step(spec, Some(v), false, 1));
                for value in [up, down].into_iter().flatten() {
                    let mut ask = GuideAsk::default();
                    assert!(ask.set(spec.input, Some(value)).is_ok(), "{}: {value}", spec.name);
                }
            }
            assert_eq!(up, Some(spec.high), "{}", spec.name);
            assert!(down == spec.default.map(|_| spec.low) || spec.low == 0.0, "{}", spec.name);
        }
        let context = &INPUTS[GuideInput::Context as usize];
        assert_eq!(guide_step(context, Some(4096.0), true, 1), Some(8192.0));
        assert_eq!(guide_step(context, Some(4096.0), false, 3), Some(512.0));
    }
}
