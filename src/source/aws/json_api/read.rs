//! What may be asked: a closed list of reads.

use super::super::calls::{
    Call, DESCRIBE_APP, DESCRIBE_ENDPOINT, DESCRIBE_ENDPOINT_CONFIG, LIST_ACCOUNTS, LIST_APPS,
    LIST_ENDPOINTS, LIST_NOTEBOOK_INSTANCES, LIST_TAGS,
};
use super::super::limit::Api;

/// A service that is asked without its crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Service {
    /// Amazon SageMaker AI.
    SageMaker,
    /// AWS Organizations.
    Organizations,
}

impl Service {
    /// How the SDKs call it: `AWS_ENDPOINT_URL_SAGEMAKER` and the `services` section of a profile
    /// are found by it.
    pub const fn id(self) -> &'static str {
        match self {
            Self::SageMaker => "SageMaker",
            Self::Organizations => "Organizations",
        }
    }

    /// The first half of the header that names the operation.
    pub const fn target(self) -> &'static str {
        match self {
            Self::SageMaker => "SageMaker",
            Self::Organizations => "AWSOrganizationsV20161128",
        }
    }

    /// The service for which a signature is good.
    pub const fn signing_name(self) -> &'static str {
        match self {
            Self::SageMaker => "sagemaker",
            Self::Organizations => "organizations",
        }
    }

    /// The limit that its calls share.
    pub const fn api(self) -> Api {
        match self {
            Self::SageMaker => Api::SageMaker,
            Self::Organizations => Api::Organizations,
        }
    }
}

/// A read. There is no other way to name an operation, so nothing that changes something can be
/// asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// SageMaker `ListNotebookInstances`.
    ListNotebookInstances,
    /// SageMaker `ListEndpoints`.
    ListEndpoints,
    /// SageMaker `DescribeEndpoint`.
    DescribeEndpoint,
    /// SageMaker `DescribeEndpointConfig`.
    DescribeEndpointConfig,
    /// SageMaker `ListApps`.
    ListApps,
    /// SageMaker `DescribeApp`.
    DescribeApp,
    /// SageMaker `ListTags`.
    ListTags,
    /// Organizations `ListAccounts`.
    ListAccounts,
}

impl Read {
    /// Every read.
    #[cfg(test)]
    pub const ALL: [Self; 8] = [
        Self::ListNotebookInstances,
        Self::ListEndpoints,
        Self::DescribeEndpoint,
        Self::DescribeEndpointConfig,
        Self::ListApps,
        Self::DescribeApp,
        Self::ListTags,
        Self::ListAccounts,
    ];

    /// Its row in the table of calls, with the IAM action.
    pub const fn call(self) -> &'static Call {
        match self {
            Self::ListNotebookInstances => &LIST_NOTEBOOK_INSTANCES,
            Self::ListEndpoints => &LIST_ENDPOINTS,
            Self::DescribeEndpoint => &DESCRIBE_ENDPOINT,
            Self::DescribeEndpointConfig => &DESCRIBE_ENDPOINT_CONFIG,
            Self::ListApps => &LIST_APPS,
            Self::DescribeApp => &DESCRIBE_APP,
            Self::ListTags => &LIST_TAGS,
            Self::ListAccounts => &LIST_ACCOUNTS,
        }
    }

    /// Who is asked.
    pub const fn service(self) -> Service {
        match self {
            Self::ListNotebookInstances
            | Self::ListEndpoints
            | Self::DescribeEndpoint
            | Self::DescribeEndpointConfig
            | Self::ListApps
            | Self::DescribeApp
            | Self::ListTags => Service::SageMaker,
            Self::ListAccounts => Service::Organizations,
        }
    }

    /// The name of the operation. Of these, IAM knows every one by its own name.
    pub fn operation(self) -> &'static str {
        let action = self.call().action;
        action.split_once(':').map_or(action, |(_, name)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_asked_reads_and_goes_by_its_own_name() {
        for read in Read::ALL {
            assert!(read.call().read_only, "{read:?}");
            assert_eq!(read.operation(), format!("{read:?}"));
            assert!(["List", "Describe"].iter().any(|verb| read.operation().starts_with(verb)));
            let service = read.call().action.split(':').next().unwrap();
            assert_eq!(service, read.service().signing_name());
        }
    }
}
