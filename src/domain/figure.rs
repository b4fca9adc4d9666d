//! A number that can be told apart and shared.

use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

/// A number that is equal to another when it has the same bits, so that what has it can be a key.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Figure(pub f64);

impl PartialEq for Figure {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for Figure {}

impl Hash for Figure {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}
