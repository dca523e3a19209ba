//! One text of a pair: everything that does not depend on the other text, computed once for as long as the text stays.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use super::letters::letters_of;
use super::sources::Claim;
use super::stream::Stream;
use super::stretches::Stretches;
use super::{Passage, is_mostly_dense};
use crate::text::Text;
use crate::text::citation::uncited;
use crate::text::frame::{Role, roles};
use crate::text::look_alike;
use crate::text::manifest::manifests;
use crate::text::metadata::apart;
use crate::text::scan::signs;
use crate::text::sentence::is_invisible;
use crate::text::shingle::window_hashes;

/// Tokens per shingle.
pub(crate) const SHINGLE: usize = 5;

/// Code points of a text by category.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Code points that are counted.
    pub counted: u32,
    /// Counted code points that lie in passages.
    pub covered: u32,
}

impl Share {
    /// The covered share of what is counted, in [0, 1].
    pub fn covered_share(self) -> f64 {
        if self.counted == 0 { 0.0 } else { f64::from(self.covered) / f64::from(self.counted) }
    }
}

/// Returns a new first half of names.
pub fn new_names() -> u64 {
    static NAMES: AtomicU64 = AtomicU64::new(0);
    NAMES.fetch_add(1, Ordering::Relaxed)
}

/// Parts that are neither counted nor reported.
#[derive(Clone, Copy, Debug, Default)]
pub struct LeaveOut {
    /// Quotations.
    pub quotations: bool,
    /// Lists of references.
    pub references: bool,
    /// Passages with fewer equal code points.
    pub min_equal: u32,
}

impl LeaveOut {
    fn has(self, role: Role) -> bool {
        match role {
            Role::Quotation => self.quotations,
            Role::Reference => self.references,
            Role::Boilerplate => true,
            Role::Title | Role::Byline | Role::Incidental => false,
        }
    }
}

/// One of two texts, with its boilerplate stretches.
#[derive(Clone, Copy)]
pub struct InputText<'t> {
    /// Texts with the same name are equal, including their boilerplate and the excluded parts.
    pub name: (u64, usize),
    /// The text, which is read unless it is the current one.
    pub text: Text<'t>,
    /// Finds the boilerplate ranges in the folded text.
    pub boilerplate: &'t dyn Fn(&Stream) -> Vec<Range<usize>>,
    /// Whether the text recurs in a later pair, so that it is worth caching.
    pub recurs: bool,
}

impl<'t> InputText<'t> {
    /// Creates a text without boilerplate.
    pub fn plain(name: (u64, usize), text: &'t [u32]) -> Self {
        Self { name, text: Text::CodePoints(text), boilerplate: &|_| Vec::new(), recurs: false }
    }
}

/// One text of a pair.
#[derive(Default)]
pub struct Side {
    name: Option<(u64, usize)>,
    /// Whether the text recurs in a later pair.
    pub(super) recurs: bool,
    pub(super) stream: Stream,
    signs: Vec<u32>,
    restored: Vec<u32>,
    tokens: Vec<u64>,
    shingles: Vec<u64>,
    /// The roles of its stretches, including those from the caller.
    pub roles: Vec<(Role, Range<usize>)>,
    /// Invisible characters outside manifests.
    pub hidden: u32,
    /// Characters of manifests.
    pub manifest: u32,
    /// Whether its script is dense, at least in part.
    pub dense: bool,
    /// Characters replaced by look-alikes.
    pub look_alikes: u32,
    /// Number of excluded units of the body.
    uncounted: u32,
    /// Counted units,
    counted: Tally,
    /// and counted units outside quotations and references.
    own_words: Tally,
    /// The stretches of each of the [`LEFT_OUT`] roles, and of boilerplate.
    left_out: [Stretches; 2],
    /// Boilerplate and incidental text.
    boilerplate: Stretches,
    covered: Vec<bool>,
}

/// The roles that can be excluded, and only in the examined text: copied text is copied even if its source quotes it.
const LEFT_OUT: [Role; 2] = [Role::Quotation, Role::Reference];
/// A passage remains one without its excluded parts if this many letters remain, or half of it.
const LEAST_LEFT: u32 = 36;

