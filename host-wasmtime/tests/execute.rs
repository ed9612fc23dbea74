//! Programs in the embedded component, against the tools of a Rust host.

use std::future::pending;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use codemode::{
    BuildError, CallKind, CallOutcome, CallStatus, CodeMode, CodeModeBuilder, ExecutionResult, Hooks, Limits, Options,
    OutputItem, Tool, ToolCall, ToolError, ToolFuture, ToolHandler, ToolOutput,
};
use serde_json::{Value, json};
use tokio::sync::{Barrier, Semaphore};

fn builder() -> CodeModeBuilder {
    CodeMode::builder()
        .tool(Tool::new("echo", "Gives its input back"), async |input: Value| Ok(input))
        .tool(Tool::new("never", "Never ends"), async |_: Value| pending::<Result<(), ToolError>>().await)
}

fn with_limits(limits: Limits) -> CodeMode {
    builder().limits(limits).build().unwrap()
}

async fn run(source: &str) -> ExecutionResult {
    builder().build().unwrap().execute(source).await
}

fn kind(result: &ExecutionResult) -> &str {
    match &result.outcome {
        Ok(value) => panic!("the program finished with {value}"),
        Err(error) => &error.kind,
    }
}

#[tokio::test]
async fn a_program_gives_its_value_and_its_output() {
    let result = run("console.log('a', 1); text('b'); return { sum: 1 + 1 }").await;
    assert_eq!(result.outcome, Ok(json!({ "sum": 2 })));
    let expected =
        [OutputItem::Text { text: "a 1".into(), console: true }, OutputItem::Text { text: "b".into(), console: false }];
    assert_eq!(result.output, expected);
    assert_eq!(result.logs, ["a 1"]);
    assert!(result.usage.steps < 1000);
    assert_eq!(serde_json::from_str::<Value>(result.json()).unwrap()["value"], json!({ "sum": 2 }));
}

#[tokio::test]
async fn output_arrives_while_the_program_waits() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let look = Arc::clone(&seen);
    let code_mode = builder()
        .on_output(move |item| sink.lock().unwrap().push(item.clone()))
        .tool(Tool::new("look", "How much output there is"), move |_: Value| {
            let count = look.lock().unwrap().len();
            async move { Ok(count) }
        })
        .build()
        .unwrap();
    let result = code_mode.execute("text('before'); return await tools.look({})").await;
    assert_eq!(result.outcome, Ok(json!(1)));
    assert_eq!(*seen.lock().unwrap(), result.output);
}

#[tokio::test]
async fn calls_run_concurrently() {
    // Neither call ends before the other has begun.
    let barrier = Arc::new(Barrier::new(2));
    let code_mode = CodeMode::builder()
        .tool(Tool::new("meet", "Waits for another call"), move |input: Value| {
            let barrier = Arc::clone(&barrier);
            async move {
                barrier.wait().await;
                Ok(input)
            }
        })
        .build()
        .unwrap();
    let result = code_mode.execute("return Promise.all([tools.meet({ n: 1 }), tools.meet({ n: 2 })])").await;
    assert_eq!(result.outcome, Ok(json!([{ "n": 1 }, { "n": 2 }])));
    let calls: Vec<_> = result.tool_calls.iter().map(|call| (call.id, call.name.as_str(), call.status)).collect();
    assert_eq!(calls, [(1, "meet", CallStatus::Ok), (2, "meet", CallStatus::Ok)]);
}

#[tokio::test]
async fn calls_begin_while_the_program_computes() {
    // The tool has begun, and another execution sees it, before the first program awaits anything.
    let begun = Arc::new(Semaphore::new(0));
    let signal = Arc::clone(&begun);
    let code_mode = builder()
        .limits(Limits { timeout_ms: Some(20_000), ..Limits::default() })
        .tool(Tool::new("begin", "Says that it has begun"), move |_: Value| {
            signal.add_permits(1);
            async { Ok(()) }
        })
        .build()
        .unwrap();
    let busy = code_mode.execute("tools.begin({}); while (true) {}");
    tokio::select! {
        _ = busy => panic!("the loop has no end"),
        _ = begun.acquire() => {}
    }
}

