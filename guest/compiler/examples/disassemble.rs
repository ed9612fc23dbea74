//! Prints the bytecode of a source: `disassemble [script|program|builtins] < source`.

use std::io::Read;

use codemode_compiler::{CompileOptions, compile};

fn main() {
    let mut source = String::new();
    if let Err(error) = std::io::stdin().read_to_string(&mut source) {
        eprintln!("{error}");
        std::process::exit(2);
    }
    let options = match std::env::args().nth(1).as_deref() {
        Some("script") => CompileOptions::script("script"),
        Some("builtins") => CompileOptions::self_hosted("builtins"),
        _ => CompileOptions::program(),
    };
    match compile(&source, &options) {
        Ok(unit) => print!("{}", codemode_bytecode::disassemble(&unit)),
        Err(error) => {
            eprintln!("{error}\n{}", error.excerpt);
            std::process::exit(1);
        }
    }
}
