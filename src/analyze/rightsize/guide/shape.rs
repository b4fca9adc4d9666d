//! Layers and widths of a model of a size, where nobody gives them.

use super::ask::{GuideAsk, GuideInput};

/// What memory and speed depend on besides the number of parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Layers.
    pub layers: f64,
    /// Width of a layer.
    pub hidden: f64,
    /// KV cache of a token at 16 bits, bytes.
    pub kv_bytes: f64,
    /// Words of the vocabulary.
    pub vocabulary: f64,
}

/// Parameters (billions), layers, width, KV heads × head size: Llama 3.2 1B and 3B, Llama 3.1 8B, 70B
/// and 405B, Qwen 2.5 14B and 32B, from their `config.json`.
const MODELS: [(f64, f64, f64, f64); 7] = [
    (1.24, 16.0, 2048.0, 512.0),
    (3.21, 28.0, 3072.0, 1024.0),
    (8.03, 32.0, 4096.0, 1024.0),
    (14.8, 48.0, 5120.0, 1024.0),
    (32.8, 64.0, 5120.0, 1024.0),
    (70.6, 80.0, 8192.0, 1024.0),
    (405.9, 126.0, 16_384.0, 1024.0),
];

/// Llama 3's.
const VOCABULARY: f64 = 128_256.0;

/// The shape of a model with so many parameters: between two known ones by the logarithm of their
/// size, beyond them by its cube root. What is given goes before it.
pub fn shape(ask: &GuideAsk) -> Shape {
    let size = ask.number(GuideInput::Parameters);
    let (layers, hidden, kv_width) = between(size);
    let kv = ask.given(GuideInput::KvPerToken).map(|kib| kib * 1024.0);
    Shape {
        layers,
        hidden,
        // Keys and values, 2 bytes each.
        kv_bytes: kv.unwrap_or(2.0 * layers * kv_width * 2.0),
        vocabulary: VOCABULARY,
    }
}

fn between(size: f64) -> (f64, f64, f64) {
    let first = MODELS[0];
    let last = MODELS[MODELS.len() - 1];
    let scaled = |of: (f64, f64, f64, f64)| {
        let times = (size / of.0).cbrt();
        ((of.1 * times).max(1.0), of.2 * times, of.3)
    };
    if size <= first.0 {
        return scaled(first);
    }
    for pair in MODELS.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        if size <= b.0 {
            let t = (size / a.0).ln() / (b.0 / a.0).ln();
            let mix = |x: f64, y: f64| x + (y - x) * t;
            return (mix(a.1, b.1), mix(a.2, b.2), mix(a.3, b.3));
        }
    }
    scaled(last)
}
