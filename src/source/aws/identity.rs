//! Who we are, and which regions are enabled.

use std::sync::Arc;

use super::calls::{DESCRIBE_REGIONS, GET_CALLER_IDENTITY};
use super::limit::Api;
use super::{AwsProvider, error};
use crate::domain::{SourceError, text};
use crate::source::provider::Identity;

/// Caller's identity (`GetCallerIdentity`). Err when the call fails or names no account.
pub async fn identity(aws: &AwsProvider) -> Result<Identity, SourceError> {
    let home = aws.clients().await.home();
    let _permit = aws.enter(Api::Sts, home, 0).await;
    let client = aws.clients().await.sts();
    let answer = client
        .get_caller_identity()
        .send()
        .await
        .map_err(|e| aws.failed(&GET_CALLER_IDENTITY, home, &e))?;
    let account = answer.account().unwrap_or_default();
    if account.len() != 12 || !account.bytes().all(|b| b.is_ascii_digit()) {
        let place = aws.place(&GET_CALLER_IDENTITY, home);
        return Err(error::malformed("the account id is not 12 digits", place));
    }
    let account: Arc<str> = account.into();
    // The first answer stays: an account does not change under a set of credentials.
    let _first = aws.account.get_or_init(|| Arc::clone(&account));
    Ok(Identity {
        account,
        arn: text::clean(answer.arn().unwrap_or_default()).into(),
        label: text::clean(&aws.source.label).into(),
    })
}

/// Codes of the enabled regions, sorted (without `AllRegions`, disabled ones are not listed). Err when the call fails.
pub async fn regions(aws: &AwsProvider) -> Result<Vec<Arc<str>>, SourceError> {
    let home = aws.clients().await.home();
    let _permit = aws.enter(Api::Ec2, home, 0).await;
    let client = aws.clients().await.ec2(home);
    let answer = client
        .describe_regions()
        .send()
        .await
        .map_err(|e| aws.failed(&DESCRIBE_REGIONS, home, &e))?;
    let mut codes: Vec<Arc<str>> = answer
        .regions()
        .iter()
        .filter_map(|r| r.region_name())
        .filter(|code| text::clean(code) == **code)
        .map(Arc::from)
        .collect();
    codes.sort();
    codes.dedup();
    if codes.is_empty() {
        let place = aws.place(&DESCRIBE_REGIONS, home);
        return Err(error::malformed("the list of regions is empty", place));
    }
    Ok(codes)
}
