//! aws.
