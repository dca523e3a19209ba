//! Guesses the encoding of a file.
//!
//! The text is decoded in every candidate encoding, and the result is scored: in the right encoding, the letters are
//! those of a single language, in places where letters occur. See [`language`] for the weights.

mod language;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, MACINTOSH, SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1250,
    WINDOWS_1251, WINDOWS_1252, WINDOWS_1254, X_USER_DEFINED,
};

use language::{ASCII, Writing, surprise};

/// Number of bytes decoded, from lines with any byte outside ASCII.
const SAMPLE: usize = 1 << 13;

/// The encodings that are always tried, with the languages they were designed for and their prior cost in bits.
const CANDIDATES: [(&Encoding, Writing, f64); 12] = [
    (GB18030, Writing::Chinese, 0.0),
    (WINDOWS_1252, Writing::Letters, 2.0),
    (BIG5, Writing::Chinese, 4.0),
    (WINDOWS_1251, Writing::Letters, 5.0),
    (WINDOWS_1250, Writing::Letters, 5.0),
    (WINDOWS_1254, Writing::Letters, 5.0),
    (EUC_KR, Writing::Korean, 10.0),
    (SHIFT_JIS, Writing::Japanese, 10.0),
    (EUC_JP, Writing::Japanese, 10.0),
    (MACINTOSH, Writing::Letters, 8.0),
    (UTF_16LE, Writing::Any, 40.0),
    (UTF_16BE, Writing::Any, 40.0),
];

/// Prior cost in bits of any other encoding.
const RARE: f64 = 12.0;

/// An encoding is plausible if its cost is at most this multiple of the best, plus a few bits.
const MARGIN: f64 = 1.3;
const MARGIN_BITS: f64 = 30.0;

/// The same for a claimed single-byte encoding, where a claim is stronger evidence than the letters.
const MARGIN_CLAIMED: f64 = 1.7;
const MARGIN_BITS_CLAIMED: f64 = 16.0;

/// Bits above the best allowed for windows-1252, which is claimed for pages in any encoding.
const MARGIN_BITS_OF_ANY: f64 = 4.0;

/// Maximum bits per non-ASCII character for accepting UTF-16.
const MOST_BITS_WIDE: f64 = 14.5;

/// A candidate encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Likely {
    /// Its WHATWG name in lower case.
    pub name: String,
    /// Whether it was claimed.
    pub is_claimed: bool,
}

/// Guesses the encodings of `data`, which is not UTF-8, most likely first; never empty. An encoding `claimed` by a
/// WHATWG label comes first if it is nearly as likely as the best.
///
/// Cost: decoding 8 KiB at most a dozen times: a millisecond for most files, five at most.
pub fn likely(data: &[u8], claimed: Option<&str>) -> Vec<Likely> {
    let sample = telling(data);
    let claimed = claimed.and_then(claimable);
    let mut weighed: Vec<(&'static Encoding, f64)> = candidates(&sample, claimed)
        .map(|(encoding, writing, prior)| (encoding, prior + cost(encoding, writing, data, &sample)))
        .collect();
    weighed.sort_by(|one, other| one.1.total_cmp(&other.1));
    let best = weighed[0].1.max(0.0);
    weighed.retain(|&(encoding, bits)| bits <= best * MARGIN + MARGIN_BITS || holds(encoding, claimed, bits, best));
    weighed.sort_by_key(|&(encoding, bits)| !holds(encoding, claimed, bits, best));
    let described = |(encoding, bits): (&'static Encoding, f64)| Likely {
        name: encoding.name().to_ascii_lowercase(),
        is_claimed: holds(encoding, claimed, bits, best),
    };
    weighed.into_iter().map(described).collect()
}

/// True if a claim of `encoding` with a cost of `bits` is plausible when the best costs `best`.
fn holds(encoding: &'static Encoding, claimed: Option<&'static Encoding>, bits: f64, best: f64) -> bool {
    let limit = if encoding == WINDOWS_1252 {
        best + MARGIN_BITS_OF_ANY
    } else if encoding.is_single_byte() {
        best * MARGIN_CLAIMED + MARGIN_BITS_CLAIMED
    } else {
        best * MARGIN + MARGIN_BITS_CLAIMED
    };
    Some(encoding) == claimed && bits <= limit
}

/// Returns the encoding of a label, unless non-UTF-8, non-ASCII bytes cannot be in it.
fn claimable(label: &str) -> Option<&'static Encoding> {
    let encoding = widest(Encoding::for_label_no_replacement(label.as_bytes())?);
    (encoding.is_ascii_compatible() && encoding != UTF_8 && encoding != X_USER_DEFINED).then_some(encoding)
}

fn widest(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == GBK { GB18030 } else { encoding }
}

