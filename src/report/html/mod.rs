//! HTML: a writer that closes every tag and escapes every text, a page of tables, charts as inline SVG.

mod chart;
mod page;
#[cfg(test)]
pub(crate) mod reader;

use std::borrow::Cow;

use crate::domain::text::clean_to;

pub(super) use chart::{Bar, Chart};
pub(super) use page::{Page, Section};

/// Writes elements. Names of tags and attributes are the program's own, all else is escaped.
struct Writer {
    out: String,
    open: Vec<&'static str>,
}

impl Writer {
    fn new() -> Self {
        Self { out: "<!DOCTYPE html>\n".to_owned(), open: Vec::new() }
    }

    /// Begins an element.
    fn open(&mut self, tag: &'static str, attributes: &[(&'static str, &str)]) {
        self.begin(tag, attributes);
        self.out.push('>');
        self.open.push(tag);
    }

    /// Ends the element that was begun last.
    fn close(&mut self) {
        if let Some(tag) = self.open.pop() {
            self.out.extend(["</", tag, ">\n"]);
        }
    }

    /// An element with nothing in it.
    fn empty(&mut self, tag: &'static str, attributes: &[(&'static str, &str)]) {
        self.begin(tag, attributes);
        self.out.push_str("/>\n");
    }

    /// An element with a text in it.
    fn leaf(&mut self, tag: &'static str, attributes: &[(&'static str, &str)], text: &str) {
        self.open(tag, attributes);
        self.text(text);
        self.close();
    }

    fn text(&mut self, text: &str) {
        self.out.push_str(&escape(text));
    }

    /// The style sheet, which is the program's own.
    fn style(&mut self, css: &'static str) {
        self.open("style", &[]);
        self.out.push_str(css);
        self.close();
    }

    /// The document, with all that is open closed.
    fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.out
    }

    fn begin(&mut self, tag: &str, attributes: &[(&'static str, &str)]) {
        self.out.extend(["<", tag]);
        for (name, value) in attributes {
            self.out.extend([" ", *name, "=\"", &*escape(value), "\""]);
        }
    }
}

/// Text that is no markup, no end of an attribute, and no address that a mail reader would make a link of; what steers a
/// terminal or turns a line around is replaced.
fn escape(text: &str) -> Cow<'_, str> {
    let text = clean_to(text, usize::MAX);
    if !text.contains(['&', '<', '>', '"', '\'']) && !text.contains("://") {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 16);
    for (at, c) in text.char_indices() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            ':' if text[at..].starts_with("://") => out.push_str("&#58;"),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_becomes_markup_or_leaves_its_attribute() {
        for (text, shown) in [
            ("plain", "plain"),
            ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
            ("\" onload='x'", "&quot; onload=&#39;x&#39;"),
            ("a & b &lt;", "a &amp; b &amp;lt;"),
            ("see http://evil.example", "see http&#58;//evil.example"),
            ("\u{1b}[31m\u{202e}\n", "\u{FFFD}[31m\u{FFFD}\u{FFFD}"),
        ] {
            assert_eq!(escape(text), shown);
        }
    }

    #[test]
    fn what_is_left_open_is_closed() {
        let mut writer = Writer::new();
        writer.open("html", &[]);
        writer.open("p", &[("title", "a\"b")]);
        writer.text("c<d");
        let text = writer.finish();
        assert_eq!(text, "<!DOCTYPE html>\n<html><p title=\"a&quot;b\">c&lt;d</p>\n</html>\n");
        let read = reader::read(&text).unwrap();
        assert_eq!(read.len(), 2);
    }
}
