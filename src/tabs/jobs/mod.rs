//! Jobs: what each run cost, and what failed runs took. So far the tables that reports share with a tab to come.

pub mod picture;
