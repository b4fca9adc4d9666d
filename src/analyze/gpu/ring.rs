//! The last samples of a GPU, bounded.

use std::sync::Arc;

/// Samples kept: 10 minutes at 15 s.
pub(super) const KEPT: usize = 40;

/// Effective activity of the last samples.
#[derive(Clone, Debug)]
pub(super) struct Ring {
    values: [f32; KEPT],
    next: u8,
    len: u8,
    drawn: Option<Arc<[f32]>>,
}

impl Default for Ring {
    fn default() -> Self {
        Self { values: [f32::NAN; KEPT], next: 0, len: 0, drawn: None }
    }
}

impl Ring {
    /// Adds a sample; `NaN` where nothing is known.
    pub fn push(&mut self, value: f32) {
        self.values[usize::from(self.next) % KEPT] = value;
        self.next = (self.next + 1) % KEPT as u8;
        self.len = (self.len + 1).min(KEPT as u8);
        self.drawn = None;
    }

    /// The samples, oldest first.
    pub fn trail(&mut self) -> Arc<[f32]> {
        if let Some(drawn) = &self.drawn {
            return drawn.clone();
        }
        let (next, len) = (usize::from(self.next), usize::from(self.len));
        let trail: Arc<[f32]> =
            (0..len).map(|i| self.values[(next + KEPT - len + i) % KEPT]).collect();
        self.drawn = Some(trail.clone());
        trail
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_go_first() {
        let mut ring = Ring::default();
        assert!(ring.trail().is_empty());
        for i in 0..KEPT + 3 {
            ring.push(i as f32);
        }
        let trail = ring.trail();
        assert_eq!(trail.len(), KEPT);
        assert_eq!((trail[0], trail[KEPT - 1]), (3.0, (KEPT + 2) as f32));
    }
}
