//! Processor time: what this process and its tasks have computed.

use std::time::Duration;

/// Processor time of this process and of everything that it has started, ended or not; none where the system does not
/// tell.
#[must_use]
pub fn processor_time() -> Option<Duration> {
    #[cfg(target_os = "linux")]
    return crate::system::processor_time();
    #[cfg(not(target_os = "linux"))]
    None
}
