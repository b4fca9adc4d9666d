//! Who else writes a bucket's rules: a tool that would undo, or be undone by, a change from here.

use super::merge::is_own;
use crate::domain::Tags;
use crate::domain::storage::Lifecycle;
use crate::domain::text::clean;

/// Tool that manages infrastructure and would revert a change made outside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OwnerKind {
    /// Terraform, `OpenTofu`, Terragrunt.
    Terraform,
    /// `CloudFormation`.
    CloudFormation,
    /// The Cloud Development Kit.
    Cdk,
    /// Pulumi.
    Pulumi,
    /// Crossplane.
    Crossplane,
    /// The Serverless Framework.
    Serverless,
    /// AWS Control Tower or Service Catalog.
    ServiceCatalog,
    /// Cloud Custodian.
    Custodian,
    /// Ansible.
    Ansible,
}

impl OwnerKind {
    /// Name of the tool.
    pub fn name(self) -> &'static str {
        match self {
            Self::Terraform => "Terraform",
            Self::CloudFormation => "CloudFormation",
            Self::Cdk => "AWS CDK",
            Self::Pulumi => "Pulumi",
            Self::Crossplane => "Crossplane",
            Self::Serverless => "Serverless Framework",
            Self::ServiceCatalog => "AWS Service Catalog",
            Self::Custodian => "Cloud Custodian",
            Self::Ansible => "Ansible",
        }
    }
}

/// A tool that manages a bucket's rules, with the evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The tool.
    pub kind: OwnerKind,
    /// The tag or rule that shows it, clean text: `tag aws:cloudformation:stack-name = data-lake`.
    pub evidence: String,
}

/// Tag keys and what they belong to, lower case; the most telling first.
const TAG_KEYS: &[(&str, OwnerKind)] = &[
    ("aws-cdk:", OwnerKind::Cdk),
    ("cdk:", OwnerKind::Cdk),
    ("aws:servicecatalog:", OwnerKind::ServiceCatalog),
    ("crossplane-", OwnerKind::Crossplane),
    ("crossplane.io", OwnerKind::Crossplane),
    ("pulumi", OwnerKind::Pulumi),
    ("terraform", OwnerKind::Terraform),
    ("opentofu", OwnerKind::Terraform),
    ("tf-", OwnerKind::Terraform),
    ("tf_", OwnerKind::Terraform),
    ("tfc:", OwnerKind::Terraform),
    ("serverless:", OwnerKind::Serverless),
    ("aws:cloudformation:", OwnerKind::CloudFormation),
];

/// Words in the values of tags that say who manages, and in the ids of rules.
const WORDS: &[(&str, OwnerKind)] = &[
    ("terraform", OwnerKind::Terraform),
    ("opentofu", OwnerKind::Terraform),
    ("terragrunt", OwnerKind::Terraform),
    ("pulumi", OwnerKind::Pulumi),
    ("crossplane", OwnerKind::Crossplane),
    ("cloudformation", OwnerKind::CloudFormation),
    ("aws-cdk", OwnerKind::Cdk),
    ("custodian", OwnerKind::Custodian),
    ("c7n", OwnerKind::Custodian),
    ("ansible", OwnerKind::Ansible),
];

/// Tag keys whose value says who manages, lower case without `-`, `_` and `:`.
const MANAGER_KEYS: &[&str] = &[
    "managedby",
    "manager",
    "createdby",
    "provisionedby",
    "provisioner",
    "deployedby",
    "iac",
    "iactool",
    "automation",
    "source",
    "maintainedby",
    "createdwith",
    "deploymenttool",
];

/// The tool that manages the bucket's rules, or the bucket; `None` without evidence. Rules are examined first,
/// since a change would collide with them.
pub fn detect(current: Option<&Lifecycle>, tags: Option<&Tags>) -> Option<Owner> {
    // Ours have names that their author chose: `burntop/…/terraform state` is no tool's.
    let foreign = current.into_iter().flat_map(|l| &l.rules).filter(|rule| !is_own(rule));
    let by_rule = foreign.into_iter().find_map(|rule| {
        let id = rule.id.to_lowercase();
        let kind = if id.starts_with("tf-s3-lifecycle-") {
            // What the Terraform provider invents where no id is written.
            Some(OwnerKind::Terraform)
        } else {
            word(&id)
        };
        kind.map(|kind| Owner { kind, evidence: format!("rule {}", clean(&rule.id)) })
    });
    by_rule.or_else(|| by_tags(tags?))
}

