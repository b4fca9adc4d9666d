//! Slurm's lists of nodes: `queue1-dy-p5-[1-2],gpu[01-03,07]`.

use std::sync::Arc;

use crate::domain::jobs::Attempt;
use crate::domain::text::clean;

/// Names in a list, at most [`Attempt::NODES_AT_MOST`]; empty for `None assigned` and the like. What cannot be read is taken
/// as a name.
pub(super) fn names(list: &str) -> Arc<[Arc<str>]> {
    let mut out: Vec<String> = Vec::new();
    if !list.starts_with("None") && list != "Unknown" {
        for part in parts(list).filter(|part| !part.trim().is_empty()) {
            let room = Attempt::NODES_AT_MOST.saturating_sub(out.len());
            out.extend(expanded(part.trim(), room));
        }
    }
    out.iter().map(|name| Arc::from(&*clean(name))).collect()
}

/// The list at its commas outside of brackets.
fn parts(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    list.split(move |c| {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
}

/// Names of a part, at most `room`: each bracket multiplies them.
fn expanded(part: &str, room: usize) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut rest = part;
    while let Some((before, inner)) = rest.split_once('[') {
        let Some((inside, after)) = inner.split_once(']') else { break };
        let numbers: Vec<String> =
            inside.split(',').flat_map(|range| numbers(range, room)).collect();
        let each = |name: &String| {
            let start = format!("{name}{before}");
            numbers.iter().map(move |number| format!("{start}{number}")).collect::<Vec<_>>()
        };
        names = names.iter().flat_map(each).take(room).collect();
        rest = after;
    }
    for name in &mut names {
        name.push_str(rest);
    }
    names.truncate(room);
    names
}

/// Numbers of a range with their leading zeros, at most `most`.
fn numbers(range: &str, most: usize) -> Vec<String> {
    let whole = || vec![range.to_owned()];
    let Some((from, to)) = range.split_once('-') else { return whole() };
    let (Ok(first), Ok(last)) = (from.parse::<u32>(), to.parse::<u32>()) else { return whole() };
    let width = from.len().min(10);
    (first..=last).take(most).map(|number| format!("{number:0width$}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(list: &str) -> Vec<String> {
        names(list).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn ranges_are_written_out() {
        assert_eq!(all("queue1-dy-p5-[1-2]"), ["queue1-dy-p5-1", "queue1-dy-p5-2"]);
        assert_eq!(all("gpu[01-02,07],login"), ["gpu01", "gpu02", "gpu07", "login"]);
        assert_eq!(all("r[1-2]n[3-4]"), ["r1n3", "r1n4", "r2n3", "r2n4"]);
        assert_eq!(all("None assigned"), [""; 0]);
        assert_eq!(all("broken[1-"), ["broken[1-"]);
    }

    #[test]
    fn no_list_makes_more_names_than_are_kept() {
        for list in ["n[0-4294967295]", "a[1-9999]b[1-9999]c[1-9999]", &"n[0-999],".repeat(900)] {
            assert_eq!(names(list).len(), Attempt::NODES_AT_MOST, "{list:.30}");
        }
    }
}
