//! What programs print: collected for the result and handed to the host as it comes.

use codemode_runtime::vm::{Completion, Termination, Vm};

use crate::context::Context;
use crate::definitions::OutputItem;
use crate::json::ObjectWriter;

/// Most characters of text and base64 that one program may print.
const MAX_OUTPUT_CHARS: usize = 16 * 1024 * 1024;

/// Most items that one program may print.
const MAX_OUTPUT_ITEMS: usize = 100_000;

/// What a program has printed so far.
#[derive(Default)]
pub(crate) struct Output {
    /// In program order.
    pub items: Vec<OutputItem>,
    chars: usize,
}

/// Takes an item.
///
/// # Errors
/// Ends the execution when the program prints too much, also when the program would catch errors.
pub(crate) fn emit(vm: &mut Vm, context: &Context, item: OutputItem) -> Completion<()> {
    let chars = match &item {
        OutputItem::Text(text) | OutputItem::Console(text) => text.len(),
        OutputItem::Image { data, .. } => data.len(),
    };
    let is_full = {
        let output = context.output.borrow();
        output.chars + chars > MAX_OUTPUT_CHARS || output.items.len() >= MAX_OUTPUT_ITEMS
    };
    if is_full {
        let reason = format!(
            "The program printed too much: at most {MAX_OUTPUT_CHARS} characters and {MAX_OUTPUT_ITEMS} items are kept."
        );
        return Err(vm.terminate(Termination::Aborted(reason)));
    }
    context.host.borrow_mut().emit(&item);
    let mut output = context.output.borrow_mut();
    output.chars += chars;
    output.items.push(item);
    Ok(())
}

impl OutputItem {
    /// Bytes that the item takes of an output budget.
    pub(crate) fn cost(&self) -> usize {
        match self {
            OutputItem::Text(text) | OutputItem::Console(text) => text.len() + 1,
            OutputItem::Image { data, .. } => data.len() + 1,
        }
    }

    /// Appends the item as JSON.
    pub(crate) fn write(&self, out: &mut String) {
        let mut object = ObjectWriter::new(out);
        match self {
            OutputItem::Text(text) => {
                object.text("type", "text");
                object.text("text", text);
            }
            OutputItem::Console(text) => {
                object.text("type", "text");
                object.text("text", text);
                object.raw("console", true);
            }
            OutputItem::Image { data, mime_type } => {
                object.text("type", "image");
                object.text("data", data);
                object.text("mimeType", mime_type);
            }
        }
        object.end();
    }
}
