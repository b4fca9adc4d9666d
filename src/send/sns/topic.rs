//! Topics of Amazon SNS and the hosts that take what is published to them.

use super::super::error::SendError;

/// A topic, as its ARN names it: `arn:aws:sns:eu-west-1:123456789012:alerts`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Topic<'a> {
    /// The whole ARN.
    pub arn: &'a str,
    /// `aws`, `aws-cn`, `aws-us-gov`, …
    pub partition: &'a str,
    /// AWS region.
    pub region: &'a str,
    /// Its name.
    pub name: &'a str,
}

impl<'a> Topic<'a> {
    /// The topic of an ARN.
    ///
    /// # Errors
    /// It is no ARN of a topic.
    pub fn parse(arn: &'a str) -> Result<Self, SendError> {
        let parts: Vec<&str> = arn.split(':').collect();
        let is_word = |text: &str| {
            let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
            !text.is_empty() && text.chars().all(fine)
        };
        match parts[..] {
            ["arn", partition, "sns", region, account, name]
                if is_word(partition)
                    && is_word(region)
                    && account.len() == 12
                    && account.bytes().all(|byte| byte.is_ascii_digit())
                    && is_word(name.strip_suffix(".fifo").unwrap_or(name)) =>
            {
                Ok(Self { arn, partition, region, name })
            }
            _ => Err(SendError::never(
                "the topic is no ARN of SNS",
                "write it as arn:aws:sns:REGION:ACCOUNT:NAME",
            )),
        }
    }

    /// True for a topic that keeps the order.
    pub fn is_fifo(&self) -> bool {
        self.name.strip_suffix(".fifo").is_some()
    }

    /// Host of the service, by the endpoint rules of SNS in botocore 1.43.
    pub fn host(&self, fips: bool, dual_stack: bool) -> String {
        let suffixes = [
            ("aws-cn", "amazonaws.com.cn", "api.amazonwebservices.com.cn"),
            ("aws-iso", "c2s.ic.gov", "api.aws.ic.gov"),
            ("aws-iso-b", "sc2s.sgov.gov", "api.aws.scloud"),
            ("aws-iso-e", "cloud.adc-e.uk", "api.cloud-aws.adc-e.uk"),
            ("aws-iso-f", "csp.hci.ic.gov", "api.aws.hci.ic.gov"),
            ("aws-eusc", "amazonaws.eu", "api.amazonwebservices.eu"),
        ];
        let found = suffixes.iter().find(|(partition, ..)| *partition == self.partition);
        let (_, plain, dual) = found.copied().unwrap_or(("aws", "amazonaws.com", "api.aws"));
        // GovCloud's plain host is validated itself.
        let fips = fips && (dual_stack || self.partition != "aws-us-gov");
        let (name, suffix) =
            (if fips { "sns-fips" } else { "sns" }, if dual_stack { dual } else { plain });
        format!("{name}.{}.{suffix}", self.region)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arn_names_region_and_order() {
        let topic = Topic::parse("arn:aws-cn:sns:cn-north-1:123456789012:gpu_alerts.fifo").unwrap();
        assert_eq!((topic.partition, topic.region), ("aws-cn", "cn-north-1"));
        assert!(topic.is_fifo());
        assert!(!Topic::parse("arn:aws:sns:eu-west-1:123456789012:alerts").unwrap().is_fifo());
        for odd in [
            "",
            "alerts",
            "arn:aws:sqs:eu-west-1:123456789012:alerts",
            "arn:aws:sns:eu-west-1:123456789012:alerts:9f9a",
            "arn:aws:sns:eu-west-1:1234:alerts",
            "arn:aws:sns:evil.example/:123456789012:alerts",
            "arn:aws:sns::123456789012:alerts",
            "arn:aws:sns:eu-west-1:123456789012:a b",
            "arn:aws:sns:eu-west-1:123456789012:a.fifo.fifo",
        ] {
            assert!(Topic::parse(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn hosts_are_those_of_the_partition() {
        for (arn, fips, dual, host) in [
            ("arn:aws:sns:eu-west-1:123456789012:a", false, false, "sns.eu-west-1.amazonaws.com"),
            (
                "arn:aws:sns:us-east-1:123456789012:a",
                true,
                false,
                "sns-fips.us-east-1.amazonaws.com",
            ),
            ("arn:aws:sns:us-east-1:123456789012:a", false, true, "sns.us-east-1.api.aws"),
            ("arn:aws:sns:us-east-1:123456789012:a", true, true, "sns-fips.us-east-1.api.aws"),
            (
                "arn:aws-cn:sns:cn-north-1:123456789012:a",
                false,
                false,
                "sns.cn-north-1.amazonaws.com.cn",
            ),
            (
                "arn:aws-us-gov:sns:us-gov-west-1:123456789012:a",
                true,
                false,
                "sns.us-gov-west-1.amazonaws.com",
            ),
            (
                "arn:aws-iso:sns:us-iso-east-1:123456789012:a",
                false,
                false,
                "sns.us-iso-east-1.c2s.ic.gov",
            ),
        ] {
            assert_eq!(Topic::parse(arn).unwrap().host(fips, dual), host);
        }
    }
}
