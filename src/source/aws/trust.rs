//! Whom AWS's endpoints are trusted by: the system's authorities, and those of a file that
//! `AWS_CA_BUNDLE` or `ca_bundle` of the profile names. A file that cannot be used is an error that
//! names the setting, never a connection without it.

use std::path::{Path, PathBuf};

use aws_smithy_http_client::tls::TrustStore;
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use crate::files;
use crate::source::proxy::SettingError;

/// Environment variable that the AWS CLI reads as well.
pub const VARIABLE: &str = "AWS_CA_BUNDLE";

/// The largest file, bytes: that of a whole system has 250 KB.
const AT_MOST: u64 = 4 << 20;

/// A file of certificate authorities, and the setting that names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Named {
    /// Name of the setting: `AWS_CA_BUNDLE`, ``ca_bundle of profile `ops` ``.
    pub setting: String,
    /// Path of the file.
    pub path: PathBuf,
}

impl Named {
    /// File in force: the variable's, else the profile's; `None` without either.
    pub fn find(variable: Option<String>, profile: Option<(&str, &str)>) -> Option<Self> {
        if let Some(path) = variable.filter(|v| !v.is_empty()) {
            return Some(Self { setting: VARIABLE.to_owned(), path: path.into() });
        }
        let (name, path) = profile.filter(|(_, path)| !path.is_empty())?;
        Some(Self { setting: format!("ca_bundle of profile `{name}`"), path: path.into() })
    }

    /// Certificate authorities of the file besides the system's, and the number of those in the file.
    ///
    /// # Errors
    /// The file cannot be read, or holds no certificate of an authority (PEM).
    pub fn read(&self) -> Result<(TrustStore, usize), SettingError> {
        let certificates = certificates(&self.path).map_err(|what| {
            SettingError::new(
                &self.setting,
                format!("names {}: {what}", self.path.display()),
                "name a file with the certificates of your company's authorities in PEM, or unset it",
            )
        })?;
        let number = certificates.len();
        let all =
            certificates.into_iter().fold(TrustStore::default(), TrustStore::with_pem_certificate);
        Ok((all, number))
    }
}

/// The certificates of a file that can be those of authorities, one PEM text each.
fn certificates(path: &Path) -> Result<Vec<Vec<u8>>, String> {
    const BEGIN: &[u8] = b"-----BEGIN CERTIFICATE-----";
    let text = files::read_named(path, AT_MOST).map_err(|e| files::explain(&e))?;
    let starts: Vec<usize> = memchr::memmem::find_iter(&text, BEGIN).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let mut found = Vec::new();
    for (from, to) in starts.iter().copied().zip(ends) {
        let one = text.get(from..to).unwrap_or_default();
        let der = CertificateDer::from_pem_slice(one)
            .map_err(|_| "a certificate in it is broken".to_owned())?;
        // Files of whole systems hold certificates that no client takes; they are passed over.
        if RootCertStore::empty().add(der).is_ok() {
            found.push(one.to_vec());
        }
    }
    if found.is_empty() {
        return Err("it holds no certificate of an authority (PEM)".to_owned());
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tls").join(name)
    }

    fn named(path: PathBuf) -> Named {
        Named { setting: VARIABLE.to_owned(), path }
    }

    #[test]
    fn the_variable_wins_over_the_profile_and_an_empty_one_is_none() {
        let find = |variable: Option<&str>, profile| {
            Named::find(variable.map(str::to_owned), profile).map(|n| (n.setting, n.path))
        };
        let (ops, all) = (Some(("ops", "/etc/ops.pem")), "/etc/all.pem");
        assert_eq!(find(None, None), None);
        assert_eq!(find(Some(""), None), None);
        assert_eq!(find(Some(all), ops), Some(("AWS_CA_BUNDLE".into(), all.into())));
        let profile = Some(("ca_bundle of profile `ops`".into(), "/etc/ops.pem".into()));
        assert_eq!(find(None, ops), profile);
        assert_eq!(find(Some(""), ops), profile);
    }

    #[test]
    fn every_certificate_of_a_bundle_counts_whatever_stands_between_them() {
        let dir = tempfile::tempdir().unwrap();
        let pem = std::fs::read_to_string(data("ca.pem")).unwrap();
        let other = std::fs::read_to_string(data("weak-ca.pem")).unwrap();
        let path = dir.path().join("bundle.pem");
        std::fs::write(&path, format!("# Company Root\n{pem}\n\n# Old\n{other}junk\n")).unwrap();
        let (_, number) = named(path).read().unwrap();
        assert_eq!(number, 2);
    }

    #[test]
    fn a_file_that_cannot_be_used_is_an_error_that_names_setting_and_file() {
        let dir = tempfile::tempdir().unwrap();
        let put = |name: &str, bytes: &[u8]| {
            std::fs::write(dir.path().join(name), bytes).unwrap();
            dir.path().join(name)
        };
        let pem = std::fs::read(data("ca.pem")).unwrap();
        let key = std::fs::read(data("server.key")).unwrap();
        for path in [
            dir.path().join("absent"),
            dir.path().to_owned(),
            put("empty", b""),
            put("noise", &[0xff; 500]),
            put("text", b"this is my certificate"),
            put("key", &key),
            put("half", &pem[..pem.len() / 2]),
            put("inside", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
            PathBuf::from("/dev/zero"),
            PathBuf::from("/dev/null"),
        ] {
            let error = named(path.clone()).read().unwrap_err();
            assert_eq!(error.setting, VARIABLE);
            let whole = error.to_string();
            assert!(whole.starts_with("AWS_CA_BUNDLE names "), "{whole}");
            assert!(whole.contains(&path.display().to_string()), "{whole}");
        }
    }
}