fn by_tags(tags: &Tags) -> Option<Owner> {
    let owner = |kind, key: &str, value: &str| Owner {
        kind,
        evidence: format!("tag {} = {}", clean(key), clean(value)),
    };
    // CDK deploys through CloudFormation: its own mark is the better answer.
    let by_key = TAG_KEYS.iter().find_map(|(start, kind)| {
        tags.iter()
            .find(|(key, value)| key.to_lowercase().starts_with(start) && !is_no(value))
            .map(|(key, value)| owner(*kind, key, value))
    });
    by_key.or_else(|| {
        tags.iter().find_map(|(key, value)| {
            let plain: String =
                key.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
            let manages = MANAGER_KEYS.contains(&plain.as_str());
            let low = value.to_lowercase();
            let kind = if low == "cdk" { Some(OwnerKind::Cdk) } else { word(&low) };
            kind.filter(|_| manages).map(|kind| owner(kind, key, value))
        })
    })
}

fn is_no(value: &str) -> bool {
    matches!(value.to_lowercase().as_str(), "false" | "no" | "0" | "none" | "manual")
}

fn word(text: &str) -> Option<OwnerKind> {
    WORDS.iter().find(|(word, _)| text.contains(word)).map(|(_, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::storage::LifecycleRule;

    #[test]
    fn tags_and_ids_give_the_tool_away() {
        let cases: &[(&str, &str, Option<OwnerKind>)] = &[
            ("aws:cloudformation:stack-name", "lake", Some(OwnerKind::CloudFormation)),
            ("aws-cdk:auto-delete-objects", "true", Some(OwnerKind::Cdk)),
            ("ManagedBy", "Terraform", Some(OwnerKind::Terraform)),
            ("managed_by", "opentofu", Some(OwnerKind::Terraform)),
            ("Terraform", "true", Some(OwnerKind::Terraform)),
            ("terraform", "false", None),
            ("pulumi:project", "x", Some(OwnerKind::Pulumi)),
            ("crossplane-name", "x", Some(OwnerKind::Crossplane)),
            ("IaC", "cdk", Some(OwnerKind::Cdk)),
            ("provisioner", "Ansible", Some(OwnerKind::Ansible)),
            ("team", "terraform-guild", None),
            ("Name", "pulumi-experiments", None),
            ("team", "nlp", None),
        ];
        for (key, value, want) in cases {
            let tags = Tags::from_raw([(key, value)]);
            let found = detect(None, Some(&tags)).map(|o| o.kind);
            assert_eq!(found, *want, "{key}={value}");
        }
        let both = Tags::from_raw([
            ("aws:cloudformation:stack-name", "Lake"),
            ("aws-cdk:cr-owned:x", "true"),
        ]);
        assert_eq!(detect(None, Some(&both)).map(|o| o.kind), Some(OwnerKind::Cdk));
    }

    #[test]
    fn an_id_invented_by_terraform_is_known() {
        let rule = LifecycleRule {
            id: "tf-s3-lifecycle-20240101000000000000000001".to_owned(),
            ..LifecycleRule::default()
        };
        let current = Lifecycle { rules: vec![rule], minimum_size: None };
        let owner = detect(Some(&current), None).unwrap();
        assert_eq!(owner.kind, OwnerKind::Terraform);
        assert!(owner.evidence.contains("tf-s3-lifecycle-2024"), "{}", owner.evidence);
        assert_eq!(detect(Some(&Lifecycle::default()), Some(&Tags::default())), None);
        // A rule of our own is named by its author.
        let rule = LifecycleRule {
            id: "burntop/0123456789ab/terraform state".to_owned(),
            ..LifecycleRule::default()
        };
        let ours = Lifecycle { rules: vec![rule], minimum_size: None };
        assert_eq!(detect(Some(&ours), None), None);
    }
}
