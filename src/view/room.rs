//! How text and tables find room: the width of text, wrapped lines, cut names, the columns that fit.

use unicode_segmentation::UnicodeSegmentation;

use super::Symbols;

/// Blanks before the second line of a wrapped one.
const HANG: usize = 2;

/// Width of `text` in terminal columns.
pub fn columns(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

/// Wraps `text` at blanks into lines of at most `width` columns; longer words are broken.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split_whitespace() {
        let long = columns(word);
        if used > 0 && used + 1 + long > width {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        for cluster in word.graphemes(true) {
            let wide = columns(cluster);
            if used + wide > width && used > 0 {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            line.push_str(cluster);
            used += wide;
        }
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// Lines wider than `width` wrapped at blanks; what goes on is set in by two blanks more.
pub fn wrapped(text: String, width: Option<u16>) -> String {
    let Some(width) = width.map(usize::from) else { return text };
    if text.lines().all(|line| columns(line) <= width) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    for line in text.lines() {
        if columns(line) <= width {
            out.extend([line, "\n"]);
            continue;
        }
        let words = line.trim_start();
        let indent = (line.len() - words.len()).min(width / 2);
        for (i, part) in wrap(words, width.saturating_sub(indent + HANG)).iter().enumerate() {
            let indent = if i == 0 { indent } else { indent + HANG };
            out.extend([&*" ".repeat(indent), part.as_str(), "\n"]);
        }
    }
    out
}

/// `text` truncated to `width` columns, with a sign where it was.
pub fn cut(text: &str, width: usize, symbols: Symbols) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    for c in text.chars() {
        let next = unicode_width::UnicodeWidthChar::width(c).unwrap_or(0);
        if columns(&out) + next + 1 > width {
            break;
        }
        out.push(c);
    }
    out.push_str(symbols.ellipsis());
    out
}

/// How narrow and how wide a column may be, in terminal columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Narrowest useful width.
    pub least: usize,
    /// Width beyond which it gains nothing.
    pub most: usize,
}

/// Index and width of each column that fits into `room` with `gap` blanks between two of them.
///
/// Where not all fit, those of `dropped_first` are left out, in that order, then those on the right. One always
/// stays, in the room there is. Room that is left over goes to the columns that can use it, one blank each in turn,
/// so that none starves.
pub fn fit(
    extents: &[Extent],
    dropped_first: impl IntoIterator<Item = usize>,
    gap: usize,
    room: usize,
) -> Vec<(usize, usize)> {
    let mut kept: Vec<usize> = (0..extents.len()).collect();
    let needed = |kept: &[usize]| -> usize {
        let gaps = kept.len().saturating_sub(1) * gap;
        kept.iter().map(|i| extents[*i].least).sum::<usize>() + gaps
    };
    let mut dropped_first = dropped_first.into_iter();
    while kept.len() > 1 && needed(&kept) > room {
        let listed = dropped_first.by_ref().find_map(|d| kept.iter().position(|k| *k == d));
        kept.remove(listed.unwrap_or(kept.len() - 1));
    }
    let mut spare = room.saturating_sub(needed(&kept));
    let mut fitted: Vec<(usize, usize)> =
        kept.into_iter().map(|i| (i, extents[i].least.min(room))).collect();
    loop {
        let before = spare;
        for (i, width) in &mut fitted {
            if spare > 0 && *width < extents[*i].most {
                *width += 1;
                spare -= 1;
            }
        }
        if spare == before {
            return fitted;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_wraps_at_blanks_and_cuts_what_is_too_long() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("unbreakable", 4), ["unbr", "eaka", "ble"]);
        assert_eq!(wrap("", 4), [""]);
        assert_eq!(wrap("数数 数", 4), ["数数", "数"]);
    }

    proptest::proptest! {
        #[test]
        fn wrapped_lines_fit(text in ".{0,80}", width in 2usize..40) {
            // Everything that is shown was cleaned where it came in.
            for line in wrap(&crate::domain::text::clean(&text), width) {
                proptest::prop_assert!(columns(&line) <= width, "{line:?}");
            }
        }
    }

    #[test]
    fn the_least_important_columns_go_first_and_the_rest_share_what_is_left() {
        let extent = |least, most| Extent { least, most };
        let all = [extent(4, 4), extent(6, 20), extent(3, 3), extent(5, 9)];
        // 4 + 6 + 3 + 5 and three gaps of two.
        assert_eq!(fit(&all, [2], 2, 24), [(0, 4), (1, 6), (2, 3), (3, 5)]);
        // Two blanks more: one for each column that grows.
        assert_eq!(fit(&all, [2], 2, 26), [(0, 4), (1, 7), (2, 3), (3, 6)]);
        assert_eq!(fit(&all, [2], 2, 23), [(0, 4), (1, 8), (3, 7)]);
        // Nothing is listed any more: from the right.
        assert_eq!(fit(&all, [2], 2, 12), [(0, 4), (1, 6)]);
        assert_eq!(fit(&all, [2, 0, 1], 2, 3), [(3, 3)]);
        assert_eq!(fit(&[], [], 2, 9), []);
        // With room for everything no column is wider than it can use.
        assert_eq!(fit(&all, [], 2, 90), [(0, 4), (1, 20), (2, 3), (3, 9)]);
    }

    #[test]
    fn long_lines_go_on_set_in() {
        let text = "short\n  one two three four\n".to_owned();
        assert_eq!(wrapped(text.clone(), None), text);
        assert_eq!(wrapped(text, Some(12)), "short\n  one two\n    three\n    four\n");
    }
}
