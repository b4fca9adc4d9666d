//! Messages on their way to sinks, by the real program: to an HTTP server of the tests, to aiosmtpd with STARTTLS and a
//! password, and to moto's SNS.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use serde_json::{Value, json};

use crate::emulators::{emulators, python};
use crate::server::{Mode, Reply, Server, certificate, tls_file};

const BURNTOP: &str = env!("CARGO_BIN_EXE_burntop");

/// What no output may hold.
const SECRET: &str = "s3cr3t-of-a-sink";

/// A home with rules of one sink.
struct Home {
    dir: tempfile::TempDir,
}

impl Home {
    /// The sink is named `it`; `keys` are its keys but the name.
    fn new(keys: &str) -> Self {
        let home = Self { dir: tempfile::tempdir().unwrap() };
        std::fs::write(home.path("secret"), format!("{SECRET}\n")).unwrap();
        let rules = format!("[[sinks]]\nname = 'it'\n{keys}\n");
        std::fs::write(home.path("rules.toml"), rules.replace("SECRET_FILE", &home.secret()))
            .unwrap();
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn secret(&self) -> String {
        self.path("secret").display().to_string()
    }

    /// Sends the test message.
    fn test(&self, more: &[(&str, &str)]) -> Output {
        let output = Command::new(BURNTOP)
            .args(["watch", "test", "it", "--rules"])
            .arg(self.path("rules.toml"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.dir.path())
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("XDG_CACHE_HOME", self.path("cache"))
            .env("XDG_STATE_HOME", self.path("state"))
            .env("AWS_EC2_METADATA_DISABLED", "true")
            .env("SSL_CERT_FILE", tls_file("ca.pem"))
            .envs(more.iter().copied())
            .output()
            .unwrap();
        for text in [&output.stdout, &output.stderr] {
            let text = String::from_utf8_lossy(text);
            assert!(!text.contains(SECRET), "{text}");
        }
        output
    }

    /// Sends it, and it arrives.
    fn arrives(&self, more: &[(&str, &str)]) {
        let output = self.test(more);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{said}");
    }

    /// Sends it in vain, and says why.
    fn fails(&self, more: &[(&str, &str)], words: &str) {
        let output = self.test(more);
        // Lines may be broken anywhere.
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(output.status.code(), Some(5), "{said}");
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn slack_takes_a_test_message_over_tls_at_an_address_that_stands_in_a_file() {
    let server = Server::start_as(Mode::Tls(certificate("good.pem")), |_, request| {
        match request.path.ends_with(SECRET) {
            true => Reply::new(200, "text/html", "ok"),
            false => Reply::new(404, "text/html", "no_service"),
        }
    });
    let home = Home::new("type = 'slack'\nurl_file = 'SECRET_FILE'\nallow_loopback = true");
    let address = format!("https://{}/services/T0/B0/", server.address());
    std::fs::write(home.path("secret"), format!("{address}{SECRET}\n")).unwrap();
    home.arrives(&[]);
    let seen = server.seen();
    let body: Value = serde_json::from_slice(&seen[0].body).unwrap();
    assert!(body["text"].as_str().unwrap().contains("test"), "{body}");

    std::fs::write(home.path("secret"), format!("{address}{SECRET}-2\n")).unwrap();
    home.fails(&[], "no_service");
    assert_eq!(server.requests(), 2, "it is tried once");
}

#[test]
fn a_webhook_is_signed_so_that_python_finds_the_same() {
    let server = Server::start(|_, _| Reply::new(204, "text/plain", ""));
    let home = Home::new(&format!(
        "type = 'webhook'\nurl = '{}/hook'\nallow_loopback = true\nhmac_file = 'SECRET_FILE'",
        server.url
    ));
    home.arrives(&[]);
    let request = server.seen()[0].clone();
    let header = |name: &str| request.header(name).unwrap().to_owned();
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    assert_eq!(body["schema"], "burntop/alert/1");
    assert_eq!(body["key"], *header("idempotency-key"));
    let script = "import hmac, sys; print('sha256=' + hmac.new(sys.argv[1].encode(), \
                  (sys.argv[2] + '.' + sys.argv[3]).encode(), 'sha256').hexdigest())";
    let time = header("x-burntop-timestamp");
    let made = Command::new(python())
        .args(["-c", script, SECRET, &time, &request.text()])
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&made.stdout).trim(), header("x-burntop-signature"));
}

#[test]
fn a_template_of_pagerduty_has_its_key_from_a_file() {
    let server =
        Server::start(|_, _| Reply::new(202, "application/json", "{\"status\":\"success\"}"));
    let home = Home::new(&format!(
        "type = 'webhook'\nurl = '{}/v2/enqueue'\nallow_loopback = true\nbody = 'pagerduty'\n\
         secret_file = 'SECRET_FILE'",
        server.url
    ));
    home.arrives(&[]);
    let body: Value = serde_json::from_slice(&server.seen()[0].body).unwrap();
    assert_eq!((&body["routing_key"], &body["event_action"]), (&json!(SECRET), &json!("trigger")));
}

#[test]
fn what_a_server_cannot_make_the_program_do() {
    let metadata = "location: http://169.254.169.254/latest/meta-data/\r\n";
    for (reply, words) in [
        (
            Reply::Whole(302, "text/plain", metadata.into(), Vec::new()),
            "redirects to 169.254.169.254",
        ),
        (Reply::new(500, "text/plain", SECRET), "HTTP 500"),
        (Reply::new(403, "text/plain", SECRET), "HTTP 403"),
        (Reply::Silence, "no answer within 1 s"),
        (Reply::Close, "127.0.0.1"),
    ] {
        let server = Server::start(move |_, _| reply.clone());
        let home = Home::new(&format!(
            "type = 'webhook'\nurl = '{}/hook?{SECRET}'\nallow_loopback = true\ntimeout_s = 1",
            server.url
        ));
        home.fails(&[], words);
        assert_eq!(server.requests(), 1);
    }
}

#[test]
fn a_proxy_of_the_environment_is_gone_through_and_may_be_on_this_host() {
    let proxy = Server::start(|_, request| match request.method() {
        "CONNECT" => Reply::Tunnel(certificate("other-host.pem")),
        _ => Reply::new(200, "text/html", "ok"),
    });
    let home = Home::new("type = 'slack'\nurl_file = 'SECRET_FILE'");
    std::fs::write(home.path("secret"), format!("https://prom.example.com/{SECRET}")).unwrap();
    home.arrives(&[("HTTPS_PROXY", &proxy.url)]);
    let seen = proxy.seen();
    let inside = seen.iter().find(|request| request.method() == "POST").unwrap();
    assert_eq!(inside.tunnel.as_deref(), Some("prom.example.com:443"));

    // An address that nothing is sent to stays one behind a proxy.
    std::fs::write(home.path("secret"), format!("https://169.254.169.254/{SECRET}")).unwrap();
    home.fails(&[("HTTPS_PROXY", &proxy.url)], "link-local");
    assert_eq!(proxy.requests(), seen.len());
}

/// A mail server: prints its port, then each mail as JSON. It wants STARTTLS and a password.
const MAIL: &str = r#"
import asyncio, email, email.policy, json, ssl, sys
from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

class Keeper:
    async def handle_DATA(self, server, session, envelope):
        mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
        print(json.dumps({
            "from": envelope.mail_from, "to": envelope.rcpt_tos, "tls": session.ssl is not None,
            "headers": {name.lower(): str(value) for name, value in mail.items()},
            "text": mail.get_body(("plain",)).get_content(),
        }), flush=True)
        return "250 2.0.0 kept"

def known(server, session, envelope, mechanism, data):
    fits = isinstance(data, LoginPassword) and data.login == b"watch" and data.password == sys.argv[3].encode()
    return AuthResult(success=fits, handled=False)

async def main():
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    make = lambda: SMTP(Keeper(), hostname="mail.example", tls_context=context, require_starttls=True,
                        auth_required=True, authenticator=known)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(make, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)

asyncio.run(main())
"#;

/// The mail server, until it is dropped.
struct Mail {
    child: Child,
    lines: BufReader<ChildStdout>,
    port: u16,
}

impl Mail {
    fn start() -> Self {
        let mut child = Command::new(python())
            .args(["-c", MAIL])
            .args([tls_file("good.pem"), tls_file("server.key")])
            .arg(SECRET)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        let mut mail = Self { child, lines, port: 0 };
        mail.port = mail.line().trim().parse().unwrap();
        mail
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        line
    }

    fn home(&self, user: &str) -> Home {
        Home::new(&format!(
            "type = 'smtp'\nhost = '127.0.0.1'\nport = {}\ntls = 'starttls'\nallow_loopback = true\nuser = '{user}'\n\
             password_file = 'SECRET_FILE'\nfrom = 'GPU watch <watch@fleet.example>'\nto = ['ops@example.com']",
            self.port
        ))
    }
}

impl Drop for Mail {
    fn drop(&mut self) {
        // It ends when its standard input does.
        drop(self.child.stdin.take());
        let _ended = self.child.wait();
    }
}

#[test]
fn a_mail_arrives_encrypted_at_a_server_that_wants_a_password() {
    let mut mail = Mail::start();
    mail.home("watch").arrives(&[]);
    let got: Value = serde_json::from_str(&mail.line()).unwrap();
    assert_eq!(
        (&got["from"], &got["to"]),
        (&json!("watch@fleet.example"), &json!(["ops@example.com"]))
    );
    assert_eq!(got["tls"], true);
    let header = |name: &str| got["headers"][name].as_str().unwrap().to_owned();
    assert!(header("subject").contains("test"), "{got:#}");
    assert!(header("message-id").ends_with("@fleet.example>"), "{got:#}");
    assert_eq!(header("references"), header("in-reply-to"));
    assert_eq!(header("auto-submitted"), "auto-generated");
    assert!(!got["text"].as_str().unwrap().trim().is_empty(), "{got:#}");

    mail.home("somebody").fails(&[], "refused with 535");
    let stranger = [("SSL_CERT_FILE", "/dev/null")];
    mail.home("watch").fails(&stranger, "TLS");
}

/// Makes a topic with a queue behind it (`make`), or takes what came to the queue (`take`).
const QUEUE: &str = r#"
import boto3, json, sys
sns, sqs = (boto3.client(name, endpoint_url=sys.argv[1], region_name="eu-west-1", aws_access_key_id="AKIATESTING",
                         aws_secret_access_key="testing") for name in ("sns", "sqs"))
if sys.argv[2] == "make":
    topic = sns.create_topic(Name="gpu-alerts")["TopicArn"]
    queue = sqs.create_queue(QueueName="gpu-alerts")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=arn)
    print(json.dumps({"topic": topic, "queue": queue}))
else:
    got = sqs.receive_message(QueueUrl=sys.argv[3], WaitTimeSeconds=5)
    print(json.dumps([json.loads(message["Body"]) for message in got.get("Messages", [])]))
"#;

fn queue(arguments: &[&str]) -> Value {
    let made = Command::new(python())
        .args(["-c", QUEUE, &emulators().moto])
        .args(arguments)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&made.stderr).into_owned();
    serde_json::from_slice(&made.stdout).unwrap_or_else(|e| panic!("{e}: {said}"))
}

