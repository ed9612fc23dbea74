//! Calls and construction.

use codemode_bytecode::{NO_STRING, Opcode};
use oxc_ast::ast::*;
use oxc_span::GetSpan;

use super::{Lowering, member::static_key};
use crate::{emit::Register, error::Result, scope::ScopeId};

/// Most arguments that are passed in registers; calls with more pass an array.
const MAX_WINDOW_ARGUMENTS: usize = 60;

impl<'a> Lowering<'a> {
    pub(super) fn call(&mut self, call: &CallExpression<'a>, to: Register) -> Result<()> {
        if call.callee.is_super() {
            return self.super_call(call, to);
        }
        if self.options.self_hosted && self.intrinsic_call(call, to)? {
            return Ok(());
        }
        let window = self.f.temps(2)?;
        let mark = self.f.mark();
        let offset = self.callee(&call.callee, window)?;
        self.f.release(mark);
        if call.optional {
            self.optional(window);
        }
        let text = self.rendered(&call.callee);
        self.arguments_and_call(&call.arguments, window, to, offset, [Opcode::Call, Opcode::CallSpread], text)
    }

    /// Evaluates a callee into a window: function and this. Gives the offset that a stack frame shows.
    pub(super) fn callee(&mut self, callee: &Expression<'a>, window: Register) -> Result<u32> {
        let (function, this) = (window, window + 1);
        // Type assertions do not detach a method from its object.
        match callee.get_inner_expression() {
            Expression::StaticMemberExpression(member) => {
                let offset = member.property.span.start;
                if member.object.is_super() {
                    let target = self.super_member(Some(member.property.name.as_str()), None, offset)?;
                    self.get_member(&target, function)?;
                    self.this(offset, this)?;
                } else {
                    self.expression_to(&member.object, this)?;
                    if member.optional {
                        self.optional(this);
                    }
                    self.get_named(function, this, member.property.name.as_str(), offset);
                }
                Ok(offset)
            }
            Expression::ComputedMemberExpression(member) => {
                let offset = member.expression.span().start;
                if member.object.is_super() {
                    let target = self.super_member(None, Some(&member.expression), offset)?;
                    self.get_member(&target, function)?;
                    self.this(offset, this)?;
                    return Ok(offset);
                }
                self.expression_to(&member.object, this)?;
                if member.optional {
                    self.optional(this);
                }
                if let Some(name) = static_key(&member.expression) {
                    self.get_named(function, this, &name, offset);
                } else {
                    let mark = self.f.mark();
                    let key = self.operand(&member.expression, None)?;
                    self.f.release(mark);
                    self.f.at(offset);
                    self.f.emit(Opcode::GetElem, function, this, key, 0);
                }
                Ok(offset)
            }
            Expression::PrivateFieldExpression(member) => {
                let offset = member.field.span.start;
                self.expression_to(&member.object, this)?;
                if member.optional {
                    self.optional(this);
                }
                let mark = self.f.mark();
                let symbol = self.private_symbol(&member.field)?;
                self.f.at(offset);
                let site = self.site(&format!("#{}", member.field.name));
                self.f.emit(Opcode::GetPrivate, function, this, symbol, site);
                self.f.release(mark);
                Ok(offset)
            }
            Expression::ChainExpression(chain) => {
                // `(a?.b)()`: the object is still this.
                self.chain_callee(chain, window)
            }
            inner => {
                self.expression_to(inner, function)?;
                self.f.emit(Opcode::LoadUndefined, this, 0, 0, 0);
                Ok(inner.span().start)
            }
        }
    }

