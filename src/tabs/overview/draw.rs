//! The overview is text.

use super::screen::OverviewScreen;
use crate::ui::Draw;

impl Draw for OverviewScreen {}
