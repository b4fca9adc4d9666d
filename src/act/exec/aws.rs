//! The live executor: every call of burntop that changes an AWS resource is in this file.
//!
//! Each is made once. The SDK's retries are off: a second `TerminateInstances` after a time-out
//! would act again without a look at what the first one did. Nothing is forced: `Force` and
//! `SkipOsShutdown` are never set, and protection is never switched off.

use std::sync::Arc;

use aws_sdk_ec2::operation::RequestId;
use aws_sdk_ec2::types as ec2;
use jiff::Timestamp;

use super::answer::read;
use super::executor::{Executor, Receipt};
use crate::act::plan::{ActApi, BY_TAG, EXPIRES_TAG, Order, REASON_TAG, REMINDED_TAG, Verb};
use crate::domain::{ErrorKind, InstanceState, Scope, SourceError, text};
use crate::source::aws::AwsProvider;
use crate::source::aws::calls::{
    CREATE_TAGS, DELETE_TAGS, START_INSTANCES, STOP_INSTANCES,
    TERMINATE_INSTANCE_IN_AUTO_SCALING_GROUP, TERMINATE_INSTANCES,
};

/// The longest value of a tag, in characters (EC2 user guide, "Tag restrictions").
const TAG_VALUE_CHARS: usize = 256;

/// Executes orders in one AWS account, through EC2 and Auto Scaling.
#[derive(Debug)]
pub struct AwsExecutor {
    aws: Arc<AwsProvider>,
}

/// Whether a call is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// EC2's `DryRun`: permissions are checked and nothing changes.
    Ask,
    Act,
}

impl AwsExecutor {
    /// An executor for the account behind `aws`.
    pub fn new(aws: Arc<AwsProvider>) -> Self {
        Self { aws }
    }

    /// One call to EC2. The same code asks and acts, so that what was asked is what is done.
    async fn ec2(
        &self,
        mode: Mode,
        scope: &Scope,
        verb: &Verb,
        by: &str,
        ids: &[Arc<str>],
    ) -> Result<Receipt, SourceError> {
        let (client, _permit) = match mode {
            Mode::Ask => self.aws.ec2_for_dry_run(scope).await?,
            Mode::Act => self.aws.ec2_once(scope).await?,
        };
        let dry = mode == Mode::Ask;
        let ids: Option<Vec<String>> = Some(ids.iter().map(ToString::to_string).collect());
        let receipt = match verb {
            Verb::Stop => {
                let answer =
                    client.stop_instances().set_instance_ids(ids).dry_run(dry).send().await;
                let answer = read(&self.aws, dry, &STOP_INSTANCES, scope, answer)?;
                answer.map(|a| receipt(a.request_id(), a.stopping_instances()))
            }
            Verb::Terminate { .. } => {
                let answer =
                    client.terminate_instances().set_instance_ids(ids).dry_run(dry).send().await;
                let answer = read(&self.aws, dry, &TERMINATE_INSTANCES, scope, answer)?;
                answer.map(|a| receipt(a.request_id(), a.terminating_instances()))
            }
            Verb::Start => {
                let answer =
                    client.start_instances().set_instance_ids(ids).dry_run(dry).send().await;
                let answer = read(&self.aws, dry, &START_INSTANCES, scope, answer)?;
                answer.map(|a| receipt(a.request_id(), a.starting_instances()))
            }
            Verb::Mark { .. } | Verb::Remind => {
                let tags = marks(verb, by, self.aws.clock());
                let call = client.create_tags().set_resources(ids).set_tags(Some(tags));
                let answer = call.dry_run(dry).send().await;
                let answer = read(&self.aws, dry, &CREATE_TAGS, scope, answer)?;
                answer.map(|a| receipt(a.request_id(), &[]))
            }
            Verb::Unmark => {
                // By key alone: a value would keep a tag that somebody changed.
                let keys = [EXPIRES_TAG, BY_TAG, REASON_TAG, REMINDED_TAG];
                let tags = keys.map(|key| ec2::Tag::builder().key(key).build()).to_vec();
                let call = client.delete_tags().set_resources(ids).set_tags(Some(tags));
                let answer = call.dry_run(dry).send().await;
                let answer = read(&self.aws, dry, &DELETE_TAGS, scope, answer)?;
                answer.map(|a| receipt(a.request_id(), &[]))
            }
        };
        Ok(receipt.unwrap_or_default())
    }

