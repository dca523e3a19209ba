//! The Python binding of `whorl-core`, the module `whorl._core`. It converts arguments and results and releases the
//! GIL; all decisions are made in the core.

mod align;
mod arrow;
mod boilerplate;
mod buffer;
mod dedup;
mod files;
mod fingerprints;
mod index;
mod nshash;
mod packing;
mod pinyin;
mod refusals;
mod repetition;
mod rows;
mod structure;
mod texts;
mod threads;
mod unpacked;
mod verify;
mod words;

#[pyo3::pymodule]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::align::{Comparer, Judged, JudgedText};
    #[pymodule_export]
    use crate::arrow::array_fault;
    #[pymodule_export]
    use crate::boilerplate::Boilerplate;
    #[pymodule_export]
    use crate::buffer::Buffer;
    #[pymodule_export]
    use crate::dedup::{Field, Groups, Probe, Strings, blemishes, partition, rank, removals, repeated, ruling};
    #[pymodule_export]
    use crate::files::{FileTexts, copy_ranges, sync_files};
    #[pymodule_export]
    use crate::fingerprints::{exact, minhash, shingles, simhash, simhash_code, sketch, text_codes, winnowing};
    #[pymodule_export]
    use crate::index::hamming::HammingIndex;
    #[pymodule_export]
    use crate::index::inverted::KeyIndex;
    #[pymodule_export]
    use crate::index::snapshot::Snapshot;
    #[pymodule_export]
    use crate::nshash::nshash;
    #[pymodule_export]
    use crate::packing::{pack_texts, unpack_texts};
    #[pymodule_export]
    use crate::pinyin::{Granules, pinyin_fold, pinyin_initials, pinyin_readings, undo_look_alikes};
    #[pymodule_export]
    use crate::repetition::compilations::compilations;
    #[pymodule_export]
    use crate::repetition::contamination::{ContaminationHit, ContaminationIndex};
    #[pymodule_export]
    use crate::repetition::inside::{
        InsideDecider, InsideSearch, inside_approved_records, inside_measures, inside_pairs, inside_records,
        inside_repetition, rewrite_rows,
    };
    #[pymodule_export]
    use crate::repetition::pairing::{nominated_pairs, paratexts};
    #[pymodule_export]
    use crate::repetition::reuse::{ReusedPassages, passage_clusters, reuse_candidates, reused_passages, text_slices};
    #[pymodule_export]
    use crate::rows::{
        JsonSplitter, RowColumns, count_lines, date_values, is_encoding, likely_encodings, order_values, scan_jsonl,
        select_lines, wide_encoding,
    };
    #[pymodule_export]
    use crate::structure::{bag, longest_sentence, punctuation, punctuation_contexts, segment, segments, sentences};
    #[pymodule_export]
    use crate::texts::{body_ranges, edit_runs, fold, shared_spans, tokens};
    #[pymodule_export]
    use crate::threads::{set_workers, workers};
    #[pymodule_export]
    use crate::unpacked::UnpackedTexts;
    #[pymodule_export]
    use crate::verify::Demand;
    #[pymodule_export]
    use crate::words::{IdfTable, Terms, WordCounts, Words, stem_languages};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("VERSION", env!("CARGO_PKG_VERSION"))?;
        module.add("FOLD_VERSION", whorl_core::text::FOLD_VERSION)?;
        module.add("PINYIN_VERSION", whorl_core::text::pinyin::PINYIN_VERSION)?;
        module.add("WORDS_VERSION", whorl_core::words::WORDS_VERSION)?;
        module.add("STEM_VERSION", whorl_core::words::STEM_VERSION)?;
        module.add("IDF_STEPS", whorl_core::words::IDF_STEPS)?;
        module.add("RefusedFile", module.py().get_type::<crate::refusals::RefusedFile>())?;
        module.add("MOST_CODE_POINTS", whorl_core::rows::packing::MOST_CODE_POINTS)?;
        module.add("WHOLE", whorl_core::align::outline::WHOLE)?;
        module.add("LISTED", whorl_core::judge::probe::LISTED)?;
        module.add("LINKS", whorl_core::judge::probe::LINKS)?;
        module.add("RELATIONS", crate::dedup::RELATIONS)
    }
}
