//! The live executor through the whole client stack, on a server that keeps configurations whole:
//! with the header for small objects and with `NewerNoncurrentVersions`, which the emulators drop.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use aws_smithy_types::base64;
use sha2::{Digest, Sha256};

use crate::act::exec::Patience;
use crate::act::exec::audit::{FileDisk, Journal};
use crate::act::exec::storage::aws::AwsStorageExecutor;
use crate::act::exec::storage::{Backups, StorageAccess, StorageOperator};
use crate::act::plan::storage::fixture::{self, BUCKET, draft, rule, rules, scope};
use crate::act::plan::storage::{
    LifecycleChange, StorageItem, StoragePlan, StoragePlanFile, draft_lifecycle,
};
use crate::act::plan::{Answer, OutcomeKind, Verified};
use crate::domain::Tags;
use crate::domain::storage::{Lifecycle, StorageLook};
use crate::source::aws::AwsProvider;
use crate::source::aws::testing::{Reply, Request, Server};
use crate::source::inspect_storage::StorageInspector;

const WHO: &str = "<GetCallerIdentityResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\">\
    <GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:user/kim</Arn><UserId>X</UserId>\
    <Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>";

/// What somebody else put: everything that a rule can have, the old form of a prefix among it.
const THEIRS: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<LifecycleConfiguration \
    xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Rule><ID>theirs</ID><Filter><And><Prefix>a/\
    </Prefix><Tag><Key>k</Key><Value>v &amp; w</Value></Tag><ObjectSizeGreaterThan>1024\
    </ObjectSizeGreaterThan></And></Filter><Status>Enabled</Status><NoncurrentVersionTransition>\
    <NoncurrentDays>30</NoncurrentDays><NewerNoncurrentVersions>2</NewerNoncurrentVersions>\
    <StorageClass>GLACIER</StorageClass></NoncurrentVersionTransition><NoncurrentVersionExpiration>\
    <NoncurrentDays>365</NoncurrentDays><NewerNoncurrentVersions>7</NewerNoncurrentVersions>\
    </NoncurrentVersionExpiration></Rule><Rule><ID>old form</ID><Prefix>logs/</Prefix><Status>\
    Disabled</Status><Expiration><Date>2030-01-01T00:00:00.000Z</Date></Expiration></Rule>\
    <Rule><Filter/><Status>Enabled</Status><AbortIncompleteMultipartUpload><DaysAfterInitiation>7\
    </DaysAfterInitiation></AbortIncompleteMultipartUpload></Rule></LifecycleConfiguration>";

/// What the server does with the next PUT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Put {
    Take,
    /// Takes it and never answers.
    TakeAndHang,
    Throttle,
    Deny,
    /// The bucket is gone.
    Gone,
}

#[derive(Debug)]
struct Bucket {
    document: Option<String>,
    minimum: String,
    puts: Vec<Request>,
    next: Vec<Put>,
    /// Somebody else puts this after so many reads of the configuration.
    steal_after: Option<(usize, String)>,
    reads: usize,
}

fn error(status: u16, code: &str) -> Reply {
    let body = format!("<Error><Code>{code}</Code><Message>no</Message></Error>");
    Reply::new(status, "application/xml", body)
}

fn answer(bucket: &Mutex<Bucket>, request: &Request) -> Reply {
    if request.text().contains("Action=GetCallerIdentity") {
        return Reply::xml(WHO);
    }
    let query = request.path.split_once('?').map(|(_, q)| q.to_owned()).unwrap_or_default();
    let is = |what: &str| query.split('&').any(|p| p == what || p == format!("{what}="));
    let mut bucket = bucket.lock().unwrap();
    match (request.method(), ()) {
        ("GET", ()) if is("versioning") => Reply::xml("<VersioningConfiguration/>"),
        ("GET", ()) if is("tagging") => error(404, "NoSuchTagSet"),
        ("GET", ()) if is("object-lock") => error(404, "ObjectLockConfigurationNotFoundError"),
        ("GET", ()) if is("replication") => error(404, "ReplicationConfigurationNotFoundError"),
        ("GET", ()) if is("lifecycle") => {
            if let Some((after, document)) = bucket.steal_after.clone()
                && bucket.reads == after
            {
                bucket.document = Some(document);
            }
            bucket.reads += 1;
            match bucket.document.clone() {
                None => error(404, "NoSuchLifecycleConfiguration"),
                Some(document) => {
                    let header = format!(
                        "x-amz-transition-default-minimum-object-size: {}\r\n",
                        bucket.minimum
                    );
                    Reply::Whole(200, "application/xml", header, document.into_bytes())
                }
            }
        }
        ("PUT", ()) if is("lifecycle") => {
            bucket.puts.push(request.clone());
            let next = if bucket.next.is_empty() { Put::Take } else { bucket.next.remove(0) };
            let code = match next {
                Put::Throttle => return error(503, "SlowDown"),
                Put::Deny => return error(403, "AccessDenied"),
                Put::Gone => return error(404, "NoSuchBucket"),
                Put::Take | Put::TakeAndHang => next,
            };
            bucket.document = Some(request.text());
            // As S3: what is not said is the default.
            let said = request.header("x-amz-transition-default-minimum-object-size");
            bucket.minimum = said.unwrap_or("all_storage_classes_128K").to_owned();
            if code == Put::TakeAndHang { Reply::Silence } else { Reply::xml("") }
        }
        ("DELETE", ()) if is("lifecycle") => {
            bucket.document = None;
            Reply::new(204, "application/xml", Vec::new())
        }
        _ => error(501, "NotImplemented"),
    }
}

