//! Tells the library where the component is that it embeds: `CODEMODE_COMPONENT` if set, else `target/codemode.wasm` of the
//! workspace, which `make build` leaves there.

use std::path::{Path, PathBuf};
use std::{env, fs, process};

fn main() {
    println!("cargo::rerun-if-env-changed=CODEMODE_COMPONENT");
    let path = match env::var_os("CODEMODE_COMPONENT") {
        Some(path) => PathBuf::from(path),
        None => Path::new(&env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../target/codemode.wasm"),
    };
    println!("cargo::rerun-if-changed={}", path.display());
    match fs::canonicalize(&path) {
        Ok(path) => println!("cargo::rustc-env=CODEMODE_COMPONENT_PATH={}", path.display()),
        Err(error) => {
            println!(
                "cargo::error=cannot embed the component {}: {error}. Run `make build`, which builds it first, or set CODEMODE_COMPONENT.",
                path.display()
            );
            process::exit(1);
        }
    }
}
