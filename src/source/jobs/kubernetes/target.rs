//! Where a cluster is and who asks it: from a kubeconfig or from the files that a pod finds in itself.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::exec::ClusterInfo;
use super::kubeconfig::{self, Exec, User, resolved};
use super::{KubernetesSettings, OPERATION, Where};
use crate::domain::text::clean;
use crate::domain::{Address, ErrorKind, Secret, SourceError};
use crate::files;

/// Largest certificate, key or token, bytes.
const FILE_AT_MOST: u64 = 1 << 20;

/// What is sent beside a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sends {
    /// Nothing.
    Nothing,
    /// A bearer token.
    Token(Secret),
    /// A bearer token in a file, read anew for each reading.
    TokenFile(PathBuf),
    /// What a program makes.
    Exec(Exec),
}

/// A cluster, and who asks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// Name of the cluster.
    pub cluster: Arc<str>,
    /// Address of its API server.
    pub server: Address,
    /// Certificates to trust, PEM; `None` = the system's.
    pub ca: Option<Vec<u8>>,
    /// Certificate of the client and its key, PEM.
    pub identity: Option<Secret>,
    /// Name that the server's certificate has, where it is another than that of the address.
    pub server_name: Option<String>,
    /// True where the server's certificate is not checked, by the kubeconfig and by the configuration.
    pub is_insecure: bool,
    /// What is sent.
    pub sends: Sends,
    /// Directory from which paths go out.
    pub dir: PathBuf,
}

impl Target {
    /// What is told to a program that makes credentials.
    pub fn info(&self) -> ClusterInfo<'_> {
        ClusterInfo {
            server: self.server.reveal(),
            tls_server_name: self.server_name.as_deref(),
            is_insecure: self.is_insecure,
            ca: self.ca.as_deref(),
        }
    }

    /// The cluster of the settings. Blocks: files may be on a network. Err where it cannot be told or a file cannot be read.
    pub fn load(settings: &KubernetesSettings) -> Result<Self, SourceError> {
        match &settings.place {
            Where::InCluster { server, dir } => in_cluster(settings, server.as_ref(), dir),
            Where::Kubeconfig { file, context } => {
                of_kubeconfig(settings, file.as_deref(), context.as_deref())
            }
        }
    }

    /// The same. Err also where another of the clusters has its name and another server: by names nodes and jobs of the two
    /// could not be told apart. What cannot be loaded of the others is theirs to tell.
    pub fn load_beside(
        settings: &KubernetesSettings,
        all: &[KubernetesSettings],
    ) -> Result<Self, SourceError> {
        let own = Self::load(settings)?;
        let others = all.iter().filter(|other| other.name != settings.name);
        for (other, target) in others.filter_map(|other| Some((other, Self::load(other).ok()?))) {
            let server = |of: &Address| of.reveal().trim_end_matches('/').to_owned();
            if target.cluster == own.cluster && server(&target.server) != server(&own.server) {
                let why = format!(
                    "its cluster is called {}, as that of {}, which is another one",
                    own.cluster, other.name
                );
                let fix =
                    "set `cluster` of one of them to another name; until then neither is read";
                return Err(SourceError::new(ErrorKind::Refused, OPERATION, &why, fix));
            }
        }
        Ok(own)
    }
}

fn in_cluster(
    settings: &KubernetesSettings,
    server: Option<&Address>,
    dir: &Path,
) -> Result<Target, SourceError> {
    let server = server.cloned().ok_or_else(|| {
        let fix = "run burntop in a pod of the cluster, or name a kubeconfig";
        error("KUBERNETES_SERVICE_HOST is not set: this is no pod of a cluster", fix)
    })?;
    Ok(Target {
        cluster: settings.cluster.clone().unwrap_or_else(|| settings.name.clone()),
        server,
        ca: Some(read(&dir.join("ca.crt"))?),
        identity: None,
        server_name: None,
        is_insecure: false,
        sends: Sends::TokenFile(dir.join("token")),
        dir: dir.to_owned(),
    })
}

