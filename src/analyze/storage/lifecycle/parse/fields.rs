//! Values of fields: days, sizes, texts, truth, in the ways people write them.

use super::document::{Node, plain};
use super::{ParseError, shape};

/// Days: 30, "30", "30d", "30 days", "4w", "P30D", `Duration.days(30)`.
pub(super) fn days(node: &Node, path: &str) -> Result<i64, ParseError> {
    let wrong = |what: String| {
        Err(shape(path, format!("{what}; write whole days, as a number or like \"30d\"")))
    };
    match node {
        Node::Int(days) => Ok(*days),
        Node::Number(n) if n.fract() == 0.0 && n.abs() < 9e15 => Ok(*n as i64),
        Node::Number(n) => wrong(format!("{n} is no number of days")),
        Node::Text(text) => match days_of_text(text) {
            Some(days) => Ok(days),
            None => wrong(format!("\"{text}\" is no number of days")),
        },
        other => wrong(format!("{} is no number of days", other.kind())),
    }
}

fn days_of_text(text: &str) -> Option<i64> {
    let low = text.trim().to_ascii_lowercase();
    if let Some((_, inner)) = low.split_once("duration.days(") {
        return inner.strip_suffix(')')?.trim().parse().ok();
    }
    if let Some(iso) = low.strip_prefix('p').and_then(|r| r.strip_suffix('d')) {
        return iso.parse().ok();
    }
    let end = low.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(low.len());
    let (number, unit) = low.split_at(end);
    let factor = match unit.trim() {
        "" | "d" | "day" | "days" => 1,
        "w" | "week" | "weeks" => 7,
        // A month or a year is no number of days.
        _ => return None,
    };
    number.parse::<i64>().ok()?.checked_mul(factor)
}

/// A whole number: 3, "3".
pub(super) fn whole(node: &Node, path: &str) -> Result<i64, ParseError> {
    let parsed = match node {
        Node::Int(n) => Some(*n),
        Node::Number(n) if n.fract() == 0.0 && n.abs() < 9e15 => Some(*n as i64),
        Node::Text(text) => text.trim().parse().ok(),
        _ => None,
    };
    parsed.ok_or_else(|| shape(path, "write a whole number"))
}

/// Bytes: 131072, "131072", "128KB" (1,024 each, as S3 counts its 128 KB). True with a unit.
pub(super) fn bytes(node: &Node, path: &str) -> Result<(i64, bool), ParseError> {
    if let Ok(n) = whole(node, path) {
        return Ok((n, false));
    }
    let parsed = match node {
        Node::Text(text) => size_of_text(text),
        _ => None,
    };
    let wrong = || shape(path, "write bytes as a whole number, or like \"128KB\"");
    parsed.map(|n| (n, true)).ok_or_else(wrong)
}

fn size_of_text(text: &str) -> Option<i64> {
    let low = text.trim().to_ascii_lowercase();
    let end = low.find(|c: char| !c.is_ascii_digit()).unwrap_or(low.len());
    let (number, unit) = low.split_at(end);
    let shift = match unit.trim() {
        "" | "b" | "bytes" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return None,
    };
    number.parse::<i64>().ok()?.checked_mul(1 << shift)
}

/// A text as it stands; numbers and truth are taken for the text they look like.
pub(super) fn text(node: &Node, path: &str) -> Result<String, ParseError> {
    Ok(match node {
        Node::Text(text) => text.clone(),
        Node::Int(n) => n.to_string(),
        Node::Bool(b) => b.to_string(),
        other => return Err(shape(path, format!("{} where a text belongs", other.kind()))),
    })
}

/// True or false.
pub(super) fn truth(node: &Node, path: &str) -> Result<bool, ParseError> {
    let word = match node {
        Node::Bool(b) => return Ok(*b),
        Node::Text(text) => plain(text),
        _ => String::new(),
    };
    match word.as_str() {
        "true" | "yes" | "on" | "enabled" => Ok(true),
        "false" | "no" | "off" | "disabled" => Ok(false),
        _ => Err(shape(path, "write true or false")),
    }
}

/// A class as it is written; a constant of an SDK or of CDK (`StorageClass.GLACIER`) without what
/// stands in front.
pub(super) fn class(node: &Node, path: &str) -> Result<String, ParseError> {
    let text = text(node, path)?;
    let trimmed = text.trim();
    let last = match trimmed.rsplit_once("StorageClass.") {
        Some((_, last)) => last,
        None => trimmed,
    };
    // CDK's names for the API's classes.
    Ok(match (last.len() == trimmed.len(), last) {
        (false, "INFREQUENT_ACCESS") => "STANDARD_IA".to_owned(),
        (false, "ONE_ZONE_INFREQUENT_ACCESS") => "ONEZONE_IA".to_owned(),
        (false, "GLACIER_INSTANT_RETRIEVAL") => "GLACIER_IR".to_owned(),
        (true, _) => text,
        (false, _) => last.to_owned(),
    })
}
