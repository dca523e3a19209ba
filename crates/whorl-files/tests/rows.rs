//! Copying rows to another file.

use std::fs;

use proptest::prelude::*;
use whorl_files::{RowsFailed, copy_ranges};

proptest! {
    #[test]
    fn copied_rows_are_those_of_the_file(
        rows in prop::collection::vec("[a-z]{0,12}", 1..20),
        chosen in any::<u32>(),
        ends_open: bool,
    ) {
        let folder = std::env::temp_dir().join(format!("whorl-rows-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (source, target) = (folder.join("source"), folder.join("target"));
        let mut content: String = rows.iter().flat_map(|row| [row.as_str(), "\n"]).collect();
        let ranges = rows.iter().scan(0u64, |at, row| {
            let start = *at;
            *at += row.len() as u64 + 1;
            Some((start, *at))
        });
        let is_chosen = |number: &usize| chosen >> number & 1 == 1;
        let ranges: Vec<_> = ranges.enumerate().filter(|(number, _)| is_chosen(number)).map(|(_, range)| range).collect();
        let mut expected: String =
            rows.iter().enumerate().filter(|(number, _)| is_chosen(number)).flat_map(|(_, row)| [row.as_str(), "\n"]).collect();
        let has_last = is_chosen(&(rows.len() - 1));
        if ends_open {
            content.pop();
            expected.truncate(expected.len() - usize::from(has_last));
        }
        fs::write(&source, &content).unwrap();
        prop_assert_eq!(copy_ranges(&source, &target, &ranges).unwrap(), ranges.len());
        prop_assert_eq!(fs::read_to_string(&target).unwrap(), expected);
        if has_last {
            fs::write(&source, &content[..content.len().saturating_sub(2)]).unwrap();
            prop_assert!(content.len() < 2 || matches!(copy_ranges(&source, &target, &ranges), Err(RowsFailed::Short(_))));
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}

#[test]
fn rows_of_many_parts_are_those_of_the_file() {
    let folder = std::env::temp_dir().join(format!("whorl-parts-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let (source, target) = (folder.join("source"), folder.join("target"));
    let row = |number: usize| format!("{number} {}\n", "x".repeat(if number == 700 { 3 << 20 } else { number }));
    let rows: Vec<String> = (0..3_000).map(row).collect();
    fs::write(&source, rows.concat()).unwrap();
    let ends = rows.iter().scan(0, |at, row| {
        *at += row.len() as u64;
        Some((*at - row.len() as u64, *at))
    });
    let ranges: Vec<(u64, u64)> =
        ends.enumerate().filter(|(number, _)| number % 3 != 0).map(|(_, range)| range).collect();
    assert_eq!(copy_ranges(&source, &target, &ranges).unwrap(), 2_000);
    let expected: String =
        rows.iter().enumerate().filter(|(number, _)| number % 3 != 0).map(|(_, row)| &**row).collect();
    assert!(fs::read_to_string(&target).unwrap() == expected);
    fs::remove_dir_all(&folder).unwrap();
}
