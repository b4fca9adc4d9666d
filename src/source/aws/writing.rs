//! What `act::exec` needs of an account to change something in it. Reads do without.

use std::error::Error;
use std::sync::Arc;

use aws_sdk_ec2::operation::RequestId;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use jiff::Timestamp;

use super::calls::Call;
use super::limit::{Api, Permit};
use super::{AwsProvider, error, identity};
use crate::domain::storage::LifecycleSeen;
use crate::domain::{ErrorKind, Scope, SourceError};

impl AwsProvider {
    /// EC2 client for one call that changes something, without retries. Err when the credentials are not those of the
    /// account of `scope`.
    pub(crate) async fn ec2_once(
        &self,
        scope: &Scope,
    ) -> Result<(aws_sdk_ec2::Client, Permit), SourceError> {
        self.is_account_of(scope).await?;
        let permit = self.enter(Api::Ec2Actions, &scope.region, 0).await;
        Ok((self.clients().await.ec2_once(&scope.region, self.patience), permit))
    }

    /// Auto Scaling client for one call that changes something, without retries. Err when the credentials are not those
    /// of the account of `scope`.
    pub(crate) async fn auto_scaling_once(
        &self,
        scope: &Scope,
    ) -> Result<(aws_sdk_autoscaling::Client, Permit), SourceError> {
        self.is_account_of(scope).await?;
        let permit = self.enter(Api::AutoScaling, &scope.region, 0).await;
        Ok((self.clients().await.auto_scaling_once(&scope.region, self.patience), permit))
    }

    /// S3 client for one call that changes something, without retries. Err when the credentials are not those of the
    /// account of `scope`.
    pub(crate) async fn s3_once(
        &self,
        scope: &Scope,
    ) -> Result<(aws_sdk_s3::Client, Permit), SourceError> {
        self.is_account_of(scope).await?;
        let permit = self.enter(Api::S3Config, &scope.region, 0).await;
        Ok((self.clients().await.s3_once(&scope.region, self.patience), permit))
    }

    /// Lifecycle configuration of a bucket as S3 has it now. Err when it cannot be read.
    pub(crate) async fn lifecycle_now(
        &self,
        scope: &Scope,
        bucket: &str,
    ) -> Result<LifecycleSeen, SourceError> {
        super::inspect_storage::lifecycle_now(self, scope, bucket).await
    }

    /// EC2 client for a dry run, which changes nothing and may be retried. Err when the credentials are not those of
    /// the account of `scope`.
    pub(crate) async fn ec2_for_dry_run(
        &self,
        scope: &Scope,
    ) -> Result<(aws_sdk_ec2::Client, Permit), SourceError> {
        self.is_account_of(scope).await?;
        let permit = self.enter(Api::Ec2Actions, &scope.region, 0).await;
        Ok((self.clients().await.ec2(&scope.region), permit))
    }

    /// Error for a failed call that was to change something.
    pub(crate) fn action_failed<E>(
        &self,
        call: &'static Call,
        region: &str,
        error: &SdkError<E, HttpResponse>,
    ) -> SourceError
    where
        E: ProvideErrorMetadata + Error + 'static,
    {
        error::from_action(error, error.request_id(), self.place(call, region))
    }

    /// Present time by the provider's clock.
    pub(crate) fn clock(&self) -> Timestamp {
        (self.now)()
    }

    /// Fails when these are the credentials of another account than the order names.
    async fn is_account_of(&self, scope: &Scope) -> Result<(), SourceError> {
        let ours = match self.account.get() {
            Some(account) => Arc::clone(account),
            None => identity::identity(self).await?.account,
        };
        if ours == scope.account {
            return Ok(());
        }
        let message = format!(
            "the credentials of {} are of account {ours}, not {}",
            self.source.label, scope.account
        );
        let fix = "check the profile of the account in the configuration";
        Err(SourceError::new(ErrorKind::Refused, "sts:GetCallerIdentity", &message, fix))
    }
}