#[tokio::test]
async fn failures_of_tools_are_errors_of_the_program() {
    let code_mode = CodeMode::builder()
        .tool(Tool::new("fail", "Fails"), async |_: Value| -> Result<(), ToolError> {
            Err(ToolError::new("no such order").with_name("NotFound").with_data("code", 404))
        })
        .tool(Tool::new("parse", "Fails with another type"), async |_: Value| Ok("x".parse::<i32>()?))
        .tool(Tool::new("panic", "Panics"), async |_: Value| -> Result<(), ToolError> { panic!("out of luck") })
        .build()
        .unwrap();
    let source = "
        const seen = [];
        for (const path of ['fail', 'parse', 'panic']) {
            try { await tools[path]({}) } catch (e) { seen.push([e.name, e.message, e.code ?? null]) }
        }
        return seen;";
    let result = code_mode.execute(source).await;
    let expected = json!([
        ["NotFound", "no such order", 404],
        ["Error", "invalid digit found in string", null],
        ["Error", "The tool panicked: out of luck", null],
    ]);
    assert_eq!(result.outcome, Ok(expected));
    assert!(result.tool_calls.iter().all(|call| call.status == CallStatus::Error));
    assert_eq!(kind(&code_mode.execute("await tools.fail({})").await), "ToolFailure");
}

#[tokio::test]
async fn what_is_unknown_is_said_so() {
    let result = run("return tools.ecco({})").await;
    assert_eq!(kind(&result), "UnknownTool");
    assert!(result.outcome.unwrap_err().message.contains("ecco"));
}

#[tokio::test]
async fn inputs_are_checked_before_a_tool_starts() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&calls);
    let schema = json!({ "type": "object", "properties": { "id": { "type": "string" } }, "required": ["id"] });
    let code_mode = CodeMode::builder()
        .tool(Tool::new("get", "Takes an id").input(schema), move |_: Value| {
            counter.fetch_add(1, Ordering::Relaxed);
            async { Ok(()) }
        })
        .build()
        .unwrap();
    assert_eq!(kind(&code_mode.execute("await tools.get({ id: 1 })").await), "InvalidToolInput");
    assert_eq!(calls.load(Ordering::Relaxed), 0);
}

/// Answers with what it was told of the call.
struct Inspect;

impl ToolHandler for Inspect {
    fn call(&self, call: ToolCall) -> ToolFuture {
        Box::pin(async move {
            let is_extension = call.kind == CallKind::Extension;
            ToolOutput::json(
                &json!({ "id": call.id, "name": call.name, "input": call.input, "line": call.line, "extension": is_extension }),
            )
        })
    }
}

#[tokio::test]
async fn handlers_see_the_call_and_extensions_get_all_arguments() {
    let code_mode = CodeMode::builder()
        .tool(Tool::new("a.b", "Inspects"), Inspect)
        .extension("inspect", "Inspects", Inspect)
        .build()
        .unwrap();
    let result = code_mode.execute("const a = await tools.a.b({ x: 1 });\nreturn [a, await inspect(1, 'two')]").await;
    let expected = json!([
        { "id": 1, "name": "a.b", "input": { "x": 1 }, "line": 1, "extension": false },
        { "id": 2, "name": "inspect", "input": [1, "two"], "line": 2, "extension": true },
    ]);
    assert_eq!(result.outcome, Ok(expected));
}

#[tokio::test]
async fn an_undefined_result_is_undefined() {
    struct Nothing;
    impl ToolHandler for Nothing {
        fn call(&self, _call: ToolCall) -> ToolFuture {
            Box::pin(async { Ok(ToolOutput::undefined()) })
        }
    }
    let code_mode = CodeMode::builder().tool(Tool::new("nothing", ""), Nothing).build().unwrap();
    assert_eq!(code_mode.execute("return typeof await tools.nothing({})").await.outcome, Ok(json!("undefined")));
}

/// Denies calls named `denied` and writes down the rest.
#[derive(Default)]
struct Journal(Arc<Mutex<Vec<String>>>);

impl Hooks for Journal {
    fn before<'a>(&'a self, call: &'a ToolCall) -> Pin<Box<dyn Future<Output = Result<(), ToolError>> + Send + 'a>> {
        Box::pin(async move {
            self.0.lock().unwrap().push(format!("before {}", call.name));
            if call.name == "denied" { Err(ToolError::new("not allowed")) } else { Ok(()) }
        })
    }

    fn after(&self, call: &ToolCall, outcome: CallOutcome<'_>) {
        let outcome = match outcome {
            CallOutcome::Success(_) => "success",
            CallOutcome::Failure(_) => "failure",
            CallOutcome::Interrupted => "interrupted",
        };
        self.0.lock().unwrap().push(format!("after {}: {outcome}", call.name));
    }
}

