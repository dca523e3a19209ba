//! Aligns any two texts: passages lie within both, do not overlap, and do not depend on earlier alignments.

#![no_main]

use std::cell::RefCell;

use libfuzzer_sys::fuzz_target;
use whorl_core::align::Aligner;
use whorl_core::align::stream::Stream;
use whorl_core::text::Text;

/// A small alphabet, so that texts have much in common: Han characters (some homophones), letters, digits, marks.
const CHARACTERS: &str = "渔港的冰厂今年添了两台新机器一天能出冰四十吨鱼鱼余于愉abcdefgh  .,\n。，！“”《》1290ＡÉe\u{301}\u{200b}\u{202e}𠮷ßﬁ";

thread_local! {
    static REUSED: RefCell<Aligner> = RefCell::default();
}

fn stream(bytes: &[u8]) -> Stream {
    let characters: Vec<u32> = CHARACTERS.chars().map(u32::from).chain([0xD800, 0]).collect();
    let text: Vec<u32> = bytes.iter().map(|&byte| characters[usize::from(byte) % characters.len()]).collect();
    let mut stream = Stream::default();
    stream.read(Text::CodePoints(&text));
    stream
}

fuzz_target!(|data: &[u8]| {
    let Some((&share, bytes)) = data.split_first() else { return };
    let (a, b) = bytes.split_at(bytes.len() * usize::from(share) / 256);
    let (a, b) = (stream(a), stream(b));
    let passages = Aligner::default().align(&a, &b);
    assert_eq!(REUSED.with_borrow_mut(|aligner| aligner.align(&a, &b)), passages);
    let mut end = 0;
    for passage in &passages {
        assert!(passage.a.start < passage.a.end && passage.a.end <= a.original().len(), "{passages:?}");
        assert!(passage.b.start < passage.b.end && passage.b.end <= b.original().len(), "{passages:?}");
        assert!(end <= passage.b.start, "{passages:?}");
        end = passage.b.end;
    }
    let whole = Aligner::default().align(&a, &a);
    assert!(whole.iter().all(|passage| passage.a == passage.b), "{whole:?}");
});
