//! JSON objects of a document, one after the other: those in its array, without the document ever being whole in memory.

use std::io::{BufRead, ErrorKind};

use super::LINE_AT_MOST;

/// Why no further object is read.
#[derive(Debug)]
pub(super) enum ObjectsError {
    /// The file cannot be read on, or ends in the middle; after this line, from 1.
    Cut(u64, Option<std::io::Error>),
    /// The object that begins in this line is too long.
    Long(u64),
}

/// Calls `take` with each object in the arrays of a document, `{"Records": […]}` or `[…]`, and the line in which it begins.
pub(super) fn objects(
    mut from: impl BufRead,
    mut take: impl FnMut(u64, &[u8]),
) -> Result<(), ObjectsError> {
    let mut scan = Scan { line: 1, ..Scan::default() };
    loop {
        let block = match from.fill_buf() {
            Ok(block) => block,
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            Err(e) => return Err(ObjectsError::Cut(scan.line, Some(e))),
        };
        if block.is_empty() {
            let is_whole = scan.depth == 0 && !scan.in_text;
            return if is_whole { Ok(()) } else { Err(ObjectsError::Cut(scan.line, None)) };
        }
        let read = block.len();
        scan.block(block, &mut take)?;
        from.consume(read);
    }
}

/// Where in a document we are.
#[derive(Default)]
struct Scan {
    line: u64,
    /// Braces and brackets that are open.
    depth: usize,
    /// Whether the innermost but one of them, up to the first two, is a bracket: objects are in it.
    in_array: [bool; 3],
    in_text: bool,
    is_escaped: bool,
    /// The object that is open: depth and line at which it begins, and its bytes before this block.
    open: Option<(usize, u64)>,
    bytes: Vec<u8>,
}

impl Scan {
    fn block(
        &mut self,
        block: &[u8],
        take: &mut impl FnMut(u64, &[u8]),
    ) -> Result<(), ObjectsError> {
        // Where in the block the open object goes on.
        let mut begins = 0;
        for (at, byte) in block.iter().enumerate() {
            if *byte == b'\n' {
                self.line += 1;
            }
            if self.in_text {
                match byte {
                    _ if self.is_escaped => self.is_escaped = false,
                    b'\\' => self.is_escaped = true,
                    b'"' => self.in_text = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => self.in_text = true,
                b'{' | b'[' => {
                    let is_in_array = self.depth > 0
                        && self.in_array.get(self.depth - 1).copied().unwrap_or_default();
                    if *byte == b'{' && self.open.is_none() && is_in_array {
                        self.open = Some((self.depth, self.line));
                        self.bytes.clear();
                        begins = at;
                    }
                    if let Some(is_array) = self.in_array.get_mut(self.depth) {
                        *is_array = *byte == b'[';
                    }
                    self.depth += 1;
                }
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    let Some((_, line)) = self.open.filter(|(depth, _)| *depth == self.depth)
                    else {
                        continue;
                    };
                    self.open = None;
                    if self.bytes.len() + at - begins >= LINE_AT_MOST {
                        return Err(ObjectsError::Long(line));
                    }
                    if self.bytes.is_empty() {
                        take(line, &block[begins..=at]);
                    } else {
                        self.bytes.extend_from_slice(&block[begins..=at]);
                        take(line, &self.bytes);
                    }
                }
                _ => {}
            }
        }
        if let Some((_, line)) = self.open {
            if self.bytes.len() + block.len() - begins > LINE_AT_MOST {
                return Err(ObjectsError::Long(line));
            }
            self.bytes.extend_from_slice(&block[begins..]);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use proptest::prelude::*;

    use super::*;

    fn all(text: &str, buffer: usize) -> (Vec<(u64, String)>, bool) {
        let mut found = Vec::new();
        let ended = objects(BufReader::with_capacity(buffer, text.as_bytes()), |line, bytes| {
            found.push((line, String::from_utf8_lossy(bytes).into_owned()));
        });
        (found, ended.is_ok())
    }

    proptest! {
        #[test]
        fn objects_of_a_document_are_found_whatever_the_buffer(
            texts in prop::collection::vec("[a-z{}\\[\\]\"\\\\]{0,12}", 0..6),
            buffer in 1usize..40,
        ) {
            let objects: Vec<String> =
                texts.iter().map(|text| serde_json::json!({"a": text, "b": [{"c": [text]}]}).to_string()).collect();
            for (before, after) in [("{\"Records\": [", "]}"), ("[", "]"), ("\n{\"x\":1,\n\"Records\":[", "], \"y\": {}}\n")] {
                let text = format!("{before}{}{after}", objects.join(",\n"));
                let (found, is_whole) = all(&text, buffer);
                prop_assert!(is_whole);
                let found: Vec<String> = found.into_iter().map(|(_, text)| text).collect();
                prop_assert_eq!(found, objects.clone());
            }
        }

        #[test]
        fn no_bytes_make_it_fail(text in "[a{}\\[\\]\"\\\\,:\n]{0,60}", buffer in 1usize..40) {
            all(&text, buffer);
        }
    }

    #[test]
    fn what_is_cut_ends_with_an_error_after_what_is_whole() {
        let (found, is_whole) = all("{\"Records\":[\n{\"a\":1},\n{\"a\":", 7);
        assert_eq!(found, [(2, "{\"a\":1}".to_owned())]);
        assert!(!is_whole);
        let long = format!("[{{\"a\":\"{}\"}}]", "x".repeat(LINE_AT_MOST));
        let ended = objects(long.as_bytes(), |_, _| panic!());
        assert!(matches!(ended, Err(ObjectsError::Long(1))));
    }
}