    /// Terminates members through their group, one call each: the API takes one instance.
    async fn members(&self, order: &Order, decrement: bool) -> Result<Receipt, SourceError> {
        let scope = order.scope();
        let call = &TERMINATE_INSTANCE_IN_AUTO_SCALING_GROUP;
        let mut receipt = Receipt::default();
        for (done, id) in order.ids().iter().enumerate() {
            let (client, _permit) = self.aws.auto_scaling_once(scope).await?;
            let answer = client
                .terminate_instance_in_auto_scaling_group()
                .instance_id(&**id)
                .should_decrement_desired_capacity(decrement)
                .send()
                .await;
            match answer {
                Ok(answer) => {
                    receipt.request_ids.extend(answer.request_id().map(clean));
                }
                Err(e) => {
                    let error = self.aws.action_failed(call, &scope.region, &e);
                    return Err(halfway(error, id, done, order.ids().len()));
                }
            }
        }
        Ok(receipt)
    }
}

#[async_trait::async_trait]
impl Executor for AwsExecutor {
    fn name(&self) -> &'static str {
        "live"
    }

    /// Auto Scaling has no dry run. Of its members EC2's own is asked, which is the stricter
    /// question: a caller that may terminate through the group alone is turned down.
    async fn permitted(
        &self,
        scope: &Scope,
        verb: &Verb,
        ids: &[Arc<str>],
    ) -> Result<(), SourceError> {
        self.ec2(Mode::Ask, scope, verb, "", ids).await.map(drop)
    }

    async fn act(&self, order: &Order) -> Result<Receipt, SourceError> {
        match (order.via(), order.verb()) {
            (ActApi::Ec2, verb) => {
                self.ec2(Mode::Act, order.scope(), verb, order.by(), order.ids()).await
            }
            (ActApi::AutoScaling { decrement, .. }, Verb::Terminate { .. }) => {
                self.members(order, *decrement).await
            }
            (ActApi::AutoScaling { .. }, verb) => Err(SourceError::new(
                ErrorKind::Refused,
                TERMINATE_INSTANCE_IN_AUTO_SCALING_GROUP.action,
                &format!("Auto Scaling cannot {} a member", verb.word()),
                "",
            )),
        }
    }
}

/// A failure after some members of the order were accepted: what happened to the order as a whole
/// is in doubt, whatever was said of this one.
fn halfway(error: SourceError, id: &str, done: usize, of: usize) -> SourceError {
    if done == 0 {
        return error;
    }
    let message = format!("{done} of {of} were accepted, then {id}: {}", error.message);
    SourceError::new(ErrorKind::Other, &error.operation, &message, &error.fix)
}

fn receipt(request_id: Option<&str>, changes: &[ec2::InstanceStateChange]) -> Receipt {
    let state = |change: &ec2::InstanceStateChange| {
        use ec2::InstanceStateName as Name;
        let state = match change.current_state()?.name()? {
            Name::Pending => InstanceState::Pending,
            Name::Running => InstanceState::Running,
            Name::Stopping => InstanceState::Stopping,
            Name::Stopped => InstanceState::Stopped,
            Name::ShuttingDown => InstanceState::ShuttingDown,
            Name::Terminated => InstanceState::Terminated,
            _ => InstanceState::Unknown,
        };
        Some((clean(change.instance_id()?).into(), state))
    };
    Receipt {
        request_ids: request_id.map(clean).into_iter().collect(),
        states: changes.iter().filter_map(state).collect(),
        pretended: false,
    }
}

fn clean(raw: &str) -> String {
    text::clean(raw).into_owned()
}

/// The tags that a verb sets.
fn marks(verb: &Verb, by: &str, now: Timestamp) -> Vec<ec2::Tag> {
    let tag = |key: &str, value: &str| ec2::Tag::builder().key(key).value(value).build();
    // To the second: fractions say nothing here, and people read this.
    let time = |t: Timestamp| Timestamp::from_second(t.as_second()).unwrap_or(t).to_string();
    match verb {
        Verb::Mark { expires, reason } => vec![
            tag(EXPIRES_TAG, &time(*expires)),
            tag(BY_TAG, &tag_value(by)),
            tag(REASON_TAG, &tag_value(reason)),
        ],
        Verb::Remind => vec![tag(REMINDED_TAG, &time(now))],
        _ => Vec::new(),
    }
}

