//! Which encoding a file is in, when nobody says.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};

/// Guesses the encoding of `sample`, bytes that are not UTF-8, as a WHATWG name such as `gbk`, `gb18030` or `big5`.
/// A Chinese encoding is preferred, unless the sample speaks for another one of several bytes a character.
pub fn detect(sample: &[u8]) -> &'static str {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(sample, true);
    let unbiased = detector.guess(None, Utf8Detection::Deny);
    if unbiased.is_single_byte() { detector.guess(Some(b"cn"), Utf8Detection::Deny).name() } else { unbiased.name() }
}
