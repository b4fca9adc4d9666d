//! Bytes that several lines count, counted once.

use super::meaning::{Channel, Ends, Layer, Meaning, Side};
use super::path::NetworkPath;
use crate::domain::hash::FastMap;

/// Path and ends within which lines count the same bytes.
type Between = (NetworkPath, Ends);

/// Billed bytes by side and layer: sender, receiver, not said.
type Billed = [[f64; 3]; 2];

/// Bytes as billed, of all lines; then which part of each counts.
#[derive(Default)]
pub(super) struct Sides(FastMap<Between, Billed>);

/// Place of a side and of a layer in [`Billed`].
const fn place(side: Side, layer: Layer) -> (usize, usize) {
    let side = match side {
        Side::Out => 0,
        Side::In => 1,
        Side::Either => 2,
    };
    (layer as usize, side)
}

impl Sides {
    /// Takes note of the bytes of a line.
    pub(super) fn add(&mut self, meaning: &Meaning, ends: &Ends, bytes: f64) {
        if let Channel::Side(side, layer) = meaning.channel {
            let (layer, side) = place(side, layer);
            let billed = self.0.entry((meaning.path, ends.clone())).or_default();
            billed[layer][side] += bytes.max(0.0);
        }
    }

    /// Share of a line's bytes that counts, 0–1.
    ///
    /// Between zones sender and receiver pay alike: each has its share of the larger of the two sums, and of lines that do
    /// not say the side one half. Between regions the sender pays: the receiver's bytes count as far as they exceed the
    /// sender's. Of a twin what exceeds the priced lines counts.
    pub(super) fn share(&self, meaning: &Meaning, ends: &Ends) -> f64 {
        let Channel::Side(side, layer) = meaning.channel else { return 1.0 };
        let Some(billed) = self.0.get(&(meaning.path, ends.clone())) else { return 1.0 };
        let of = |[sent, received, either]: [f64; 3]| match meaning.path {
            NetworkPath::InterAz => {
                let both = part(sent.max(received), sent + received);
                ([both, both, 0.5], sent.max(received) + either / 2.0)
            }
            _ => {
                let sent = sent + either;
                ([1.0, part(received - sent, received), 1.0], sent.max(received))
            }
        };
        let [priced, twin] = *billed;
        let (layer, side) = place(side, layer);
        let (shares, once) = of(priced);
        if layer == 0 {
            return shares[side];
        }
        let (shares, twins_once) = of(twin);
        shares[side] * part(twins_once - once, twins_once)
    }
}

/// Share of a part of a whole, 0–1; 0 of nothing.
fn part(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (part / whole).clamp(0.0, 1.0) } else { 0.0 }
}