    fn chain_callee(&mut self, chain: &ChainExpression<'a>, window: Register) -> Result<u32> {
        let (exit, end) = (self.f.label(), self.f.label());
        self.chain_exits.push(exit);
        let (function, this) = (window, window + 1);
        let offset = match &chain.expression {
            ChainElement::StaticMemberExpression(member) if !member.object.is_super() => {
                self.expression_to(&member.object, this)?;
                if member.optional {
                    self.optional(this);
                }
                let offset = member.property.span.start;
                self.get_named(function, this, member.property.name.as_str(), offset);
                offset
            }
            ChainElement::ComputedMemberExpression(member) if !member.object.is_super() => {
                self.expression_to(&member.object, this)?;
                if member.optional {
                    self.optional(this);
                }
                let mark = self.f.mark();
                let key = self.operand(&member.expression, None)?;
                self.f.release(mark);
                let offset = member.expression.span().start;
                self.f.at(offset);
                self.f.emit(Opcode::GetElem, function, this, key, 0);
                offset
            }
            ChainElement::TSNonNullExpression(node) => self.callee(&node.expression, window)?,
            ChainElement::CallExpression(call) => {
                self.call(call, function)?;
                self.f.emit(Opcode::LoadUndefined, this, 0, 0, 0);
                call.span.start
            }
            _ => {
                let mark = self.f.mark();
                match &chain.expression {
                    ChainElement::StaticMemberExpression(member) => self.static_member(member, function)?,
                    ChainElement::ComputedMemberExpression(member) => self.computed_member(member, function)?,
                    ChainElement::PrivateFieldExpression(member) => {
                        self.expression_to(&member.object, this)?;
                        if member.optional {
                            self.optional(this);
                        }
                        let symbol = self.private_symbol(&member.field)?;
                        self.f.at(member.field.span.start);
                        let site = self.site(&format!("#{}", member.field.name));
                        self.f.emit(Opcode::GetPrivate, function, this, symbol, site);
                    }
                    _ => {}
                }
                self.f.release(mark);
                chain.span.start
            }
        };
        self.chain_exits.pop();
        self.f.jump(Opcode::Jump, 0, 0, 0, end);
        self.f.bind(exit);
        self.f.emit(Opcode::LoadUndefined, function, 0, 0, 0);
        self.f.emit(Opcode::LoadUndefined, this, 0, 0, 0);
        self.f.bind(end);
        Ok(offset)
    }

