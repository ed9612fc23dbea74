//! Operators on operands that are not both numbers: coercions, strings and BigInts.

use std::cmp::Ordering;

use crate::bigint::{self, BigIntError};
use crate::operations::Hint;
use crate::string::MAX_STRING_LENGTH;
use crate::value::Value;
use crate::vm::{Completion, Thrown, Vm};

/// A Numeric: what ToNumeric gives, <https://tc39.es/ecma262/#sec-tonumeric>.
enum Operands {
    Numbers(f64, f64),
    BigInts(num_bigint::BigInt, num_bigint::BigInt),
}

impl Vm {
    /// The `+` operator: ApplyStringOrNumericBinaryOperator <https://tc39.es/ecma262/#sec-applystringornumericbinaryoperator>
    #[inline(never)]
    pub(crate) fn add(&mut self, left: Value, right: Value) -> Completion<Value> {
        if let (Some(a), Some(b)) = (left.as_string(), right.as_string()) {
            return self.concat(a, b);
        }
        let saved = self.roots.len();
        self.root(left);
        self.root(right);
        let result = self.add_slow(left, right);
        self.roots.truncate(saved);
        result
    }

    fn add_slow(&mut self, left: Value, right: Value) -> Completion<Value> {
        let left = if left.is_object() { self.to_primitive(left, Hint::Default)? } else { left };
        self.root(left);
        let right = if right.is_object() { self.to_primitive(right, Hint::Default)? } else { right };
        self.root(right);
        if left.is_string() || right.is_string() {
            let a = self.to_string(left)?;
            self.root(a);
            let b = self.to_string(right)?;
            return self.concat(a, b);
        }
        match self.numeric_operands(left, right)? {
            Operands::Numbers(x, y) => Ok(Value::number(x + y)),
            Operands::BigInts(x, y) => self.bigint_result(bigint::add(&x, &y)),
        }
    }

    /// Concatenates two strings.
    ///
    /// # Errors
    /// RangeError when the result is too long.
    pub fn concat(&mut self, a: crate::heap::Gc<crate::string::JsString>, b: crate::heap::Gc<crate::string::JsString>) -> Completion<Value> {
        match self.heap.concat(a, b) {
            Ok(string) => Ok(Value::string(string)),
            Err(_) => Err(self.throw_range_error("Invalid string length")),
        }
    }

    pub(crate) fn subtract(&mut self, left: Value, right: Value) -> Completion<Value> {
        self.numeric(left, right, |x, y| x - y, bigint::subtract)
    }

    pub(crate) fn multiply(&mut self, left: Value, right: Value) -> Completion<Value> {
        self.numeric(left, right, |x, y| x * y, bigint::multiply)
    }

    pub(crate) fn divide(&mut self, left: Value, right: Value) -> Completion<Value> {
        self.numeric(left, right, |x, y| x / y, bigint::divide)
    }

    pub(crate) fn remainder(&mut self, left: Value, right: Value) -> Completion<Value> {
        self.numeric(left, right, crate::number::remainder, bigint::remainder)
    }

    pub(crate) fn exponentiate(&mut self, left: Value, right: Value) -> Completion<Value> {
        self.numeric(left, right, crate::number::pow, bigint::exponentiate)
    }

    pub(crate) fn bit_and(&mut self, left: Value, right: Value) -> Completion<Value> {
        self.integral(left, right, |x, y| Value::int(x & y), bigint::bitwise_and)
    }

    pub(crate) fn bit_or(&mut self, left: Value, right: Value) -> Completion<Value> {
        self.integral(left, right, |x, y| Value::int(x | y), bigint::bitwise_or)
    }

    pub(crate) fn bit_xor(&mut self, left: Value, right: Value) -> Completion<Value> {
        self.integral(left, right, |x, y| Value::int(x ^ y), bigint::bitwise_xor)
    }

    pub(crate) fn shift_left(&mut self, left: Value, right: Value) -> Completion<Value> {
        self.integral(left, right, |x, y| Value::int(x.wrapping_shl(y as u32)), bigint::left_shift)
    }

    pub(crate) fn shift_right(&mut self, left: Value, right: Value) -> Completion<Value> {
        self.integral(left, right, |x, y| Value::int(x.wrapping_shr(y as u32)), bigint::signed_right_shift)
    }

