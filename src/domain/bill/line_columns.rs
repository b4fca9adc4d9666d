//! Names of the columns that the SQL over bills gives to what lines say, in every format.

/// Account that used it.
pub const ACCOUNT: &str = "account";
/// Region; empty for global services.
pub const REGION: &str = "region";
/// Name of the service, or its code where the bill has no name.
pub const SERVICE: &str = "service";
/// Code of the service.
pub const SERVICE_CODE: &str = "service_code";
/// Usage type.
pub const USAGE_TYPE: &str = "usage_type";
/// Usage type without the codes of regions that it begins with.
pub const METER: &str = "meter";
/// Operation.
pub const OPERATION: &str = "operation";
/// Product family, or service category.
pub const FAMILY: &str = "family";
/// Description, where the bill has no usage type.
pub const DESCRIPTION: &str = "description";
/// Savings Plan or reservation.
pub const COMMITMENT: &str = "commitment";
/// Resource.
pub const RESOURCE: &str = "resource";
/// Day as `2026-10-05`; NULL for what is charged for the whole period.
pub const DAY: &str = "day";
/// Word of [`super::Charge`].
pub const CHARGE: &str = "charge";
/// True for use whose line is of a network path.
pub const IS_NETWORK: &str = "is_network";
/// Currency in capitals; `USD` where none is said.
pub const CURRENCY: &str = "currency";
/// Billed, effective, list and net cost; list NULL where it is not said.
pub const COSTS: [&str; 4] = ["billed", "effective", "list", "net"];
/// Lines of the bill: 0 for the unused part of a fee.
pub const LINE_ITEMS: &str = "line_items";

/// Lines of use whose list price is not said.
pub const WITHOUT_LIST: &str = "without_list";

/// Column of a tag, by its key.
pub fn tag(key: &str) -> String {
    crate::domain::sql::column(&format!("tag:{}", key.to_ascii_lowercase()))
}
