//! TypeScript syntax that has a meaning at run time: enums, namespaces, parameter properties.

use codemode_bytecode::Opcode;
use oxc_ast::ast::*;
use oxc_span::GetSpan;

use super::{Lowering, is_array_index};
use crate::{
    emit::Register,
    error::{Failure, Result},
    scope::ScopeId,
};

/// What is known of the value of an enum member when the next one follows.
enum Previous {
    /// A number known now.
    Number(f64),
    /// A value in the register, to be counted up at run time.
    Register,
    /// A string: the next member needs an initialiser.
    Text,
}

impl<'a> Lowering<'a> {
    /// Assigns the parameter properties of the constructor `owner` to `R[this]`.
    pub(super) fn parameter_properties(&mut self, owner: ScopeId, this: Register) -> Result<()> {
        let Some(class) = self.classes.iter().rev().find(|class| class.constructor == Some(owner)) else {
            return Ok(());
        };
        for name in class.parameter_properties.clone() {
            let Some(&binding) = self.plan.scope(owner).names.get(name.as_str()) else { continue };
            let mark = self.f.mark();
            let value = self.f.temp()?;
            self.load_binding(binding, false, value)?;
            let site = self.site(&name);
            self.f.emit(Opcode::SetProp, this, value, 0, site);
            self.f.release(mark);
        }
        Ok(())
    }

    pub(super) fn enum_declaration(&mut self, node: &TSEnumDeclaration<'a>) -> Result<()> {
        if node.declare {
            return Ok(());
        }
        let Some(binding) = self.declared(node.id.name.as_str()) else { return Ok(()) };
        let is_first = self.plan.binding(binding).offset == node.id.span.start;
        let mark = self.f.mark();
        let object = self.f.temp()?;
        if is_first {
            self.f.emit(Opcode::NewObject, object, 0, 0, 0);
        } else {
            self.load_binding(binding, false, object)?;
        }
        let scope = Self::cell_scope(&node.body.scope_id);
        let entered = self.enter_bare(scope)?;
        let value = self.f.temp()?;
        let mut previous = Previous::Number(-1.0);
        let mut texts: Vec<String> = Vec::new();
        for member in &node.body.members {
            let mark = self.f.mark();
            let name = match &member.id {
                TSEnumMemberName::Identifier(name) => name.name.to_string(),
                TSEnumMemberName::String(name) | TSEnumMemberName::ComputedString(name) => name.value.to_string(),
                TSEnumMemberName::ComputedTemplateString(template) => {
                    template.single_quasi().map(|text| text.to_string()).unwrap_or_default()
                }
            };
            self.f.at(member.span.start);
            previous = match (&member.initializer, previous) {
                (Some(initializer), _) => match self.constant_number(initializer) {
                    Some(number) => {
                        self.load_number(value, number);
                        Previous::Number(number)
                    }
                    None => {
                        self.expression_to(initializer, value)?;
                        if is_text(initializer, &texts) { Previous::Text } else { Previous::Register }
                    }
                },
                (None, Previous::Number(number)) => {
                    self.load_number(value, number + 1.0);
                    Previous::Number(number + 1.0)
                }
                (None, Previous::Register) => {
                    self.f.emit(Opcode::AddInt, value, value, 0, 1);
                    Previous::Register
                }
                (None, Previous::Text) => {
                    return Err(Failure::syntax(member.span.start, "Enum member must have initializer."));
                }
            };
            if is_array_index(&name) {
                let key = self.f.temp()?;
                self.load_string(key, &name);
                self.f.emit(Opcode::DefineElem, object, key, value, 0);
            } else {
                let site = self.site(&name);
                self.f.emit(Opcode::DefineField, object, value, 0, site);
            }
            if matches!(previous, Previous::Text) {
                texts.push(name.clone());
            } else {
                // Numbers also map back to their names.
                let text = self.f.temp()?;
                self.load_string(text, &name);
                self.f.emit(Opcode::DefineElem, object, value, text, 0);
            }
            if let Some(&local) = self.plan.scope(scope).names.get(name.as_str()) {
                self.initialize(local, value)?;
            }
            self.f.release(mark);
        }
        self.leave(entered);
        self.initialize(binding, object)?;
        self.f.release(mark);
        Ok(())
    }