/// A text that is prepared to be either member of many pairs.
#[derive(Default)]
pub struct Prepared {
    pub(super) stream: Stream,
    counted: Tally,
    own_words: Tally,
    boilerplate: u32,
    /// Its title and bylines.
    frame: Vec<(Role, Range<usize>)>,
    /// Characters replaced by look-alikes.
    pub(super) look_alikes: u32,
    /// Whether nothing of it is boilerplate or incidental.
    pub(super) is_plain: bool,
}

/// The units of a text with flags for the counted ones.
#[derive(Clone, Copy)]
pub(super) struct Counts<'t> {
    /// The units.
    pub stream: &'t Stream,
    counted: &'t Tally,
    own_words: &'t Tally,
}

impl<'t> Counts<'t> {
    /// Counts the counted units of some disjoint ranges, and those outside quotations and references.
    pub fn share(self, ranges: &[Range<usize>]) -> [Share; 2] {
        [self.counted, self.own_words].map(|tally| tally.share_of(ranges))
    }

    /// Counts the counted units of those that are `covered`.
    pub fn share_of(self, covered: &[bool]) -> Share {
        self.counted.share(covered)
    }

    /// A flag per unit; [`COUNTED`] if it is counted.
    pub fn counted(self) -> &'t [u8] {
        &self.counted.units
    }

    /// The length of the counted units in letters.
    pub fn letters(self, units: Range<usize>) -> u32 {
        let both = self.stream.units()[units.clone()].iter().zip(&self.counted.units[units]);
        both.map(|(&unit, &counted)| letters_of(unit) * u32::from(counted > 0)).sum()
    }
}

impl Prepared {
    /// Memory per code point without clauses: the original, the folded text with its positions, and the flags.
    pub const BYTES_A_CODE_POINT: usize = 14;

    /// Number of units.
    pub fn length(&self) -> usize {
        self.stream.units().len()
    }

    /// Number of units of the body that are boilerplate.
    pub fn boilerplate(&self) -> u32 {
        self.boilerplate
    }

    /// The length of its counted units in letters.
    pub fn letters_counted(&self) -> u32 {
        self.counts().letters(0..self.length())
    }

    pub(super) fn counts(&self) -> Counts<'_> {
        Counts { stream: &self.stream, counted: &self.counted, own_words: &self.own_words }
    }

    /// The folded code points of its title or of its bylines, separated by breaks.
    pub(super) fn folded(&self, role: Role) -> impl Iterator<Item = &[u32]> {
        folded(&self.stream, &self.frame, role)
    }
}

/// The folded code points of the stretches with a role, separated by breaks.
fn folded<'t>(stream: &'t Stream, roles: &'t [(Role, Range<usize>)], role: Role) -> impl Iterator<Item = &'t [u32]> {
    let of_role = roles.iter().filter(move |(other, _)| *other == role);
    of_role.map(|(_, range)| &stream.units()[stream.units_in(range.clone())])
}

/// A unit that is counted.
pub(super) const COUNTED: u8 = 1;
/// An incidental unit, which is counted unless the other text has it.
const COUNTED_IF_NEW: u8 = 2;

/// Flags for counted units, with their number.
#[derive(Clone, Default)]
struct Tally {
    units: Vec<u8>,
    sum: u32,
}

/// Counts the units of a kind. The sum is branch-free, so that the compiler vectorizes it.
fn count(units: &[u8], kind: u8) -> u32 {
    units.iter().map(|&unit| u32::from(unit == kind)).sum()
}

impl Tally {
    fn add(&mut self) {
        self.sum = self.units.len() as u32 - count(&self.units, 0);
    }

    fn share_of(&self, ranges: &[Range<usize>]) -> Share {
        let of_kind = |kind: u8| -> u32 { ranges.iter().map(|units| count(&self.units[units.clone()], kind)).sum() };
        Share { counted: self.sum - of_kind(COUNTED_IF_NEW), covered: of_kind(COUNTED) }
    }

    fn share(&self, covered: &[bool]) -> Share {
        let of_kind = |kind: u8| -> u32 {
            self.units.iter().zip(covered).map(|(&unit, &covered)| u32::from(covered & (unit == kind))).sum()
        };
        Share { counted: self.sum - of_kind(COUNTED_IF_NEW), covered: of_kind(COUNTED) }
    }
}

impl Side {
    /// True if the given text is the current one.
    pub(super) fn is(&self, input: InputText<'_>) -> bool {
        self.name == Some(input.name)
    }

    /// The name of the current text.
    pub(super) fn name(&self) -> Option<(u64, usize)> {
        self.name
    }

