//! The compiled component on disk: compiling takes seconds, loading a millisecond.
//!
//! A file in the user's cache directory is named by the component and by everything that decides whether its code fits
//! this process: the wasmtime version, its settings, the processor. A file that is missing, damaged or cannot be written only
//! costs time.

use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs, io, process};

use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

/// Length of the digest in front of the code.
const DIGEST_LENGTH: usize = 32;

/// The compiled form of `component`, if an earlier process left it.
pub fn load(engine: &Engine, component: &[u8]) -> Option<Component> {
    let file = fs::read(cache_file(engine, component)?).ok()?;
    let (digest, code) = file.split_at_checked(DIGEST_LENGTH)?;
    if digest != Sha256::digest(code).as_slice() {
        return None;
    }
    self::component(engine, code).ok()
}

/// Leaves `code` for later processes.
pub fn store(engine: &Engine, component: &[u8], code: &[u8]) {
    if let Some(path) = cache_file(engine, component) {
        // Without it the next process compiles again; there is nothing to tell anybody.
        let _ = write(&path, code);
    }
}

/// The component of code that this process compiled, or that [`load`] found undamaged.
#[expect(unsafe_code, reason = "wasmtime cannot check that native code is what its compiler made")]
pub fn component(engine: &Engine, code: &[u8]) -> wasmtime::Result<Component> {
    // SAFETY: the code is from `Engine::precompile_component` of the same engine settings, either just now or from a file in a
    // directory that only the user can write, whose digest was checked. Whoever can change that file can change this
    // program too.
    unsafe { Component::deserialize(engine, code) }
}

fn write(path: &Path, code: &[u8]) -> io::Result<()> {
    let directory = path.parent().ok_or(io::ErrorKind::NotFound)?;
    create_private_directory(directory)?;
    // Other processes see the whole file or none.
    let temporary = path.with_extension(format!("{}.tmp", process::id()));
    let contents = [Sha256::digest(code).as_slice(), code].concat();
    let written = fs::write(&temporary, contents).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

#[cfg(unix)]
fn create_private_directory(directory: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)
}

#[cfg(not(unix))]
fn create_private_directory(directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)
}

fn cache_file(engine: &Engine, component: &[u8]) -> Option<PathBuf> {
    let mut key = KeyHasher(Sha256::new());
    engine.precompile_compatibility_hash().hash(&mut key);
    key.write(component);
    let mut name: String = key.0.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    name.push_str(".cwasm");
    Some(cache_directory()?.join("codemode").join(name))
}

/// Where programs of the user keep what they can make again: `CODEMODE_CACHE` overrides, and turns the cache off when empty.
fn cache_directory() -> Option<PathBuf> {
    if let Some(directory) = env::var_os("CODEMODE_CACHE") {
        return (!directory.is_empty()).then(|| PathBuf::from(directory));
    }
    let variable = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if cfg!(windows) {
        variable("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        Some(variable("HOME")?.join("Library/Caches"))
    } else {
        variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")))
    }
}

/// Feeds a cryptographic digest from what only knows how to hash itself.
struct KeyHasher(Sha256);

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Not used: the digest is the key.
    fn finish(&self) -> u64 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writing_is_atomic_and_makes_the_directory() {
        let directory = env::temp_dir().join(format!("codemode-cache-{}", process::id()));
        let path = directory.join("codemode/key.cwasm");
        write(&path, b"code").unwrap();
        let file = fs::read(&path).unwrap();
        assert_eq!(&file[DIGEST_LENGTH..], b"code");
        assert_eq!(&file[..DIGEST_LENGTH], Sha256::digest(b"code").as_slice());
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        fs::remove_dir_all(directory).unwrap();
    }
}
