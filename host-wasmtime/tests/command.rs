//! The command line: what goes where, and the exit status.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

/// A directory that is gone when the test ends.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("codemode-test-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        fs::write(&path, contents).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn codemode(arguments: &[&str], stdin: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_codemode"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The command may end without reading it.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    child.wait_with_output().unwrap()
}

fn run(source: &str, arguments: &[&str]) -> Output {
    codemode(&[&["run", "-"], arguments].concat(), source.as_bytes())
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn assert_usage_error(output: &Output, message: &str) {
    assert_eq!(output.status.code(), Some(2), "{}", stderr(output));
    assert_eq!(stdout(output), "");
    assert!(stderr(output).contains(message), "{}", stderr(output));
}

#[test]
fn output_then_value() {
    let output = run("text('a'); console.log('b'); return { c: [1] }", &[]);
    assert_eq!(stdout(&output), "a\nb\n{\n  \"c\": [\n    1\n  ]\n}\n");
    assert_eq!(stderr(&output), "");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stdout(&run("return 'plain'", &[])), "plain\n");
    assert_eq!(stdout(&run("return null", &[])), "");
}

#[test]
fn a_failure_is_told_on_stderr() {
    let output = run("text('a');\nnull.x", &[]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stdout(&output), "a\n");
    let message = stderr(&output);
    assert!(message.starts_with("ExecutionFailure: TypeError: "), "{message}");
    assert!(message.contains("  --> <stdin>:2:"), "{message}");
}

