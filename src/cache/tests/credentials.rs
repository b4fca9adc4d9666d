//! No credential reaches the cache: nothing that could carry one is known here.

use std::fs;
use std::path::Path;

/// Words by which a credential type or a raw AWS answer would come in.
const FORBIDDEN: [&str; 5] = ["aws_", "Credential", "SecretAccessKey", "session_token", "std::env"];

#[test]
fn the_sources_name_no_credential_type() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files: Vec<_> = fs::read_dir(root.join("cache"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "rs"))
        .collect();
    files.push(root.join("source/ledger.rs"));
    assert!(files.len() > 10, "{files:?}");
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        for word in FORBIDDEN {
            assert!(!text.contains(word), "{} names {word}", file.display());
        }
    }
}
