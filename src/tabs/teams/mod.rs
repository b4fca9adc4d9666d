//! Teams: whose the money is, and what it may be. So far the tables that reports share with a tab to come.

pub mod picture;