#[test]
fn json_is_one_line() {
    let output = run("text('a'); return 1", &["--json"]);
    let text = stdout(&output);
    assert_eq!(text.matches('\n').count(), 1);
    let result: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(result["ok"], json!(true));
    assert_eq!(result["output"], json!([{ "type": "text", "text": "a" }]));
    let output = run("throw new Error('x')", &["--json"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stderr(&output), "");
    let result: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(result["error"]["kind"], json!("ExecutionFailure"));
}

#[test]
fn stand_in_tools_answer() {
    let directory = Directory::new("tools");
    let tools = json!({
        "orders.lookup": { "description": "d", "returns": { "id": "o1" }, "delayMs": 5 },
        "fail": { "throws": "no luck" },
        "echo": { "echo": true },
        "next": { "sequence": [1, 2] },
        "count": { "command": ["sh", "-c", "wc -c"] },
    });
    let tools = directory.file("tools.json", tools.to_string());
    let source = "
        const failure = await tools.fail({}).catch(e => e.message);
        const sequence = [await tools.next({}), await tools.next({}), await tools.next({})];
        return [await tools.orders.lookup({}), failure, await tools.echo({ a: 1 }), sequence, await tools.count({ a: 1 })]";
    let output = run(source, &["--tools", &tools, "--json"]);
    let result: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(result["value"], json!([{ "id": "o1" }, "no luck", { "a": 1 }, [1, 2, 2], 7]), "{result}");
}

#[test]
fn a_wrong_tools_file_is_a_usage_error() {
    let directory = Directory::new("wrong-tools");
    for (contents, message) in [
        ("{", "is not JSON"),
        ("[]", "expected an object of tools"),
        (r#"{"a.b": {"retruns": 1}}"#, r#"tool "a.b": unknown key "retruns""#),
        (r#"{"a.b": {"returns": 1, "echo": true}}"#, r#""returns" and "echo" exclude each other"#),
        (r#"{"a.b": {"delayMs": "1"}}"#, r#""delayMs" must be a number"#),
    ] {
        let tools = directory.file("tools.json", contents);
        let output = run("return 1", &["--tools", &tools]);
        assert_usage_error(&output, message);
        assert_usage_error(&output, &tools);
        assert_eq!(stderr(&output).matches('\n').count(), 1);
    }
    assert_usage_error(
        &run("return 1", &["--tools", "/no/such/file"]),
        "cannot read /no/such/file: no such file or directory",
    );
}

#[test]
fn sources_that_cannot_be_read_are_usage_errors() {
    let directory = Directory::new("sources");
    assert_usage_error(
        &codemode(&["run", "/no/such/file"], b""),
        "cannot read /no/such/file: no such file or directory",
    );
    assert_usage_error(&codemode(&["run", directory.0.to_str().unwrap()], b""), "is a directory");
    let invalid = directory.file("latin1.js", b"return '\xe4'");
    assert_usage_error(&codemode(&["run", &invalid], b""), "is not valid UTF-8");
    assert_usage_error(&codemode(&["run", "-"], b"return '\xe4'"), "<stdin> is not valid UTF-8");
    let large = directory.file("large.js", vec![b' '; (16 << 20) + 1]);
    assert_usage_error(&codemode(&["run", &large], b""), "is larger than 16 MiB");
}

#[test]
fn a_wrong_command_line_is_a_usage_error() {
    let message = stderr(&run("", &["--timeout-ms", "soon"]));
    assert_eq!(message, "codemode: --timeout-ms: expected a whole number of at least 1, got \"soon\"\n");
    for arguments in [
        &[][..],
        &["walk"],
        &["run"],
        &["run", "-", "--timeout-ms", "0"],
        &["run", "-", "--timeout-ms", "soon"],
        &["run", "-", "--max-steps", "-1"],
        &["run", "-", "--now-ms", "NaN"],
        &["run", "--unknown"],
        &["run", "-", "--seed", "-1"],
        &["run", "-", "again"],
    ] {
        let output = codemode(arguments, b"");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(stdout(&output), "", "{arguments:?}");
        let message = stderr(&output);
        assert!(message.starts_with("codemode: "), "{arguments:?}: {message}");
        assert_eq!(message.matches('\n').count(), 1, "{arguments:?}: {message}");
    }
    assert_eq!(codemode(&["--help"], b"").status.code(), Some(0));
    assert_eq!(codemode(&["--version"], b"").status.code(), Some(0));
}

#[test]
fn limits_and_pins_reach_the_program() {
    assert!(stderr(&run("while (true) {}", &["--timeout-ms", "100"])).starts_with("TimeoutExceeded: "));
    assert!(stderr(&run("while (true) {}", &["--max-steps", "1000"])).starts_with("StepLimitExceeded: "));
    let pinned = run(
        "return Date.now() + ' ' + new Date().getHours()",
        &["--now-ms", "0", "--seed", "1", "--time-zone", "+09:00"],
    );
    assert_eq!(stdout(&pinned), "0 9\n", "{}", stderr(&pinned));
}

#[test]
fn the_store_file_is_kept() {
    let directory = Directory::new("store");
    let store = directory.0.join("store.json");
    let store_path = store.to_str().unwrap();
    assert_eq!(stdout(&run("store('n', (load('n') ?? 0) + 1); return load('n')", &["--store", store_path])), "1\n");
    assert_eq!(stdout(&run("store('n', (load('n') ?? 0) + 1); return load('n')", &["--store", store_path])), "2\n");
    let failed = run("store('n', 10); throw 1", &["--store", store_path]);
    assert_eq!(failed.status.code(), Some(1));
    assert_eq!(serde_json::from_str::<Value>(&fs::read_to_string(&store).unwrap()).unwrap(), json!({ "n": 2 }));
    run("store('n', undefined)", &["--store", store_path]);
    assert_eq!(serde_json::from_str::<Value>(&fs::read_to_string(&store).unwrap()).unwrap(), json!({}));
    fs::write(&store, "[]").unwrap();
    assert_usage_error(&run("return 1", &["--store", store_path]), "expected an object of stored values");
}

#[test]
fn bench_measures_inside_the_process() {
    let directory = Directory::new("bench");
    let program = directory.file("program.js", "return 6 * 7");
    let output = codemode(&["bench", "--json", "--repeat", "3", &program], b"");
    let line: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(line["value"], json!(42));
    assert_eq!(line["ms"].as_array().unwrap().len(), 3);
}
