//! The `burntop` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    one_heap();
    burntop::run(std::env::args_os(), burntop::fleet)
}

/// Has glibc serve all threads from one heap, and keep large pieces out of it. By default each thread gets a heap of
/// its own, and what a worker gave back stays with it: at 10,000 instances a third of the memory was of that kind. A
/// large piece is a mapping of its own, which goes back to the system when it is freed; by default the first one freed
/// raises the size that counts as large, up to 32 MiB, and later ones leave holes in the heap. Who asks for memory waits
/// for nobody most of the time, as each thread keeps small pieces at hand.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code)]
fn one_heap() {
    const LARGE: libc::c_int = 256 << 10;
    let settings =
        [(libc::M_ARENA_MAX, 1), (libc::M_MMAP_THRESHOLD, LARGE), (libc::M_TRIM_THRESHOLD, LARGE)];
    for (setting, value) in settings {
        // SAFETY: `mallopt` takes two numbers and sets one of malloc's own; no other thread runs yet. Where it refuses,
        // the default stays.
        unsafe { libc::mallopt(setting, value) };
    }
}

/// Other allocators have no such setting.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn one_heap() {}
