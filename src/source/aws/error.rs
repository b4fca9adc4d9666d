//! From the SDK's errors to what burntop says: the kind of trouble, one line about it, and what
//! the user can do. Nothing secret passes: canonical requests (they quote session tokens) and
//! encoded authorization messages are cut off.

use std::error::Error;

use aws_credential_types::provider::error::CredentialsError;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::{ConnectorError, SdkError};
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use jiff::Timestamp;
use jiff::fmt::rfc2822;

use super::calls::Call;
use super::login::{self, Login};
use super::network_error;
use crate::domain::{ErrorKind, SourceError};
use crate::source::causes::{chain, find, root};
use crate::source::proxy::SettingError;

/// Context of a failed call, for its message.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The call that failed.
    pub call: &'static Call,
    /// Configured name of the account.
    pub label: &'a str,
    /// AWS profile in use; `None` without a named one.
    pub profile: Option<&'a str>,
    /// Region of the endpoint.
    pub region: &'a str,
    /// Present time by this machine's clock.
    pub now: Timestamp,
}

/// Signatures are good for five minutes on either side (Signature Version 4); a bigger difference explains
/// every complaint about signatures and expiry.
const MAX_SKEW_S: i64 = 300;

/// Translates an SDK error into burntop's: kind, message, advice.
pub fn from_sdk<E>(error: &SdkError<E, HttpResponse>, place: Place<'_>) -> SourceError
where
    E: ProvideErrorMetadata + Error + 'static,
{
    if let Some(said) = on_the_way(error, place) {
        return said;
    }
    if let Some(credentials) = find::<CredentialsError>(error) {
        return from_credentials(credentials, place);
    }
    let (kind, message) = kind_and_message(error, place.now);
    say(kind, &message, place)
}

/// Translates the error of a call that changes something. `request_id` identifies the call for AWS's support and in
/// `CloudTrail`. A call that may have taken effect is never reported as refused.
pub fn from_action<E>(
    error: &SdkError<E, HttpResponse>,
    request_id: Option<&str>,
    place: Place<'_>,
) -> SourceError
where
    E: ProvideErrorMetadata + Error + 'static,
{
    if let Some(credentials) = find::<CredentialsError>(error) {
        return on_the_way(error, place).unwrap_or_else(|| from_credentials(credentials, place));
    }
    if let Some(setting) = find::<SettingError>(error) {
        // Nothing was sent.
        return SourceError::new(
            ErrorKind::Refused,
            place.call.action,
            &setting.to_string(),
            &setting.fix,
        );
    }
    let (kind, mut message) = network_error::words(error)
        .map_or_else(|| kind_and_message(error, place.now), |(kind, message, _)| (kind, message));
    let coded = error.code().is_some_and(|code| !code.is_empty());
    let kind = match kind {
        // "You cannot stop a one-time Spot instance" is said in this code, among others.
        ErrorKind::Unavailable if coded => ErrorKind::Refused,
        // A gateway's answer, not the service's: nobody knows how far the request came.
        ErrorKind::Throttled | ErrorKind::Unavailable if !coded => ErrorKind::Other,
        kind => kind,
    };
    if let Some(id) = request_id {
        message = format!("{message} (request {id})");
    }
    let mut said = say(kind, message.trim_start(), place);
    if kind.is_transient() {
        // What the texts for reads say does not hold: nothing is tried again blindly.
        "look at the instances before it is tried again".clone_into(&mut said.fix);
    }
    said
}

/// What is wrong between this machine and the endpoint, or the one that gives credentials; `None`
/// where more is not known than the general words say.
fn on_the_way(error: &(dyn Error + 'static), place: Place<'_>) -> Option<SourceError> {
    let (kind, message, fix) = network_error::words(error)?;
    Some(SourceError::new(kind, place.call.action, &message, &fix))
}

fn kind_and_message<E>(error: &SdkError<E, HttpResponse>, now: Timestamp) -> (ErrorKind, String)
where
    E: ProvideErrorMetadata + Error + 'static,
{
    match error {
        SdkError::TimeoutError(_) => (ErrorKind::Timeout, String::new()),
        SdkError::DispatchFailure(failure) if failure.is_timeout() => {
            (ErrorKind::Timeout, String::new())
        }
        SdkError::DispatchFailure(_) | SdkError::ResponseError(_) if stalled(error) => {
            (ErrorKind::Timeout, "the answer stopped in the middle".to_owned())
        }
        SdkError::DispatchFailure(failure) if failure.is_io() => (ErrorKind::Network, root(error)),
        SdkError::ResponseError(_) if broken_body(error) => {
            (ErrorKind::Network, "the connection broke in the middle of the answer".to_owned())
        }
        SdkError::ResponseError(response) if response.raw().status().is_success() => {
            (ErrorKind::Malformed, format!("unreadable answer: {}", root(error)))
        }
        SdkError::ServiceError(_) | SdkError::ResponseError(_) => from_service(error, now),
        _ => (ErrorKind::Other, root(error)),
    }
}

/// Error for an answer that the SDK accepted but that cannot be used.
pub fn malformed(message: &str, place: Place<'_>) -> SourceError {
    say(ErrorKind::Malformed, message, place)
}

fn stalled(error: &(dyn Error + 'static)) -> bool {
    chain(error).any(|e| e.to_string().contains("minimum throughput"))
}

/// True when the body ended before it was complete. The HTTP layers say so only in words.
fn broken_body(error: &(dyn Error + 'static)) -> bool {
    chain(error).any(|e| {
        let text = e.to_string();
        e.is::<std::io::Error>()
            || e.is::<ConnectorError>()
            || ["reading a body", "connection", "end of file before message"]
                .iter()
                .any(|words| text.contains(words))
    })
}

fn from_credentials(error: &CredentialsError, place: Place<'_>) -> SourceError {
    let text = chain(error).map(ToString::to_string).collect::<Vec<_>>().join(": ");
    let lower = text.to_lowercase();
    // A role from the config or a profile is assumed through STS: its refusal is an IAM matter.
    if let Some(refused) = find::<aws_sdk_sts::operation::assume_role::AssumeRoleError>(error)
        && let Some(code) = refused.code()
    {
        let kind = classify(code, 0, false);
        if kind == ErrorKind::Denied
            && let Some(words) = Login::read(place.profile).and_then(|login| login.refused())
        {
            return in_words(&words, super::calls::ASSUME_ROLE.action);
        }
        let message = refused.message().unwrap_or(code);
        let call = &super::calls::ASSUME_ROLE;
        return say(kind, &presentable(message), Place { call, ..place });
    }
    if let Some(login) = Login::read(place.profile)
        && let Some(words) = login.words(&text, place.now)
    {
        return in_words(&words, place.call.action);
    }
    let kind = match error {
        CredentialsError::ProviderTimedOut(_) => ErrorKind::Timeout,
        _ if lower.contains("timed out") || lower.contains("timeout") => ErrorKind::Timeout,
        _ if ["expired", "invalid_grant", "unauthorizedexception"]
            .iter()
            .any(|w| lower.contains(w)) =>
        {
            ErrorKind::Expired
        }
        CredentialsError::CredentialsNotLoaded(_) => ErrorKind::NoCredentials,
        // A profile that does not exist, an SSO session that was never opened.
        _ if ["profile", "sso", "token", "external process"].iter().any(|w| lower.contains(w)) => {
            ErrorKind::NoCredentials
        }
        _ => ErrorKind::Other,
    };
    let message = match kind {
        ErrorKind::Other | ErrorKind::Timeout => root(error),
        _ => String::new(),
    };
    say(kind, &presentable(&message), place)
}

fn in_words(words: &login::Words, operation: &str) -> SourceError {
    SourceError::new(words.kind, operation, &words.message, &words.fix)
}

fn from_service<E>(error: &SdkError<E, HttpResponse>, now: Timestamp) -> (ErrorKind, String)
where
    E: ProvideErrorMetadata + Error + 'static,
{
    let status = error.raw_response().map_or(0, |r| r.status().as_u16());
    let skewed = error
        .raw_response()
        .and_then(|r| r.headers().get("date"))
        .and_then(|date| rfc2822::parse(date).ok())
        .is_some_and(|date| (date.timestamp().as_second() - now.as_second()).abs() > MAX_SKEW_S);
    let code = error.code().unwrap_or_default();
    let message = error.message().unwrap_or_default();
    let skewed = skewed || message.to_lowercase().contains("not yet current");
    let mut text = presentable(message);
    if text.is_empty() {
        text = if code.is_empty() { format!("HTTP {status}") } else { code.to_owned() };
    }
    (classify(code, status, skewed), text)
}

/// The kind of a service's refusal. `skewed`: the service's clock and ours differ by more than a
/// signature allows.
fn classify(code: &str, status: u16, skewed: bool) -> ErrorKind {
    let code = code.rsplit_once(['#', '/']).map_or(code, |(_, name)| name);
    let code = code.strip_prefix("Client.").or(code.strip_prefix("Server.")).unwrap_or(code);
    match code {
        "RequestTimeTooSkewed" | "RequestInTheFuture" => ErrorKind::ClockSkew,
        "RequestExpired"
        | "ExpiredToken"
        | "ExpiredTokenException"
        | "TokenRefreshRequired"
        | "AuthFailure"
        | "SignatureDoesNotMatch"
        | "InvalidSignatureException"
            if skewed =>
        {
            ErrorKind::ClockSkew
        }
        "ExpiredToken" | "ExpiredTokenException" | "RequestExpired" | "TokenRefreshRequired" => {
            ErrorKind::Expired
        }
        "AccessDenied"
        | "AccessDeniedException"
        | "UnauthorizedOperation"
        | "UnauthorizedException"
        | "NotAuthorized"
        | "AuthFailure"
        | "SignatureDoesNotMatch"
        | "InvalidSignatureException"
        | "IncompleteSignature"
        | "InvalidClientTokenId"
        | "InvalidAccessKeyId"
        | "UnrecognizedClientException"
        | "MissingAuthenticationToken"
        | "Blocked"
        | "PendingVerification" => ErrorKind::Denied,
        "RequestLimitExceeded"
        | "Throttling"
        | "ThrottlingException"
        | "ThrottledException"
        | "RequestThrottled"
        | "RequestThrottledException"
        | "TooManyRequestsException"
        | "LimitExceeded"
        | "LimitExceededException"
        | "BandwidthLimitExceeded"
        | "EC2ThrottledException"
        | "PriorRequestNotComplete"
        | "SlowDown" => ErrorKind::Throttled,
        "InvalidAction"
        | "UnknownOperation"
        | "UnknownOperationException"
        | "OptInRequired"
        | "UnsupportedOperation"
        | "NotImplemented"
        | "RegionDisabledException" => ErrorKind::Unavailable,
        "RequestTimeout" | "RequestTimeoutException" => ErrorKind::Timeout,
        "" => match status {
            401 | 403 => ErrorKind::Denied,
            404 | 405 | 501 => ErrorKind::Unavailable,
            408 | 504 => ErrorKind::Timeout,
            429 | 503 => ErrorKind::Throttled,
            500.. => ErrorKind::Other,
            _ => ErrorKind::Malformed,
        },
        _ if status == 501 => ErrorKind::Unavailable,
        _ if status == 429 => ErrorKind::Throttled,
        _ if status == 408 => ErrorKind::Timeout,
        // EC2 says these with a 5xx status, and means that there is no room: nothing was started.
        "InsufficientInstanceCapacity" | "InsufficientHostCapacity" | "InsufficientCapacity" => {
            ErrorKind::Refused
        }
        // "Client errors are usually caused by something the client did" (EC2 API reference,
        // error codes): the request as such was turned down.
        _ if (400..500).contains(&status) => ErrorKind::Refused,
        _ => ErrorKind::Other,
    }
}

/// A service's message without what nobody can read and nobody should see.
fn presentable(message: &str) -> String {
    let cut = [
        "Encoded authorization failure message",
        "The Canonical String",
        "The String-to-Sign",
        "Stderr:",
    ]
    .iter()
    .filter_map(|mark| message.find(mark))
    .min()
    .unwrap_or(message.len());
    message[..cut].split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The IAM action that a refusal names, when it names one.
fn denied_action(message: &str) -> Option<&str> {
    let rest = message.split("not authorized to perform: ").nth(1)?;
    let action = rest.split([' ', ',']).next()?.trim_end_matches('.');
    action.contains(':').then_some(action)
}

/// Puts a kind into words: what went wrong (the service's own words where it has some), and what
/// can be done.
fn say(kind: ErrorKind, message: &str, place: Place<'_>) -> SourceError {
    let Place { call, label, profile, region, .. } = place;
    let login = profile.map_or_else(
        || "renew them, or set AWS_PROFILE to a profile that has some".to_owned(),
        |p| format!("run `aws sso login --profile {p}` or `aws configure --profile {p}`"),
    );
    let mut operation = call.action;
    let (own, fix) = match kind {
        ErrorKind::NoCredentials => (
            format!("no AWS credentials found for {label}"),
            profile.map_or_else(
                || "run `aws configure` or `aws sso login`, or set AWS_PROFILE".to_owned(),
                |_| login.clone(),
            ),
        ),
        ErrorKind::Expired => (format!("the credentials of {label} have expired"), login),
        ErrorKind::Denied => {
            operation = denied_action(message).unwrap_or(operation);
            let signature = !message.contains("not authorized")
                && ["credentials", "signature", "security token", "access key", "AuthFailure"]
                    .iter()
                    .any(|w| message.to_lowercase().contains(&w.to_lowercase()));
            let fix = if signature {
                format!(
                    "check the access key of {label}, and that region {region} is enabled for it"
                )
            } else {
                let acting = super::calls::is_for_acting(operation);
                let policy = if acting { "iam-policy --actions" } else { "iam-policy" };
                format!("allow {operation} for {label}; `burntop {policy}` prints the policy")
            };
            (format!("{label} may not call {operation}"), fix)
        }
        ErrorKind::Throttled => (
            format!("{region} asks to slow down"),
            "burntop waits and tries again by itself".to_owned(),
        ),
        ErrorKind::Timeout => (
            format!("no answer from {region} in time"),
            "check the network path to the endpoint; burntop tries again by itself".to_owned(),
        ),
        ErrorKind::Network => (
            format!("cannot reach the endpoint in {region}"),
            "check the network, DNS and any AWS_ENDPOINT_URL; burntop tries again by itself"
                .to_owned(),
        ),
        ErrorKind::ClockSkew => (
            "this machine's clock differs too much from AWS's".to_owned(),
            "set the clock (NTP), then refresh".to_owned(),
        ),
        ErrorKind::Unavailable => (
            format!("not available in {region}"),
            format!("leave {region} out with --region, or check that it is enabled"),
        ),
        ErrorKind::Malformed => (
            format!("the answer from {region} makes no sense"),
            "check any AWS_ENDPOINT_URL and proxies; burntop tries again by itself".to_owned(),
        ),
        ErrorKind::Refused => (format!("{region} turned the request down"), String::new()),
        ErrorKind::OwnCostCap | ErrorKind::Other => (format!("failed in {region}"), String::new()),
    };
    let message = if message.is_empty() { own } else { format!("{own}: {message}") };
    SourceError::new(kind, operation, &message, &fix)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::aws::calls::DESCRIBE_INSTANCES;

    const PLACE: Place<'static> = Place {
        call: &DESCRIBE_INSTANCES,
        label: "research",
        profile: Some("research"),
        region: "eu-west-1",
        now: Timestamp::UNIX_EPOCH,
    };

    #[test]
    fn codes_and_statuses_have_kinds() {
        use ErrorKind::{
            ClockSkew, Denied, Expired, Malformed, Other, Refused, Throttled, Timeout, Unavailable,
        };
        for (code, status, skewed, kind) in [
            ("UnauthorizedOperation", 403, false, Denied),
            ("AccessDenied", 403, false, Denied),
            ("AuthFailure", 401, false, Denied),
            ("AuthFailure", 401, true, ClockSkew),
            ("SignatureDoesNotMatch", 403, true, ClockSkew),
            ("RequestTimeTooSkewed", 403, false, ClockSkew),
            ("ExpiredToken", 403, false, Expired),
            ("com.amazon.coral.service#ExpiredTokenException", 400, false, Expired),
            ("RequestExpired", 400, false, Expired),
            ("RequestExpired", 400, true, ClockSkew),
            ("RequestLimitExceeded", 503, false, Throttled),
            ("Client.RequestLimitExceeded", 503, false, Throttled),
            ("", 429, false, Throttled),
            ("", 503, false, Throttled),
            ("OptInRequired", 403, false, Unavailable),
            ("InvalidAction", 400, false, Unavailable),
            ("", 404, false, Unavailable),
            ("", 501, false, Unavailable),
            ("", 504, false, Timeout),
            ("", 500, false, Other),
            ("InternalFailure", 500, false, Other),
            ("", 400, false, Malformed),
            // Surely not done.
            ("OperationNotPermitted", 400, false, Refused),
            ("IncorrectInstanceState", 400, false, Refused),
            ("InvalidInstanceID.NotFound", 400, false, Refused),
            ("InvalidParameterValue", 400, false, Refused),
            ("ValidationError", 400, false, Refused),
            ("InsufficientInstanceCapacity", 500, false, Refused),
            // Perhaps done.
            ("InternalError", 500, false, Other),
            ("ServiceUnavailable", 503, false, Other),
            ("Unavailable", 503, false, Other),
        ] {
            assert_eq!(classify(code, status, skewed), kind, "{code} {status} {skewed}");
        }
    }

    #[test]
    fn a_refusal_names_the_missing_action_and_hides_the_rest() {
        let raw = "You are not authorized to perform this operation. User: \
            arn:aws:iam::123456789012:user/kim is not authorized to perform: \
            ec2:DescribeInstances because no identity-based policy allows the \
            ec2:DescribeInstances action. Encoded authorization failure message: aGVsbG8K";
        let error = say(ErrorKind::Denied, &presentable(raw), PLACE);
        assert_eq!(error.operation, "ec2:DescribeInstances");
        assert!(error.fix.contains("allow ec2:DescribeInstances for research"), "{}", error.fix);
        assert!(!error.message.contains("aGVsbG8K"), "{}", error.message);
        // The action in the message wins over the call: a missing sts:AssumeRole is not EC2's.
        let raw = "User: arn:aws:iam::1:user/kim is not authorized to perform: sts:AssumeRole on \
            resource: arn:aws:iam::2:role/x";
        assert_eq!(say(ErrorKind::Denied, raw, PLACE).operation, "sts:AssumeRole");
    }

    #[test]
    fn a_wrong_key_is_not_told_to_change_the_policy_and_no_token_is_shown() {
        let raw = "The request signature we calculated does not match the signature you provided. \
            The Canonical String for this request should have been 'POST / \
            x-amz-security-token:FQoGZXIvYXdzEXAMPLETOKEN'";
        let error = say(ErrorKind::Denied, &presentable(raw), PLACE);
        assert!(error.fix.starts_with("check the access key of research"), "{}", error.fix);
        assert!(!error.message.contains("FQoGZXIvYXdz"), "{}", error.message);
    }

    #[test]
    fn credentials_errors_are_told_apart() {
        for (error, kind, words) in [
            (
                CredentialsError::not_loaded("nothing in the chain"),
                ErrorKind::NoCredentials,
                "aws sso login --profile research",
            ),
            (
                CredentialsError::provider_error(
                    "the SSO token has expired and cannot be refreshed",
                ),
                ErrorKind::Expired,
                "aws sso login --profile research",
            ),
            (
                CredentialsError::provider_timed_out(std::time::Duration::from_secs(5)),
                ErrorKind::Timeout,
                "network",
            ),
            (
                CredentialsError::invalid_configuration("profile `research` was not defined"),
                ErrorKind::NoCredentials,
                "--profile research",
            ),
            (CredentialsError::unhandled("surprise"), ErrorKind::Other, ""),
        ] {
            let said = from_credentials(&error, PLACE);
            assert_eq!(said.kind, kind, "{said:?}");
            assert!(said.fix.contains(words), "{said:?}");
            assert!(!said.message.is_empty());
        }
    }
}
