//! The file form of an index: a manifest, and the segments that it lists.

use std::sync::Arc;

use super::{Common, Dead, Log, Sealed, Segment, State};
use crate::index::segment_file::{Builder, Refused, SegmentFile};

const UNKNOWN: u64 = 2;

/// The files of an index: a manifest, and the segments that it lists.
pub struct Files<S> {
    /// The manifest.
    pub manifest: SegmentFile,
    /// The segments, in manifest order.
    pub segments: Vec<Arc<S>>,
}

impl<S: Segment> State<S> {
    /// Returns the files of the segments, without the recent rows.
    pub fn to_files(&self, common: &S::Common, generation: u64) -> Files<S> {
        let segments: Vec<u64> = self.segments.iter().map(|sealed| sealed.segment.file().identity()).collect();
        let mut dead: Vec<u32> = Vec::new();
        let mut dead_ends: Vec<u64> = Vec::new();
        for sealed in &self.segments {
            dead.extend(sealed.dead.iter().flat_map(|dead| dead.rows()));
            dead_ends.push(dead.len() as u64);
        }
        let design = common.to_text();
        let contents: [(&str, &[u8]); 4] = [
            ("design", design.as_bytes()),
            ("segments", bytemuck::cast_slice(&segments)),
            ("dead ends", bytemuck::cast_slice(&dead_ends)),
            ("dead", bytemuck::cast_slice(&dead)),
        ];
        let mut builder = Builder::new(S::MANIFEST, &contents.map(|(name, content)| (name, content.len())));
        builder.columns().into_iter().zip(contents).for_each(|(column, (_, content))| column.copy_from_slice(content));
        let facts =
            [("generation", generation), ("next id", self.next_id), ("timed", self.timed.map_or(UNKNOWN, u64::from))];
        let segments = self.segments.iter().map(|sealed| sealed.segment.clone()).collect();
        Files { manifest: builder.finish(&facts), segments }
    }
}

impl<S: Segment> Log<S> {
    /// Opens an index from a manifest and the files of its segments, in manifest order.
    ///
    /// # Errors
    /// The files do not belong together, or the parts read here are damaged.
    pub fn from_files(manifest: &SegmentFile, files: Vec<SegmentFile>) -> Result<Self, Refused> {
        let common = S::Common::of_manifest(manifest)?;
        let named = manifest.read_all(manifest.column::<u64>("segments")?)?;
        let ends = manifest.read_all(manifest.column::<u64>("dead ends")?)?;
        let dead_rows = manifest.column::<u32>("dead")?;
        if named.len() != files.len() || ends.len() != files.len() {
            return Err(Refused::Damaged("the manifest names other segments".into()));
        }
        let mut segments = Vec::new();
        let mut start = 0;
        for ((file, &name), &end) in files.into_iter().zip(named).zip(ends) {
            if file.identity() != name {
                return Err(Refused::Foreign("a segment of another index".into()));
            }
            let segment = S::open(file, &common)?;
            let mut dead = Dead::default();
            for &row in manifest.read(dead_rows, start..end as usize)? {
                if row as usize >= segment.labels().len() {
                    return Err(Refused::Damaged("a removed row that is not there".into()));
                }
                dead.insert(row);
            }
            start = end as usize;
            let dead = (!dead.is_empty()).then(|| Arc::new(dead));
            segments.push(Sealed { segment: Arc::new(segment), dead });
        }
        let timed = manifest.fact("timed")?;
        let state = State {
            segments,
            recent: Arc::default(),
            next_id: manifest.fact("next id")?,
            timed: (timed != UNKNOWN).then_some(timed == 1),
        };
        Ok(Self::with_state(common, state))
    }
}