struct World {
    bucket: Arc<Mutex<Bucket>>,
    aws: Arc<AwsProvider>,
    journal: Arc<Journal>,
    dir: tempfile::TempDir,
}

impl World {
    fn new(document: Option<&str>, next: &[Put]) -> Self {
        let bucket = Arc::new(Mutex::new(Bucket {
            document: document.map(str::to_owned),
            minimum: "varies_by_storage_class".into(),
            puts: Vec::new(),
            next: next.to_vec(),
            steal_after: None,
            reads: 0,
        }));
        let shared = bucket.clone();
        let server = Server::start(move |_, request| answer(&shared, request));
        let dir = tempfile::tempdir().unwrap();
        let journal = Arc::new(Journal::new(Arc::new(FileDisk::new(dir.path().join("audit")))));
        let hangs = next.contains(&Put::TakeAndHang);
        let aws = Arc::new(if hangs { server.impatient() } else { server.provider() });
        server.forever();
        Self { bucket, aws, journal, dir }
    }

    fn operator(&self) -> StorageOperator {
        let patience = Patience {
            call: Duration::from_secs(20),
            back_off: Duration::from_millis(5),
            poll: Duration::from_millis(5),
            poll_at_most: Duration::from_millis(20),
            visible_within: Duration::from_millis(300),
            ..Patience::storage()
        };
        let clock = Arc::new(fixture::now);
        let mut operator = StorageOperator::new(rules(), self.journal.clone(), clock)
            .with_patience(patience)
            .with_backups(Backups::new(self.dir.path().join("undo")));
        let executor = Arc::new(AwsStorageExecutor::new(self.aws.clone()));
        operator
            .add(fixture::ACCOUNT.into(), StorageAccess { inspector: self.aws.clone(), executor });
        operator
    }

    async fn there(&self) -> Option<Lifecycle> {
        let look = self.aws.bucket(&scope(), &BUCKET.into()).await;
        look.lifecycle.unwrap().lifecycle
    }

    /// A plan to add one rule of burntop's own.
    async fn plan(&self) -> StoragePlan {
        let before = self.there().await;
        let mut after = before.clone().unwrap_or_default();
        after.rules.push(rule("burntop/0123456789ab/1"));
        let change = LifecycleChange {
            scope: &scope(),
            bucket: &BUCKET.into(),
            tags: &Tags::default(),
            before: before.as_ref(),
            after: &after,
            usd_per_month: None,
        };
        let plan = draft_lifecycle(&change, &rules(), &draft());
        self.bucket.lock().unwrap().reads = 0;
        plan
    }

    async fn run(&self, plan: StoragePlan) -> Verified<StorageItem> {
        let operator = self.operator();
        let checked = operator.preflight(Arc::new(plan)).await;
        assert!(checked.blocked().next().is_none(), "{:#?}", checked.rows[0].findings);
        let answer = Answer { typed: BUCKET.into(), justification: String::new() };
        let confirmed = checked.confirm(&answer, fixture::now()).unwrap();
        operator.execute(&confirmed, &|_| {}).await.unwrap()
    }

    fn puts(&self) -> usize {
        self.bucket.lock().unwrap().puts.len()
    }

    fn undo(&self) -> StoragePlan {
        let mut files = std::fs::read_dir(self.dir.path().join("undo")).unwrap().flatten();
        let file = files.find(|f| f.file_name().to_string_lossy().ends_with(".undo.json"));
        StoragePlanFile::parse(&std::fs::read(file.unwrap().path()).unwrap()).unwrap().plan
    }
}