    /// Reads a text, replacing the current one unless it has the same name. Linear.
    pub(super) fn read(&mut self, input: InputText<'_>, leave_out: LeaveOut) {
        if self.name.replace(input.name) == Some(input.name) {
            return;
        }
        self.stream.read(input.text);
        let boilerplate = (input.boilerplate)(&self.stream);
        let text = self.stream.original();
        signs(text, &mut self.signs);
        let signs = || self.signs.iter().map(|&place| place as usize);
        let manifests = manifests(text, signs());
        self.manifest = manifests.iter().map(|manifest| manifest.len() as u32).sum();
        // Of a manifest, only the first character is one of the invisible ones.
        self.hidden = signs().filter(|&place| is_invisible(text[place])).count() as u32 - manifests.len() as u32;
        self.look_alikes = 0;
        if look_alike::may_be_among(text, signs()) {
            self.restored.clear();
            self.restored.extend_from_slice(text);
            self.look_alikes = look_alike::undo(&mut self.restored) as u32;
        }
        self.shingles.clear();
        self.roles = roles(text, &self.signs);
        self.roles.extend(boilerplate.into_iter().map(|range| (Role::Boilerplate, range)));
        self.dense = is_mostly_dense(&[self.stream.units()]);
        self.count(leave_out);
    }

    /// Prepares a text, using only the buffers of this side.
    pub fn prepare(&mut self, text: &[u32], boilerplate: &dyn Fn(&Stream) -> Vec<Range<usize>>) -> Prepared {
        let text = Text::CodePoints(text);
        self.read(InputText { name: (new_names(), 0), text, boilerplate, recurs: false }, LeaveOut::default());
        Prepared {
            stream: self.stream.to_size(),
            counted: self.counted.clone(),
            own_words: self.own_words.clone(),
            boilerplate: self.uncounted,
            frame: self.roles.iter().filter(|(role, _)| matches!(role, Role::Title | Role::Byline)).cloned().collect(),
            look_alikes: self.look_alikes,
            is_plain: self.boilerplate.is_empty(),
        }
    }