fn of_kubeconfig(
    settings: &KubernetesSettings,
    file: Option<&Path>,
    context: Option<&str>,
) -> Result<Target, SourceError> {
    let file = file.ok_or_else(|| {
        error("it is not known which kubeconfig is meant", "name it: `kubeconfig` of this source")
    })?;
    let shown = clean(&file.display().to_string()).into_owned();
    let bytes = files::read_config(file, kubeconfig::AT_MOST).map_err(|e| {
        error(&format!("{shown}: {}", files::explain(&e)), "check `kubeconfig` of this source")
    })?;
    let text = String::from_utf8(bytes)
        .map_err(|_| error(&format!("{shown} is no text (UTF-8)"), "name a kubeconfig"))?;
    let chosen = kubeconfig::choose(&text, context, settings.may_be_insecure).map_err(|why| {
        error(&format!("{shown}: {why}"), "mend it; docs/jobs.md says what is read")
    })?;
    let dir = file.parent().unwrap_or(Path::new("")).to_owned();
    let in_file = |why: String| error(&format!("{shown}: {why}"), "mend the kubeconfig");
    let cluster = chosen.cluster;
    let server = cluster.server.unwrap_or_default();
    let ca = pem(
        &dir,
        cluster.certificate_authority_data.as_deref(),
        cluster.certificate_authority.as_deref(),
    )
    .map_err(|why| why.or("certificate-authority-data", &in_file))?;
    let user = chosen.user;
    let certificate =
        pem(&dir, user.client_certificate_data.as_deref(), user.client_certificate.as_deref())
            .map_err(|why| why.or("client-certificate-data", &in_file))?;
    let key = user.client_key_data.as_ref().map(Secret::reveal);
    let key = pem(&dir, key, user.client_key.as_deref())
        .map_err(|why| why.or("client-key-data", &in_file))?;
    let identity = match (certificate, key) {
        (Some(certificate), Some(key)) => {
            let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
            Some(Secret::new(format!("{}\n{}", text(certificate), text(key))))
        }
        (None, None) => None,
        _ => {
            return Err(in_file("the user has a certificate without a key, or a key alone".into()));
        }
    };
    let is_insecure = cluster.insecure_skip_tls_verify == Some(true);
    Ok(Target {
        cluster: settings.cluster.clone().unwrap_or_else(|| chosen.name.into()),
        server,
        ca,
        identity,
        server_name: cluster.tls_server_name.filter(|name| !name.is_empty()),
        is_insecure,
        sends: sends(user, &dir),
        dir,
    })
}

fn sends(user: User, dir: &Path) -> Sends {
    // As Kubernetes has it: the file counts, where both are there.
    if let Some(file) = user.token_file {
        return Sends::TokenFile(resolved(dir, &file));
    }
    match (user.exec, user.token.filter(|token| !token.reveal().is_empty())) {
        (Some(exec), _) => Sends::Exec(exec),
        (None, Some(token)) => Sends::Token(token),
        (None, None) => Sends::Nothing,
    }
}

/// Why a part of a kubeconfig cannot be had.
enum NoPem {
    /// It is no base64.
    Odd,
    /// Its file cannot be read.
    File(SourceError),
}

impl NoPem {
    fn or(self, key: &str, in_file: &dyn Fn(String) -> SourceError) -> SourceError {
        match self {
            Self::Odd => in_file(format!("`{key}` is no base64")),
            Self::File(error) => error,
        }
    }
}

/// Data in base64, else of a file; as Kubernetes has it data count, where both are there.
fn pem(dir: &Path, data: Option<&str>, file: Option<&Path>) -> Result<Option<Vec<u8>>, NoPem> {
    let data = data.map(|data| data.split_whitespace().collect::<String>());
    match (data.filter(|data| !data.is_empty()), file) {
        (Some(data), _) => aws_smithy_types::base64::decode(data).map(Some).map_err(|_| NoPem::Odd),
        (None, Some(file)) => read(&resolved(dir, file)).map(Some).map_err(NoPem::File),
        (None, None) => Ok(None),
    }
}

/// A token in a file. Blocks. Err where there is none.
pub(super) fn token_of(file: &Path) -> Result<Secret, SourceError> {
    let text = String::from_utf8(read(file)?).ok().map(|text| text.trim().to_owned());
    text.filter(|text| !text.is_empty()).map(Secret::new).ok_or_else(|| {
        let shown = clean(&file.display().to_string()).into_owned();
        error(&format!("{shown} holds no token"), "it must hold the token and nothing else")
    })
}

fn read(file: &Path) -> Result<Vec<u8>, SourceError> {
    files::read_named(file, FILE_AT_MOST).map_err(|e| {
        let shown = clean(&file.display().to_string()).into_owned();
        error(&format!("{shown}: {}", files::explain(&e)), "make it readable for this user")
    })
}

fn error(message: &str, fix: &str) -> SourceError {
    SourceError::new(ErrorKind::NoCredentials, OPERATION, message, fix)
}
