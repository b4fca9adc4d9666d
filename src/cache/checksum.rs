//! Checksums: SQLite notices neither damage inside a value nor a row that is gone.

/// Checksum over the bytes in words of eight, and their length: SQLite does not notice damage inside a blob. Every step
/// is reversible, so that a change of a single word always changes the sum. No protection against malice; the file is
/// private to the user.
pub(super) fn checksum(bytes: &[u8]) -> i64 {
    // The constants are those of FNV-1a; the rotation carries the upper bits down.
    let step =
        |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29);
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let words = words.iter().chain((!rest.is_empty()).then_some(&last));
    let words = words.map(|word| u64::from_le_bytes(*word));
    words.chain([bytes.len() as u64]).fold(0xcbf2_9ce4_8422_2325, step) as i64
}

/// Checksum over the columns of a row. Each column is added with its type and length, so that bytes cannot move from
/// one column to the next unnoticed.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowSum(u64);

impl RowSum {
    /// Starts without any column.
    pub const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    const fn word(self, word: u64) -> Self {
        Self((self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29))
    }

    /// Adds an integer column.
    #[must_use]
    pub const fn int(self, value: i64) -> Self {
        self.word(1).word(value as u64)
    }

    /// Adds a text column.
    #[must_use]
    pub fn text(self, value: &str) -> Self {
        self.word(2).word(checksum(value.as_bytes()) as u64)
    }

    /// Adds a blob column.
    #[must_use]
    pub fn blob(self, value: &[u8]) -> Self {
        self.word(3).word(checksum(value) as u64)
    }

    /// Checksum over the added columns.
    pub const fn finish(self) -> i64 {
        self.0 as i64
    }
}

#[cfg(test)]
mod tests {
    use super::checksum;

    #[test]
    fn every_flipped_bit_and_every_lost_byte_shows() {
        let mut bytes: Vec<u8> = (0..100).collect();
        let whole = checksum(&bytes);
        for bit in 0..800 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(checksum(&bytes), whole, "bit {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        assert_eq!(checksum(&bytes), whole);
        while bytes.pop().is_some() {
            assert_ne!(checksum(&bytes), whole, "{} bytes", bytes.len());
        }
        assert_ne!(checksum(&[0; 8]), checksum(&[0; 9]));
    }
}
