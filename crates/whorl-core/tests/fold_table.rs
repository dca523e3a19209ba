//! The committed folding table matches its rules, and the rules satisfy the assumptions of the fold.

#[path = "../examples/fold_table/mod.rs"]
mod fold_table;

use std::iter::once;

use fold_table::{Class, Rules, class, composes};
use proptest::{collection::vec, prelude::*};
use unicode_normalization::{
    IsNormalized, UnicodeNormalization, char::canonical_combining_class, is_nfc_quick, is_nfkc_quick,
};

fn every_character() -> impl Iterator<Item = char> {
    '\0'..=char::MAX
}

/// Normalizes each character in isolation.
fn normalise_one_by_one(text: &[char]) -> String {
    text.iter().flat_map(|&character| once(character).nfkc()).collect()
}

/// Characters that take part in some composition or reordering, and some that do not.
fn interacting_character() -> impl Strategy<Value = char> {
    let interacting: Vec<char> = every_character()
        .filter(|&character| !once(character).nfkd().eq(once(character)) || composes(character))
        .collect();
    prop_oneof![3 => prop::sample::select(interacting), 1 => any::<char>()]
}

#[test]
fn rules_reproduce_the_committed_table() {
    let committed = include_bytes!("../src/text/fold_table.bin");
    assert_eq!(fold_table::unicode_version(), "18.0.0");
    assert!(
        fold_table::build() == committed,
        "the rules have changed: write a new table, and give the fold a new name"
    );
}

#[test]
fn fold_of_a_character_is_the_fold_of_its_normal_form() {
    let rules = Rules::load();
    for character in every_character() {
        let through_normal_form: Vec<char> = once(character).nfkc().flat_map(|part| rules.fold(part)).collect();
        assert_eq!(rules.fold(character), through_normal_form, "{character:?}");
    }
}

#[test]
fn fold_of_kept_characters_is_stable() {
    let rules = Rules::load();
    for character in every_character() {
        for folded in rules.fold(character) {
            assert!(rules.fold(folded) == [folded], "{character:?} folds to {folded:?}, which folds further");
        }
    }
}

#[test]
fn composes_covers_quick_check_and_combining_class() {
    for character in every_character() {
        let first = once(character).nfkc().next().expect("a normal form is never empty");
        let may_interact = canonical_combining_class(character) != 0
            || canonical_combining_class(first) != 0
            || is_nfc_quick(once(character)) == IsNormalized::Maybe
            || is_nfc_quick(once(first)) == IsNormalized::Maybe
            || is_nfkc_quick(once(character)) == IsNormalized::Maybe;
        assert_eq!(composes(character), may_interact, "{character:?}");
    }
}

#[test]
fn all_of_a_composite_but_its_first_part_composes() {
    for composite in every_character().filter(|&character| once(character).nfc().eq(once(character))) {
        for part in once(composite).nfd().skip(1) {
            assert!(composes(part), "{part:?} is part of {composite:?}");
        }
    }
}

#[test]
fn joiners_and_variation_selectors_do_not_compose() {
    for character in ['\u{200B}', '\u{200C}', '\u{200D}', '\u{2060}', '\u{FE0F}', '\u{FEFF}', '\u{E0100}'] {
        assert!(!composes(character), "{character:?}");
        assert_eq!(class(character), Class::Drop, "{character:?}");
    }
}

proptest! {
    #[test]
    fn text_without_composing_characters_normalises_one_by_one(text in vec(interacting_character(), 0..12)) {
        let text: Vec<char> = text.into_iter().filter(|&character| !composes(character)).collect();
        let normalised: String = text.iter().copied().nfkc().collect();
        prop_assert_eq!(normalised, normalise_one_by_one(&text));
    }

    #[test]
    fn text_can_be_cut_before_every_character_that_does_not_compose(
        before in vec(interacting_character(), 0..8),
        after in vec(interacting_character(), 1..8),
    ) {
        prop_assume!(!composes(after[0]));
        let whole: String = before.iter().chain(&after).copied().nfkc().collect();
        let cut: String = before.iter().copied().nfkc().chain(after.iter().copied().nfkc()).collect();
        prop_assert_eq!(whole, cut);
    }
}