    /// Evaluates the arguments behind a window of two registers at the top, and calls.
    pub(super) fn arguments_and_call(
        &mut self,
        arguments: &[Argument<'a>],
        window: Register,
        to: Register,
        offset: u32,
        [plain, spread]: [Opcode; 2],
        text: u32,
    ) -> Result<()> {
        if arguments.len() > MAX_WINDOW_ARGUMENTS || arguments.iter().any(Argument::is_spread) {
            let array = self.f.temp()?;
            self.argument_array(arguments, array)?;
            self.f.at(offset);
            self.f.emit(spread, to, window, 0, text);
            return Ok(());
        }
        for argument in arguments {
            let register = self.f.temp()?;
            if let Some(expression) = argument.as_expression() {
                self.expression_to(expression, register)?;
            }
        }
        self.f.at(offset);
        self.f.emit(plain, to, window, arguments.len() as u8, text);
        Ok(())
    }

    /// `R[array]` = array of the arguments.
    fn argument_array(&mut self, arguments: &[Argument<'a>], array: Register) -> Result<()> {
        let leading = arguments.iter().take_while(|argument| !argument.is_spread()).count().min(16);
        let mark = self.f.mark();
        let first = self.f.temps(leading)?;
        for (index, argument) in arguments[..leading].iter().enumerate() {
            if let Some(expression) = argument.as_expression() {
                self.expression_to(expression, first + index as u8)?;
            }
        }
        self.f.emit(Opcode::NewArray, array, if leading == 0 { array } else { first }, leading as u8, 0);
        self.f.release(mark);
        for argument in &arguments[leading..] {
            match argument {
                Argument::SpreadElement(spread) => self.spread_into(&spread.argument, array)?,
                _ => {
                    if let Some(expression) = argument.as_expression() {
                        let mark = self.f.mark();
                        let value = self.operand(expression, None)?;
                        self.f.emit(Opcode::ArrayPush, array, value, 0, 0);
                        self.f.release(mark);
                    }
                }
            }
        }
        Ok(())
    }

    /// Appends the elements of an iterable to an array under construction.
    pub(super) fn spread_into(&mut self, iterable: &Expression<'a>, array: Register) -> Result<()> {
        let mark = self.f.mark();
        let source = self.operand(iterable, None)?;
        let end = self.f.label();
        self.f.at(iterable.span().start);
        self.f.jump(Opcode::ArraySpread, array, source, 0, end);
        let record = self.f.temps(3)?;
        let value = self.f.temp()?;
        let text = self.rendered(iterable);
        self.f.emit(Opcode::GetIterator, record, source, 0, text);
        let top = self.f.label();
        self.f.bind(top);
        self.f.jump(Opcode::IteratorNext, record, value, 0, end);
        self.f.emit(Opcode::ArrayPush, array, value, 0, 0);
        self.f.jump(Opcode::JumpLoop, 0, 0, 0, top);
        self.f.bind(end);
        self.f.release(mark);
        Ok(())
    }

    pub(super) fn new_expression(&mut self, new: &NewExpression<'a>, to: Register) -> Result<()> {
        let window = self.f.temps(2)?;
        self.expression_to(&new.callee, window)?;
        self.f.move_register(window + 1, window);
        let text = self.rendered(&new.callee);
        self.arguments_and_call(&new.arguments, window, to, new.span.start, [Opcode::New, Opcode::NewSpread], text)
    }

    /// Whether a root scope is the constructor of a class with heritage.
    pub(super) fn is_derived_constructor(&self, root: ScopeId) -> bool {
        self.classes.iter().any(|class| class.is_derived && class.constructor == Some(root))
    }

    /// `super(...)`: SuperCall (<https://tc39.es/ecma262/#sec-super-keyword-runtime-semantics-evaluation>).
    fn super_call(&mut self, call: &CallExpression<'a>, to: Register) -> Result<()> {
        let owner = self.plan.this_root(self.scope);
        if !self.is_derived_constructor(owner) {
            return self.fail(call.span.start, "'super' keyword unexpected here");
        }
        let window = self.f.temps(2)?;
        self.pseudo_to("%callee", window, Opcode::LoadCallee)?;
        self.f.at(call.span.start);
        self.f.emit(Opcode::GetPrototype, window, window, 0, 0);
        self.new_target(window + 1)?;
        let mark = self.f.mark();
        self.arguments_and_call(
            &call.arguments,
            window,
            window,
            call.span.start,
            [Opcode::New, Opcode::NewSpread],
            NO_STRING,
        )?;
        self.f.release(mark);
        self.bind_this(owner, window)?;
        self.f.move_register(to, window);
        Ok(())
    }

    /// Binds this of the derived constructor `owner` to `R[this]` and initialises its fields.
    pub(super) fn bind_this(&mut self, owner: ScopeId, this: Register) -> Result<()> {
        let here = self.plan.scope(self.scope).root;
        let captured = self.plan.scope(owner).names.get("this").copied();
        let mark = self.f.mark();
        let temp = self.f.temp()?;
        let by_binding = here != owner || self.plan.function(owner).super_call_in_arrow;
        if let (true, Some(binding)) = (by_binding, captured) {
            self.load_binding(binding, false, temp)?;
            self.f.emit(Opcode::CheckThisUnbound, temp, 0, 0, 0);
        }
        if here == owner {
            self.f.emit(Opcode::BindThis, this, 0, 0, 0);
        }
        if let Some(binding) = captured {
            self.initialize(binding, this)?;
        }
        self.parameter_properties(owner, this)?;
        let has_fields = self.classes.iter().rev().find(|class| class.constructor == Some(owner));
        if has_fields.is_some_and(|class| class.has_instance_initializer) {
            self.pseudo_to("%callee", temp, Opcode::LoadCallee)?;
            self.f.emit(Opcode::InitFields, this, temp, 0, 0);
        }
        self.f.release(mark);
        Ok(())
    }
}
