//! `ZLUDA_DEBUG=ptx=<folder>`: the PTX that a program loads and links, for whoever wants to see it or to
//! compile it again with `zluda compile`.

use zluda_cache::Key;
use zluda_common::config::config;

/// Keeps a text under a name that its contents give: equal ones are kept once.
pub(crate) fn keep(text: &[u8]) {
    let Some(folder) = config().debug.ptx.as_ref().filter(|_| !text.is_empty()) else { return };
    let name = Key::new(&[text]).to_string();
    let short = name.get(..16).unwrap_or(&name);
    let path = folder.join(format!("{short}.ptx"));
    let kept = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, text));
    if let Err(error) = kept {
        tracing::warn!("{}: {error}", path.display());
    }
}