/// Returns the UTF-16 encoding of `data`, which has no byte order mark, if it is text in one.
pub fn wide(data: &[u8]) -> Option<&'static str> {
    if data.is_empty() || !data.len().is_multiple_of(2) {
        return None;
    }
    let head = &data[..data.len().min(SAMPLE)];
    let ascii = head.iter().filter(|byte| byte.is_ascii()).count() as f64 * ASCII;
    let otherwise = str::from_utf8(head).map_or(f64::INFINITY, |text| surprise(text, Writing::Any));
    let judged = [(UTF_16LE, "utf-16le"), (UTF_16BE, "utf-16be")].map(|(encoding, name)| {
        let text = decode(encoding, head);
        let outside = text.chars().filter(|character| !character.is_ascii()).count() as f64;
        let is_text = !text.contains('\0');
        let bits = surprise(&text, Writing::Any);
        let spelled = (text.chars().count() as f64 - outside) * ASCII;
        (is_text && bits <= MOST_BITS_WIDE * outside && bits + spelled - ascii + MARGIN_BITS < otherwise, bits, name)
    });
    let best = judged.into_iter().filter(|&(is_text, ..)| is_text).min_by(|one, other| one.1.total_cmp(&other.1));
    best.map(|(_, _, name)| name)
}

fn candidates(
    sample: &[u8],
    claimed: Option<&'static Encoding>,
) -> impl Iterator<Item = (&'static Encoding, Writing, f64)> + use<> {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(sample, true);
    let nominated = Some(widest(detector.guess(None, Utf8Detection::Deny)));
    let is_new = |encoding: &&'static Encoding| CANDIDATES.iter().all(|(known, ..)| known != encoding);
    let others =
        nominated.into_iter().filter(is_new).chain(claimed.filter(|&one| is_new(&one) && Some(one) != nominated));
    CANDIDATES.into_iter().chain(others.map(|encoding| (encoding, Writing::Any, RARE)))
}

/// The cost of the sample in this encoding, minus that of an ASCII character for each ASCII byte.
fn cost(encoding: &'static Encoding, writing: Writing, data: &[u8], sample: &[u8]) -> f64 {
    let is_wide = encoding == UTF_16LE || encoding == UTF_16BE;
    if is_wide && !data.len().is_multiple_of(2) {
        return f64::INFINITY;
    }
    let bytes = if is_wide { &data[..sample.len() & !1] } else { sample };
    let text = decode(encoding, bytes);
    let ascii = |count: usize| count as f64 * ASCII;
    let spelled = text.bytes().filter(u8::is_ascii).count();
    surprise(&text, writing) + ascii(spelled) - ascii(bytes.iter().filter(|byte| byte.is_ascii()).count())
}

/// Decodes bytes, with U+FFFD for invalid sequences; a character truncated by the end of the sample is omitted.
fn decode(encoding: &'static Encoding, bytes: &[u8]) -> String {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut text = String::with_capacity(decoder.max_utf8_buffer_length(bytes.len()).unwrap_or(0));
    let _ = decoder.decode_to_string(bytes, &mut text, false);
    text
}

/// Returns the lines with a byte outside ASCII, up to `SAMPLE` bytes.
fn telling(data: &[u8]) -> Vec<u8> {
    if data.len() <= SAMPLE {
        return data.to_vec();
    }
    let mut sample = Vec::with_capacity(SAMPLE);
    for line in data.split_inclusive(|&byte| byte == b'\n').filter(|line| !line.is_ascii()) {
        let first = line.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
        let line = &line[first.saturating_sub(1)..];
        sample.extend_from_slice(&line[..line.len().min(SAMPLE - sample.len())]);
        if sample.len() == SAMPLE {
            break;
        }
    }
    sample
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_outside_ascii_tell() {
        let mut data = b"plain\n".repeat(SAMPLE);
        data.extend_from_slice(b"a long way to \xCE\xD2\n");
        assert_eq!(telling(&data), b" \xCE\xD2\n");
        assert_eq!(telling(b"plain\n\xCE\xD2"), b"plain\n\xCE\xD2");
    }

    #[test]
    fn a_claim_decides_between_what_is_alike() {
        let first = |data: &[u8], claimed| likely(data, claimed).swap_remove(0);
        let of = |name: &str, is_claimed| Likely { name: name.into(), is_claimed };
        let text = b"Gr\xFC\xDFe aus dem Moor. ";
        assert_eq!(first(text, None), of("windows-1252", false));
        assert_eq!(first(text, Some("cp1250")), of("windows-1250", true));
        assert_eq!(first(&text.repeat(50), Some("cp1251")), of("windows-1252", false));
    }

    #[test]
    fn a_claim_is_a_label_of_the_whatwg() {
        assert_eq!(claimable("gb2312"), Some(GB18030));
        assert_eq!(claimable("latin1"), Some(WINDOWS_1252));
        for label in ["utf-8", "utf-16", "iso-2022-kr", "x-user-defined", "klingon"] {
            assert_eq!(claimable(label), None, "{label}");
        }
    }

    #[test]
    fn bytes_are_not_text_in_utf_16() {
        let utf_16 = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
        assert_eq!(wide(&utf_16("The ferry is late.")), Some("utf-16le"));
        assert_eq!(wide(&utf_16("老石桥从下周一起禁止马车通行。")), Some("utf-16le"));
        assert_eq!(wide(b"\x7FELF\x02\x01\x01\0\0\0\0\0\0\0\0\0"), None);
        assert_eq!(wide(b"id,text\n1,a\0b\n"), None);
        assert_eq!(wide(b"a short text\0 and a null."), None);
        assert_eq!(wide(b""), None);
    }
}
