//! Ctrl-C while one command is under way.

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Cancels a token at ctrl-C, until it is dropped.
pub struct Interrupt(JoinHandle<()>);

impl Interrupt {
    /// Listens on the current runtime.
    pub fn cancels(token: &CancellationToken) -> Self {
        let token = token.clone();
        Self(tokio::spawn(async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                token.cancel();
            }
        }))
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        self.0.abort();
    }
}
