//! Where credentials come from, by the AWS config files of a home and the emulator's STS: programs,
//! roles behind roles, roles that want MFA; and what the doctor says of them.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::emulators::venv;
use crate::fault::{Fault, proxy};
use crate::ports::serve;
use crate::world::World;

/// What a program prints, and nobody may see.
const SECRET: &str = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";

/// A role of another account, behind a role of a third, behind a program that prints keys.
const CONFIG: &str = "[profile last]\nrole_arn = arn:aws:iam::222222222222:role/last\n\
    source_profile = middle\nregion = us-east-1\n\
    [profile middle]\nrole_arn = arn:aws:iam::111111111111:role/middle\nsource_profile = base\n\
    mfa_serial = arn:aws:iam::111111111111:mfa/kim\n";

fn home(script: &str) -> TempDir {
    let home = tempfile::tempdir().unwrap();
    let program = home.path().join("print-keys");
    std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
    std::fs::create_dir(home.path().join(".aws")).unwrap();
    let config = format!(
        "{CONFIG}[profile base]\nregion = us-east-1\ncredential_process = {}\n",
        program.display()
    );
    std::fs::write(home.path().join(".aws/config"), config).unwrap();
    home
}

fn keys() -> String {
    format!(
        "echo '{{\"Version\": 1, \"AccessKeyId\": \"AKIDPROGRAM\", \"SecretAccessKey\": \"{SECRET}\"}}'"
    )
}

/// What the doctor says of the credentials of a profile: `status message` and the fix.
fn credentials(world: &World, home: &Path, profile: &str) -> (String, String) {
    let output = world.run(home, &["doctor", "--json", "--profile", profile]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(!text.contains(SECRET), "{text}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let check = report["checks"].as_array().unwrap().iter().find(|c| c["id"] == "credentials");
    let check = check.unwrap();
    let word = |key: &str| check[key].as_str().unwrap_or_default().to_owned();
    (format!("{} {}", word("status"), word("message")), word("fix"))
}

/// STS of many accounts. That of the seeded emulators knows one.
struct Accounts(Child, String);

impl Accounts {
    fn start() -> Self {
        let (child, port) = serve("moto", |port| {
            Command::new(venv().join("bin/moto_server"))
                .args(["-p", &port.to_string()])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("moto starts")
        });
        Self(child, format!("http://127.0.0.1:{port}"))
    }
}

impl Drop for Accounts {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_program_and_a_chain_of_roles_lead_into_another_account() {
    let accounts = Accounts::start();
    let ec2 = accounts.1.clone();
    let world = World { credentials: false, ec2, ..World::fine() };
    let home = home(&keys());
    let (said, _) = credentials(&world, home.path(), "base");
    assert!(said.starts_with("ok ") && said.ends_with(" in account 123456789012"), "{said}");
    let (said, _) = credentials(&world, home.path(), "last");
    let role = "ok arn:aws:sts::222222222222:assumed-role/last/";
    assert!(said.starts_with(role) && said.ends_with(" in account 222222222222"), "{said}");
}

#[test]
fn a_program_that_fails_is_named_by_its_profile() {
    let world = World { credentials: false, ..World::fine() };
    let home = home(&format!("echo 'no ticket, key {SECRET}' >&2; exit 2"));
    for profile in ["base", "last"] {
        let (said, fix) = credentials(&world, home.path(), profile);
        let what = "fail no credentials: credential_process of profile `base` failed (exit status: 2: no \
                    ticket, key <redacted>)";
        assert_eq!(said, what);
        assert!(fix.contains("profile `base` by hand"), "{fix}");
    }
}

#[test]
fn the_doctor_says_what_to_do_about_mfa() {
    let world = World { credentials: false, ..World::fine() };
    let sts = proxy(&world.ec2, |request| match request.action.as_str() {
        "AssumeRole" => Fault::Deny,
        _ => Fault::Pass,
    })
    .forever();
    let world = World { ec2: sts, ..world };
    let home = home(&keys());
    let (said, fix) = credentials(&world, home.path(), "last");
    assert!(
        said.starts_with("fail denied: the role of profile `middle` wants MFA (mfa_serial)"),
        "{said}"
    );
    let command = "aws sts get-session-token --serial-number arn:aws:iam::111111111111:mfa/kim \
                   --token-code CODE";
    assert!(fix.contains(command), "{fix}");
}
