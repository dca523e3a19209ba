//! Saving an index under crashes and concurrent access.

mod model;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use model::{Crash, Model, Trouble};
use proptest::prelude::*;
use whorl_core::index::inverted::{Ask, Index, Keys, Segment};
use whorl_files::{Access, Disk, Failed, Home, Kinds, System, open};

/// Documents by their ids, with their keys.
type Contents = BTreeMap<u64, BTreeSet<u64>>;

const KEYS: u64 = 6;
const FOLDER: &str = "index";

#[derive(Clone, Debug)]
enum Act {
    Add(BTreeSet<u64>),
    Remove(usize),
    Save,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        3 => prop::collection::btree_set(0..KEYS, 1..4).prop_map(Act::Add),
        1 => (0usize..8).prop_map(Act::Remove),
        2 => Just(Act::Save),
    ]
}

fn crash() -> impl Strategy<Value = Crash> {
    prop_oneof![Just(Crash::Kill), any::<u64>().prop_map(Crash::PowerCut)]
}

/// An index, its location, and its expected contents.
struct Run<D> {
    disk: D,
    index: Index,
    home: Home<D>,
    holds: Contents,
    next: u64,
}

impl<D: Disk + Clone> Run<D> {
    fn new(disk: D) -> Self {
        let home = Home::new(Access::Read, disk.clone());
        Self { disk, index: Index::new(usize::MAX), home, holds: Contents::new(), next: 0 }
    }

    /// Performs an action other than saving.
    fn act(&mut self, act: &Act) {
        match act {
            Act::Add(keys) => {
                let values = Keys::new(keys.iter().copied().collect(), &[keys.len() as u32]).unwrap();
                self.index.log().add(values, Some(vec![self.next]), None).unwrap();
                self.holds.insert(self.next, keys.clone());
                self.next += 1;
            }
            Act::Remove(place) => {
                if let Some(&id) = self.holds.keys().nth(*place) {
                    self.index.log().remove(vec![id]).unwrap();
                    self.holds.remove(&id);
                }
            }
            Act::Save => {}
        }
    }

    fn save(&self) -> Result<(), Failed> {
        self.home.save(self.index.log(), FOLDER.into())
    }

    /// Reopens the index from the folder; false if the folder has none.
    fn open_again(&mut self) -> bool {
        let opened = open(&self.disk, Path::new(FOLDER), Kinds::of::<Segment>(), Access::Read);
        let is_there = opened.is_ok();
        match opened {
            Ok((number, manifest, segments)) => {
                self.index = Index::from_files(&manifest, segments, usize::MAX).unwrap();
                self.home = Home::at(FOLDER.into(), number, Access::Read, self.disk.clone());
            }
            Err(failed) => {
                let names = self.disk.names(Path::new(FOLDER)).unwrap();
                let has_manifest = names.iter().any(|name| name.to_string_lossy().ends_with(".manifest"));
                assert!(!has_manifest, "an index that cannot be opened: {failed}");
                self.index = Index::new(usize::MAX);
                self.home = Home::new(Access::Read, self.disk.clone());
            }
        }
        self.holds = contents(&self.index);
        is_there
    }
}

fn contents(index: &Index) -> Contents {
    index.log().verify().unwrap();
    let ask = Ask { limit: usize::MAX, min_hits: 1, min_share: 0.0, earliest: 0, window: None };
    let mut actual = Contents::new();
    for key in 0..KEYS {
        for hit in index.query(&[key], &ask).unwrap().hits {
            actual.entry(hit.id).or_default().insert(key);
        }
    }
    actual
}

proptest! {
    #[test]
    fn a_crash_between_any_two_steps_leaves_the_old_or_the_new(
        acts in prop::collection::vec(act(), 1..14),
        step in 0usize..60,
        crash in crash(),
    ) {
        let mut run = Run::new(Model::default());
        run.disk.trouble(step, Trouble::Crash);
        let mut saved = Contents::new();
        for act in acts.iter().chain([&Act::Save]) {
            run.act(act);
            if !matches!(act, Act::Save) {
                continue;
            }
            let new = run.holds.clone();
            let acknowledged = run.save().is_ok();
            prop_assert!(acknowledged || run.disk.is_dead());
            if run.disk.is_dead() {
                run.disk.start_again(crash);
                run.open_again();
                prop_assert!(run.holds == new || !acknowledged && run.holds == saved, "{:?}", run.holds);
            }
            saved = run.holds.clone();
        }
        run.disk.calm();
        prop_assert!(run.save().is_ok());
        let expected = std::mem::take(&mut run.holds);
        prop_assert!(run.open_again());
        prop_assert_eq!(run.holds, expected);
    }

    #[test]
    fn a_step_that_fails_leaves_the_old_whole(
        acts in prop::collection::vec(act(), 1..14),
        step in 0usize..60,
        crash in crash(),
    ) {
        let mut run = Run::new(Model::default());
        run.disk.trouble(step, Trouble::Fault);
        let mut saved = Contents::new();
        for act in acts.iter().chain([&Act::Save]) {
            run.act(act);
            if !matches!(act, Act::Save) {
                continue;
            }
            if let Err(failed) = run.save() {
                prop_assert!(run.disk.was_in_trouble(), "{}", failed);
                let mut other = Run::new(run.disk.clone());
                other.open_again();
                prop_assert_eq!(&other.holds, &saved);
                prop_assert!(run.save().is_ok());
            }
            saved = run.holds.clone();
            if matches!(crash, Crash::PowerCut(_)) {
                run.disk.start_again(crash);
            }
            let mut other = Run::new(run.disk.clone());
            prop_assert!(other.open_again());
            prop_assert_eq!(&other.holds, &saved);
        }
    }
}

/// Saves three documents to a private folder on the real file system.
fn saved_in(folder: &Path, replace: bool) -> Result<(Index, Home), Failed> {
    let (index, home) = (Index::new(usize::MAX), Home::new(Access::Mapped, System));
    index.log().add(Keys::new(vec![1, 2, 3, 4], &[1, 1, 2]).unwrap(), None, None).unwrap();
    let state = index.log().sealed().unwrap();
    home.save_state(index.log(), &state, folder.to_owned(), replace)?;
    Ok((index, home))
}

#[test]
fn of_two_writers_one_is_refused() {
    let folder = std::env::temp_dir().join(format!("whorl-files-{}", std::process::id()));
    let outcomes: Vec<_> = std::thread::scope(|threads| {
        let writers: Vec<_> = (0..2).map(|_| threads.spawn(|| saved_in(&folder, false).map(drop))).collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    assert!(outcomes.iter().any(|outcome| matches!(outcome, Err(Failed::Occupied(_)))));
    assert!(saved_in(&folder, true).is_ok());
    let (number, manifest, segments) = open(&System, &folder, Kinds::of::<Segment>(), Access::Mapped).unwrap();
    let index = Index::from_files(&manifest, segments, usize::MAX).unwrap();
    assert_eq!((number, contents(&index).len()), (2, 3));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_folder_of_something_else_is_left_alone() {
    let folder = std::env::temp_dir().join(format!("whorl-files-foreign-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("letter.txt"), "dear all").unwrap();
    assert!(matches!(saved_in(&folder, true), Err(Failed::Foreign(_, name)) if name == "letter.txt"));
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    std::fs::remove_dir_all(&folder).unwrap();
}
