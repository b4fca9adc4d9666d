//! The same aggregations by Athena, where an inventory or a bill outgrows one machine: named queries in SQL
//! that Trino and `DuckDB` share, run with a stated cost. `service`, `run` and `cost` serve both; the rest is of inventories, whose
//! result becomes the same tree. The SQL of bills is in `source/bill/sql`.

pub mod cost;
pub mod run;
pub mod service;
pub mod sql;
pub mod table;
pub mod tree;
