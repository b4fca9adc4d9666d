//! Reading a product of AWS's price list: is it the SKU that was meant, and what does it cost.

use jiff::Timestamp;
use serde_json::Value;

use crate::domain::{Platform, Tenancy};
use crate::source::provider::PriceWanted;

/// Attributes that identify one SKU of `AmazonEC2` compute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attributes<'a> {
    region: &'a str,
    instance_type: &'a str,
    tenancy: &'static str,
    system: &'static str,
    operation: &'static str,
}

impl<'a> Attributes<'a> {
    /// Attributes of a wanted price; `None` when no hourly instance price exists: a dedicated host is billed as a
    /// whole, and licensed software other than the operating system is not priced by burntop.
    pub fn of(want: &'a PriceWanted) -> Option<Self> {
        let (system, operation) = match want.platform {
            Platform::Linux => ("Linux", "RunInstances"),
            Platform::Windows => ("Windows", "RunInstances:0002"),
            Platform::Rhel => ("RHEL", "RunInstances:0010"),
            Platform::Suse => ("SUSE", "RunInstances:000g"),
            Platform::UbuntuPro => ("Ubuntu Pro", "RunInstances:0g00"),
            Platform::Other => return None,
        };
        let tenancy = match want.tenancy {
            Tenancy::Shared => "Shared",
            Tenancy::Dedicated => "Dedicated",
            Tenancy::Host => return None,
        };
        let (region, instance_type) = (&*want.region, &*want.instance_type);
        Some(Self { region, instance_type, tenancy, system, operation })
    }

    /// Filters of the Price List request. `capacitystatus` keeps out unused reservations, which are products of their
    /// own; without `preInstalledSw` there would be one row per SQL Server edition, without `licenseModel` one for
    /// customers' own Windows licences.
    pub fn filters(&self) -> Vec<(&'static str, &'a str)> {
        let mut filters = self.filters_of_any_type();
        filters.push(("instanceType", self.instance_type));
        filters
    }

    /// These filters without the instance type, for all types at once.
    pub fn filters_of_any_type(&self) -> Vec<(&'static str, &'a str)> {
        vec![
            ("regionCode", self.region),
            ("tenancy", self.tenancy),
            ("operatingSystem", self.system),
            ("preInstalledSw", "NA"),
            ("capacitystatus", "Used"),
            ("licenseModel", "No License required"),
        ]
    }

    /// Whether a product is the one that was meant. Checked again here, with attributes that
    /// older products lack and that the API therefore cannot filter by: `marketoption` (Capacity
    /// Blocks are products, too), `operation` and `locationType` (a Local Zone or an Outpost).
    fn match_product(&self, attributes: &Value) -> bool {
        let text = |name: &str| attributes.get(name).and_then(Value::as_str);
        let optional = |name: &str, value: &str| text(name).is_none_or(|v| v == value);
        self.filters().iter().all(|(name, value)| text(name) == Some(value))
            && optional("marketoption", "OnDemand")
            && optional("operation", self.operation)
            && optional("locationType", "AWS Region")
    }
}

/// Instance type of a product in JSON; `None` when it has none.
pub fn instance_type(product: &str) -> Option<String> {
    let product: Value = serde_json::from_str(product).ok()?;
    Some(product.pointer("/product/attributes/instanceType")?.as_str()?.to_owned())
}

/// Price in USD/h when all matching products agree on one; `None` when there are several or none, because a guess is
/// worse than no price.
pub fn single_price<'p>(
    products: impl Iterator<Item = &'p str>,
    wanted: &Attributes<'_>,
    now: Timestamp,
) -> Option<f64> {
    let mut prices: Vec<f64> = products
        .filter_map(|json| serde_json::from_str::<Value>(json).ok())
        .filter(|p| p.pointer("/product/attributes").is_some_and(|a| wanted.match_product(a)))
        .flat_map(|p| on_demand(&p, now))
        .collect();
    prices.sort_by(f64::total_cmp);
    prices.dedup();
    match prices[..] {
        [one] => Some(one),
        _ => None,
    }
}

/// Hourly on-demand prices of a product that are in force at `now`, USD. A price of 0 marks usage that is paid
/// elsewhere and is left out, like other currencies (China).
pub(super) fn on_demand(product: &Value, now: Timestamp) -> Vec<f64> {
    dimensions(product, now, &["hrs", "hours", "hour"]).iter().filter_map(usd).collect()
}

/// On-demand prices of a GB of a product that are in force at `now`: the GB of a month from which each holds, and USD. Empty
/// where one of the steps cannot be read.
pub(super) fn steps_of_gb(product: &Value, now: Timestamp) -> Vec<(f64, f64)> {
    let step = |dimension: &Value| {
        let from = dimension.get("beginRange").map_or(Some("0"), Value::as_str)?;
        let from: f64 = from.parse().ok()?;
        Some((from, usd(dimension)?)).filter(|_| from.is_finite() && from >= 0.0)
    };
    let all = dimensions(product, now, &["gb"]);
    all.iter().map(step).collect::<Option<Vec<_>>>().unwrap_or_default()
}

/// Dimensions of the on-demand terms that are in force at `now`, in one of the units.
fn dimensions(product: &Value, now: Timestamp, units: &[&str]) -> Vec<Value> {
    let members = |v: Option<&Value>| -> Vec<Value> {
        v.and_then(Value::as_object).map_or_else(Vec::new, |o| o.values().cloned().collect())
    };
    members(product.pointer("/terms/OnDemand"))
        .iter()
        .filter(|term| {
            let from = term.get("effectiveDate").and_then(Value::as_str);
            from.and_then(|d| d.parse::<Timestamp>().ok()).is_none_or(|d| d <= now)
        })
        .flat_map(|term| members(term.get("priceDimensions")))
        .filter(|dimension| {
            let unit = dimension.get("unit").and_then(Value::as_str).unwrap_or_default();
            units.contains(&unit.to_ascii_lowercase().as_str())
        })
        .collect()
}

