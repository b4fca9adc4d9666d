//! Where each service of the AWS that a test sees answers, and the program started in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::committed::Committed;
use crate::emulators::emulators;
use crate::fault::{Fault, Request, proxy};
use crate::pricing::price_list;
use crate::pty::{LIMIT, Pty};

/// An address where nobody listens.
pub const DEAD: &str = "http://127.0.0.1:9";
/// Must never be found in anything that burntop writes.
pub const SECRET: &str = "wJalrXUtnFEMIsecretEXAMPLEKEY";
/// The regions that the emulators have instances in.
pub const REGIONS: [&str; 4] = ["--region", "us-east-1", "--region", "eu-west-1"];
/// A terminal on which no column and no why page is cut.
pub const ROOMY: (u16, u16) = (150, 60);

const BURNTOP: &str = env!("CARGO_BIN_EXE_burntop");

/// Where each service answers.
pub struct World {
    /// EC2 with commitments before it, and STS.
    pub ec2: String,
    /// `CloudWatch`.
    pub cloudwatch: String,
    /// Price List Query API.
    pub pricing: String,
    /// Whether there are any.
    pub credentials: bool,
}

impl World {
    /// The emulators as they are.
    pub fn fine() -> Self {
        let e = emulators();
        Self {
            ec2: Committed::default().before(&e.moto),
            cloudwatch: e.cloudwatch.clone(),
            pricing: price_list(),
            credentials: true,
        }
    }

    /// EC2 behind a proxy that misbehaves.
    pub fn with_ec2(decide: impl Fn(&Request) -> Fault + Send + Sync + 'static) -> Self {
        let fine = Self::fine();
        let ec2 = proxy(&fine.ec2, decide).forever();
        Self { ec2, ..fine }
    }

    /// Every endpoint accepts and never answers.
    pub fn hanging() -> Self {
        let silent = proxy(DEAD, |_| Fault::Hang).forever();
        Self { ec2: silent.clone(), cloudwatch: silent.clone(), pricing: silent, credentials: true }
    }

    fn env<'a>(&'a self, home: &'a Path) -> Vec<(&'static str, &'a str)> {
        let mut env = vec![
            ("HOME", home.to_str().unwrap()),
            ("AWS_EC2_METADATA_DISABLED", "true"),
            ("AWS_ENDPOINT_URL_EC2", &self.ec2),
            ("AWS_ENDPOINT_URL_STS", &self.ec2),
            ("AWS_ENDPOINT_URL_ORGANIZATIONS", &self.ec2),
            ("AWS_ENDPOINT_URL_SAVINGSPLANS", &self.ec2),
            ("AWS_ENDPOINT_URL_S3", &self.ec2),
            ("AWS_ENDPOINT_URL_AUTO_SCALING", &self.ec2),
            ("AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING_V2", &self.ec2),
            ("AWS_ENDPOINT_URL_SAGEMAKER", &self.ec2),
            ("AWS_ENDPOINT_URL_BATCH", &self.ec2),
            ("AWS_ENDPOINT_URL_ECS", &self.ec2),
            ("AWS_ENDPOINT_URL_CLOUDWATCH_LOGS", &self.ec2),
            ("AWS_ENDPOINT_URL_BUDGETS", &self.ec2),
            ("AWS_ENDPOINT_URL_CLOUDWATCH", &self.cloudwatch),
            ("AWS_ENDPOINT_URL_PRICING", &self.pricing),
        ];
        if self.credentials {
            env.extend([("AWS_ACCESS_KEY_ID", "testing"), ("AWS_SECRET_ACCESS_KEY", SECRET)]);
        }
        env
    }

    /// The program with its output in pipes, not started yet.
    pub fn command(&self, home: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(BURNTOP);
        command
            .args(args)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .envs(self.env(home));
        command
    }

    /// Runs the program to its end, without a terminal.
    pub fn run(&self, home: &Path, args: &[&str]) -> Output {
        self.command(home, args).output().expect("burntop starts")
    }

    /// The cockpit on both regions.
    pub fn cockpit(&self, home: &Path) -> Pty {
        self.cockpit_with(home, &REGIONS, &[])
    }

    /// The cockpit with these arguments and this environment besides.
    pub fn cockpit_with(&self, home: &Path, args: &[&str], env: &[(&str, &str)]) -> Pty {
        let env = [&self.env(home), env].concat();
        Pty::spawn(BURNTOP, args, &env, ROOMY)
    }
}