#[tokio::test]
async fn hooks_see_every_call_and_may_deny_it() {
    let journal = Journal::default();
    let lines = Arc::clone(&journal.0);
    let code_mode = builder()
        .tool(Tool::new("denied", ""), async |_: Value| -> Result<(), ToolError> { panic!("it must not start") })
        .tool(Tool::new("fail", ""), async |_: Value| -> Result<(), ToolError> { Err(ToolError::new("no")) })
        .hooks(journal)
        .build()
        .unwrap();
    let source = "
        tools.never({});
        await tools.echo({});
        try { await tools.fail({}) } catch {}
        try { await tools.denied({}) } catch (e) { return e.message }";
    let result = code_mode.execute(source).await;
    assert_eq!(result.outcome, Ok(json!("not allowed")));
    let statuses: Vec<_> = result.tool_calls.iter().map(|call| (call.name.as_str(), call.status)).collect();
    let expected = [
        ("never", CallStatus::Cancelled),
        ("echo", CallStatus::Ok),
        ("fail", CallStatus::Error),
        ("denied", CallStatus::Error),
    ];
    assert_eq!(statuses, expected);
    let mut lines = lines.lock().unwrap().clone();
    lines.sort();
    let expected = [
        "after echo: success",
        "after fail: failure",
        "after never: interrupted",
        "before denied",
        "before echo",
        "before fail",
        "before never",
    ];
    assert_eq!(lines, expected);
}

/// Counts the futures that were dropped before their end.
struct Watched(Arc<AtomicUsize>);

impl ToolHandler for Watched {
    fn call(&self, _call: ToolCall) -> ToolFuture {
        struct Guard(Arc<AtomicUsize>);
        impl Drop for Guard {
            fn drop(&mut self) {
                self.0.fetch_add(1, Ordering::SeqCst);
            }
        }
        let guard = Guard(Arc::clone(&self.0));
        Box::pin(async move {
            let _guard = guard;
            pending().await
        })
    }
}

#[tokio::test]
async fn dropping_the_execution_drops_its_calls() {
    let dropped = Arc::new(AtomicUsize::new(0));
    let code_mode = CodeMode::builder().tool(Tool::new("wait", ""), Watched(Arc::clone(&dropped))).build().unwrap();
    let source = "await Promise.all([tools.wait({}), tools.wait({})])";
    let timed = tokio::time::timeout(Duration::from_millis(50), code_mode.execute(source)).await;
    assert!(timed.is_err());
    assert_eq!(dropped.load(Ordering::SeqCst), 2);
    // The same while the guest runs.
    let timed = tokio::time::timeout(Duration::from_millis(50), code_mode.execute("tools.wait({}); while (true) {}"));
    assert!(timed.await.is_err());
    assert_eq!(dropped.load(Ordering::SeqCst), 3);
    assert_eq!(code_mode.execute("return 1").await.outcome, Ok(json!(1)));
}

#[tokio::test]
async fn the_timeout_stops_whatever_a_program_does() {
    let code_mode = with_limits(Limits { timeout_ms: Some(200), ..Limits::default() });
    for source in [
        "text('x'); while (true) {}",
        "text('x'); await tools.never({})",
        "text('x'); return /^(a+)+$/.test('a'.repeat(40) + '!')",
        "text('x'); await new Promise(resolve => setTimeout(resolve, 100000))",
        "text('x'); for (;;) { try { while (true) {} } catch {} finally { continue } }",
    ] {
        let result = code_mode.execute(source).await;
        assert_eq!(kind(&result), "TimeoutExceeded", "{source}");
        assert_eq!(result.outcome.as_ref().unwrap_err().message, "Execution timed out after 200ms.", "{source}");
        assert_eq!(result.output, [OutputItem::Text { text: "x".into(), console: false }], "{source}");
    }
    assert_eq!(code_mode.execute("return 1").await.outcome, Ok(json!(1)));
}

#[tokio::test]
async fn the_result_of_the_host_tells_the_calls_too() {
    let code_mode = with_limits(Limits { timeout_ms: Some(200), ..Limits::default() });
    let source = "await tools.echo({}); tools.never({}); return /^(a+)+$/.test('a'.repeat(40) + '!')";
    let result = code_mode.execute(source).await;
    assert_eq!(kind(&result), "TimeoutExceeded");
    let calls: Vec<_> = result.tool_calls.iter().map(|call| (call.name.as_str(), call.status)).collect();
    assert_eq!(calls, [("echo", CallStatus::Ok), ("never", CallStatus::Cancelled)]);
}

#[tokio::test]
async fn memory_is_limited_and_the_host_stays_intact() {
    let code_mode = with_limits(Limits { max_memory_bytes: Some(16 << 20), ..Limits::default() });
    for source in [
        "const keep = []; for (;;) keep.push({ k: 'v', n: [1, 2, 3] })",
        "let s = 'x'; const keep = []; for (;;) keep.push((s = s + 'y').padStart(1000000))",
        "const m = new Map(); for (let i = 0; ; i++) m.set(i, [i])",
    ] {
        let result = code_mode.execute(source).await;
        assert_eq!(kind(&result), "MemoryLimitExceeded", "{source}: {:?}", result.outcome);
    }
    assert_eq!(code_mode.execute("return 1").await.outcome, Ok(json!(1)));
}

