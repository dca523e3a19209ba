//! Emphasis: words of the title and of the opening can have a higher count.

use crate::text::Text;

/// The emphasized places, in code points of the original.
pub(crate) struct Emphasis {
    title_end: u32,
    opening_end: u32,
    title: u32,
    opening: u32,
}

impl Emphasis {
    /// A word in the title counts `title` times, one in the first sentence below it `opening` times.
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

    /// The count of a word that begins at `place`.
    pub fn at(&self, place: u32) -> u32 {
        match place {
            _ if place < self.title_end => self.title,
            _ if place < self.opening_end => self.opening,
            _ => 1,
        }
    }
}

/// Returns the end of the first line (0 if it is the only one) and the end of the first sentence after it.
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
