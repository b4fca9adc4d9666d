//! The metric in the name of a step: `val_loss=2.31`.

/// Direction in which a metric is better, guessed from its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Better {
    /// Lower is better: losses, errors, perplexity.
    Lower,
    /// Higher is better: accuracies, scores.
    Higher,
    /// The name does not tell.
    Unknown,
}

/// The first `name=value` in a name that is neither a count nor a step; `None` without one.
pub fn find(name: &[u8]) -> Option<(&[u8], f64)> {
    const COUNTS: [&[u8]; 6] =
        [b"step", b"epoch", b"global_step", b"consumed_samples", b"samples", b"tokens"];
    for equals in memchr::memchr_iter(b'=', name) {
        let start = name[..equals].iter().rposition(|b| *b == b'-').map_or(0, |dash| dash + 1);
        let word = &name[start..equals];
        if word.is_empty() || word.len() > 64 || COUNTS.contains(&word) {
            continue;
        }
        if let Some(value) = value(&name[equals + 1..]) {
            return Some((word, value));
        }
    }
    None
}

/// The number at the beginning: sign, digits, a point, an exponent.
fn value(text: &[u8]) -> Option<f64> {
    let digits = |from: usize| text[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut end = usize::from(text.first() == Some(&b'-'));
    let whole = digits(end);
    if whole == 0 {
        return None;
    }
    end += whole;
    if text.get(end) == Some(&b'.') {
        let fraction = digits(end + 1);
        // `2.ckpt`: the point is that of the extension.
        end += if fraction > 0 { fraction + 1 } else { 0 };
    }
    if text.get(end) == Some(&b'e') {
        let sign = usize::from(matches!(text.get(end + 1), Some(b'-' | b'+')));
        let exponent = if end + 1 + sign <= text.len() { digits(end + 1 + sign) } else { 0 };
        end += if exponent > 0 { 1 + sign + exponent } else { 0 };
    }
    let parsed: f64 = std::str::from_utf8(&text[..end]).ok()?.parse().ok()?;
    parsed.is_finite().then_some(parsed)
}

/// Direction in which a metric of this name is better.
pub fn better(name: &str) -> Better {
    const LOWER: [&str; 12] = [
        "loss",
        "ppl",
        "perplexity",
        "error",
        "err",
        "wer",
        "cer",
        "mse",
        "mae",
        "rmse",
        "nll",
        "fid",
    ];
    const HIGHER: [&str; 16] = [
        "acc",
        "accuracy",
        "f1",
        "auc",
        "auroc",
        "bleu",
        "rouge",
        "reward",
        "score",
        "map",
        "iou",
        "dice",
        "psnr",
        "ssim",
        "recall",
        "precision",
    ];
    let lower = name.to_ascii_lowercase();
    let mut words = lower.split(['_', '/', '.', ' ']);
    let is = |list: &[&str], word: &str| list.contains(&word);
    words
        .find_map(|w| match () {
            () if is(&LOWER, w) => Some(Better::Lower),
            () if is(&HIGHER, w) => Some(Better::Higher),
            () => None,
        })
        .unwrap_or(Better::Unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_metric_of_a_name() {
        for (name, wanted) in [
            ("gpt--val_loss=2.31-step=40-consumed_samples=5.0.ckpt", Some(("val_loss", 2.31))),
            ("epoch=3-val_acc=0.5-step=4.ckpt", Some(("val_acc", 0.5))),
            ("epoch=3-step=4-loss=2.ckpt", Some(("loss", 2.0))),
            ("loss=-1.5e-05-step=4.ckpt", Some(("loss", -1.5e-5))),
            ("loss=2e-step=4.ckpt", Some(("loss", 2.0))),
            ("epoch=3-step=4000.ckpt", None),
            ("loss=nan-step=4.ckpt", None),
            ("=5", None),
        ] {
            let got = find(name.as_bytes()).map(|(n, v)| (std::str::from_utf8(n).unwrap(), v));
            assert_eq!(got, wanted, "{name}");
        }
    }

    #[test]
    fn directions() {
        assert_eq!(better("val_loss"), Better::Lower);
        assert_eq!(better("val_Accuracy"), Better::Higher);
        assert_eq!(better("glossary"), Better::Unknown);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read(name in proptest::collection::vec(
            proptest::sample::select(&b"l=-.e0159+"[..]), 0..24)) {
            if let Some((_, value)) = find(&name) {
                assert!(value.is_finite());
            }
        }
    }
}