/// Text as the value of a tag: one line without control characters, cut where EC2 would turn the
/// request down.
fn tag_value(raw: &str) -> String {
    let safe: String = raw.chars().map(|c| if text::is_unsafe(c) { ' ' } else { c }).collect();
    let words = safe.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().take(TAG_VALUE_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::act::exec::fixture::{ACCOUNT, CALLER, REGION, order, order_via};
    use crate::source::aws::testing::{Reply, Server, now};

    const WHO: &str = "<GetCallerIdentityResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\">\
        <GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:user/kim</Arn><UserId>X</UserId>\
        <Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>";

    /// A server that answers whatever is not STS, the forms it was sent, and an executor on it.
    fn executor(
        answer: impl Fn(usize) -> Reply + Send + Sync + 'static,
    ) -> (AwsExecutor, Arc<Mutex<Vec<String>>>) {
        let (server, asked) = serving(answer);
        let executor = AwsExecutor::new(Arc::new(server.provider()));
        server.forever();
        (executor, asked)
    }

    /// A server, and the forms that were sent to it.
    fn serving(
        answer: impl Fn(usize) -> Reply + Send + Sync + 'static,
    ) -> (Server, Arc<Mutex<Vec<String>>>) {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        let server = Server::start(move |_, request| {
            let form = request.text();
            if form.contains("Action=GetCallerIdentity") {
                return Reply::xml(WHO);
            }
            let mut log = log.lock().unwrap();
            log.push(form);
            answer(log.len() - 1)
        });
        (server, asked)
    }

    /// The parameters of a form but for action and version, sorted.
    fn parameters(form: &str) -> Vec<String> {
        let decoded = form.replace("%3A", ":").replace("%2F", "/").replace("%20", " ");
        let mut all: Vec<String> =
            decoded.split('&').filter(|p| !p.starts_with("Version=")).map(str::to_owned).collect();
        all.sort();
        all
    }

    /// The same reply with the header by which AWS names a request.
    fn named(reply: Reply) -> Reply {
        let Reply::Whole(status, kind, _, body) = reply else { return reply };
        Reply::Whole(status, kind, "x-amzn-requestid: req-7\r\n".into(), body)
    }

    fn changed(action: &str, set: &str, state: &str) -> Reply {
        named(Reply::xml(format!(
            "<{action}Response xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\">\
             <{set}><item><instanceId>i-1</instanceId>\
             <currentState><code>64</code><name>{state}</name></currentState>\
             </item></{set}></{action}Response>"
        )))
    }

    fn done(action: &str) -> Reply {
        named(Reply::xml(format!(
            "<{action}Response xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\">\
             <return>true</return></{action}Response>"
        )))
    }

    const TERMINATE: Verb = Verb::Terminate { decrement: false };

    #[tokio::test]
    async fn what_ec2_is_sent_is_the_order_and_nothing_more() {
        for (verb, action, set, state, seen) in [
            (Verb::Stop, "StopInstances", "instancesSet", "stopping", InstanceState::Stopping),
            (
                TERMINATE,
                "TerminateInstances",
                "instancesSet",
                "shutting-down",
                InstanceState::ShuttingDown,
            ),
            (Verb::Start, "StartInstances", "instancesSet", "pending", InstanceState::Pending),
        ] {
            let (executor, asked) = executor(move |_| changed(action, set, state));
            let got = executor.act(&order(verb, &["i-1", "i-2"])).await.unwrap();
            assert_eq!(got.request_ids, ["req-7"]);
            assert_eq!((got.states, got.pretended), (vec![("i-1".into(), seen)], false));
            let asked = asked.lock().unwrap();
            assert_eq!(asked.len(), 1);
            assert_eq!(
                parameters(&asked[0]),
                [
                    &*format!("Action={action}"),
                    "DryRun=false",
                    "InstanceId.1=i-1",
                    "InstanceId.2=i-2"
                ]
            );
        }
    }

    #[tokio::test]
    async fn a_mark_says_until_when_who_and_why_and_is_taken_away_by_its_keys() {
        let expires = "2026-02-10T00:00:00.75Z".parse().unwrap();
        let mark = Verb::Mark { expires, reason: "idle\u{202e} since\n Monday".into() };
        let (marking, asked) = executor(|_| done("CreateTags"));
        let got = marking.act(&order(mark, &["i-1"])).await.unwrap();
        assert_eq!((got.request_ids.len(), got.states.len()), (1, 0));
        assert_eq!(
            parameters(&asked.lock().unwrap()[0]),
            [
                "Action=CreateTags",
                "DryRun=false",
                "ResourceId.1=i-1",
                "Tag.1.Key=burntop:expires",
                "Tag.1.Value=2026-02-10T00:00:00Z",
                "Tag.2.Key=burntop:by",
                &format!("Tag.2.Value={CALLER}"),
                "Tag.3.Key=burntop:reason",
                "Tag.3.Value=idle since Monday",
            ]
        );
        let (reminding, asked) = executor(|_| done("CreateTags"));
        reminding.act(&order(Verb::Remind, &["i-1"])).await.unwrap();
        let sent = parameters(&asked.lock().unwrap()[0]);
        assert_eq!(sent[3..], ["Tag.1.Key=burntop:reminded", &format!("Tag.1.Value={}", now())]);
        let (unmarking, asked) = executor(|_| done("DeleteTags"));
        unmarking.act(&order(Verb::Unmark, &["i-1"])).await.unwrap();
        assert_eq!(
            parameters(&asked.lock().unwrap()[0]),
            [
                "Action=DeleteTags",
                "DryRun=false",
                "ResourceId.1=i-1",
                "Tag.1.Key=burntop:expires",
                "Tag.2.Key=burntop:by",
                "Tag.3.Key=burntop:reason",
                "Tag.4.Key=burntop:reminded",
            ]
        );
    }

    #[test]
    fn a_tag_value_is_one_line_of_256_characters() {
        assert_eq!(tag_value(" a\tb\u{9b}c\r\n"), "a b c");
        assert_eq!(tag_value(&"ü".repeat(300)).chars().count(), 256);
    }

    fn member() -> Reply {
        named(Reply::xml(
            "<TerminateInstanceInAutoScalingGroupResponse>\
             <TerminateInstanceInAutoScalingGroupResult/>\
             </TerminateInstanceInAutoScalingGroupResponse>",
        ))
    }

    fn through_group(decrement: bool, ids: &[&str]) -> Order {
        let via = ActApi::AutoScaling { group: "workers".into(), decrement };
        order_via(Verb::Terminate { decrement }, &via, CALLER, ids)
    }

    #[tokio::test]
    async fn members_go_one_by_one_through_their_group() {
        for decrement in [false, true] {
            let (executor, asked) = executor(|_| member());
            let got = executor.act(&through_group(decrement, &["i-1", "i-2"])).await.unwrap();
            assert_eq!(got.request_ids, ["req-7", "req-7"]);
            let asked = asked.lock().unwrap();
            let sent: Vec<_> = asked.iter().map(|form| parameters(form)).collect();
            let expected = ["i-1", "i-2"].map(|id| {
                vec![
                    "Action=TerminateInstanceInAutoScalingGroup".to_owned(),
                    format!("InstanceId={id}"),
                    format!("ShouldDecrementDesiredCapacity={decrement}"),
                ]
            });
            assert_eq!(sent, expected);
        }
    }

    #[tokio::test]
    async fn a_refusal_after_an_acceptance_leaves_the_order_in_doubt() {
        let refused = || {
            let body = "<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code>\
                <Message>no such member</Message></Error></ErrorResponse>";
            named(Reply::new(400, "text/xml", body))
        };
        let (second, asked) = executor(move |n| if n == 1 { refused() } else { member() });
        let error = second.act(&through_group(false, &["i-1", "i-2", "i-3"])).await.unwrap_err();
        assert!(error.kind.is_transient(), "{error:?}");
        assert!(error.message.contains("1 of 3 were accepted, then i-2"), "{}", error.message);
        assert_eq!(asked.lock().unwrap().len(), 2, "it stops where it is refused");
        let (first, _) = executor(move |_| refused());
        let error = first.act(&through_group(false, &["i-1"])).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Refused);
        assert!(error.message.contains("(request req-7)"), "{}", error.message);
    }

    #[tokio::test]
    async fn a_member_is_never_stopped_through_its_group() {
        let (executor, asked) = executor(|_| member());
        let via = ActApi::AutoScaling { group: "workers".into(), decrement: false };
        let error = executor.act(&order_via(Verb::Stop, &via, CALLER, &["i-1"])).await.unwrap_err();
        assert_eq!((error.kind, asked.lock().unwrap().len()), (ErrorKind::Refused, 0));
    }

    #[tokio::test]
    async fn nothing_is_sent_twice_whatever_the_answer() {
        // A time-out, 500, 503, throttling, a broken answer, a page of a proxy.
        for case in 0..6 {
            let (server, asked) = serving(move |_| match case {
                0 => Reply::Silence,
                1 => Reply::ec2_error(500, "InternalError", "An internal error has occurred"),
                2 => Reply::ec2_error(503, "Unavailable", "try later"),
                3 => Reply::ec2_error(503, "RequestLimitExceeded", "Request limit exceeded."),
                4 => Reply::Half(b"<TerminateInstancesResponse>".to_vec()),
                _ => Reply::new(503, "text/html", b"<html>busy</html>"),
            });
            let aws = if case == 0 { server.impatient() } else { server.provider() };
            let executor = AwsExecutor::new(Arc::new(aws));
            let error = executor.act(&order(TERMINATE, &["i-1"])).await.unwrap_err();
            let expected = match case {
                0 => ErrorKind::Timeout,
                3 => ErrorKind::Throttled,
                4 => ErrorKind::Network,
                _ => ErrorKind::Other,
            };
            assert_eq!(error.kind, expected, "{case}: {error:?}");
            assert!(error.kind.is_transient() && !error.fix.contains("by itself"), "{error:?}");
            assert_eq!(asked.lock().unwrap().len(), 1, "{case}");
        }
    }

    #[tokio::test]
    async fn what_was_turned_down_is_told_from_what_is_in_doubt() {
        for (status, code, kind) in [
            (403, "UnauthorizedOperation", ErrorKind::Denied),
            (403, "AccessDenied", ErrorKind::Denied),
            (400, "OperationNotPermitted", ErrorKind::Refused),
            (400, "IncorrectInstanceState", ErrorKind::Refused),
            (400, "InvalidInstanceID.NotFound", ErrorKind::Refused),
            (400, "InvalidInstanceID.Malformed", ErrorKind::Refused),
            (400, "UnsupportedOperation", ErrorKind::Refused),
            (500, "InsufficientInstanceCapacity", ErrorKind::Refused),
            (400, "RequestExpired", ErrorKind::Expired),
        ] {
            let (executor, asked) = executor(move |_| named(Reply::ec2_error(status, code, "no.")));
            let error = executor.act(&order(Verb::Stop, &["i-1"])).await.unwrap_err();
            assert_eq!(error.kind, kind, "{code}: {error:?}");
            assert!(!error.kind.is_transient());
            assert_eq!(error.operation, "ec2:StopInstances");
            if kind != ErrorKind::Expired {
                assert!(error.message.contains("(request req-7)"), "{}", error.message);
            }
            if kind == ErrorKind::Denied {
                assert!(error.fix.contains("iam-policy --actions"), "{}", error.fix);
            }
            assert_eq!(asked.lock().unwrap().len(), 1);
        }
    }

    #[tokio::test]
    async fn a_dry_run_asks_for_the_very_call_and_understands_both_answers() {
        let expires = now();
        let scope = Scope::new(ACCOUNT, REGION);
        let ids: Vec<Arc<str>> = vec!["i-1".into()];
        for (verb, action) in [
            (Verb::Stop, "StopInstances"),
            (TERMINATE, "TerminateInstances"),
            (Verb::Start, "StartInstances"),
            (Verb::Mark { expires, reason: String::new() }, "CreateTags"),
            (Verb::Remind, "CreateTags"),
            (Verb::Unmark, "DeleteTags"),
        ] {
            let (yes, asked) = executor(|_| {
                Reply::ec2_error(412, "DryRunOperation", "Request would have succeeded")
            });
            yes.permitted(&scope, &verb, &ids).await.unwrap();
            let form = asked.lock().unwrap()[0].clone();
            assert!(form.contains(&format!("Action={action}&")), "{form}");
            assert!(form.contains("DryRun=true"), "{form}");
            // AWS says the one, moto the other.
            for code in ["UnauthorizedOperation", "AccessDenied"] {
                let (no, _) = executor(move |_| Reply::ec2_error(403, code, "no."));
                let error = no.permitted(&scope, &verb, &ids).await.unwrap_err();
                assert_eq!(error.kind, ErrorKind::Denied);
                assert_eq!(error.operation, format!("ec2:{action}"));
            }
        }
        let (deaf, _) = executor(|_| changed("StopInstances", "instancesSet", "stopping"));
        let error = deaf.permitted(&scope, &Verb::Stop, &ids).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Malformed);
    }

    #[tokio::test]
    async fn the_executor_of_another_account_does_nothing() {
        let (executor, asked) = executor(|_| changed("StopInstances", "instancesSet", "stopping"));
        let elsewhere = Scope::new("999999999999", REGION);
        let error = executor.permitted(&elsewhere, &Verb::Stop, &["i-1".into()]).await.unwrap_err();
        assert_eq!((error.kind, asked.lock().unwrap().len()), (ErrorKind::Refused, 0));
        // Denied an identity, they do nothing either.
        let server = Server::start(|_, _| Reply::ec2_error(403, "AccessDenied", "no"));
        let executor = AwsExecutor::new(Arc::new(server.provider()));
        let order = order(Verb::Stop, &["i-1"]);
        assert_eq!(executor.act(&order).await.unwrap_err().operation, "sts:GetCallerIdentity");
        assert_eq!(server.requests(), 1);
    }
}
