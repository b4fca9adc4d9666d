//! What AWS calls operating systems: the operation of the bill, and names in product descriptions.

use crate::domain::{Platform, Tenancy};

/// Platform of a billed operation (EC2 user guide, "AMI billing information fields"); [`Platform::Other`] for an
/// unknown one.
pub fn of_operation(operation: &str) -> Platform {
    match operation {
        // 00g0 and 0800 bring their own RHEL and Windows licence: billed like Linux.
        "RunInstances" | "RunInstances:00g0" | "RunInstances:0800" => Platform::Linux,
        "RunInstances:0002" => Platform::Windows,
        "RunInstances:0010" => Platform::Rhel,
        "RunInstances:000g" => Platform::Suse,
        "RunInstances:0g00" => Platform::UbuntuPro,
        _ => Platform::Other,
    }
}

/// Billed operations that [`of_operation`] knows, without those for customers' own licences, which are priced like
/// Linux.
pub const OPERATIONS: [&str; 5] = [
    "RunInstances",
    "RunInstances:0002",
    "RunInstances:0010",
    "RunInstances:000g",
    "RunInstances:0g00",
];

/// Platform for a product description; [`Platform::Other`] for an unknown one. Accounts that once had EC2-Classic see
/// the same products with the suffix ` (Amazon VPC)`.
pub fn of_product(description: &str) -> Platform {
    match description.strip_suffix(" (Amazon VPC)").unwrap_or(description) {
        "Linux/UNIX" | "Red Hat BYOL Linux" | "Windows BYOL" => Platform::Linux,
        "Windows" => Platform::Windows,
        "Red Hat Enterprise Linux" => Platform::Rhel,
        "SUSE Linux" => Platform::Suse,
        "Ubuntu Pro" => Platform::UbuntuPro,
        _ => Platform::Other,
    }
}

/// Tenancy by its name in EC2; shared for `None` and `default`.
pub fn tenancy(name: Option<&str>) -> Tenancy {
    match name {
        Some("dedicated") => Tenancy::Dedicated,
        Some("host") => Tenancy::Host,
        _ => Tenancy::Shared,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_inside_and_outside_a_vpc_mean_the_same() {
        for (name, platform) in [
            ("Linux/UNIX", Platform::Linux),
            ("Windows", Platform::Windows),
            ("Red Hat Enterprise Linux", Platform::Rhel),
            ("SUSE Linux", Platform::Suse),
            ("Windows with SQL Server Standard", Platform::Other),
            ("RHEL with HA", Platform::Other),
        ] {
            assert_eq!(of_product(name), platform);
            assert_eq!(of_product(&format!("{name} (Amazon VPC)")), platform);
        }
        assert!(OPERATIONS.iter().all(|o| of_operation(o) != Platform::Other));
    }
}
