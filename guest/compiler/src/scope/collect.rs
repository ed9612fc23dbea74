//! The walk that makes scopes, declarations and references.

use std::cell::Cell;

use hashbrown::HashMap;
use oxc_ast::ast::*;
use oxc_ast_visit::{VisitJs, walk_js as walk};
use oxc_span::{GetSpan, Span};
use oxc_syntax::{operator::UnaryOperator, reference::ReferenceId, scope::ScopeFlags};

use super::{
    Binding, BindingId, BindingKind, ClassScopes, FunctionInfo, Plan, Reference, Scope, ScopeId, ScopeKind,
    ScopeOptions, Storage,
    early::{has_legacy_escape, is_legacy_octal, is_restricted, is_strict_reserved},
};
use crate::error::{Failure, Result};

/// Deepest nesting of statements and expressions; the lowering recurses along the same tree.
const MAX_DEPTH: u32 = 1500;

/// A plan with what the resolution needs besides.
pub(crate) struct Collected<'a> {
    pub plan: Plan<'a>,
    /// var declarations: name, scope of the declaration, offset.
    pub vars: Vec<(&'a str, ScopeId, u32)>,
    /// Functions in sloppy blocks: name, scope of the block, offset of the function.
    pub block_functions: Vec<(&'a str, ScopeId, u32)>,
    /// Uses of private names.
    pub private_references: Vec<(&'a str, ScopeId, u32)>,
}

/// Walks the program.
///
/// # Errors
/// A name that is declared twice, syntax that is not supported, or too deep nesting.
pub(crate) fn collect<'a>(program: &Program<'a>, options: ScopeOptions) -> Result<Collected<'a>> {
    let mut collector = Collector {
        collected: Collected {
            plan: Plan::default(),
            vars: Vec::new(),
            block_functions: Vec::new(),
            private_references: Vec::new(),
        },
        scope: ScopeId(0),
        depth: 0,
        failure: None,
        lenient: options.lenient && !program.directives.iter().any(Directive::is_use_strict),
        next_is_method: false,
        parameters_of: None,
    };
    let strict = options.strict || program.directives.iter().any(Directive::is_use_strict);
    let root = collector.new_scope(ScopeKind::Entry, None, strict, 0);
    let directive = program.directives.iter().any(Directive::is_use_strict);
    collector.collected.plan.scopes[0].strict_grammar = directive || (strict && !options.lenient);
    collector.scope = root;
    program.scope_id.set(Some(cell_id(root)));
    collector.directives(&program.directives);
    collector.visit_statements(&program.body);
    match collector.failure {
        Some(failure) => Err(failure),
        None => Ok(collector.collected),
    }
}

/// Whether evaluating the parameters runs code other than plain destructuring.
pub(crate) fn has_parameter_expressions(parameters: &FormalParameters) -> bool {
    parameters.items.iter().any(|item| item.initializer.is_some() || pattern_has_expressions(&item.pattern))
        || parameters.rest.as_ref().is_some_and(|rest| pattern_has_expressions(&rest.rest.argument))
}

fn pattern_has_expressions(pattern: &BindingPattern) -> bool {
    match pattern {
        BindingPattern::BindingIdentifier(_) => false,
        BindingPattern::AssignmentPattern(_) => true,
        BindingPattern::ObjectPattern(object) => {
            object.properties.iter().any(|property| property.computed || pattern_has_expressions(&property.value))
                || object.rest.as_ref().is_some_and(|rest| pattern_has_expressions(&rest.argument))
        }
        BindingPattern::ArrayPattern(array) => {
            array.elements.iter().flatten().any(pattern_has_expressions)
                || array.rest.as_ref().is_some_and(|rest| pattern_has_expressions(&rest.argument))
        }
    }
}

/// The number that an initialiser is, as far as the lowering knows constants.
fn literal_number(expression: &Expression) -> Option<f64> {
    match expression.get_inner_expression() {
        Expression::NumericLiteral(literal) => Some(literal.value),
        Expression::UnaryExpression(unary) if unary.operator == UnaryOperator::UnaryNegation => {
            match unary.argument.get_inner_expression() {
                Expression::NumericLiteral(literal) => Some(-literal.value),
                _ => None,
            }
        }
        _ => None,
    }
}

fn cell_id(scope: ScopeId) -> oxc_syntax::scope::ScopeId {
    oxc_syntax::scope::ScopeId::from_usize(scope.0 as usize)
}

struct Collector<'a> {
    collected: Collected<'a>,
    scope: ScopeId,
    depth: u32,
    failure: Option<Box<Failure>>,
    lenient: bool,
    /// The next function visited is a method.
    next_is_method: bool,
    /// The parameters of a generator or async function are being visited: what is not allowed there.
    parameters_of: Option<ParametersOf>,
}

/// What kind of function parameters belong to.
#[derive(Clone, Copy, Debug, Default)]
struct ParametersOf {
    is_generator: bool,
    is_async: bool,
}

