//! The codes of regions that usage types begin with.

/// Codes and the regions that they stand for: those of the Cost and Usage Report in `tests/data/bill`, which has both, and
/// four of AWS's documentation (`EUW1`, `MES1`, `UGE1`, `UGW1`).
const REGIONS: &[(&str, &str)] = &[
    ("AFS1", "af-south-1"),
    ("APE1", "ap-east-1"),
    ("APN1", "ap-northeast-1"),
    ("APN2", "ap-northeast-2"),
    ("APN3", "ap-northeast-3"),
    ("APS1", "ap-southeast-1"),
    ("APS2", "ap-southeast-2"),
    ("APS3", "ap-south-1"),
    ("APS4", "ap-southeast-3"),
    ("APS5", "ap-south-2"),
    ("APS6", "ap-southeast-4"),
    ("CAN1", "ca-central-1"),
    ("EU", "eu-west-1"),
    ("EUC1", "eu-central-1"),
    ("EUC2", "eu-central-2"),
    ("EUN1", "eu-north-1"),
    ("EUS1", "eu-south-1"),
    ("EUS2", "eu-south-2"),
    ("EUW1", "eu-west-1"),
    ("EUW2", "eu-west-2"),
    ("EUW3", "eu-west-3"),
    ("ILC1", "il-central-1"),
    ("MEC1", "me-central-1"),
    ("MES1", "me-south-1"),
    ("SAE1", "sa-east-1"),
    ("UGE1", "us-gov-east-1"),
    ("UGW1", "us-gov-west-1"),
    ("USE1", "us-east-1"),
    ("USE2", "us-east-2"),
    ("USW1", "us-west-1"),
    ("USW2", "us-west-2"),
];

/// The codes of regions, zones and edges that a usage type begins with, two at most, and what stands behind them:
/// `USE1-USW2-AWS-Out-Bytes` is of `USE1` and `USW2`.
pub fn split_regions(usage_type: &str) -> ([Option<&str>; 2], &str) {
    let pass = |text| match str::split_once(text, '-') {
        Some((code, rest)) if is_region(code) => (Some(code), rest),
        _ => (None, text),
    };
    let (first, rest) = pass(usage_type);
    let (second, rest) = if first.is_some() { pass(rest) } else { (None, rest) };
    ([first, second], rest)
}

/// The region of a code; `None` for zones, edges, and codes that are not known.
pub fn region_of_code(code: &str) -> Option<&'static str> {
    REGIONS.iter().find(|(known, _)| *known == code).map(|(_, region)| *region)
}

/// `USE1`, `EU`, `APN2`: two or three capitals, then two digits at most. `AWS` is none.
fn is_region(code: &str) -> bool {
    let digits = code.trim_start_matches(|c: char| c.is_ascii_uppercase());
    matches!(code.len() - digits.len(), 2 | 3)
        && digits.len() <= 2
        && digits.bytes().all(|b| b.is_ascii_digit())
        && code != "AWS"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_two_codes_are_taken_off_and_words_that_look_like_one_are_none() {
        for (usage_type, codes, rest) in [
            ("USE1-USW2-AWS-Out-Bytes", [Some("USE1"), Some("USW2")], "AWS-Out-Bytes"),
            ("EU-AWS-In-Bytes", [Some("EU"), None], "AWS-In-Bytes"),
            ("NatGateway-Bytes", [None, None], "NatGateway-Bytes"),
            ("AWS-Out-Bytes", [None, None], "AWS-Out-Bytes"),
            (
                "USE1-LAX1-DataTransfer-Out-Bytes",
                [Some("USE1"), Some("LAX1")],
                "DataTransfer-Out-Bytes",
            ),
            ("", [None, None], ""),
        ] {
            assert_eq!(split_regions(usage_type), (codes, rest), "{usage_type}");
        }
    }

    #[test]
    fn a_code_is_no_region_by_itself() {
        assert_eq!(region_of_code("APS3"), Some("ap-south-1"));
        assert_eq!(region_of_code("EU"), region_of_code("EUW1"));
        assert_eq!((region_of_code("LAX1"), region_of_code("JP")), (None, None));
        assert!(REGIONS.windows(2).all(|two| two[0].0 < two[1].0));
    }
}
