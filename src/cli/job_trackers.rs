//! Trackers as sources of jobs, from the configuration.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::job_sources::{seconds, secret};
use crate::config::{Env, MlFlowSection, RaySection};
use crate::domain::{Address, ErrorKind, SourceError, text};
use crate::source::http::Auth;
use crate::source::jobs::live::LiveJobs;
use crate::source::jobs::mlflow::{MlFlow, MlFlowSettings};
use crate::source::jobs::ray::{RayCluster, RaySettings};

/// Time limit of a request, unless it is set.
const TIMEOUT: Duration = Duration::from_mins(1);

/// A tracking server of MLflow. Fails where it cannot be made.
pub(super) fn mlflow(section: &MlFlowSection, env: &Env) -> Result<Arc<dyn LiveJobs>, SourceError> {
    let tokens = (&section.token_file, &section.token_env);
    let (auth, missing) = match (&section.username, &section.password_file) {
        (Some(user), Some(file)) => {
            (Auth::BasicFile { user: user.clone(), file: file.clone() }, None)
        }
        _ => token("mlflow", tokens, env),
    };
    Ok(Arc::new(MlFlow::new(MlFlowSettings {
        name: text::clean(&section.name).into(),
        url: needed("mlflow", section.url.as_ref())?,
        auth,
        missing,
        ca_file: section.ca_file.clone(),
        experiments: section.experiments.clone().unwrap_or_default(),
        timeout: seconds(section.timeout_s, TIMEOUT),
    })?))
}

/// A cluster of Ray. Fails where it cannot be made.
pub(super) fn ray(section: &RaySection, env: &Env) -> Result<Arc<dyn LiveJobs>, SourceError> {
    let tokens = (&section.token_file, &section.token_env);
    let (auth, missing) = token("ray", tokens, env);
    Ok(Arc::new(RayCluster::new(RaySettings {
        name: text::clean(&section.name).into(),
        url: needed("ray", section.url.as_ref())?,
        auth,
        missing,
        ca_file: section.ca_file.clone(),
        region: section.region.as_deref().map(|region| text::clean(region).into()),
        nested: section.nested.unwrap_or(false),
        timeout: seconds(section.timeout_s, TIMEOUT),
    })?))
}

fn needed(source: &str, url: Option<&Address>) -> Result<Address, SourceError> {
    url.cloned().ok_or_else(|| {
        let fix = "set `url` in its section";
        SourceError::new(ErrorKind::Other, source, "no address is given", fix)
    })
}

/// A token, of a file before one of a variable; or why there is none, for a variable that is not set.
fn token(
    source: &str,
    (file, variable): (&Option<PathBuf>, &Option<String>),
    env: &Env,
) -> (Auth, Option<SourceError>) {
    match (file, variable) {
        (Some(file), _) => (Auth::BearerFile(file.clone()), None),
        (None, None) => (Auth::None, None),
        (None, Some(name)) => match secret(env, name) {
            Some(token) => (Auth::Bearer(token), None),
            None => {
                let message = format!("the variable {name} is not set");
                let fix = "it must hold the token and nothing else";
                let error = SourceError::new(ErrorKind::NoCredentials, source, &message, fix);
                (Auth::None, Some(error))
            }
        },
    }
}