impl<'a> Collector<'a> {
    fn plan(&mut self) -> &mut Plan<'a> {
        &mut self.collected.plan
    }

    fn fail(&mut self, failure: Box<Failure>) {
        // The first one in the walk is the one to report.
        self.failure.get_or_insert(failure);
    }

    fn new_scope(&mut self, kind: ScopeKind, parent: Option<ScopeId>, strict: bool, start: u32) -> ScopeId {
        let plan = &mut self.collected.plan;
        let id = ScopeId(plan.scopes.len() as u32);
        let root = match parent {
            Some(parent) if !kind.is_root() => plan.scope(parent).root,
            _ => id,
        };
        plan.scopes.push(Scope {
            kind,
            parent,
            root,
            names: HashMap::new(),
            private_names: HashMap::new(),
            bindings: Vec::new(),
            env_slots: 0,
            strict,
            strict_grammar: parent.is_some_and(|parent| plan.scope(parent).strict_grammar),
            start,
            function: kind.is_root().then(Box::default),
        });
        id
    }

    fn strict(&self) -> bool {
        self.collected.plan.scope(self.scope).strict
    }

    /// Runs `body` in a new scope inside the current one.
    fn in_scope(
        &mut self,
        kind: ScopeKind,
        start: u32,
        cell: Option<&Cell<Option<oxc_syntax::scope::ScopeId>>>,
        body: impl FnOnce(&mut Self),
    ) -> ScopeId {
        let strict = self.strict();
        let id = self.new_scope(kind, Some(self.scope), strict, start);
        if let Some(cell) = cell {
            cell.set(Some(cell_id(id)));
        }
        let outer = std::mem::replace(&mut self.scope, id);
        body(self);
        self.scope = outer;
        id
    }

    fn info(&mut self, root: ScopeId) -> &mut FunctionInfo {
        self.collected.plan.scopes[root.0 as usize].function.get_or_insert_with(Box::default)
    }

    /// The scope that takes the var declarations made in the current one.
    fn var_scope(&self) -> ScopeId {
        let plan = &self.collected.plan;
        let mut id = self.scope;
        loop {
            let scope = plan.scope(id);
            if scope.kind.is_root()
                || matches!(scope.kind, ScopeKind::Body | ScopeKind::StaticBlock | ScopeKind::Namespace)
            {
                return id;
            }
            match scope.parent {
                Some(parent) => id = parent,
                None => return id,
            }
        }
    }

    fn new_binding(&mut self, scope: ScopeId, name: &'a str, kind: BindingKind, span: Span) -> BindingId {
        let plan = &mut self.collected.plan;
        let id = BindingId(plan.bindings.len() as u32);
        plan.bindings.push(Binding {
            name,
            kind,
            scope,
            offset: span.start,
            initialized_at: span.end,
            captured: false,
            referenced: false,
            needs_dead_zone: false,
            constant: None,
            writes: Vec::new(),
            storage: Storage::None,
        });
        plan.scopes[scope.0 as usize].bindings.push(id);
        id
    }

    /// Declares a name in a scope, or reports that it conflicts with one that is there.
    fn declare(&mut self, scope: ScopeId, name: &'a str, kind: BindingKind, span: Span) -> BindingId {
        let existing = self.collected.plan.scope(scope).names.get(name).copied();
        if let Some(existing) = existing {
            let old = self.collected.plan.binding(existing).kind;
            let strict = self.collected.plan.scope(scope).strict;
            use BindingKind::*;
            let shares = match (old, kind) {
                (Var | Function | Parameter | CatchParameter, Var) => true,
                (Var | Function | Parameter, Function) => true,
                (Parameter, Parameter) => true,
                (BlockFunction, BlockFunction) => !strict,
                (Enum, Enum) | (Class | Function | BlockFunction | Enum | Namespace, Namespace) => true,
                (Arguments, Var | Function | Let | Const | Class) => false,
                _ => false,
            };
            if !shares {
                self.fail(Failure::syntax(span.start, format!("Identifier '{name}' has already been declared")));
                return existing;
            }
            if kind == Function {
                self.plan().binding_mut(existing).kind = if old == Parameter { Parameter } else { Function };
            }
            return existing;
        }
        let id = self.new_binding(scope, name, kind, span);
        self.collected.plan.scopes[scope.0 as usize].names.insert(name, id);
        id
    }

    /// Declares all names of a pattern; they are initialised from `initialized_at` on.
    fn declare_pattern(
        &mut self,
        pattern: &BindingPattern<'a>,
        kind: BindingKind,
        scope: ScopeId,
        initialized_at: u32,
    ) {
        match pattern {
            BindingPattern::BindingIdentifier(identifier) => {
                let name = identifier.name.as_str();
                if kind.is_lexical() && name == "let" {
                    self.fail(Failure::syntax(identifier.span.start, "'let' is not allowed as a lexically bound name"));
                }
                if kind != BindingKind::Dead {
                    self.check_bound(name, scope, identifier.span.start);
                }
                if kind == BindingKind::Var {
                    self.collected.vars.push((name, self.scope, identifier.span.start));
                }
                let id = self.declare(scope, name, kind, identifier.span);
                self.plan().binding_mut(id).initialized_at = initialized_at;
            }
            BindingPattern::ObjectPattern(object) => {
                for property in &object.properties {
                    self.declare_pattern(&property.value, kind, scope, initialized_at);
                }
                if let Some(rest) = &object.rest {
                    self.declare_pattern(&rest.argument, kind, scope, initialized_at);
                }
            }
            BindingPattern::ArrayPattern(array) => {
                for element in array.elements.iter().flatten() {
                    self.declare_pattern(element, kind, scope, initialized_at);
                }
                if let Some(rest) = &array.rest {
                    self.declare_pattern(&rest.argument, kind, scope, initialized_at);
                }
            }
            BindingPattern::AssignmentPattern(assignment) => {
                self.declare_pattern(&assignment.left, kind, scope, initialized_at);
            }
        }
    }

    fn reference(&mut self, identifier: &IdentifierReference<'a>, is_write: bool) {
        let name = identifier.name.as_str();
        if self.strict_grammar() {
            if is_write && is_restricted(name) {
                self.fail(Failure::syntax(identifier.span.start, "Unexpected eval or arguments in strict mode"));
            } else if is_strict_reserved(name) {
                self.fail(Failure::syntax(identifier.span.start, "Unexpected strict mode reserved word"));
            }
        }
        if name == "arguments" {
            let owner = self.collected.plan.this_root(self.scope);
            if self.info(owner).forbids_arguments {
                self.fail(Failure::syntax(
                    identifier.span.start,
                    "'arguments' is not allowed in class field initializer or static initialization block",
                ));
            }
        }
        let references = &mut self.collected.plan.references;
        identifier.reference_id.set(Some(ReferenceId::from_usize(references.len())));
        references.push(Reference {
            name: identifier.name.as_str(),
            scope: self.scope,
            offset: identifier.span.start,
            is_write,
            binding: None,
            checked: false,
        });
    }

    /// Uses a pseudo binding of the function that provides this; captured when an arrow function is between.
    fn pseudo(&mut self, name: &'static str) {
        let plan = &mut self.collected.plan;
        let owner = plan.this_root(self.scope);
        if plan.scope(self.scope).root == owner {
            return;
        }
        let id = match plan.scope(owner).names.get(name) {
            Some(&id) => id,
            None => {
                let start = plan.scope(owner).start;
                let id = self.new_binding(owner, name, BindingKind::Pseudo, Span::new(start, start));
                self.collected.plan.scopes[owner.0 as usize].names.insert(name, id);
                id
            }
        };
        let binding = self.plan().binding_mut(id);
        binding.captured = true;
        binding.referenced = true;
    }

    fn uses_this(&mut self) {
        let owner = self.collected.plan.this_root(self.scope);
        self.info(owner).uses_this = true;
        self.pseudo("this");
    }

    fn super_property(&mut self, offset: u32) {
        let owner = self.collected.plan.this_root(self.scope);
        if !self.info(owner).is_method {
            self.fail(Failure::syntax(offset, "'super' keyword unexpected here"));
        }
        self.info(owner).uses_home = true;
        self.uses_this();
        self.pseudo("%home");
    }

    fn super_call(&mut self) {
        let owner = self.collected.plan.this_root(self.scope);
        if self.collected.plan.scope(self.scope).root != owner {
            self.info(owner).super_call_in_arrow = true;
        }
        self.uses_this();
        self.pseudo("new.target");
        self.pseudo("%callee");
    }

    /// Root scope of a function, its parameters and its body.
    fn function(
        &mut self,
        kind: ScopeKind,
        span: Span,
        cell: &Cell<Option<oxc_syntax::scope::ScopeId>>,
        parameters: &FormalParameters<'a>,
        strict: bool,
        hoisted_at: Option<u32>,
        of: ParametersOf,
        body: impl FnOnce(&mut Self),
    ) -> ScopeId {
        let directive = strict;
        let strict = strict || self.strict();
        let root = self.new_scope(kind, Some(self.scope), strict, span.start);
        self.collected.plan.scopes[root.0 as usize].strict_grammar |= directive;
        let strict_grammar = self.collected.plan.scope(root).strict_grammar;
        let is_method = std::mem::take(&mut self.next_is_method);
        cell.set(Some(cell_id(root)));
        let outer = std::mem::replace(&mut self.scope, root);
        let has_expressions = has_parameter_expressions(parameters);
        let simple = !has_expressions
            && parameters.rest.is_none()
            && parameters.items.iter().all(|item| item.pattern.is_binding_identifier());
        {
            let info = self.info(root);
            info.hoisted_at = hoisted_at;
            info.simple_parameters = simple;
            info.is_method = is_method;
        }
        if directive && !simple {
            self.fail(Failure::syntax(
                parameters.span.start,
                "Illegal 'use strict' directive in function with non-simple parameter list",
            ));
        }
        let unique = strict_grammar || kind == ScopeKind::Arrow || !simple || is_method;
        let mut seen: Vec<&str> = Vec::new();
        for item in &parameters.items {
            if !item.decorators.is_empty() {
                self.fail(Failure::unsupported(item.span.start, "Decorators are not supported"));
            }
            let end = if has_expressions { item.span.end } else { 0 };
            if unique {
                self.unique_parameters(&item.pattern, &mut seen);
            }
            self.declare_pattern(&item.pattern, BindingKind::Parameter, root, end);
        }
        if let Some(rest) = &parameters.rest {
            let end = if has_expressions { rest.span.end } else { 0 };
            if unique {
                self.unique_parameters(&rest.rest.argument, &mut seen);
            }
            self.declare_pattern(&rest.rest.argument, BindingKind::Parameter, root, end);
        }
        let outer_parameters = self.parameters_of.replace(of);
        for item in &parameters.items {
            self.visit_binding_pattern(&item.pattern);
            if let Some(initializer) = &item.initializer {
                self.visit_expression(initializer);
            }
        }
        if let Some(rest) = &parameters.rest {
            self.visit_binding_pattern(&rest.rest.argument);
        }
        self.parameters_of = None;
        if has_expressions {
            let start = parameters.span.end;
            let scope = self.in_scope(ScopeKind::Body, start, None, body);
            self.info(root).body_scope = Some(scope);
            self.body_conflict(root, scope);
        } else {
            body(self);
        }
        self.parameters_of = outer_parameters;
        self.scope = outer;
        if self.info(root).super_call_in_arrow {
            // The arrow function that calls super() also assigns the parameter properties.
            for item in parameters.items.iter().filter(|item| item.has_modifier()) {
                if let Some(name) = item.pattern.get_identifier_name()
                    && let Some(&id) = self.collected.plan.scope(root).names.get(name.as_str())
                {
                    self.plan().binding_mut(id).captured = true;
                }
            }
        }
        root
    }

    /// The body of a function must not redeclare a parameter lexically.
    fn body_conflict(&mut self, root: ScopeId, body: ScopeId) {
        let plan = &self.collected.plan;
        let conflict = plan.scope(body).bindings.iter().map(|&id| plan.binding(id)).find(|binding| {
            binding.kind.is_lexical()
                && plan
                    .scope(root)
                    .names
                    .get(binding.name)
                    .is_some_and(|&id| plan.binding(id).kind == BindingKind::Parameter)
        });
        if let Some((name, offset)) = conflict.map(|binding| (binding.name, binding.offset)) {
            self.fail(Failure::syntax(offset, format!("Identifier '{name}' has already been declared")));
        }
    }

    fn strict_grammar(&self) -> bool {
        self.collected.plan.scope(self.scope).strict_grammar
    }

    /// Early errors of a name that is bound, in the strict grammar of `scope`.
    fn check_bound(&mut self, name: &str, scope: ScopeId, offset: u32) {
        if !self.collected.plan.scope(scope).strict_grammar {
            return;
        }
        if is_restricted(name) {
            self.fail(Failure::syntax(offset, "Unexpected eval or arguments in strict mode"));
        } else if is_strict_reserved(name) {
            self.fail(Failure::syntax(offset, "Unexpected strict mode reserved word"));
        }
    }

    /// `'use strict'` makes the other directives strict, legacy escapes in them included.
    fn directives(&mut self, directives: &[Directive<'a>]) {
        if !self.strict_grammar() {
            return;
        }
        if let Some(directive) = directives.iter().find(|directive| has_legacy_escape(&directive.directive)) {
            self.fail(Failure::syntax(directive.span.start, "Octal escape sequences are not allowed in strict mode."));
        }
    }

    /// The body of a loop must be no function, labelled or not.
    fn loop_body(&mut self, body: &Statement<'a>) {
        let mut statement = body;
        while let Statement::LabeledStatement(labeled) = statement {
            statement = &labeled.body;
        }
        if let Statement::FunctionDeclaration(function) = statement {
            self.fail(Failure::syntax(
                function.span.start,
                "In strict mode code, functions can only be declared at top level or inside a block.",
            ));
        }
    }

    fn unique_parameters(&mut self, pattern: &BindingPattern<'a>, seen: &mut Vec<&'a str>) {
        for identifier in pattern.get_binding_identifiers() {
            let name = identifier.name.as_str();
            if seen.contains(&name) {
                self.fail(Failure::syntax(
                    identifier.span.start,
                    "Duplicate parameter name not allowed in this context",
                ));
            }
            seen.push(name);
        }
    }

    /// Declares a function declaration's name, and remembers Annex B candidates.
    fn declare_function(&mut self, function: &Function<'a>) {
        let Some(id) = &function.id else { return };
        let scope = self.scope;
        self.check_bound(id.name.as_str(), scope, id.span.start);
        let is_top = self.var_scope() == scope;
        let kind = if is_top { BindingKind::Function } else { BindingKind::BlockFunction };
        if is_top {
            self.collected.vars.push((id.name.as_str(), scope, id.span.start));
        } else if !self.strict() && !function.r#async && !function.generator {
            self.collected.block_functions.push((id.name.as_str(), scope, function.span.start));
        }
        self.declare(scope, id.name.as_str(), kind, id.span);
    }

    fn branch(&mut self, statement: &Statement<'a>) {
        // Annex B.3.4: a function as the branch of an if statement is in a block of its own.
        if let Statement::FunctionDeclaration(function) = statement {
            let start = function.span.start;
            let scope = self.in_scope(ScopeKind::Block, start, None, |this| this.visit_statement(statement));
            self.plan().branch_scopes.insert(start, scope);
        } else {
            self.visit_statement(statement);
        }
    }

    fn for_head(
        &mut self,
        left: &ForStatementLeft<'a>,
        right: &Expression<'a>,
        body: &Statement<'a>,
        span: Span,
        cell: &Cell<Option<oxc_syntax::scope::ScopeId>>,
    ) {
        let lexical = match left {
            ForStatementLeft::VariableDeclaration(declaration) if declaration.kind.is_lexical() => Some(declaration),
            _ => None,
        };
        self.loop_body(body);
        if let Some(declaration) = lexical {
            let dead = self.in_scope(ScopeKind::DeadHead, span.start, None, |this| {
                for declarator in &declaration.declarations {
                    this.declare_pattern(&declarator.id, BindingKind::Dead, this.scope, u32::MAX);
                }
                this.visit_expression(right);
            });
            self.plan().dead_heads.insert(right.span().start, dead);
        } else {
            self.visit_expression(right);
        }
        self.in_scope(ScopeKind::Loop, span.start, Some(cell), |this| {
            match left {
                ForStatementLeft::VariableDeclaration(declaration) => this.visit_variable_declaration(declaration),
                _ => {
                    if let Some(target) = left.as_assignment_target() {
                        this.visit_assignment_target(target);
                    }
                }
            }
            this.visit_statement(body);
        });
    }

    fn property_value(&mut self, scope: ScopeId, value: &Option<Expression<'a>>) {
        let outer = std::mem::replace(&mut self.scope, scope);
        if let Some(value) = value {
            self.visit_expression(value);
        }
        self.scope = outer;
    }

    fn hidden(&mut self, scope: ScopeId, element: u32) {
        let id = self.new_binding(scope, "", BindingKind::Hidden, Span::new(element, element));
        let binding = self.plan().binding_mut(id);
        binding.captured = true;
        binding.referenced = true;
        self.plan().element_bindings.insert(element, id);
    }

    fn private_declaration(
        &mut self,
        identifier: &PrivateIdentifier<'a>,
        class: ScopeId,
        accessor: Option<(bool, bool)>,
    ) {
        // An accessor pair shares a name: (is setter, is static) of the first half is kept in the binding's writes.
        let name = identifier.name.as_str();
        let code = accessor.map_or(0, |(setter, is_static)| 1 + setter as u32 + 2 * is_static as u32);
        if let Some(&existing) = self.collected.plan.scope(class).private_names.get(name) {
            let seen = &self.collected.plan.binding(existing).writes;
            let completes = code != 0
                && seen.len() == 1
                && seen[0] != 0
                && (seen[0] - 1) & 1 != (code - 1) & 1
                && (seen[0] - 1) & 2 == (code - 1) & 2;
            if completes {
                self.plan().binding_mut(existing).writes.push(code);
            } else {
                self.fail(Failure::syntax(
                    identifier.span.start,
                    format!("Identifier '#{name}' has already been declared"),
                ));
            }
            return;
        }
        let id = self.new_binding(class, name, BindingKind::Private, identifier.span);
        let binding = self.plan().binding_mut(id);
        binding.writes.push(code);
        // Members of the class are functions of their own, and nearly all names are used there.
        binding.captured = true;
        binding.referenced = true;
        self.collected.plan.scopes[class.0 as usize].private_names.insert(name, id);
    }

    fn class_element(&mut self, element: &ClassElement<'a>, class: ScopeId, scopes: &mut ClassScopes) {
        match element {
            ClassElement::StaticBlock(block) => {
                let scope = self.initializer(&mut scopes.statics, class, block.span.start);
                let outer = std::mem::replace(&mut self.scope, scope);
                self.in_scope(ScopeKind::StaticBlock, block.span.start, Some(&block.scope_id), |this| {
                    this.visit_statements(&block.body);
                });
                self.scope = outer;
            }
            ClassElement::MethodDefinition(method) => {
                self.decorators(&method.decorators);
                if method.value.body.is_none() {
                    return;
                }
                if let PropertyKey::PrivateIdentifier(_) = &method.key {
                    // Instance methods are installed by the initialiser, from the hidden binding.
                    if !method.r#static {
                        self.initializer(&mut scopes.instance, class, method.span.start);
                        self.hidden(class, method.span.start);
                    }
                } else {
                    self.visit_property_key(&method.key);
                }
                self.next_is_method = true;
                self.visit_function(&method.value, ScopeFlags::Function);
            }
            ClassElement::PropertyDefinition(property) => {
                self.decorators(&property.decorators);
                if property.declare || property.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition {
                    return;
                }
                self.field(
                    &property.key,
                    property.computed,
                    property.r#static,
                    property.span.start,
                    class,
                    scopes,
                    &property.value,
                );
            }
            ClassElement::AccessorProperty(property) => {
                self.fail(Failure::unsupported(property.span.start, "The `accessor` keyword is not supported"));
            }
            ClassElement::TSIndexSignature(_) => {}
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of two node types that have no common one")]
    fn field(
        &mut self,
        key: &PropertyKey<'a>,
        computed: bool,
        is_static: bool,
        start: u32,
        class: ScopeId,
        scopes: &mut ClassScopes,
        value: &Option<Expression<'a>>,
    ) {
        if !matches!(key, PropertyKey::PrivateIdentifier(_)) {
            self.visit_property_key(key);
        }
        if computed {
            self.hidden(class, start);
        }
        let slot = if is_static { &mut scopes.statics } else { &mut scopes.instance };
        let scope = self.initializer(slot, class, start);
        self.property_value(scope, value);
    }

    fn initializer(&mut self, slot: &mut Option<ScopeId>, class: ScopeId, start: u32) -> ScopeId {
        match *slot {
            Some(scope) => scope,
            None => {
                let scope = self.new_scope(ScopeKind::Initializer, Some(class), true, start);
                let info = self.info(scope);
                info.simple_parameters = true;
                info.is_method = true;
                info.forbids_arguments = true;
                *slot = Some(scope);
                scope
            }
        }
    }

    fn decorators(&mut self, decorators: &[Decorator<'a>]) {
        if let Some(decorator) = decorators.first() {
            self.fail(Failure::unsupported(decorator.span.start, "Decorators are not supported"));
        }
    }

    fn module_syntax(&mut self, span: Span) {
        self.fail(Failure::unsupported(
            span.start,
            "import and export are not supported: a program is a script whose tools are all reachable through `tools`",
        ));
    }
}

impl<'a> VisitJs<'a> for Collector<'a> {
    fn visit_expression(&mut self, it: &Expression<'a>) {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.fail(Failure::syntax(it.span().start, "The program is nested too deeply"));
        } else {
            walk::walk_expression(self, it);
        }
        self.depth -= 1;
    }

    fn visit_statement(&mut self, it: &Statement<'a>) {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.fail(Failure::syntax(it.span().start, "The program is nested too deeply"));
        } else {
            walk::walk_statement(self, it);
        }
        self.depth -= 1;
    }

    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        self.reference(it, false);
    }

    fn visit_binding_identifier(&mut self, _: &BindingIdentifier<'a>) {}

    fn visit_simple_assignment_target(&mut self, it: &SimpleAssignmentTarget<'a>) {
        // `(x as T) = v` assigns x.
        let inner = match it {
            SimpleAssignmentTarget::AssignmentTargetIdentifier(identifier) => return self.reference(identifier, true),
            SimpleAssignmentTarget::TSAsExpression(node) => &node.expression,
            SimpleAssignmentTarget::TSSatisfiesExpression(node) => &node.expression,
            SimpleAssignmentTarget::TSNonNullExpression(node) => &node.expression,
            SimpleAssignmentTarget::TSTypeAssertion(node) => &node.expression,
            _ => return walk::walk_simple_assignment_target(self, it),
        };
        match inner.get_inner_expression() {
            Expression::Identifier(identifier) => self.reference(identifier, true),
            other => self.visit_expression(other),
        }
    }

    fn visit_assignment_target_property_identifier(&mut self, it: &AssignmentTargetPropertyIdentifier<'a>) {
        self.reference(&it.binding, true);
        if let Some(init) = &it.init {
            self.visit_expression(init);
        }
    }

    fn visit_this_expression(&mut self, _: &ThisExpression) {
        let root = self.collected.plan.scope(self.scope).root;
        self.info(root).this_count += 1;
        self.uses_this();
    }

    fn visit_new_target(&mut self, _: &NewTarget) {
        let owner = self.collected.plan.this_root(self.scope);
        self.info(owner).uses_new_target = true;
        self.pseudo("new.target");
    }

    fn visit_super(&mut self, it: &Super) {
        // Calls are told apart in visit_call_expression.
        self.super_property(it.span.start);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        if it.callee.is_super() {
            self.super_call();
        } else {
            self.visit_expression(&it.callee);
        }
        self.visit_arguments(&it.arguments);
    }

    fn visit_binary_expression(&mut self, it: &BinaryExpression<'a>) {
        // Long chains of operators lean left: walked without recursion, as they are lowered.
        let mut spine = vec![it];
        let mut left = &it.left;
        while let Expression::BinaryExpression(inner) = left {
            spine.push(inner);
            left = &inner.left;
        }
        self.visit_expression(left);
        for node in spine.into_iter().rev() {
            self.visit_expression(&node.right);
        }
    }

    fn visit_private_field_expression(&mut self, it: &PrivateFieldExpression<'a>) {
        self.visit_expression(&it.object);
        self.collected.private_references.push((it.field.name.as_str(), self.scope, it.field.span.start));
    }

    fn visit_private_in_expression(&mut self, it: &PrivateInExpression<'a>) {
        self.collected.private_references.push((it.left.name.as_str(), self.scope, it.left.span.start));
        self.visit_expression(&it.right);
    }

    fn visit_function(&mut self, it: &Function<'a>, _: ScopeFlags) {
        let Some(body) = &it.body else { return };
        if it.declare {
            return;
        }
        let is_declaration = it.r#type == FunctionType::FunctionDeclaration;
        let mut hoisted_at = None;
        if is_declaration {
            self.declare_function(it);
            hoisted_at = Some(self.collected.plan.scope(self.scope).start);
        }
        let strict = it.has_use_strict_directive();
        let of = ParametersOf { is_generator: it.generator, is_async: it.r#async };
        let root =
            self.function(ScopeKind::Function, it.span, &it.scope_id, &it.params, strict, hoisted_at, of, |this| {
                this.directives(&body.directives);
                this.visit_statements(&body.statements);
            });
        if let Some(id) = &it.id {
            // The name is subject to the strictness of the function itself.
            self.check_bound(id.name.as_str(), root, id.span.start);
        }
        if let (false, Some(id)) = (is_declaration, &it.id) {
            // The function's own name is outside its parameters and vars: it only counts when none of them has the name.
            if !self.collected.plan.scope(root).names.contains_key(id.name.as_str()) {
                self.declare(root, id.name.as_str(), BindingKind::FunctionName, id.span);
            }
        }
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        let strict = it.has_use_strict_directive();
        // Parameters of arrow functions contain neither yield nor await, even where the code around could.
        let of = ParametersOf { is_generator: true, is_async: true };
        self.function(ScopeKind::Arrow, it.span, &it.scope_id, &it.params, strict, None, of, |this| match &it.body {
            ArrowFunctionBody::FunctionBody(body) => {
                this.directives(&body.directives);
                this.visit_statements(&body.statements);
            }
            body => {
                if let Some(expression) = body.as_expression() {
                    this.visit_expression(expression);
                }
            }
        });
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        if it.declare {
            return;
        }
        self.decorators(&it.decorators);
        if let (ClassType::ClassDeclaration, Some(id)) = (it.r#type, &it.id) {
            let binding = self.declare(self.scope, id.name.as_str(), BindingKind::Class, id.span);
            self.plan().binding_mut(binding).initialized_at = it.span.end;
        }
        let class = self.new_scope(ScopeKind::Class, Some(self.scope), true, it.span.start);
        self.collected.plan.scopes[class.0 as usize].strict_grammar = !self.lenient;
        it.scope_id.set(Some(cell_id(class)));
        let outer = std::mem::replace(&mut self.scope, class);
        if let Some(id) = &it.id {
            let binding = self.declare(class, id.name.as_str(), BindingKind::ClassName, id.span);
            self.plan().binding_mut(binding).initialized_at = it.span.end;
        }
        let constructors = it.body.body.iter().filter_map(|element| match element {
            ClassElement::MethodDefinition(method) if method.kind.is_constructor() && method.value.body.is_some() => {
                Some(method.span.start)
            }
            _ => None,
        });
        if let Some(second) = constructors.skip(1).next() {
            self.fail(Failure::syntax(second, "A class may only have one constructor"));
        }
        for element in &it.body.body {
            let (key, accessor) = match element {
                ClassElement::MethodDefinition(method) if method.value.body.is_some() => {
                    let accessor = method.kind.is_accessor().then(|| (method.kind.is_set(), method.r#static));
                    (&method.key, accessor)
                }
                ClassElement::PropertyDefinition(property) if !property.declare => (&property.key, None),
                _ => continue,
            };
            if let PropertyKey::PrivateIdentifier(identifier) = key {
                self.private_declaration(identifier, class, accessor);
            }
        }
        for &id in &self.collected.plan.scope(class).bindings.clone() {
            // The pieces of accessor pairs noted there are no assignments.
            if self.collected.plan.binding(id).kind == BindingKind::Private {
                self.plan().binding_mut(id).writes.clear();
            }
        }
        if let Some(heritage) = &it.heritage {
            self.visit_expression(&heritage.expression);
        }
        let mut scopes = ClassScopes::default();
        for element in &it.body.body {
            self.class_element(element, class, &mut scopes);
        }
        self.plan().class_scopes.insert(class, scopes);
        self.scope = outer;
    }

    fn visit_block_statement(&mut self, it: &BlockStatement<'a>) {
        self.in_scope(ScopeKind::Block, it.span.start, Some(&it.scope_id), |this| this.visit_statements(&it.body));
    }

    fn visit_if_statement(&mut self, it: &IfStatement<'a>) {
        if self.strict_grammar() {
            self.loop_body(&it.consequent);
            if let Some(alternate) = &it.alternate {
                self.loop_body(alternate);
            }
        }
        self.visit_expression(&it.test);
        self.branch(&it.consequent);
        if let Some(alternate) = &it.alternate {
            self.branch(alternate);
        }
    }

    fn visit_for_statement(&mut self, it: &ForStatement<'a>) {
        self.loop_body(&it.body);
        self.in_scope(ScopeKind::Loop, it.span.start, Some(&it.scope_id), |this| walk::walk_for_statement(this, it));
    }

    fn visit_for_in_statement(&mut self, it: &ForInStatement<'a>) {
        if let ForStatementLeft::VariableDeclaration(declaration) = &it.left
            && let Some(declarator) = declaration.declarations.first()
            && declarator.init.is_some()
            && (self.strict_grammar() || !declaration.kind.is_var() || !declarator.id.is_binding_identifier())
        {
            self.fail(Failure::syntax(
                declarator.span.start,
                "for-in loop variable declaration may not have an initializer.",
            ));
        }
        self.for_head(&it.left, &it.right, &it.body, it.span, &it.scope_id);
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        if let ForStatementLeft::VariableDeclaration(declaration) = &it.left
            && let Some(declarator) = declaration.declarations.first()
            && declarator.init.is_some()
        {
            self.fail(Failure::syntax(
                declarator.span.start,
                "for-of loop variable declaration may not have an initializer.",
            ));
        }
        self.for_head(&it.left, &it.right, &it.body, it.span, &it.scope_id);
    }

    fn visit_switch_statement(&mut self, it: &SwitchStatement<'a>) {
        self.visit_expression(&it.discriminant);
        self.in_scope(ScopeKind::Switch, it.span.start, Some(&it.scope_id), |this| {
            for case in &it.cases {
                this.visit_switch_case(case);
            }
        });
    }

    fn visit_catch_clause(&mut self, it: &CatchClause<'a>) {
        self.in_scope(ScopeKind::Catch, it.span.start, Some(&it.scope_id), |this| {
            if let Some(parameter) = &it.param {
                let kind = if parameter.pattern.is_binding_identifier() {
                    BindingKind::CatchParameter
                } else {
                    BindingKind::CatchPattern
                };
                this.declare_pattern(&parameter.pattern, kind, this.scope, parameter.span.end);
                this.visit_binding_pattern(&parameter.pattern);
            }
            this.visit_block_statement(&it.body);
            // The catch body must not redeclare the parameter lexically.
            if let Some(body) = it.body.scope_id.get() {
                let body = ScopeId(body.index() as u32);
                let plan = &this.collected.plan;
                let conflict = plan.scope(body).bindings.iter().find(|&&id| {
                    let binding = plan.binding(id);
                    binding.kind.is_lexical() && plan.scope(this.scope).names.contains_key(binding.name)
                });
                if let Some(&id) = conflict {
                    let (name, offset) = (plan.binding(id).name, plan.binding(id).offset);
                    this.fail(Failure::syntax(offset, format!("Identifier '{name}' has already been declared")));
                }
            }
        });
    }

    fn visit_while_statement(&mut self, it: &WhileStatement<'a>) {
        self.loop_body(&it.body);
        walk::walk_while_statement(self, it);
    }

    fn visit_do_while_statement(&mut self, it: &DoWhileStatement<'a>) {
        self.loop_body(&it.body);
        walk::walk_do_while_statement(self, it);
    }

    fn visit_labeled_statement(&mut self, it: &LabeledStatement<'a>) {
        if self.strict_grammar() {
            if is_strict_reserved(&it.label.name) {
                self.fail(Failure::syntax(it.label.span.start, "Unexpected strict mode reserved word"));
            }
            self.loop_body(&it.body);
        }
        walk::walk_labeled_statement(self, it);
    }

    fn visit_numeric_literal(&mut self, it: &NumericLiteral<'a>) {
        if self.strict_grammar() && it.raw.as_ref().is_some_and(|raw| is_legacy_octal(raw)) {
            self.fail(Failure::syntax(
                it.span.start,
                "Legacy octal literals and decimals with leading zeros are not allowed in strict mode.",
            ));
        }
    }

    fn visit_string_literal(&mut self, it: &StringLiteral<'a>) {
        if self.strict_grammar() && it.raw.as_ref().is_some_and(|raw| has_legacy_escape(raw)) {
            self.fail(Failure::syntax(it.span.start, "Octal escape sequences are not allowed in strict mode."));
        }
    }

    fn visit_yield_expression(&mut self, it: &YieldExpression<'a>) {
        if self.parameters_of.is_some_and(|of| of.is_generator) {
            self.fail(Failure::syntax(it.span.start, "Yield expression not allowed in formal parameter"));
        }
        walk::walk_yield_expression(self, it);
    }

    fn visit_await_expression(&mut self, it: &AwaitExpression<'a>) {
        if self.parameters_of.is_some_and(|of| of.is_async) {
            self.fail(Failure::syntax(
                it.span.start,
                "Illegal await-expression in formal parameters of async function",
            ));
        }
        walk::walk_await_expression(self, it);
    }

    fn visit_object_property(&mut self, it: &ObjectProperty<'a>) {
        self.visit_property_key(&it.key);
        self.next_is_method = it.method || it.kind != PropertyKind::Init;
        self.visit_expression(&it.value);
        self.next_is_method = false;
    }

    fn visit_with_statement(&mut self, it: &WithStatement<'a>) {
        if self.strict_grammar() {
            self.fail(Failure::syntax(it.span.start, "Strict mode code may not include a with statement"));
        } else {
            self.fail(Failure::unsupported(it.span.start, "The with statement is not supported"));
        }
    }

    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'a>) {
        if it.declare {
            return;
        }
        let (kind, scope) = match it.kind {
            VariableDeclarationKind::Var => (BindingKind::Var, self.var_scope()),
            VariableDeclarationKind::Let => (BindingKind::Let, self.scope),
            VariableDeclarationKind::Const => (BindingKind::Const, self.scope),
            VariableDeclarationKind::Using | VariableDeclarationKind::AwaitUsing => {
                self.fail(Failure::unsupported(it.span.start, "using declarations are not supported yet"));
                return;
            }
        };
        for declarator in &it.declarations {
            self.declare_pattern(&declarator.id, kind, scope, declarator.span.end);
            self.visit_binding_pattern(&declarator.id);
            if let Some(init) = &declarator.init {
                self.visit_expression(init);
                if let (BindingKind::Const, BindingPattern::BindingIdentifier(identifier)) = (kind, &declarator.id)
                    && let Some(number) = literal_number(init)
                    && let Some(&id) = self.collected.plan.scope(scope).names.get(identifier.name.as_str())
                {
                    self.plan().binding_mut(id).constant = Some(number);
                }
            }
            if kind == BindingKind::Var && declarator.init.is_some() {
                self.var_writes(&declarator.id);
            }
        }
    }

    fn visit_ts_enum_declaration(&mut self, it: &TSEnumDeclaration<'a>) {
        if it.declare {
            return;
        }
        let id = self.declare(self.scope, it.id.name.as_str(), BindingKind::Enum, it.id.span);
        self.plan().binding_mut(id).initialized_at = it.span.end;
        self.in_scope(ScopeKind::Enum, it.body.span.start, Some(&it.body.scope_id), |this| {
            for member in &it.body.members {
                if let Some(initializer) = &member.initializer {
                    this.visit_expression(initializer);
                }
                if let TSEnumMemberName::Identifier(name) = &member.id {
                    this.declare(this.scope, name.name.as_str(), BindingKind::EnumMember, member.span);
                }
            }
        });
    }

    fn visit_ts_namespace_declaration(&mut self, it: &TSNamespaceDeclaration<'a>) {
        if it.declare {
            return;
        }
        self.declare(self.scope, it.id.name.as_str(), BindingKind::Namespace, it.id.span);
        self.in_scope(ScopeKind::Namespace, it.span.start, Some(&it.scope_id), |this| match &it.body {
            TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => this.visit_ts_namespace_declaration(inner),
            TSNamespaceDeclarationBody::TSModuleBlock(block) => {
                for statement in &block.body {
                    match statement {
                        Statement::ExportDeclaration(export) => this.visit_declaration(&export.declaration),
                        statement => this.visit_statement(statement),
                    }
                }
            }
        });
    }

    fn visit_ts_external_module_declaration(&mut self, _: &TSExternalModuleDeclaration<'a>) {}

    fn visit_ts_global_declaration(&mut self, _: &TSGlobalDeclaration<'a>) {}

    fn visit_ts_import_equals_declaration(&mut self, it: &TSImportEqualsDeclaration<'a>) {
        self.fail(Failure::unsupported(it.span.start, "`import x = ...` is not supported"));
    }

    fn visit_ts_export_assignment(&mut self, it: &TSExportAssignment<'a>) {
        self.fail(Failure::unsupported(it.span.start, "`export =` is not supported"));
    }

    fn visit_import_declaration(&mut self, it: &ImportDeclaration<'a>) {
        let types_only = it.import_kind == ImportOrExportKind::Type
            || it.specifiers.as_ref().is_some_and(|specifiers| {
                !specifiers.is_empty()
                    && specifiers.iter().all(|specifier| {
                        matches!(specifier, ImportDeclarationSpecifier::ImportSpecifier(s) if s.import_kind == ImportOrExportKind::Type)
                    })
            });
        if !types_only {
            self.module_syntax(it.span);
        }
    }

    fn visit_export_declaration(&mut self, it: &ExportDeclaration<'a>) {
        match &it.declaration {
            Declaration::TSTypeAliasDeclaration(_) | Declaration::TSInterfaceDeclaration(_) => {}
            _ => self.module_syntax(it.span),
        }
    }

    fn visit_export_named_declaration(&mut self, it: &ExportNamedDeclaration<'a>) {
        if it.export_kind != ImportOrExportKind::Type && !it.specifiers.is_empty() {
            self.module_syntax(it.span);
        }
    }

    fn visit_export_from_declaration(&mut self, it: &ExportFromDeclaration<'a>) {
        if it.export_kind != ImportOrExportKind::Type {
            self.module_syntax(it.span);
        }
    }

    fn visit_export_all_declaration(&mut self, it: &ExportAllDeclaration<'a>) {
        if it.export_kind != ImportOrExportKind::Type {
            self.module_syntax(it.span);
        }
    }

    fn visit_export_default_declaration(&mut self, it: &ExportDefaultDeclaration<'a>) {
        // The entry calls the one function that a program consists of; anything else is a module.
        match &it.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(function) if function.body.is_some() => {
                self.visit_function(function, ScopeFlags::Function);
            }
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => {}
            ExportDefaultDeclarationKind::ClassDeclaration(_) => self.module_syntax(it.span),
            declaration => match declaration.as_expression() {
                Some(expression) => self.visit_expression(expression),
                None => self.module_syntax(it.span),
            },
        }
    }

    fn visit_import_expression(&mut self, it: &ImportExpression<'a>) {
        self.fail(Failure::unsupported(it.span.start, "import() is not supported: call tools instead"));
    }

    fn visit_import_meta(&mut self, it: &ImportMeta) {
        self.fail(Failure::syntax(it.span.start, "Cannot use 'import.meta' outside a module"));
    }

    fn visit_decorator(&mut self, it: &Decorator<'a>) {
        self.fail(Failure::unsupported(it.span.start, "Decorators are not supported"));
    }
}

impl<'a> Collector<'a> {
    /// A var with an initialiser is assigned where it stands.
    fn var_writes(&mut self, pattern: &BindingPattern<'a>) {
        for identifier in pattern.get_binding_identifiers() {
            let name = identifier.name.as_str();
            self.collected.plan.references.push(Reference {
                name,
                scope: self.scope,
                offset: identifier.span.start,
                is_write: true,
                binding: None,
                checked: false,
            });
        }
    }
}
