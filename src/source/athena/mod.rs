//! The same aggregations by Athena, where an inventory outgrows one machine: named queries in SQL
//! that Trino and `DuckDB` share, run with a stated cost, and their result as the same tree.

pub mod cost;
pub mod run;
pub mod sql;
pub mod table;
pub mod tree;