    pub(crate) fn unsigned_shift_right(&mut self, left: Value, right: Value) -> Completion<Value> {
        let saved = self.roots.len();
        self.root(left);
        self.root(right);
        let operands = self.numeric_operands(left, right);
        self.roots.truncate(saved);
        match operands? {
            Operands::Numbers(x, y) => {
                Ok(Value::from(crate::number::to_uint32(x).wrapping_shr(crate::number::to_uint32(y))))
            }
            Operands::BigInts(..) => Err(self.throw_type_error("BigInts have no unsigned right shift, use >> instead")),
        }
    }

    pub(crate) fn negate(&mut self, value: Value) -> Completion<Value> {
        let value = self.to_numeric_value(value)?;
        match value.as_bigint() {
            Some(x) => {
                let negated = bigint::negate(&self.heap[x].0);
                Ok(self.heap.new_bigint(negated))
            }
            None => Ok(Value::number(-value.as_number().unwrap_or(f64::NAN))),
        }
    }

    pub(crate) fn bit_not(&mut self, value: Value) -> Completion<Value> {
        let value = self.to_numeric_value(value)?;
        match value.as_bigint() {
            Some(x) => {
                let inverted = bigint::bitwise_not(&self.heap[x].0);
                self.bigint_result(inverted)
            }
            None => Ok(Value::int(!crate::number::to_int32(value.as_number().unwrap_or(f64::NAN)))),
        }
    }

    /// `++` and `--` of a value that is no Number.
    pub(crate) fn increment(&mut self, value: Value, by: i32) -> Completion<Value> {
        let value = self.to_numeric_value(value)?;
        match value.as_bigint() {
            Some(x) => {
                let sum = &self.heap[x].0 + by;
                self.bigint_result(Ok(sum))
            }
            None => Ok(Value::number(value.as_number().unwrap_or(f64::NAN) + f64::from(by))),
        }
    }

    /// ToNumeric ( value ) <https://tc39.es/ecma262/#sec-tonumeric>: a Number or BigInt value.
    pub(crate) fn to_numeric_value(&mut self, value: Value) -> Completion<Value> {
        let primitive = if value.is_object() { self.to_primitive(value, Hint::Number)? } else { value };
        if primitive.is_bigint() || primitive.is_number() {
            return Ok(primitive);
        }
        self.to_number(primitive).map(Value::number)
    }

    pub(crate) fn less_than(&mut self, left: Value, right: Value) -> Completion<bool> {
        Ok(self.compare(left, right, true)? == Some(Ordering::Less))
    }

    pub(crate) fn greater_than(&mut self, left: Value, right: Value) -> Completion<bool> {
        Ok(self.compare(left, right, true)? == Some(Ordering::Greater))
    }

    pub(crate) fn less_or_equal(&mut self, left: Value, right: Value) -> Completion<bool> {
        Ok(matches!(self.compare(left, right, true)?, Some(Ordering::Less | Ordering::Equal)))
    }

    pub(crate) fn greater_or_equal(&mut self, left: Value, right: Value) -> Completion<bool> {
        Ok(matches!(self.compare(left, right, true)?, Some(Ordering::Greater | Ordering::Equal)))
    }

    /// IsLessThan <https://tc39.es/ecma262/#sec-islessthan>, for all four operators: operands are coerced left to right, which is
    /// what each operator's evaluation order amounts to. None: undefined (NaN).
    fn compare(&mut self, left: Value, right: Value, _left_first: bool) -> Completion<Option<Ordering>> {
        if let (Some(a), Some(b)) = (left.as_string(), right.as_string()) {
            return Ok(Some(self.heap.compare_strings(a, b)));
        }
        let saved = self.roots.len();
        self.root(left);
        self.root(right);
        let result = self.compare_slow(left, right);
        self.roots.truncate(saved);
        result
    }

    fn compare_slow(&mut self, left: Value, right: Value) -> Completion<Option<Ordering>> {
        let left = if left.is_object() { self.to_primitive(left, Hint::Number)? } else { left };
        self.root(left);
        let right = if right.is_object() { self.to_primitive(right, Hint::Number)? } else { right };
        self.root(right);
        if let (Some(a), Some(b)) = (left.as_string(), right.as_string()) {
            return Ok(Some(self.heap.compare_strings(a, b)));
        }
        if let (Some(a), Some(b)) = (left.as_bigint(), right.as_string()) {
            let parsed = bigint::parse(self.heap.flat_view(b));
            return Ok(parsed.map(|b| self.heap[a].0.cmp(&b)));
        }
        if let (Some(a), Some(b)) = (left.as_string(), right.as_bigint()) {
            let parsed = bigint::parse(self.heap.flat_view(a));
            return Ok(parsed.map(|a| a.cmp(&self.heap[b].0)));
        }
        let left = self.to_numeric_value(left)?;
        let right = self.to_numeric_value(right)?;
        Ok(match (left.as_bigint(), right.as_bigint()) {
            (Some(a), Some(b)) => Some(self.heap[a].0.cmp(&self.heap[b].0)),
            (Some(a), None) => bigint::compare_f64(&self.heap[a].0, right.as_number().unwrap_or(f64::NAN)),
            (None, Some(b)) => {
                bigint::compare_f64(&self.heap[b].0, left.as_number().unwrap_or(f64::NAN)).map(Ordering::reverse)
            }
            (None, None) => {
                left.as_number().unwrap_or(f64::NAN).partial_cmp(&right.as_number().unwrap_or(f64::NAN))
            }
        })
    }

