//! For tests: reads what the writer writes, and nothing looser.

/// An element: its tag, its attributes as they stand between their quotes, and the text directly behind its start.
#[derive(Debug, PartialEq)]
pub(crate) struct Element {
    pub tag: String,
    pub attributes: Vec<(String, String)>,
    pub text: String,
}

impl Element {
    /// The value of an attribute.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(n, _)| n == name).map(|(_, value)| &**value)
    }
}

/// All elements in their order. Err where a tag is not closed, closes another, or is none.
pub(crate) fn read(text: &str) -> Result<Vec<Element>, String> {
    let mut rest = text.strip_prefix("<!DOCTYPE html>\n").ok_or("no doctype")?;
    let (mut all, mut open): (Vec<Element>, Vec<String>) = (Vec::new(), Vec::new());
    let mut has_root = false;
    while let Some(at) = rest.find('<') {
        let (before, from) = rest.split_at(at);
        if before.contains('>') {
            return Err(format!("a bare > in {before:?}"));
        }
        if open.is_empty() && (!before.trim().is_empty() || has_root) {
            return Err(format!("{before:?} outside of the root"));
        }
        let end = from.find('>').ok_or("a tag without an end")?;
        let (tag, behind) = (&from[1..end], &from[end + 1..]);
        rest = behind;
        if let Some(name) = tag.strip_prefix('/') {
            let last = open.pop();
            if last.as_deref() != Some(name) {
                return Err(format!("</{name}> ends {last:?}"));
            }
            has_root |= open.is_empty();
            continue;
        }
        let (tag, is_empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, mut words) = tag.split_once(' ').unwrap_or((tag, ""));
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric()) {
            return Err(format!("<{tag}> is no tag"));
        }
        let mut attributes = Vec::new();
        while !words.is_empty() {
            let (key, value) = words.split_once("=\"").ok_or_else(|| format!("<{tag}>"))?;
            let (value, more) = value.split_once('"').ok_or_else(|| format!("<{tag}>"))?;
            if !key.chars().all(|c| c.is_ascii_alphabetic() || c == '-') {
                return Err(format!("{key:?} is no attribute"));
            }
            attributes.push((key.to_owned(), value.to_owned()));
            words = more.trim_start_matches(' ');
        }
        if !is_empty {
            open.push(name.to_owned());
        }
        let text = behind.split('<').next().unwrap_or_default().to_owned();
        all.push(Element { tag: name.to_owned(), attributes, text });
    }
    if open.is_empty() && rest.trim().is_empty() {
        Ok(all)
    } else {
        Err(format!("left open: {open:?}"))
    }
}

/// What of a page asks for something outside of it; empty where nothing does.
pub(crate) fn references(text: &str) -> Vec<&'static str> {
    let asks =
        ["http", "<script", "src=", "url(", "@import", "<link", "<iframe", "<object", "<img"];
    asks.into_iter().filter(|word| text.to_ascii_lowercase().contains(word)).collect()
}

#[test]
fn what_is_not_well_formed_is_found() {
    let page = |body: &str| read(&format!("<!DOCTYPE html>\n<html>{body}</html>\n"));
    assert!(page("<p class=\"a\">x</p><br/>").is_ok());
    for body in ["<p>", "</p>", "<p></b>", "a > b", "<p a=b></p>", "<p \"></p>", "<>"] {
        assert!(page(body).is_err(), "{body}");
    }
    assert!(read("<html></html>").is_err());
    assert_eq!(references("<a HREF=\"HTTPS:x\"><script>"), ["http", "<script"]);
}