/// The demo's cockpit in a world without AWS.
pub fn demo(home: &Path, args: &[&str], env: &[(&str, &str)], size: (u16, u16)) -> Pty {
    let args = [&["--demo"], args].concat();
    Pty::spawn(BURNTOP, &args, &with_home(home, env), size)
}

/// The demo's cockpit started by a shell script that finds its command line in `"$@"`.
pub fn demo_by_shell(script: &str, home: &Path, args: &[&str], size: (u16, u16)) -> Pty {
    let args = [&["-c", script, "sh", BURNTOP, "--demo"], args].concat();
    Pty::spawn("/bin/sh", &args, &with_home(home, &[]), size)
}

fn with_home<'a>(home: &'a Path, env: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    [&[("HOME", home.to_str().unwrap()), ("AWS_EC2_METADATA_DISABLED", "true")], env].concat()
}

/// A home whose cache holds what one complete reading of the emulators left. Each test gets files
/// of its own; the reading is done once.
pub fn warm_home() -> TempDir {
    static FILES: OnceLock<Vec<(PathBuf, Vec<u8>)>> = OnceLock::new();
    let files = FILES.get_or_init(|| {
        let home = tempfile::tempdir().unwrap();
        let output = World::fine().run(home.path(), &[&["idle"], &REGIONS[..]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let cache = cache_dir(home.path());
        let entries = std::fs::read_dir(&cache).unwrap().map(|e| e.unwrap().path());
        entries.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
    });
    let home = tempfile::tempdir().unwrap();
    let cache = cache_dir(home.path());
    std::fs::create_dir_all(&cache).unwrap();
    for (path, bytes) in files {
        std::fs::write(cache.join(path.file_name().unwrap()), bytes).unwrap();
    }
    home
}

/// Ends the cockpit the way a user does.
#[track_caller]
pub fn quit(mut cockpit: Pty) {
    cockpit.send("q");
    assert_eq!(cockpit.wait_exit(), 0);
    cockpit.assert_restored();
}

/// Presses `r` on a main page and waits for what comes of it: true where the price is asked
/// about, which waits for an answer; false where reading has begun.
#[track_caller]
fn press_refresh(cockpit: &mut Pty) -> bool {
    cockpit.send("r");
    // The word of an earlier press may still stand until this key is handled.
    cockpit.wait_until_quiet(Duration::from_millis(300));
    cockpit.wait_until("the price or the reading", |screen| {
        ["enter refresh", "reading again"].iter().any(|text| screen.contents().contains(text))
    });
    cockpit.screen().contains("enter refresh")
}

/// Presses `r` until the price is asked about: it is known when the first round is over, and until
/// then a refresh is part of that.
#[track_caller]
pub fn refresh_at_a_price(cockpit: &mut Pty) {
    let until = Instant::now() + LIMIT;
    while !press_refresh(cockpit) {
        assert!(Instant::now() < until, "no price\n{}", cockpit.screen());
    }
}

/// Refreshes until `text` stands on the screen. A reading under way does not begin anew, so that
/// one refresh may not be enough.
#[track_caller]
pub fn refresh_until(cockpit: &mut Pty, text: &str) {
    let until = Instant::now() + LIMIT;
    loop {
        if press_refresh(cockpit) {
            cockpit.send("\r");
            cockpit.wait_gone("enter refresh");
        }
        if cockpit.comes_to(Duration::from_secs(3), |screen| screen.contents().contains(text)) {
            if cockpit.screen().contains("enter refresh") {
                cockpit.send("\x1b");
                cockpit.wait_gone("enter refresh");
            }
            return;
        }
        assert!(Instant::now() < until, "no {text:?}\n{}", cockpit.screen());
    }
}

/// Where the cache of this home lies.
pub fn cache_dir(home: &Path) -> PathBuf {
    home.join(".cache/burntop")
}
