//! Emphasis: words of the title and of the opening can count more than once.

use crate::text::Text;

/// Where words count more than once, in code points of the original.
pub(crate) struct Emphasis {
    title_end: u32,
    opening_end: u32,
    title: u32,
    opening: u32,
}

impl Emphasis {
    /// A word of the title counts as `title`, one of the first sentence below it as `opening`.
    pub fn of(text: Text<'_>, title: u32, opening: u32) -> Self {
        let (mut title_end, mut opening_end) = (0, 0);
        if (title, opening) != (1, 1) {
            (title_end, opening_end) = match text {
                Text::Utf8(text) => heads(text.chars().map(u32::from)),
                Text::CodePoints(text) => heads(text.iter().copied()),
            };
        }
        Self { title_end, opening_end, title, opening }
    }

    /// As how many a word that begins there counts.
    pub fn at(&self, place: u32) -> u32 {
        match place {
            _ if place < self.title_end => self.title,
            _ if place < self.opening_end => self.opening,
            _ => 1,
        }
    }
}

/// Where the first line ends, 0 when there is no other, and where the first sentence after it ends.
fn heads(code_points: impl Iterator<Item = u32>) -> (u32, u32) {
    let (mut title_end, mut sentence_end, mut opening_end) = (0, 0, 0);
    let mut blank = true;
    for (place, code_point) in (0..).zip(code_points) {
        let character = char::from_u32(code_point).unwrap_or(char::REPLACEMENT_CHARACTER);
        let line_ends = character == '\n';
        if !blank && (line_ends || matches!(character, '。' | '！' | '？' | '!' | '?')) {
            if title_end > 0 {
                opening_end = place;
                break;
            }
            sentence_end = if sentence_end == 0 { place } else { sentence_end };
            title_end = if line_ends { place } else { 0 };
            blank = line_ends;
        } else {
            blank &= character.is_whitespace();
        }
    }
    if title_end == 0 { (0, sentence_end) } else { (title_end, opening_end) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_is_the_first_line_if_there_is_another() {
        let heads = |text: &str| heads(text.chars().map(u32::from));
        assert_eq!(heads("茶园\n丰收。渔港。"), (2, 5));
        assert_eq!(heads("茶园丰收。渔港。"), (0, 4));
        assert_eq!(heads("\n\n茶园\n\n丰收"), (4, 0));
        assert_eq!(heads(""), (0, 0));
    }
}