    /// Concatenation of the strings in `count` registers from stack index `first` on.
    pub(crate) fn concat_strings(&mut self, first: usize, count: usize) -> Completion<Value> {
        let mut total = 0usize;
        for index in first..first + count {
            if let Some(string) = self.stack[index].as_string() {
                total += self.heap.string_length(string);
            }
        }
        if total > MAX_STRING_LENGTH as usize {
            return Err(self.throw_range_error("Invalid string length"));
        }
        if count == 2 || total > 256 {
            let mut result = self.heap.empty_string();
            for index in first..first + count {
                if let Some(string) = self.stack[index].as_string() {
                    match self.heap.concat(result, string) {
                        Ok(joined) => result = joined,
                        Err(_) => return Err(self.throw_range_error("Invalid string length")),
                    }
                }
            }
            return Ok(Value::string(result));
        }
        let mut builder = crate::string::StringBuilder::with_capacity(total);
        for index in first..first + count {
            if let Some(string) = self.stack[index].as_string() {
                builder.push_string(&mut self.heap, string);
            }
        }
        match builder.finish(&mut self.heap) {
            Ok(string) => Ok(Value::string(string)),
            Err(_) => Err(self.throw_range_error("Invalid string length")),
        }
    }

    fn numeric(
        &mut self,
        left: Value,
        right: Value,
        numbers: impl FnOnce(f64, f64) -> f64,
        bigints: impl FnOnce(&num_bigint::BigInt, &num_bigint::BigInt) -> Result<num_bigint::BigInt, BigIntError>,
    ) -> Completion<Value> {
        let saved = self.roots.len();
        self.root(left);
        self.root(right);
        let operands = self.numeric_operands(left, right);
        self.roots.truncate(saved);
        match operands? {
            Operands::Numbers(x, y) => Ok(Value::number(numbers(x, y))),
            Operands::BigInts(x, y) => {
                let result = bigints(&x, &y);
                self.bigint_result(result)
            }
        }
    }

    fn integral(
        &mut self,
        left: Value,
        right: Value,
        numbers: impl FnOnce(i32, i32) -> Value,
        bigints: impl FnOnce(&num_bigint::BigInt, &num_bigint::BigInt) -> Result<num_bigint::BigInt, BigIntError>,
    ) -> Completion<Value> {
        let saved = self.roots.len();
        self.root(left);
        self.root(right);
        let operands = self.numeric_operands(left, right);
        self.roots.truncate(saved);
        match operands? {
            Operands::Numbers(x, y) => Ok(numbers(crate::number::to_int32(x), crate::number::to_int32(y))),
            Operands::BigInts(x, y) => {
                let result = bigints(&x, &y);
                self.bigint_result(result)
            }
        }
    }

    /// ToNumeric on both operands, which must be of one type.
    fn numeric_operands(&mut self, left: Value, right: Value) -> Completion<Operands> {
        let left = self.to_numeric_value(left)?;
        self.root(left);
        let right = self.to_numeric_value(right)?;
        match (left.as_bigint(), right.as_bigint()) {
            (Some(a), Some(b)) => Ok(Operands::BigInts(self.heap[a].0.clone(), self.heap[b].0.clone())),
            (None, None) => Ok(Operands::Numbers(left.as_number().unwrap_or(f64::NAN), right.as_number().unwrap_or(f64::NAN))),
            _ => Err(self.throw_type_error("Cannot mix BigInt and other types, use explicit conversions")),
        }
    }

    fn bigint_result(&mut self, result: Result<num_bigint::BigInt, BigIntError>) -> Completion<Value> {
        match result {
            Ok(value) => Ok(self.heap.new_bigint(value)),
            Err(error) => Err(self.throw_bigint_error(error)),
        }
    }

    fn throw_bigint_error(&mut self, error: BigIntError) -> Thrown {
        self.throw_range_error(error.message())
    }
}
