//! Parsing with oxc, for each goal.

use oxc_allocator::Allocator;
use oxc_ast::ast::*;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::{SourceType, Span};

use crate::{
    Goal,
    error::{Failure, Result},
};

/// Parses a source.
///
/// # Errors
/// The first error of the parser.
pub(crate) fn parse<'a>(allocator: &'a Allocator, source: &'a str, goal: Goal) -> Result<Program<'a>> {
    let (source_type, returns) = match goal {
        Goal::Script | Goal::SelfHosted => (SourceType::cjs().with_script(true), false),
        // The module goal is the one that reads top-level await; imports and exports are reported later.
        Goal::Program => (SourceType::ts().with_module(true), true),
    };
    let options =
        ParseOptions { allow_return_outside_function: returns, preserve_parens: false, ..ParseOptions::default() };
    let parsed = Parser::new(allocator, source, source_type).with_options(options).parse();
    let Some(first) = parsed.diagnostics.iter().next() else {
        return Ok(parsed.program);
    };
    if goal == Goal::Program
        && let Some(program) = parse_anonymous_function(allocator, source, source_type, options)
    {
        return Ok(program);
    }
    let offset = first.labels.iter().next().map_or(0, |label| label.offset() as u32);
    Err(Failure::syntax(offset, first.message.to_string()))
}

/// `function () { ... }` and `async function () { ... }` are no statements, but as the whole program they are accepted.
fn parse_anonymous_function<'a>(
    allocator: &'a Allocator,
    source: &'a str,
    source_type: SourceType,
    options: ParseOptions,
) -> Option<Program<'a>> {
    let text = source.trim_end().trim_end_matches(';').trim_end();
    let expression = Parser::new(allocator, text, source_type).with_options(options).parse_expression().ok()?;
    if !matches!(expression, Expression::FunctionExpression(_)) {
        return None;
    }
    let ast = oxc_ast::builder::AstBuilder::new(allocator);
    let span = Span::new(0, source.len() as u32);
    let statement = Statement::new_expression_statement(span, expression, &ast);
    let body = oxc_allocator::Vec::from_value_in(statement, &allocator);
    Some(Program::new(
        span,
        source_type,
        source,
        oxc_allocator::Vec::new_in(&allocator),
        None,
        oxc_allocator::Vec::new_in(&allocator),
        body,
        &ast,
    ))
}
