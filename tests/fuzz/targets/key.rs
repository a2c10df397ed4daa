//! Reads what it is given as a key file, private and public; what is none is told of without a word of it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use viewcell::sign::{PrivateKey, PublicKey};

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    if let Ok(key) = PrivateKey::from_pem(&text) {
        let public = key.public().to_bytes();
        assert!(PublicKey::from_bytes(&public).is_some());
    }
    let errors = [
        PrivateKey::from_pem(&text).err(),
        PublicKey::from_pem(&text).err(),
    ];
    for error in errors.into_iter().flatten() {
        let words = error.to_string();
        assert!(words.len() < 300, "{words}");
        // A run of base64 as long as half of a key is no label.
        let secret = |run: &str| run.len() >= 22 && text.contains(run);
        let mut runs = words.split(|c: char| !(c.is_ascii_alphanumeric() || c == '+' || c == '/'));
        assert!(!runs.any(secret), "{words}");
    }
});
