//! Why an instance with accelerators reports too little, and what helps.

use crate::fleet::BlindCause as C;

/// One clause: what to do about telemetry that is missing. Clean text.
pub fn blind(cause: &C) -> String {
    let plain = match cause {
        C::Failed(error) => {
            let fix = if error.fix.is_empty() { "" } else { ": " };
            return format!("its source did not answer: {error}{fix}{}", error.fix);
        }
        C::Amd => {
            "AMD GPUs are invisible to NVML and DCGM, and burntop reads no telemetry of them: only \
             CPU, network and disk can judge this instance"
        }
        C::OtherKind => {
            "burntop reads no telemetry of this kind of accelerator: only CPU, network and disk \
             can judge this instance"
        }
        C::SomeTold => {
            "the other devices of this instance are told: look for a GPU that has fallen off the \
             bus (`nvidia-smi -L`), or an exporter limited to some devices"
        }
        C::Stopped => "its telemetry stopped: look whether its exporter still runs",
        C::Neuron => {
            "Trainium and Inferentia need neuron-monitor with its Prometheus exporter, or \
             Container Insights with Neuron metrics"
        }
        C::Unnamed => {
            "no source names this instance: install dcgm-exporter, or let Prometheus scrape it \
             with the node's name, private DNS name or private address as label"
        }
        C::NoSource => {
            "no source of GPU telemetry is configured: name a Prometheus or exporters in [gpus]"
        }
        #[cfg(test)]
        C::Fixture(said) => *said,
    };
    plain.to_owned()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::{ErrorKind, SourceError};

    #[test]
    fn a_source_that_failed_is_quoted_with_what_helps() {
        let failed = |fix| {
            let error = SourceError::new(ErrorKind::Network, "scrape", "connection refused", fix);
            blind(&C::Failed(Arc::new(error)))
        };
        let said = "its source did not answer: scrape: connection refused";
        assert_eq!(failed(""), said);
        assert_eq!(failed("start it"), format!("{said}: start it"));
        assert!(blind(&C::SomeTold).contains("fallen off the bus"));
    }
}
