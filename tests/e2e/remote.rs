//! The cockpit where it is used: inside tmux, and over SSH.
//!
//! Where tmux or sshd are not installed these tests print `skipped: …`; with `BURNTOP_CI=1` that
//! is a failure.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::ports::serve;
use crate::pty::{LIMIT, Pty};

const BURNTOP: &str = env!("CARGO_BIN_EXE_burntop");

/// The program's path when it is installed.
pub fn installed(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .chain([PathBuf::from("/usr/sbin"), PathBuf::from("/usr/local/sbin")])
        .map(|dir| dir.join(name))
        .find(|file| file.is_file());
    if found.is_none() {
        let text = format!("{name} is not installed");
        assert!(std::env::var("BURNTOP_CI").as_deref() != Ok("1"), "{text}");
        eprintln!("skipped: {text}");
    }
    found
}

/// Waits for `is` to hold; asks again and again, because what it asks is another program.
#[track_caller]
pub(crate) fn wait_until(mut is: impl FnMut() -> Result<(), String>) {
    let until = Instant::now() + LIMIT;
    loop {
        match is() {
            Ok(()) => return,
            Err(seen) => assert!(Instant::now() < until, "waited in vain; last seen:\n{seen}"),
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A tmux server of our own; it ends with the test.
struct Tmux {
    program: PathBuf,
    home: tempfile::TempDir,
}

impl Tmux {
    fn run(&self, args: &[&str]) -> String {
        let output = Command::new(&self.program)
            .args(["-f", "/dev/null", "-S"])
            .arg(self.home.path().join("tmux.sock"))
            .args(args)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home.path())
            .env("LANG", "C.UTF-8")
            .env("TERM", "xterm-256color")
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn screen(&self) -> String {
        self.run(&["capture-pane", "-p", "-t", "main"])
    }

    #[track_caller]
    fn wait_for(&self, words: &[&str]) {
        wait_until(|| {
            let screen = self.screen();
            let there = screen.lines().any(|line| words.iter().all(|w| line.contains(w)));
            if there { Ok(()) } else { Err(screen) }
        });
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.run(&["kill-server"]);
    }
}

#[test]
fn inside_tmux() {
    let Some(program) = installed("tmux") else { return };
    let tmux = Tmux { program, home: tempfile::tempdir().unwrap() };
    // The shell stays, so that what the cockpit leaves behind can be looked at.
    let shell = format!("'{BURNTOP}' --demo --demo-size 30; echo ended with $?; exec cat");
    tmux.run(&["new-session", "-d", "-s", "main", "-x", "120", "-y", "35", "sh", "-c", &shell]);
    tmux.run(&["set-option", "-s", "set-clipboard", "on"]);
    tmux.wait_for(&["burntop", "DEMO", "ec2 "]);
    tmux.run(&["send-keys", "-t", "main", "3"]);
    tmux.wait_for(&["train-7b-old", "IDLE"]);
    tmux.run(&["send-keys", "-t", "main", "-l", "/train-7b-old"]);
    tmux.run(&["send-keys", "-t", "main", "Enter"]);
    tmux.wait_for(&["/ train-7b-old", "1 of 30"]);
    // A copy goes through tmux to the terminal outside; tmux keeps it as a buffer of its own.
    tmux.run(&["send-keys", "-t", "main", "y"]);
    tmux.wait_for(&["sent i-", "clipboard"]);
    wait_until(|| {
        let buffer = tmux.run(&["show-buffer"]);
        if buffer.starts_with("i-") { Ok(()) } else { Err(buffer) }
    });
    // Esc alone is not held back for a key that might follow it.
    tmux.run(&["send-keys", "-t", "main", "Enter"]);
    tmux.wait_for(&["Evidence, preset cautious"]);
    tmux.run(&["send-keys", "-t", "main", "Escape"]);
    tmux.wait_for(&["/ train-7b-old", "1 of 30"]);
    // A pane that changes its size is painted at the new one.
    tmux.run(&["resize-window", "-t", "main", "-x", "90", "-y", "20"]);
    tmux.wait_for(&["train-7b-old", "IDLE"]);
    let modes = |tmux: &Tmux| {
        tmux.run(&["display-message", "-p", "-t", "main", "#{alternate_on} #{cursor_flag}"])
    };
    assert_eq!(modes(&tmux).trim(), "1 0");
    tmux.run(&["send-keys", "-t", "main", "q"]);
    tmux.wait_for(&["ended with 0"]);
    assert_eq!(modes(&tmux).trim(), "0 1");
}

#[test]
fn lines_that_tmux_moved_are_those_of_a_screen_painted_anew() {
    let Some(program) = installed("tmux") else { return };
    let tmux = Tmux { program, home: tempfile::tempdir().unwrap() };
    let args = "--demo --demo-size 300 --now 2026-06-10T12:00:00Z";
    let shell = format!("exec '{BURNTOP}' {args}");
    tmux.run(&["new-session", "-d", "-s", "main", "-x", "150", "-y", "30", "sh", "-c", &shell]);
    let keys = |keys: &[&str]| tmux.run(&[&["send-keys", "-t", "main"], keys].concat());
    tmux.wait_for(&["burntop", "DEMO", "ec2 "]);
    keys(&["3"]);
    // What is still being read would change lines between two looks: the rows are held as they are.
    tmux.wait_for(&["1 of 300"]);
    tmux.wait_for(&["train-7b-old", "IDLE"]);
    keys(&["f"]);
    tmux.wait_for(&["FROZEN picture"]);
    let footer = |is: &dyn Fn(&str) -> bool| {
        let mut seen = String::new();
        wait_until(|| {
            seen = tmux.screen();
            let last = seen.trim_end().lines().last().unwrap_or_default().trim();
            if is(last) { Ok(()) } else { Err(seen.clone()) }
        });
        seen
    };
    // The table when all keys before have been heard. Ages tick above it also while it is frozen; nothing is moved there.
    let settled = || {
        keys(&["/"]);
        footer(&|last| last == "/");
        keys(&["Escape"]);
        let screen = footer(&|last| last.contains("filter"));
        let table: Vec<String> = screen
            .lines()
            .skip_while(|line| !line.contains("VERDICT"))
            .map(str::to_owned)
            .collect();
        assert!(table.len() > 20, "{screen}");
        table
    };
    // Down by lines and by several at once, and up again.
    keys(&["-N", "60", "j"]);
    keys(&["-N", "35", "k"]);
    for step in [&["j"][..], &["-N", "3", "j"], &["-N", "30", "k"]] {
        keys(step);
        let moved = settled();
        keys(&["C-l"]);
        assert_eq!(settled(), moved);
    }
}

/// An sshd of our own on a free port of the loopback, with keys made for this test.
pub(crate) struct Sshd {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) port: u16,
    child: Child,
}

impl Sshd {
    /// Starts it; `more` are further lines of its configuration.
    pub(crate) fn start(sshd: &Path, more: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for key in ["host", "user"] {
            let made = Command::new("ssh-keygen")
                .args(["-q", "-t", "ed25519", "-N", "", "-f"])
                .arg(dir.path().join(key))
                .status();
            assert!(made.is_ok_and(|s| s.success()), "ssh-keygen makes a key");
        }
        std::fs::copy(dir.path().join("user.pub"), dir.path().join("authorized")).unwrap();
        // As root, sshd insists on the directory of its privilege separation.
        if rustix::process::geteuid().is_root() {
            std::fs::create_dir_all("/run/sshd").unwrap();
        }
        let at = dir.path().display();
        let (child, port) = serve("sshd", |port| {
            let config = format!(
                "Port {port}\nListenAddress 127.0.0.1\nHostKey {at}/host\nPidFile none\n\
                 AuthorizedKeysFile {at}/authorized\nStrictModes no\nUsePAM no\n\
                 PasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin yes\n\
                 PrintMotd no\nPrintLastLog no\nAcceptEnv LANG\n{more}"
            );
            std::fs::write(dir.path().join("config"), config).unwrap();
            let log = std::fs::File::create(dir.path().join("log")).unwrap();
            Command::new(sshd)
                .args(["-D", "-e", "-f"])
                .arg(dir.path().join("config"))
                .stdin(Stdio::null())
                .stderr(log)
                .spawn()
                .unwrap()
        });
        Self { dir, port, child }
    }

    /// Ends it; its files stay.
    pub(crate) fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// A command over SSH, on a terminal.
    fn shell(&self, command: &str, size: (u16, u16)) -> Pty {
        let port = self.port.to_string();
        let identity = self.dir.path().join("user");
        let known = format!("UserKnownHostsFile={}", self.dir.path().join("known").display());
        let args = [
            "-tt",
            "-F",
            "none",
            "-p",
            &port,
            "-i",
            identity.to_str().unwrap(),
            "-o",
            "IdentitiesOnly=yes",
            "-o",
            "StrictHostKeyChecking=no",
            "-o",
            &known,
            "-o",
            "LogLevel=ERROR",
            "-o",
            "SendEnv=LANG",
            "127.0.0.1",
            command,
        ];
        let home = self.dir.path().to_str().unwrap();
        Pty::spawn("ssh", &args, &[("HOME", home)], size)
    }
}

impl Drop for Sshd {
    fn drop(&mut self) {
        self.stop();
    }
}

#[test]
fn over_ssh() {
    let (Some(sshd), Some(_), Some(_)) =
        (installed("sshd"), installed("ssh"), installed("ssh-keygen"))
    else {
        return;
    };
    let sshd = Sshd::start(&sshd, "");
    let home = tempfile::tempdir().unwrap();
    let start = format!(
        "HOME='{}' LANG=C.UTF-8 '{BURNTOP}' --demo --demo-size 30; echo ended with $?",
        home.path().display()
    );
    let mut cockpit = sshd.shell(&start, (110, 32));
    cockpit.wait_for_line(&["burntop", "DEMO", "ec2 "]);
    assert!(cockpit.look(vt100::Screen::alternate_screen));
    cockpit.send("3");
    cockpit.wait_for_line(&["train-7b-old", "IDLE"]);
    cockpit.send("/train-7b-old\r");
    cockpit.wait_for("1 of 30");
    cockpit.send("y");
    cockpit.wait_for("to the terminal's clipboard");
    cockpit.wait_for_output(0, "\x1b]52;c;");
    cockpit.resize(80, 24);
    cockpit.wait_for_line(&["train-7b-old", "IDLE"]);
    cockpit.send("q");
    cockpit.wait_for("ended with 0");
    assert_eq!(cockpit.wait_exit(), 0);
    cockpit.assert_restored();

    // The connection breaks: the program over there ends as well, and leaves no process.
    let marker = home.path().join("status");
    let start = format!(
        "HOME='{}' sh -c 'trap \"\" HUP; \"$0\" --demo --demo-size 30; echo $? > {}' '{BURNTOP}'",
        home.path().display(),
        marker.display()
    );
    let cockpit = sshd.shell(&start, (110, 32));
    cockpit.wait_for("DEMO");
    cockpit.signal(rustix::process::Signal::KILL);
    wait_until(|| match std::fs::read_to_string(&marker) {
        Ok(text) if text.trim() == "129" => Ok(()),
        other => Err(format!("{other:?}")),
    });
}