#[tokio::test]
async fn steps_and_calls_are_limited() {
    let code_mode = with_limits(Limits { max_steps: Some(10_000), max_tool_calls: Some(1), ..Limits::default() });
    assert_eq!(kind(&code_mode.execute("while (true) {}").await), "StepLimitExceeded");
    let result = code_mode.execute("await tools.echo({}); await tools.echo({})").await;
    assert_eq!(kind(&result), "ToolCallLimitExceeded");
    assert_eq!(result.tool_calls.len(), 1);
}

#[tokio::test]
async fn deep_recursion_is_an_error_of_the_program() {
    let result = run("const f = n => f(n + 1); try { f(0) } catch (e) { return e.name }").await;
    assert_eq!(result.outcome, Ok(json!("RangeError")));
}

#[tokio::test]
async fn the_host_may_abort() {
    let code_mode = builder().build().unwrap();
    for source in ["text('x'); await tools.never({})", "text('x'); while (true) {}"] {
        let abort = async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            "enough".to_owned()
        };
        let result = code_mode.execute_until(source, abort).await;
        assert_eq!(kind(&result), "Aborted", "{source}");
        assert_eq!(result.outcome.as_ref().unwrap_err().message, "enough");
        assert_eq!(result.output.len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn more_executions_than_the_pool_has_room_for() {
    // All are alive before the first may go on.
    const EXECUTIONS: usize = 80;
    let barrier = Arc::new(Barrier::new(EXECUTIONS));
    let code_mode = CodeMode::builder()
        .tool(Tool::new("meet", ""), move |_: Value| {
            let barrier = Arc::clone(&barrier);
            async move {
                barrier.wait().await;
                Ok(())
            }
        })
        .build()
        .unwrap();
    let tasks: Vec<_> = (0..EXECUTIONS)
        .map(|number| {
            let code_mode = code_mode.clone();
            tokio::spawn(async move { code_mode.execute(&format!("await tools.meet({{}}); return {number}")).await })
        })
        .collect();
    for (number, task) in tasks.into_iter().enumerate() {
        assert_eq!(task.await.unwrap().outcome, Ok(json!(number)));
    }
}

#[tokio::test]
async fn executions_share_nothing() {
    let code_mode = builder().build().unwrap();
    assert!(code_mode.execute("globalThis.x = 1; Array.prototype.y = 2").await.is_ok());
    let result = code_mode.execute("return [typeof globalThis.x, typeof [].y]").await;
    assert_eq!(result.outcome, Ok(json!(["undefined", "undefined"])));
}

#[tokio::test]
async fn pinned_options_make_runs_equal() {
    let options = Options { now_ms: Some(1e12), seed: Some(7), ..Options::default() };
    let code_mode = builder().options(options).build().unwrap();
    let source = "return [Date.now(), Math.random()]";
    let first = code_mode.execute(source).await.outcome.unwrap();
    assert_eq!(first[0], json!(1_000_000_000_000_u64));
    assert_eq!(code_mode.execute(source).await.outcome, Ok(first));
}

#[tokio::test]
async fn the_store_is_read_and_its_changes_come_back() {
    let store = json!({ "n": 1 }).as_object().cloned();
    let code_mode = builder().options(Options { store, ..Options::default() }).build().unwrap();
    let result = code_mode.execute("store('n', load('n') + 1); return load('n')").await;
    assert_eq!(result.outcome, Ok(json!(2)));
    assert_eq!(result.store_writes.unwrap().set["n"], json!(2));
}

#[test]
fn a_wrong_configuration_is_refused() {
    let tool = Tool::new("a..b", "An empty segment");
    let error = CodeMode::builder().tool(tool, async |input: Value| Ok(input)).build().unwrap_err();
    assert!(matches!(&error, BuildError::Configuration(reason) if reason.contains("a..b")), "{error}");
}

#[tokio::test]
async fn sources_of_every_kind_end_in_a_result() {
    let deep = "[".repeat(20_000);
    let parentheses = format!("{}1{}", "(".repeat(20_000), ")".repeat(20_000));
    for source in ["", "   ", "return (", "\u{0}", "return 1 +", &deep, &parentheses] {
        let result = run(source).await;
        let error = result.outcome.unwrap_err();
        let start: String = source.chars().take(20).collect();
        assert_eq!(error.kind, "ParseError", "{start:?}: {error:?}");
    }
}
