//! Thrift's compact form, as far as it takes to see what a Parquet file is going to ask memory for
//! before the decoder, which takes a file at its word, is let at it. Nothing is allocated here.

/// How deep structures may lie in each other; Parquet's own have six levels.
const DEPTH: u32 = 16;

/// Why bytes are not the expected structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    /// The bytes end within the structure.
    Ends,
    /// The bytes are malformed, or fields are repeated or out of order.
    Odd,
    /// A list has more elements than the limit.
    Long,
}

/// The types of fields that are looked into.
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// Reader of Thrift's compact protocol.
pub(super) struct Thrift<'a> {
    rest: &'a [u8],
    /// Elements that its lists may have yet.
    elements: usize,
}

impl<'a> Thrift<'a> {
    /// Reads `bytes`, whose lists may have `elements` elements in total.
    pub fn new(bytes: &'a [u8], elements: usize) -> Self {
        Self { rest: bytes, elements }
    }

    /// Bytes that are not read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    fn byte(&mut self) -> Result<u8, Wrong> {
        let (first, rest) = self.rest.split_first().ok_or(Wrong::Ends)?;
        self.rest = rest;
        Ok(*first)
    }

    fn pass(&mut self, bytes: u64) -> Result<(), Wrong> {
        let bytes = usize::try_from(bytes).map_err(|_| Wrong::Ends)?;
        self.rest = self.rest.get(bytes..).ok_or(Wrong::Ends)?;
        Ok(())
    }

    fn number(&mut self) -> Result<u64, Wrong> {
        let mut number = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        // The tenth byte has the one bit that is left.
        match self.byte()? {
            last @ 0..=1 => Ok(number | u64::from(last) << 63),
            _ => Err(Wrong::Odd),
        }
    }

    /// A 32-bit number. Err when the bytes end or it is out of range.
    pub fn int(&mut self) -> Result<i32, Wrong> {
        let number = self.number()?;
        let signed = (number >> 1) as i64 ^ -((number & 1) as i64);
        i32::try_from(signed).map_err(|_| Wrong::Odd)
    }

    /// Reads the fields of a structure up to its end: `each` gets number and type of a field and returns whether it has
    /// read it; others are skipped. Err for malformed bytes or too deep nesting.
    pub fn fields(
        &mut self,
        depth: u32,
        each: &mut dyn FnMut(&mut Self, i64, u8) -> Result<bool, Wrong>,
    ) -> Result<(), Wrong> {
        if depth > DEPTH {
            return Err(Wrong::Odd);
        }
        let mut last = 0;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Ok(());
            }
            let id = match i64::from(head >> 4) {
                0 => i64::from(self.int()?),
                step => last + step,
            };
            if id <= last {
                return Err(Wrong::Odd);
            }
            last = id;
            if !each(self, id, head & 0x0f)? {
                self.skip(head & 0x0f, depth, false)?;
            }
        }
    }

    /// Element type and length of a list. Err for malformed bytes or too many elements.
    pub fn list(&mut self) -> Result<(u8, u64), Wrong> {
        let head = self.byte()?;
        let length = match u64::from(head >> 4) {
            15 => self.number()?,
            short => short,
        };
        let left = (self.elements as u64).checked_sub(length).ok_or(Wrong::Long)?;
        // No more than there were.
        self.elements = left as usize;
        Ok((head & 0x0f, length))
    }

    /// Skips the elements of a list. Err for malformed bytes.
    pub fn pass_list(&mut self, kind: u8, length: u64, depth: u32) -> Result<(), Wrong> {
        (0..length).try_for_each(|_| self.skip(kind, depth, true))
    }

    /// Passes over a value. Truths have no bytes of their own, but in lists.
    fn skip(&mut self, kind: u8, depth: u32, listed: bool) -> Result<(), Wrong> {
        match kind {
            1 | 2 => self.pass(u64::from(listed)),
            3 => self.pass(1),
            4..=6 => self.number().map(drop),
            7 => self.pass(8),
            8 => {
                let length = self.number()?;
                self.pass(length)
            }
            LIST | 10 => {
                let (kind, length) = self.list()?;
                if depth >= DEPTH {
                    return Err(Wrong::Odd);
                }
                self.pass_list(kind, length, depth + 1)
            }
            STRUCT => self.fields(depth + 1, &mut |_, _, _| Ok(false)),
            // Parquet has no maps.
            _ => Err(Wrong::Odd),
        }
    }
}

/// True for the type of a list field.
pub(super) fn is_list(kind: u8) -> bool {
    kind == LIST
}

/// True for the type of a structure field.
pub(super) fn is_struct(kind: u8) -> bool {
    kind == STRUCT
}
