//! What programs ask the driver for on behalf of tools: its error log, settings of core dumps, notifications.

pub(crate) mod core_dump;
pub(crate) mod error_log;
pub(crate) mod notification;