#[test]
fn a_topic_takes_a_message_and_passes_it_on_to_its_queue() {
    let made = queue(&["make"]);
    let topic = made["topic"].as_str().unwrap();
    let home = Home::new(&format!("type = 'sns'\ntopic = '{topic}'"));
    let moto = emulators().moto.as_str();
    let keys = [("AWS_ACCESS_KEY_ID", "AKIATESTING"), ("AWS_SECRET_ACCESS_KEY", SECRET)];
    let with = |endpoint| [keys[0], keys[1], ("AWS_ENDPOINT_URL_SNS", endpoint)];
    home.arrives(&with(moto));
    let got = queue(&["take", made["queue"].as_str().unwrap()]);
    let [message] = &got.as_array().unwrap()[..] else { panic!("{got:#}") };
    assert_eq!(message["MessageAttributes"]["severity"]["Value"], "info");
    assert_eq!(message["MessageAttributes"]["kind"]["Value"], "test");
    assert!(message["Subject"].as_str().unwrap().contains("test"), "{message:#}");
    let text = message["Message"].as_str().unwrap();
    let alert: Value = serde_json::from_str(text).unwrap();
    assert_eq!(alert["schema"], "burntop/alert/1");

    let gone = Home::new(&format!("type = 'sns'\ntopic = '{topic}-gone'"));
    gone.fails(&with(moto), "NotFound");
    let nobody = [("AWS_ENDPOINT_URL_SNS", moto)];
    home.fails(&nobody, "no AWS credentials");
    home.fails(&with("http://127.0.0.1:1"), "cannot connect");
    home.fails(&with("http://sns.example.com"), "in clear text");
}
