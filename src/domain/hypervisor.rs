//! What an instance type runs on, and which metrics exist because of it.

/// Families on the Xen hypervisor; every other one is on Nitro. Of a dump of `DescribeInstanceTypes` (`Hypervisor`); p2,
/// p3 and g3 are not in it and are known from the EC2 user guide.
const XEN: &[&str] = &[
    "c1", "c3", "c4", "d2", "f1", "g2", "g3", "g3s", "h1", "i2", "i3", "m1", "m2", "m3", "m4",
    "p2", "p3", "r3", "r4", "t1", "t2", "x1", "x1e",
];

/// True for a type on the Xen hypervisor. A bare-metal type of such a family has none.
pub fn is_xen(instance_type: &str) -> bool {
    let family = instance_type.split_once('.').map_or(instance_type, |(family, _)| family);
    XEN.contains(&family)
}

/// True when `AWS/EC2` has `EBSReadOps` and `EBSWriteOps` for the type: "for Nitro-based instances that are not bare
/// metal instances" (EC2 user guide, "CloudWatch metrics that are available for your instances").
pub fn reports_ebs(instance_type: &str) -> bool {
    !is_xen(instance_type) && !instance_type.contains(".metal")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nitro_types_report_ebs_and_xen_and_bare_metal_do_not() {
        for name in
            ["t3.large", "m5.24xlarge", "p3dn.24xlarge", "g4dn.xlarge", "i3en.large", "new.large"]
        {
            assert!(reports_ebs(name), "{name}");
        }
        for name in ["t2.micro", "m4.10xlarge", "c4.large", "r4.large", "p3.2xlarge", "i3.large"] {
            assert!(is_xen(name) && !reports_ebs(name), "{name}");
        }
        for name in ["m5.metal", "c7i.metal-24xl", "i3.metal"] {
            assert!(!reports_ebs(name), "{name}");
        }
    }
}