/// Price of a dimension, USD; `None` for 0 and for other currencies.
fn usd(dimension: &Value) -> Option<f64> {
    let usd: f64 = dimension.pointer("/pricePerUnit/USD")?.as_str()?.parse().ok()?;
    (usd.is_finite() && usd > 0.0).then_some(usd)
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use super::*;

    /// A product in the shape of the API's answer, cut to what matters and a little noise.
    pub fn product(usd: &str, change: &[(&str, &str)]) -> String {
        let mut attributes = json!({
            "regionCode": "us-east-1",
            "location": "US East (N. Virginia)",
            "locationType": "AWS Region",
            "instanceType": "p4d.24xlarge",
            "tenancy": "Shared",
            "operatingSystem": "Linux",
            "preInstalledSw": "NA",
            "capacitystatus": "Used",
            "licenseModel": "No License required",
            "operation": "RunInstances",
            "marketoption": "OnDemand",
            "usagetype": "BoxUsage:p4d.24xlarge"
        });
        for (name, value) in change {
            attributes[*name] = json!(value);
        }
        json!({
            "product": {"productFamily": "Compute Instance", "sku": "H7NGEAC6UEHNTKSJ",
                "attributes": attributes},
            "serviceCode": "AmazonEC2",
            "terms": {
                "OnDemand": {"H7NGEAC6UEHNTKSJ.JRTCKXETXF": {
                    "offerTermCode": "JRTCKXETXF",
                    "effectiveDate": "2025-06-01T00:00:00Z",
                    "priceDimensions": {"H7NGEAC6UEHNTKSJ.JRTCKXETXF.6YS6EN2CT7": {
                        "unit": "Hrs", "beginRange": "0", "endRange": "Inf",
                        "pricePerUnit": {"USD": usd}}}}},
                "Reserved": {"H7NGEAC6UEHNTKSJ.38NPMPTW36": {
                    "effectiveDate": "2025-06-01T00:00:00Z",
                    "priceDimensions": {"x": {"unit": "Hrs", "pricePerUnit": {"USD": "1.0"}}}}}
            },
            "version": "20260101000000",
            "publicationDate": "2026-01-01T00:00:00Z"
        })
        .to_string()
    }

    fn want(platform: Platform, tenancy: Tenancy) -> PriceWanted {
        PriceWanted {
            region: "us-east-1".into(),
            instance_type: "p4d.24xlarge".into(),
            platform,
            tenancy,
        }
    }

    fn price(products: &[String]) -> Option<f64> {
        let want = want(Platform::Linux, Tenancy::Shared);
        let now = "2026-02-01T00:00:00Z".parse().unwrap();
        single_price(products.iter().map(String::as_str), &Attributes::of(&want).unwrap(), now)
    }

    #[test]
    fn the_right_sku_is_found_among_its_neighbours() {
        let products = [
            product("99.0", &[("operatingSystem", "Windows"), ("operation", "RunInstances:0002")]),
            product("0.0000000000", &[("capacitystatus", "AllocatedCapacityReservation")]),
            product("21.9576420000", &[("capacitystatus", "UnusedCapacityReservation")]),
            product("30.0", &[("preInstalledSw", "SQL Ent")]),
            product("24.15", &[("tenancy", "Dedicated")]),
            product("14.75", &[("marketoption", "CapacityBlock")]),
            product("25.0", &[("locationType", "AWS Local Zone")]),
            product("21.9576420000", &[]),
        ];
        assert_eq!(price(&products), Some(21.957_642));
    }

    #[test]
    fn disagreement_zero_garbage_and_the_future_are_no_price() {
        let usual = product("21.9576420000", &[]);
        assert_eq!(price(&[usual.clone(), usual.clone()]), Some(21.957_642));
        assert_eq!(price(&[usual.clone(), product("22.0", &[])]), None);
        assert_eq!(price(&[product("0.0000000000", &[])]), None);
        assert_eq!(price(&[product("NaN", &[])]), None);
        assert_eq!(price(&["{\"product\": 3}".to_owned(), "not json".to_owned()]), None);
        assert_eq!(price(&[usual.replace("2025-06-01", "2027-06-01")]), None);
        assert_eq!(price(&[usual.replace("\"USD\"", "\"CNY\"")]), None);
        assert_eq!(price(&[usual.replace("\"Hrs\"", "\"Quantity\"")]), None);
        assert_eq!(price(&[]), None);
        // Older products lack the newer attributes and still count.
        assert_eq!(price(&[usual.replace("\"marketoption\":\"OnDemand\",", "")]), Some(21.957_642));
    }

    #[test]
    fn hosts_and_licensed_software_are_not_asked_for() {
        assert_eq!(Attributes::of(&want(Platform::Linux, Tenancy::Host)), None);
        assert_eq!(Attributes::of(&want(Platform::Other, Tenancy::Shared)), None);
        let windows = want(Platform::Windows, Tenancy::Dedicated);
        let filters = Attributes::of(&windows).unwrap().filters();
        assert!(filters.contains(&("operatingSystem", "Windows")));
        assert!(filters.contains(&("tenancy", "Dedicated")));
    }
}
