//! The settings of core dumps. They are kept and told, and no dump is made: the log says so when one is switched on.

use crate::core::device::driver;
use cuda_types::cuda::{CUcoredumpSettings as S, CUerror, CUres};
use parking_lot::{Mutex, MutexGuard};
use std::sync::Once;

/// The settings of the process, or of a context.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    on_exception: bool,
    trigger_host: bool,
    lightweight: bool,
    user_trigger: bool,
    file: Vec<u8>,
    pipe: Vec<u8>,
    generation_flags: u32,
}

/// The process's, which new contexts begin with.
static OF_PROCESS: Mutex<Settings> = Mutex::new(Settings {
    on_exception: false,
    trigger_host: true,
    lightweight: false,
    user_trigger: false,
    file: Vec::new(),
    pipe: Vec::new(),
    generation_flags: 0,
});

/// The settings of the process; `NOT_INITIALIZED` in a forked child, which must not wait for its parent's threads.
pub(crate) fn of_process() -> CUres<MutexGuard<'static, Settings>> {
    driver::check_not_forked()?;
    Ok(OF_PROCESS.lock())
}

/// The settings that a new context begins with.
pub(crate) fn of_new_context() -> Settings {
    OF_PROCESS.lock().clone()
}

/// The bytes of a setting: text ends with NUL.
pub(crate) fn get(settings: &Settings, which: S) -> CUres<Vec<u8>> {
    let text = |text: &[u8]| [text, b"\0"].concat();
    Ok(match which {
        S::CU_COREDUMP_ENABLE_ON_EXCEPTION => vec![settings.on_exception.into()],
        S::CU_COREDUMP_TRIGGER_HOST => vec![settings.trigger_host.into()],
        S::CU_COREDUMP_LIGHTWEIGHT => vec![settings.lightweight.into()],
        S::CU_COREDUMP_ENABLE_USER_TRIGGER => vec![settings.user_trigger.into()],
        S::CU_COREDUMP_FILE => text(&settings.file),
        S::CU_COREDUMP_PIPE => text(&settings.pipe),
        S::CU_COREDUMP_GENERATION_FLAGS => settings.generation_flags.to_ne_bytes().to_vec(),
        _ => return Err(CUerror::INVALID_VALUE),
    })
}

/// Sets a setting from bytes of the size that it has; text is without its NUL.
pub(crate) fn set(settings: &mut Settings, which: S, bytes: &[u8]) -> CUres {
    let flag = bytes.first().is_some_and(|byte| *byte != 0);
    match which {
        S::CU_COREDUMP_ENABLE_ON_EXCEPTION => {
            settings.on_exception = flag;
            warn(flag);
        }
        S::CU_COREDUMP_TRIGGER_HOST => settings.trigger_host = flag,
        S::CU_COREDUMP_LIGHTWEIGHT => settings.lightweight = flag,
        S::CU_COREDUMP_ENABLE_USER_TRIGGER => {
            settings.user_trigger = flag;
            warn(flag);
        }
        S::CU_COREDUMP_FILE => settings.file = bytes.to_vec(),
        S::CU_COREDUMP_PIPE => settings.pipe = bytes.to_vec(),
        S::CU_COREDUMP_GENERATION_FLAGS => {
            let bytes = bytes.try_into().map_err(|_| CUerror::INVALID_VALUE)?;
            settings.generation_flags = u32::from_ne_bytes(bytes);
        }
        _ => return Err(CUerror::INVALID_VALUE),
    }
    Ok(())
}

fn warn(is_on: bool) {
    static ONCE: Once = Once::new();
    if is_on {
        ONCE.call_once(|| tracing::warn!("unsupported: no core dumps of the device are made"));
    }
}
