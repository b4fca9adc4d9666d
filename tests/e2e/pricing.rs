//! A Price List Query API that answers with the shape of the real one: one SKU a type, beside the
//! SKUs that a careless filter would pick (reserved capacity, other licences).

use crate::server::{Reply, Server};

/// Prices that the fixture knows, us-east-1 and eu-west-1, Linux, shared. They differ from the
/// embedded list on purpose, so that a test can tell which one was used.
pub const PRICES: &[(&str, f64)] = &[
    ("p4d.24xlarge", 21.5),
    ("p5.48xlarge", 55.5),
    ("g5.48xlarge", 16.5),
    ("g5.12xlarge", 5.5),
    ("g5.2xlarge", 1.25),
    ("g5.xlarge", 1.0),
    ("m5.24xlarge", 4.5),
    ("m5.4xlarge", 0.75),
    ("m5.2xlarge", 0.4),
    ("m5.xlarge", 0.2),
];

/// What SageMaker sells p5.48xlarge for: as nodes of HyperPod, reserved by a training plan, for training jobs.
const ML_PRICES: &[(&str, f64)] =
    &[("Cluster", 98.25), ("ReservedCluster", 60.5), ("Train", 113.5)];

/// Starts the fixture and returns its address.
pub fn price_list() -> String {
    let kind = "application/x-amz-json-1.1";
    Server::start(move |_, request| Reply::new(200, kind, answer(&request.text()))).forever()
}

fn answer(request: &str) -> String {
    let request: serde_json::Value = serde_json::from_str(request).unwrap_or_default();
    let filter = |name: &str| {
        request["Filters"].as_array().into_iter().flatten().find_map(|f| {
            (f["Field"] == name).then(|| f["Value"].as_str().unwrap_or_default().to_owned())
        })
    };
    let wanted = filter("instanceType").unwrap_or_default();
    let region = filter("regionCode").unwrap_or_default();
    if request["ServiceCode"] == "AmazonSageMaker" {
        let list: Vec<String> = ML_PRICES
            .iter()
            .map(|(usage, usd)| ml_product(&format!("EUW3-{usage}:ml.p5.48xlarge"), &region, *usd))
            .collect();
        return serde_json::json!({"FormatVersion": "aws_v1", "PriceList": list}).to_string();
    }
    let linux = filter("operatingSystem").is_some_and(|os| os == "Linux");
    let list: Vec<String> = PRICES
        .iter()
        .filter(|(name, _)| *name == wanted && linux)
        .map(|(name, usd)| product(name, &region, *usd))
        .collect();
    serde_json::json!({"FormatVersion": "aws_v1", "PriceList": list}).to_string()
}

fn ml_product(usage: &str, region: &str, usd: f64) -> String {
    serde_json::json!({
        "product": {
            "productFamily": "ML Instance",
            "attributes": {
                "regionCode": region, "locationType": "AWS Region", "usagetype": usage,
                "servicecode": "AmazonSageMaker"
            }
        },
        "serviceCode": "AmazonSageMaker",
        "terms": {"OnDemand": {"term": {
            "priceDimensions": {"rate": {
                "unit": "Hrs", "endRange": "Inf", "beginRange": "0",
                "pricePerUnit": {"USD": format!("{usd:.10}")}
            }},
            "effectiveDate": "2026-11-01T00:00:00Z"
        }}}
    })
    .to_string()
}

fn product(name: &str, region: &str, usd: f64) -> String {
    let sku = format!("SKU{}", name.replace('.', "").to_uppercase());
    serde_json::json!({
        "product": {
            "productFamily": "Compute Instance",
            "attributes": {
                "instanceType": name, "regionCode": region, "operatingSystem": "Linux",
                "tenancy": "Shared", "preInstalledSw": "NA", "capacitystatus": "Used",
                "licenseModel": "No License required", "operation": "RunInstances",
                "marketoption": "OnDemand", "usagetype": format!("BoxUsage:{name}"),
                "servicecode": "AmazonEC2"
            },
            "sku": sku
        },
        "serviceCode": "AmazonEC2",
        "terms": {
            "OnDemand": {
                format!("{sku}.JRTCKXETXF"): {
                    "priceDimensions": {
                        format!("{sku}.JRTCKXETXF.6YS6EN2CT7"): {
                            "unit": "Hrs", "endRange": "Inf", "beginRange": "0",
                            "description": format!("${usd} per On Demand Linux {name} Instance Hour"),
                            "appliesTo": [], "rateCode": format!("{sku}.JRTCKXETXF.6YS6EN2CT7"),
                            "pricePerUnit": {"USD": format!("{usd:.10}")}
                        }
                    },
                    "sku": sku, "effectiveDate": "2026-11-01T00:00:00Z",
                    "offerTermCode": "JRTCKXETXF", "termAttributes": {}
                }
            },
            "Reserved": {}
        },
        "version": "20261101000000", "publicationDate": "2026-11-01T00:00:00Z"
    })
    .to_string()
}
