//! `ZLUDA_DEBUG=ptx=<folder>`: the PTX that a program loads and links, for whoever wants to see it or to
//! compile it again with `zluda compile`.

use zluda_cache::Key;
use zluda_common::config::config;

/// The use of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A module that is loaded.
    Module,
    /// One of several that are linked; what comes of them is loaded.
    Part,
}

/// Keeps a text under a name that its contents give: equal ones are kept once.
pub(crate) fn dump(kind: Kind, text: &[u8]) {
    let Some(folder) = config().debug.ptx.as_ref().filter(|_| !text.is_empty()) else { return };
    let prefix = match kind {
        Kind::Module => "",
        Kind::Part => "part-",
    };
    let name = Key::new(&[text]).to_string();
    let short = name.get(..16).unwrap_or(&name);
    let path = folder.join(format!("{prefix}{short}.ptx"));
    let kept = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, text));
    if let Err(error) = kept {
        tracing::warn!("{}: {error}", path.display());
    }
}