#[tokio::test]
async fn the_round_trip_keeps_what_others_wrote_to_the_last_element() {
    let world = World::new(Some(THEIRS), &[]);
    let before = world.there().await.unwrap();
    assert_eq!(before.rules.len(), 3);
    let verified = world.run(world.plan().await).await;
    assert_eq!(verified.outcomes[0].kind, OutcomeKind::Done, "{verified:#?}");
    let put = world.bucket.lock().unwrap().puts[0].clone();
    assert_eq!(put.header("x-amz-expected-bucket-owner"), Some(fixture::ACCOUNT));
    assert_eq!(
        put.header("x-amz-transition-default-minimum-object-size"),
        Some("varies_by_storage_class")
    );
    let sum = base64::encode(Sha256::digest(&put.body));
    assert_eq!(put.header("x-amz-checksum-sha256"), Some(&*sum));
    for part in [
        "<NewerNoncurrentVersions>2</NewerNoncurrentVersions>",
        "<NewerNoncurrentVersions>7</NewerNoncurrentVersions>",
        "<ObjectSizeGreaterThan>1024</ObjectSizeGreaterThan>",
        "<Value>v &amp; w</Value>",
        "<ID>old form</ID>",
        "<Prefix>logs/</Prefix>",
        "<DaysAfterInitiation>7</DaysAfterInitiation>",
        "burntop/0123456789ab/1",
    ] {
        assert!(put.text().contains(part), "{part} is not in {}", put.text());
    }
    let now = world.there().await.unwrap();
    assert_eq!(now.minimum_size, before.minimum_size);
    assert_eq!(now.rules[..3], before.rules[..]);
    // The backup is the document as it came.
    let dir = std::fs::read_dir(world.dir.path().join("undo")).unwrap();
    let kept: Vec<String> = dir
        .flatten()
        .filter(|f| f.file_name().to_string_lossy().ends_with(".backup.xml"))
        .map(|f| std::fs::read_to_string(f.path()).unwrap())
        .collect();
    assert_eq!(kept, [THEIRS]);
    // And back again.
    let back = world.run(world.undo()).await;
    assert_eq!(back.outcomes[0].kind, OutcomeKind::Done, "{back:#?}");
    assert_eq!(world.there().await.unwrap(), before);
    assert!(world.journal.verify().unwrap().problems.is_empty());
}

#[tokio::test]
async fn the_first_rules_of_a_bucket_go_with_the_configuration() {
    let world = World::new(None, &[]);
    let verified = world.run(world.plan().await).await;
    assert_eq!(verified.outcomes[0].kind, OutcomeKind::Done, "{verified:#?}");
    let back = world.run(world.undo()).await;
    assert_eq!(back.outcomes[0].kind, OutcomeKind::Done, "{back:#?}");
    assert_eq!(world.there().await, None);
}

#[tokio::test]
async fn whoever_writes_between_the_reads_is_not_written_over() {
    // After the preflight; after the look before the call; right before the PUT.
    let theirs = THEIRS.replace("<ID>theirs</ID>", "<ID>changed</ID>");
    for reads in [1, 2] {
        let world = World::new(Some(THEIRS), &[]);
        let plan = world.plan().await;
        world.bucket.lock().unwrap().steal_after = Some((reads, theirs.clone()));
        let verified = world.run(plan).await;
        let kind = verified.outcomes[0].kind;
        assert!(
            matches!(kind, OutcomeKind::Refused | OutcomeKind::Failed),
            "{reads}: {verified:#?}"
        );
        assert_eq!(world.puts(), 0, "{reads}");
        assert_eq!(world.bucket.lock().unwrap().document.as_deref(), Some(&*theirs));
    }
}

#[tokio::test]
async fn an_answer_that_never_comes_is_looked_for() {
    let world = World::new(Some(THEIRS), &[Put::TakeAndHang]);
    let verified = world.run(world.plan().await).await;
    assert_eq!(verified.outcomes[0].kind, OutcomeKind::Done, "{verified:#?}");
    assert_eq!(world.puts(), 1, "seen, and not put again");
}

#[tokio::test]
async fn throttling_is_waited_out_and_a_refusal_is_told() {
    let world = World::new(Some(THEIRS), &[Put::Throttle, Put::Throttle]);
    let verified = world.run(world.plan().await).await;
    assert_eq!(verified.outcomes[0].kind, OutcomeKind::Done, "{verified:#?}");
    assert_eq!(world.puts(), 3);
    for (answer, says) in [(Put::Deny, "no"), (Put::Gone, "no")] {
        let world = World::new(Some(THEIRS), &[answer; 4]);
        let verified = world.run(world.plan().await).await;
        assert_eq!(verified.outcomes[0].kind, OutcomeKind::Failed, "{verified:#?}");
        assert!(verified.outcomes[0].text.contains(says), "{verified:#?}");
        assert_eq!(world.puts(), 1, "{answer:?}");
        assert_eq!(world.bucket.lock().unwrap().document.as_deref(), Some(THEIRS));
    }
}

#[tokio::test]
async fn a_part_that_nobody_knows_stops_everything() {
    let odd = THEIRS.replace("<Filter/>", "<Filter/><Shiny>1</Shiny>");
    let world = World::new(Some(&odd), &[]);
    let plan = world.plan().await;
    let checked = world.operator().preflight(Arc::new(plan)).await;
    let why = &checked.rows[0].reason().unwrap().text;
    assert!(why.contains("<Shiny>"), "{why}");
    let look = world.aws.bucket(&scope(), &BUCKET.into()).await;
    assert!(matches!(StorageLook::Bucket(look), StorageLook::Bucket(l) if l.lifecycle.is_ok()));
    assert_eq!(world.puts(), 0);
}
