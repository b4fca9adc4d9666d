//! XML as a document: elements are keys, repeated elements lists, what holds no elements text.
//! Document types are refused, so that there are no entities to expand.

use quick_xml::Reader;
use quick_xml::events::{BytesRef, Event};

use super::document::Node;
use super::{DEEPEST, MOST_NODES, ParseError, Syntax};
use crate::domain::text::clean;

/// An element that is not closed yet.
struct Open {
    name: String,
    text: String,
    children: Vec<(String, Node)>,
}

pub(super) fn read(text: &str) -> Result<Node, ParseError> {
    let mut reader = Reader::from_str(text);
    let mut open: Vec<Open> = Vec::new();
    let mut root: Option<(String, Node)> = None;
    let mut nodes = 0;
    loop {
        let at = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
        let fail = |message: &str| failure(text, at, message);
        let event = reader.read_event().map_err(|e| {
            let at = usize::try_from(reader.error_position()).unwrap_or(usize::MAX);
            failure(text, at, &e.to_string())
        })?;
        let closed = match event {
            Event::Start(start) => {
                nodes += 1;
                if open.len() >= DEEPEST || nodes > MOST_NODES {
                    return Err(fail("more elements in each other than a policy has"));
                }
                let name = start.local_name().as_ref().to_owned();
                open.push(Open { name, text: String::new(), children: Vec::new() });
                None
            }
            Event::Empty(start) => {
                nodes += 1;
                if nodes > MOST_NODES {
                    return Err(fail("more elements than a policy has"));
                }
                Some((start.local_name().as_ref().to_owned(), Node::Text(String::new())))
            }
            Event::End(_) => open.pop().map(|o| {
                let is_leaf = o.children.is_empty();
                (o.name, if is_leaf { Node::Text(o.text) } else { Node::Map(o.children) })
            }),
            Event::Text(piece) => {
                if let Some(top) = open.last_mut() {
                    top.text.push_str(&piece.xml10_content());
                }
                None
            }
            Event::CData(piece) => {
                if let Some(top) = open.last_mut() {
                    top.text.push_str(&piece.xml10_content());
                }
                None
            }
            Event::GeneralRef(entity) => {
                let c = resolve(&entity).ok_or_else(|| fail("an entity that XML does not know"))?;
                if let Some(top) = open.last_mut() {
                    top.text.push(c);
                }
                None
            }
            Event::DocType(_) => {
                return Err(fail("a document type is not taken: a policy needs none"));
            }
            Event::Decl(_) | Event::PI(_) | Event::Comment(_) => None,
            Event::Eof => break,
        };
        let Some((name, node)) = closed else { continue };
        match open.last_mut() {
            Some(parent) => {
                if !parent.text.trim().is_empty() {
                    return Err(fail("text between elements"));
                }
                add(&mut parent.children, name, node);
            }
            None if root.is_some() => return Err(fail("a second root element")),
            None => root = Some((name, node)),
        }
    }
    if open.is_empty()
        && let Some((name, node)) = root
    {
        return Ok(Node::Map(vec![(name, node)]));
    }
    Err(failure(text, text.len(), "the document ends before its elements do"))
}

/// Repeated elements are a list.
fn add(children: &mut Vec<(String, Node)>, name: String, node: Node) {
    // Rules come by the thousand and lie side by side: the last is looked at first.
    let same = children.iter_mut().rev().find(|(other, _)| *other == name);
    match same {
        Some((_, Node::List(all))) => all.push(node),
        Some((_, one)) => {
            let first = std::mem::replace(one, Node::Null);
            *one = Node::List(vec![first, node]);
        }
        None => children.push((name, node)),
    }
}

fn resolve(entity: &BytesRef<'_>) -> Option<char> {
    if let Ok(Some(c)) = entity.resolve_char_ref() {
        return Some(c);
    }
    Some(match &*entity.xml10_content() {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => return None,
    })
}

fn failure(text: &str, at: usize, message: &str) -> ParseError {
    let before = &text.as_bytes()[..at.min(text.len())];
    let line = memchr::memchr_iter(b'\n', before).count() as u64 + 1;
    let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
    let column = String::from_utf8_lossy(&before[start..]).chars().count() as u64 + 1;
    let message = clean(message).into_owned();
    ParseError::Syntax { syntax: Syntax::Xml, line, column, message }
}
