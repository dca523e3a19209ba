//! An immutable segment: postings sorted by key.

use super::keys::Keys;
use super::merge::Merging;
use super::order::in_order;
use super::packed::{Packer, Packing, Room};
use super::postings::{Packed, Postings};
use crate::hash::mix;
use crate::index::segment_file::{Builder, Refused, SegmentFile};
use crate::index::segments::{self, Labels, Payloads, Rows, Sealed};

/// Postings in a [`SegmentFile`], built by this process or mapped.
pub struct Segment {
    file: SegmentFile,
    labels: Labels,
    packed: Packed,
}

impl Segment {
    pub(super) fn postings(&self) -> Postings<'_> {
        self.packed.of(&self.file)
    }

    /// Number of postings.
    pub(super) fn posting_count(&self) -> usize {
        self.packed.len()
    }

    /// Builds a segment of `count` sorted postings, which arrive in parts, for documents with these labels.
    pub(super) fn of(
        (all_ids, times, payloads): (&[u64], &[i64], &Payloads),
        count: usize,
        fill: impl FnOnce(&mut Packer<'_>) -> Result<(), Refused>,
    ) -> Result<Self, Refused> {
        let packing = Packing::of(count, all_ids.len());
        let ids = Labels::ids_to_write(all_ids);
        let Room { samples, buckets, tags, postings } = packing.room(count);
        let mut named = vec![
            ("samples", samples),
            ("buckets", buckets),
            ("tags", tags),
            ("postings", postings),
            ("ids", ids.len() * 8),
            ("times", times.len() * 8),
        ];
        named.extend(payloads.columns(all_ids.len()));
        let mut builder = Builder::new(<Self as segments::Segment>::SEGMENT, &named);
        let mut columns = builder.columns().into_iter();
        let mut next = || columns.next().expect("as many as were named");
        let (samples, buckets) = (bytemuck::cast_slice_mut(next()), bytemuck::cast_slice_mut(next()));
        let mut packer = Packer::new(packing, samples, buckets, [next(), next()]);
        fill(&mut packer)?;
        packer.finish();
        next().copy_from_slice(bytemuck::cast_slice(ids));
        next().copy_from_slice(bytemuck::cast_slice(times));
        payloads.fill(next);
        let packing_facts = [
            ("postings", count as u64),
            ("bucket bits", packing.bucket_bits.into()),
            ("row bits", packing.row_bits.into()),
        ];
        let facts: Vec<_> = Labels::facts(all_ids, times).into_iter().chain(packing_facts).collect();
        segments::Segment::open(builder.finish(&facts), &())
    }
}

impl segments::Segment for Segment {
    type Common = ();
    type Values = Keys;

    const SEGMENT: [u8; 4] = *b"invs";
    const MANIFEST: [u8; 4] = *b"invm";
    /// A look-up in a small segment is already as cheap as possible, so no rows are kept outside segments.
    const RECENT: usize = 1;
    const LARGEST: usize = 1 << 25;

    /// Builds a segment by sorting the postings of rows.
    fn build(_: &(), rows: Rows<Keys>) -> Self {
        let Rows { values: keys, ids, times, payloads } = rows;
        let of_row = |row: usize| keys.of(row).iter().map(move |&key| (mix(key), row as u32));
        let mut postings = in_order(keys.total(), (0..ids.len()).flat_map(of_row), 0);
        drop(keys);
        postings.dedup();
        let fill = |packer: &mut Packer<'_>| {
            packer.add(&postings);
            Ok(())
        };
        Self::of((&ids, &times, &payloads), postings.len(), fill).expect("it was made just now")
    }

    fn open(file: SegmentFile, _: &()) -> Result<Self, Refused> {
        let labels = Labels::of(&file)?;
        let packed = Packed::open(&file, labels.len())?;
        Ok(Self { file, labels, packed })
    }

    fn merge(_: &(), parts: &[Sealed<Self>]) -> Result<Option<Self>, Refused> {
        let mut merging = Merging::default();
        for part in parts {
            let segment = &*part.segment;
            let (ids, times) = segment.labels.all(&segment.file)?;
            let payloads = segment.labels.payloads(&segment.file)?;
            let labels = (&ids[..], &times[..], &payloads);
            merging.add((segment.postings(), segment.posting_count()), labels, |row| part.is_living(row));
        }
        if merging.ids.is_empty() {
            return Ok(None);
        }
        let labels = (&merging.ids[..], &merging.times[..], &merging.payloads);
        Self::of(labels, merging.count()?, |packer| merging.fill(packer)).map(Some)
    }

    fn file(&self) -> &SegmentFile {
        &self.file
    }

    fn labels(&self) -> &Labels {
        &self.labels
    }

    fn weight(&self) -> usize {
        self.posting_count().max(self.labels.len())
    }
}
