//! Licences of all that the workspace may link, with every feature, against `deny.toml`.
//!
//! `scripts/check policy` asks more (bans, sources, advisories) by cargo-deny, which takes longer to build than the
//! project; licences are what a new dependency gets wrong, so they are read here each time.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

/// Who may be licensed how: `[licenses]` of `deny.toml`.
struct Policy {
    allow: Vec<String>,
    /// More, for single crates.
    exceptions: BTreeMap<String, Vec<String>>,
}

impl Policy {
    fn read() -> Policy {
        let path = format!("{}/deny.toml", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("deny.toml is in the repository");
        let table: toml::Table = text.parse().expect("deny.toml is TOML");
        let strings = |value: &toml::Value| -> Vec<String> {
            let names = value.as_array().expect("a list of licences");
            names
                .iter()
                .map(|name| name.as_str().expect("a licence").to_owned())
                .collect()
        };
        let exceptions = table["licenses"]["exceptions"]
            .as_array()
            .expect("a list of crates");
        Policy {
            allow: strings(&table["licenses"]["allow"]),
            exceptions: exceptions
                .iter()
                .map(|one| {
                    (
                        one["crate"].as_str().expect("a crate").to_owned(),
                        strings(&one["allow"]),
                    )
                })
                .collect(),
        }
    }

    /// What is wrong with a crate whose manifest says `license`, an SPDX expression.
    fn fault(&self, name: &str, license: Option<&str>) -> Option<String> {
        let Some(license) = license else {
            return Some(format!("{name}: no licence"));
        };
        let none = Vec::new();
        let allowed = self
            .allow
            .iter()
            .chain(self.exceptions.get(name).unwrap_or(&none));
        let allowed: Vec<spdx::Licensee> = allowed
            .map(|name| spdx::Licensee::parse(name).expect("deny.toml has SPDX names"))
            .collect();
        // Older manifests have a slash for OR.
        match spdx::Expression::parse_mode(license, spdx::ParseMode::LAX) {
            Err(error) => Some(format!("{name}: {license}: {}", error.reason)),
            Ok(expression) => {
                let fits =
                    expression.evaluate(|asked| allowed.iter().any(|one| one.satisfies(asked)));
                (!fits).then(|| format!("{name}: {license} is not in deny.toml"))
            }
        }
    }
}

#[test]
fn all_dependencies_have_a_licence_of_deny_toml() {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--locked",
            "--all-features",
            "--format-version=1",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("Cargo runs this test");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("Cargo writes JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    assert!(packages.len() > 100, "{} packages", packages.len());

    let policy = Policy::read();
    let faults: Vec<String> = packages
        .iter()
        .filter_map(|package| {
            policy.fault(
                package["name"].as_str().expect("a name"),
                package["license"].as_str(),
            )
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_licence_that_nobody_allowed_is_a_fault() {
    let policy = Policy::read();
    for (name, license, fits) in [
        ("a", Some("MIT/Apache-2.0"), true),
        ("a", Some("GPL-3.0-only OR MIT"), true),
        ("a", Some("GPL-3.0-only"), false),
        ("a", Some("MIT AND GPL-3.0-only"), false),
        ("a", Some("MPL-2.0"), false),
        ("cbindgen", Some("MPL-2.0"), true),
        ("a", Some("as you like"), false),
        ("a", None, false),
    ] {
        let fault = policy.fault(name, license);
        assert_eq!(fault.is_none(), fits, "{name}, {license:?}: {fault:?}");
    }
}
