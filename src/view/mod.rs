//! View models, filter application, sort order and the field table shared by screen, reports and filter.
