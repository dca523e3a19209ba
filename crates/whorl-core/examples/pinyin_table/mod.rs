//! Serialization of the pinyin table.
//!
//! All integers are little endian, and sections follow each other without padding:
//!
//! ```text
//! syllables  u16 count, then count × { u8 length, ASCII }, sorted; the first has the number 1
//! blocks     u16 count, then count × { u32 first, u16 length, length × u16 }: the numbers of the syllables of
//!            consecutive code points, 0 for none; by rising code point
//! ```

use std::collections::BTreeSet;

use pinyin::ToPinyin;

/// A block spans gaps shorter than this, which is about the size of a block header.
const GAP: u32 = 4;

/// The first reading of every character without its tone; `pinyin-data` lists the most frequent first.
pub fn readings() -> Vec<(u32, String)> {
    let reading = |character: char| Some((character.into(), toneless(character.to_pinyin()?.plain())));
    ('\0'..=char::MAX).filter_map(reading).filter(|(_, syllable)| !syllable.is_empty()).collect()
}

fn toneless(syllable: &str) -> String {
    let letter = |character| match character {
        'ü' => Some('v'),
        'ê' => Some('e'),
        'a'..='z' => Some(character),
        _ => None,
    };
    syllable.chars().filter_map(letter).collect()
}

/// Serializes the table.
pub fn build() -> Vec<u8> {
    let readings = readings();
    let syllables: Vec<&str> =
        readings.iter().map(|(_, syllable)| syllable.as_str()).collect::<BTreeSet<_>>().into_iter().collect();
    let mut bytes = (syllables.len() as u16).to_le_bytes().to_vec();
    for syllable in &syllables {
        bytes.push(syllable.len() as u8);
        bytes.extend(syllable.bytes());
    }
    let blocks: Vec<_> = readings.chunk_by(|(one, _), (next, _)| next - one <= GAP).collect();
    bytes.extend((blocks.len() as u16).to_le_bytes());
    for block in blocks {
        let first = block[0].0;
        let mut numbers = vec![0; (block[block.len() - 1].0 - first + 1) as usize];
        for (code_point, syllable) in block {
            let place = syllables.binary_search(&syllable.as_str()).expect("it was collected");
            numbers[(code_point - first) as usize] = place as u16 + 1;
        }
        bytes.extend(first.to_le_bytes());
        bytes.extend((numbers.len() as u16).to_le_bytes());
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    }
    bytes
}
