//! File names of an index folder.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The lock file held by a writer.
pub const LOCK: &str = "saving.lock";
const MANIFEST_DIGITS: usize = 10;
const SEGMENT_DIGITS: usize = 16;

/// Path of the manifest of a generation.
pub fn manifest_path(folder: &Path, generation: u64) -> PathBuf {
    folder.join(format!("{generation:0MANIFEST_DIGITS$}.manifest"))
}

/// Path of a segment with this identity.
pub fn segment_path(folder: &Path, identity: u64) -> PathBuf {
    folder.join(format!("{identity:0SEGMENT_DIGITS$x}.segment"))
}

/// Temporary path of a file until its final rename.
pub fn part_path(path: &Path) -> PathBuf {
    path.with_extension(format!("{}.part", std::process::id()))
}

/// Parses the generation of a manifest name; None for other files.
pub fn generation_of(name: &OsStr) -> Option<u64> {
    name.to_str()?.strip_suffix(".manifest").filter(|stem| is_manifest(stem))?.parse().ok()
}

/// True for the names produced by [`manifest_path`], [`segment_path`] and [`part_path`].
pub fn is_index_file(name: &OsStr) -> bool {
    let Some((stem, kind)) = name.to_str().and_then(|name| name.rsplit_once('.')) else { return false };
    match kind {
        "manifest" => is_manifest(stem),
        "segment" => is_segment(stem),
        "part" => stem.split_once('.').is_some_and(|(stem, process)| {
            (is_manifest(stem) || is_segment(stem)) && process.bytes().all(|byte| byte.is_ascii_digit())
        }),
        _ => false,
    }
}

fn is_manifest(stem: &str) -> bool {
    stem.len() == MANIFEST_DIGITS && stem.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_segment(stem: &str) -> bool {
    stem.len() == SEGMENT_DIGITS && stem.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