    pub(super) fn counts(&self) -> Counts<'_> {
        Counts { stream: &self.stream, counted: &self.counted, own_words: &self.own_words }
    }

    /// The folded code points without bylines.
    pub(super) fn body(&self) -> impl Iterator<Item = u32> {
        let bylines = self.roles.iter().filter(|(role, _)| *role == Role::Byline);
        let bylines: Vec<Range<usize>> = bylines.map(|(_, range)| self.stream.units_in(range.clone())).collect();
        let is_body = move |unit: &usize| !bylines.iter().any(|byline| byline.contains(unit));
        (0..self.stream.units().len()).filter(is_body).map(|unit| self.stream.units()[unit])
    }

    /// The hashes of the shingles, in order.
    pub(super) fn shingles(&mut self) -> &[u64] {
        if self.shingles.is_empty() {
            self.stream.tokens(&mut self.tokens);
            window_hashes(&self.tokens, SHINGLE, &mut self.shingles);
        }
        &self.shingles
    }

    fn count(&mut self, leave_out: LeaveOut) {
        let Self { stream, roles, counted, own_words, uncounted, .. } = self;
        let mark = |tally: &mut Tally, mark: u8, chosen: &dyn Fn(Role) -> bool| {
            for (_, range) in roles.iter().filter(|(role, _)| chosen(*role)) {
                tally.units[stream.units_in(range.clone())].fill(mark);
            }
        };
        let without = |tally: &mut Tally, chosen: &dyn Fn(Role) -> bool| mark(tally, 0, chosen);
        counted.units.clear();
        counted.units.resize(stream.units().len(), COUNTED);
        mark(counted, COUNTED_IF_NEW, &|role| role == Role::Incidental);
        without(counted, &|role| matches!(role, Role::Title | Role::Byline));
        if !counted.units.contains(&COUNTED) {
            counted.units.fill(COUNTED);
        }
        counted.add();
        let body = counted.sum;
        without(counted, &|role| leave_out.has(role));
        own_words.units.clone_from(&counted.units);
        without(own_words, &|role| matches!(role, Role::Quotation | Role::Reference));
        counted.add();
        own_words.add();
        *uncounted = body - counted.sum;
        let of_role =
            |role: Role| roles.iter().filter(move |(other, _)| *other == role).map(|(_, range)| range.clone());
        let nobodys = apart(of_role(Role::Boilerplate).chain(of_role(Role::Incidental)).collect());
        stream.leave_out(&nobodys);
        self.boilerplate.take(nobodys.into_iter());
        for (stretches, role) in self.left_out.iter_mut().zip(LEFT_OUT) {
            stretches.take(of_role(role).filter(|_| leave_out.has(role)));
        }
    }

    /// The folded code points of the stretches with a role, separated by breaks.
    pub(super) fn folded(&self, role: Role) -> impl Iterator<Item = &[u32]> {
        folded(&self.stream, &self.roles, role)
    }

    /// Sets the units that lie in passages, and returns the shares of the counted units, and of those outside
    /// quotations and references.
    pub(super) fn cover(&mut self, passages: impl Iterator<Item = Range<usize>>) -> [Share; 2] {
        self.stream.cover(passages, &mut self.covered);
        [&self.counted, &self.own_words].map(|tally| tally.share(&self.covered))
    }

    /// True if most of a stretch is boilerplate.
    pub(super) fn is_boilerplate(&self, span: &Range<usize>) -> bool {
        2 * self.boilerplate.within(span) > span.len()
    }

    /// Number of excluded code points of a stretch.
    pub(super) fn left_out(&self, span: &Range<usize>) -> usize {
        self.left_out.iter().map(|of_role| of_role.within(span)).sum()
    }

    /// The role that is excluded from a passage if too little of it remains to be a passage.
    pub(super) fn spent(&self, span: &Range<usize>) -> Option<Role> {
        let (out, role) =
            self.left_out.iter().map(|of_role| of_role.within(span)).zip(LEFT_OUT).max_by_key(|&(out, _)| out)?;
        if out == 0 {
            return None;
        }
        let units = self.stream.units_in(span.clone());
        let both = self.stream.units()[units.clone()].iter().zip(&self.counted.units[units.clone()]);
        let remaining: Vec<u32> =
            both.filter(|&(_, &is_counted)| is_counted == COUNTED).map(|(&unit, _)| unit).collect();
        (super::letters::letters(&remaining) < LEAST_LEFT && 2 * remaining.len() < units.len()).then_some(role)
    }

    /// Number of counted units in quotations without a cited source (except names of works) and in the passages last
    /// [covered](Self::cover).
    pub fn quoted_uncited(&self) -> u32 {
        let of_role =
            |role: Role| self.roles.iter().filter(move |(other, _)| *other == role).map(|(_, range)| range.clone());
        let lists: Vec<Range<usize>> = of_role(Role::Reference).collect();
        let is_reference = |range: &Range<usize>| {
            let before = lists.partition_point(|list| list.start <= range.start);
            before.checked_sub(1).is_some_and(|last| lists[last].contains(&range.start))
        };
        let is_name = |range: &Range<usize>| self.stream.original()[range.start] == u32::from('《');
        let quotations = of_role(Role::Quotation).filter(|range| !is_reference(range) && !is_name(range));
        let quotations: Vec<Range<usize>> = quotations.collect();
        let both = |range: &Range<usize>| {
            let units = self.stream.units_in(range.clone());
            let both = self.counted.units[units.clone()].iter().zip(&self.covered[units]);
            both.filter(|&(&is_counted, &is_covered)| is_counted == COUNTED && is_covered).count() as u32
        };
        let uncited = uncited(self.stream.original(), &quotations, |range| both(range) > 0);
        uncited.map(both).sum()
    }

    /// Converts the passages to claims to this text.
    pub fn claims(&self, passages: &[Passage]) -> Vec<Claim> {
        let claim = |passage: &Passage| Claim {
            units: self.stream.units_in(passage.b.clone()),
            similarity: passage.edits.similarity(),
            matched: passage.edits.matched,
        };
        passages.iter().map(claim).collect()
    }

    /// Number of units.
    pub fn length(&self) -> usize {
        self.stream.units().len()
    }

    /// Flags for the units in some ranges of the text.
    pub fn within(&self, ranges: &[Range<usize>]) -> Vec<bool> {
        let mut within = Vec::new();
        self.stream.cover(ranges.iter().cloned(), &mut within);
        within
    }

    /// Flags for the units in passages.
    pub fn covered(&self) -> &[bool] {
        &self.covered
    }
}
