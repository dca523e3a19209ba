//! The code points of a text.

/// A text as a sequence of code points that can be iterated repeatedly. Lone surrogates are allowed: they end a token.
pub trait CodePoints {
    /// The code points in order.
    fn code_points(&self) -> impl Iterator<Item = u32> + '_;
}

impl CodePoints for str {
    #[inline]
    fn code_points(&self) -> impl Iterator<Item = u32> + '_ {
        Utf8(self.as_bytes())
    }
}

/// The code points of valid UTF-8. Unlike `Chars`, tries three bytes first, which most characters of Chinese have.
struct Utf8<'t>(&'t [u8]);

impl Iterator for Utf8<'_> {
    type Item = u32;

    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        let low = |byte: u8| u32::from(byte & 0x3F);
        let (code_point, rest) = match *self.0 {
            [a @ 0xE0..0xF0, b, c, ref rest @ ..] => (u32::from(a & 0xF) << 12 | low(b) << 6 | low(c), rest),
            [a @ 0..0x80, ref rest @ ..] => (a.into(), rest),
            [a @ 0..0xE0, b, ref rest @ ..] => (u32::from(a & 0x1F) << 6 | low(b), rest),
            [a, b, c, d, ref rest @ ..] => (u32::from(a & 7) << 18 | low(b) << 12 | low(c) << 6 | low(d), rest),
            _ => return None,
        };
        self.0 = rest;
        Some(code_point)
    }
}

impl CodePoints for [u32] {
    #[inline]
    fn code_points(&self) -> impl Iterator<Item = u32> + '_ {
        self.iter().copied()
    }
}
