//! The `burntop` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    one_heap();
    burntop::run(std::env::args_os(), burntop::fleet)
}

/// Has glibc serve all threads from one heap. By default each thread gets one of its own, and what a worker gave back
/// stays with its heap: at 10,000 instances a third of the memory was of that kind. Who asks for memory waits for
/// nobody most of the time, as each thread keeps small pieces at hand.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code)]
fn one_heap() {
    // SAFETY: `mallopt` takes two numbers and sets one of malloc's own; no other thread runs yet. Where it refuses,
    // the default stays.
    unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
}

/// Other allocators have no such setting.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn one_heap() {}
