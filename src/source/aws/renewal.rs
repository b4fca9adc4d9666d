//! Credentials that are found anew after a failure. The SDK's own chain reads the AWS config files
//! once, keeps the token of an SSO session for as long as the token says it is good, and keeps the
//! first failure to set itself up: after a new login it would have to be started again.

use std::sync::{Mutex, PoisonError};

use aws_credential_types::provider::{
    self, ProvideCredentials, SharedCredentialsProvider, future::ProvideCredentials as Provided,
};
use futures_util::future::BoxFuture;

/// Makes a chain that knows nothing yet.
type Make = Box<dyn Fn() -> BoxFuture<'static, SharedCredentialsProvider> + Send + Sync>;

/// Chain of credentials providers that is dropped when it fails, and created anew for the next request.
pub struct Renewed {
    make: Make,
    kept: Mutex<Option<SharedCredentialsProvider>>,
}

impl Renewed {
    /// Chain created by `make`, not before the first request.
    pub fn new(
        make: impl Fn() -> BoxFuture<'static, SharedCredentialsProvider> + Send + Sync + 'static,
    ) -> Self {
        Self { make: Box::new(make), kept: Mutex::default() }
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Option<SharedCredentialsProvider>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn credentials(&self) -> provider::Result {
        let kept = self.kept().clone();
        let chain = match kept {
            Some(chain) => chain,
            None => {
                let chain = (self.make)().await;
                self.kept().get_or_insert(chain).clone()
            }
        };
        let found = chain.provide_credentials().await;
        if found.is_err() {
            *self.kept() = None;
        }
        found
    }
}

impl std::fmt::Debug for Renewed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Renewed").finish_non_exhaustive()
    }
}

impl ProvideCredentials for Renewed {
    fn provide_credentials<'a>(&'a self) -> Provided<'a>
    where
        Self: 'a,
    {
        Provided::new(self.credentials())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use aws_credential_types::Credentials;
    use aws_credential_types::provider::error::CredentialsError;
    use futures_util::FutureExt as _;

    use super::*;

    /// Fails or not, as its number says: the second one made works.
    #[derive(Debug)]
    struct Numbered(usize);

    impl ProvideCredentials for Numbered {
        fn provide_credentials<'a>(&'a self) -> Provided<'a>
        where
            Self: 'a,
        {
            Provided::ready(match self.0 {
                0 => Err(CredentialsError::not_loaded_no_source()),
                _ => Ok(Credentials::new("AKID", "secret", None, None, "test")),
            })
        }
    }

    #[tokio::test]
    async fn a_chain_that_failed_is_made_anew_and_one_that_works_is_kept() {
        let made = Arc::new(AtomicUsize::new(0));
        let count = made.clone();
        let renewed = Renewed::new(move || {
            let number = count.fetch_add(1, Ordering::SeqCst);
            async move { SharedCredentialsProvider::new(Numbered(number)) }.boxed()
        });
        assert_eq!(made.load(Ordering::SeqCst), 0, "nothing is read before it is needed");
        assert!(renewed.provide_credentials().await.is_err());
        for _ in 0..3 {
            assert!(renewed.provide_credentials().await.is_ok());
        }
        assert_eq!(made.load(Ordering::SeqCst), 2);
    }
}
