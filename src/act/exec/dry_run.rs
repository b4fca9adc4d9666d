//! The executor of dry runs: it asks whether it might (`DryRun`), and changes nothing.

use std::sync::Arc;

use super::executor::{Executor, Receipt};
use crate::act::plan::{Order, Verb};
use crate::domain::{Scope, SourceError};

/// Puts a dry run in the place of every action. What it wraps is asked for permission and never
/// told to act.
pub struct DryRun(Arc<dyn Executor>);

impl DryRun {
    /// A dry run of what `executor` would do.
    pub fn new(executor: Arc<dyn Executor>) -> Self {
        Self(executor)
    }
}

#[async_trait::async_trait]
impl Executor for DryRun {
    fn name(&self) -> &'static str {
        "dry-run"
    }

    async fn permitted(
        &self,
        scope: &Scope,
        verb: &Verb,
        ids: &[Arc<str>],
    ) -> Result<(), SourceError> {
        self.0.permitted(scope, verb, ids).await
    }

    async fn act(&self, order: &Order) -> Result<Receipt, SourceError> {
        self.0.permitted(order.scope(), order.verb(), order.ids()).await?;
        Ok(Receipt { pretended: true, ..Receipt::default() })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::act::exec::fixture;
    use crate::domain::ErrorKind;

    /// Says yes or no, and never acts.
    struct Asked(bool, AtomicUsize);

    #[async_trait::async_trait]
    impl Executor for Asked {
        fn name(&self) -> &'static str {
            "live"
        }

        async fn permitted(
            &self,
            _: &Scope,
            verb: &Verb,
            ids: &[Arc<str>],
        ) -> Result<(), SourceError> {
            assert_eq!((verb, ids.len()), (&Verb::Stop, 2));
            self.1.fetch_add(1, Ordering::SeqCst);
            if self.0 {
                return Ok(());
            }
            Err(SourceError::new(ErrorKind::Denied, "ec2:StopInstances", "no", ""))
        }

        async fn act(&self, _: &Order) -> Result<Receipt, SourceError> {
            panic!("a dry run acted");
        }
    }

    #[tokio::test]
    async fn a_dry_run_asks_and_pretends() {
        let order = fixture::order(Verb::Stop, &["i-1", "i-2"]);
        let executor = Arc::new(Asked(true, AtomicUsize::new(0)));
        let dry = DryRun::new(executor.clone());
        let receipt = dry.act(&order).await.unwrap();
        assert_eq!(receipt, Receipt { pretended: true, ..Receipt::default() });
        assert_eq!((executor.1.load(Ordering::SeqCst), dry.name()), (1, "dry-run"));
        let no = DryRun::new(Arc::new(Asked(false, AtomicUsize::new(0))));
        assert_eq!(no.act(&order).await.unwrap_err().kind, ErrorKind::Denied);
    }
}