    pub(super) fn namespace(&mut self, node: &TSNamespaceDeclaration<'a>) -> Result<()> {
        if node.declare {
            return Ok(());
        }
        let Some(binding) = self.declared(node.id.name.as_str()) else { return Ok(()) };
        let is_first = self.plan.binding(binding).offset == node.id.span.start;
        let mark = self.f.mark();
        let object = self.f.temp()?;
        if is_first {
            self.f.emit(Opcode::NewObject, object, 0, 0, 0);
            self.initialize(binding, object)?;
        } else {
            self.load_binding(binding, false, object)?;
        }
        let scope = Self::cell_scope(&node.scope_id);
        match &node.body {
            TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => {
                let entered = self.enter_bare(scope)?;
                self.namespace(inner)?;
                self.export_name(object, inner.id.name.as_str())?;
                self.leave(entered);
            }
            TSNamespaceDeclarationBody::TSModuleBlock(block) => {
                let entered = self.enter(scope, &block.body)?;
                for statement in &block.body {
                    if let Statement::ExportDeclaration(export) = statement
                        && let Declaration::FunctionDeclaration(function) = &export.declaration
                        && function.body.is_some()
                        && let Some(id) = &function.id
                    {
                        self.export_name(object, id.name.as_str())?;
                    }
                }
                for statement in &block.body {
                    match statement {
                        Statement::ExportDeclaration(export) => self.export(object, &export.declaration)?,
                        statement => self.statement(statement)?,
                    }
                }
                self.leave(entered);
            }
        }
        self.f.release(mark);
        Ok(())
    }

    /// A declaration that a namespace exports: its names become properties.
    fn export(&mut self, object: Register, declaration: &Declaration<'a>) -> Result<()> {
        let mut names: Vec<String> = Vec::new();
        match declaration {
            Declaration::VariableDeclaration(node) => {
                self.variable_declaration(node)?;
                if !node.declare {
                    for declarator in &node.declarations {
                        names.extend(declarator.id.get_binding_identifiers().iter().map(|id| id.name.to_string()));
                    }
                }
            }
            Declaration::ClassDeclaration(class) => {
                self.class_declaration(class)?;
                if !class.declare {
                    names.extend(class.id.as_ref().map(|id| id.name.to_string()));
                }
            }
            Declaration::TSEnumDeclaration(node) => {
                self.enum_declaration(node)?;
                if !node.declare {
                    names.push(node.id.name.to_string());
                }
            }
            Declaration::TSNamespaceDeclaration(node) => {
                self.namespace(node)?;
                if !node.declare {
                    names.push(node.id.name.to_string());
                }
            }
            Declaration::TSImportEqualsDeclaration(_) => {
                return Err(Failure::unsupported(declaration.span().start, "`import x = ...` is not supported"));
            }
            // Functions are exported when they are instantiated; the rest is types.
            _ => {}
        }
        for name in names {
            self.export_name(object, &name)?;
        }
        Ok(())
    }

    fn export_name(&mut self, object: Register, name: &str) -> Result<()> {
        let Some(&binding) = self.plan.scope(self.scope).names.get(name) else { return Ok(()) };
        let mark = self.f.mark();
        let value = self.f.temp()?;
        self.load_binding(binding, false, value)?;
        let site = self.site(name);
        self.f.emit(Opcode::DefineField, object, value, 0, site);
        self.f.release(mark);
        Ok(())
    }
}

/// Whether an enum initialiser is a string, as far as its syntax shows.
fn is_text(expression: &Expression, texts: &[String]) -> bool {
    match expression.get_inner_expression() {
        Expression::StringLiteral(_) | Expression::TemplateLiteral(_) => true,
        Expression::Identifier(identifier) => texts.iter().any(|text| text == identifier.name.as_str()),
        Expression::BinaryExpression(node) => is_text(&node.left, texts) || is_text(&node.right, texts),
        _ => false,
    }
}
