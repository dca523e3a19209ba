//! Syncing files to disk.

use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use whorl_files::sync_files;

proptest! {
    #[test]
    fn a_file_that_cannot_be_synced_is_named(missing in prop::collection::vec(prop::bool::weighted(0.02), 0..60)) {
        let folder = std::env::temp_dir().join(format!("whorl-sync-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let paths: Vec<PathBuf> = (0..missing.len()).map(|number| folder.join(number.to_string())).collect();
        for (path, _) in paths.iter().zip(&missing).filter(|(_, is_missing)| !**is_missing) {
            fs::write(path, "content").unwrap();
        }
        match sync_files(&paths) {
            Ok(()) => prop_assert!(!missing.contains(&true)),
            Err((path, error)) => {
                prop_assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
                prop_assert!(missing[paths.iter().position(|other| *other == path).unwrap()]);
            }
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
