//! `%` and `**`.

/// [Number::remainder](https://tc39.es/ecma262/#sec-numeric-types-number-remainder)
#[inline]
pub fn remainder(dividend: f64, divisor: f64) -> f64 {
    // Integers that a double holds exactly are divided as integers, which is many times faster than fmod.
    const LIMIT: f64 = 9_007_199_254_740_992.0;
    if dividend >= 0.0 && dividend < LIMIT && divisor > 0.0 && divisor < LIMIT {
        let (integer_dividend, integer_divisor) = (dividend as u64, divisor as u64);
        if integer_dividend as f64 == dividend && integer_divisor as f64 == divisor {
            // The sign of a zero result is that of the dividend, which is positive unless it is -0.
            let result = (integer_dividend % integer_divisor) as f64;
            return if dividend == 0.0 { dividend } else { result };
        }
    }
    libm::fmod(dividend, divisor)
}

/// [Number::exponentiate](https://tc39.es/ecma262/#sec-numeric-types-number-exponentiate)
pub fn pow(base: f64, exponent: f64) -> f64 {
    if exponent.is_nan() {
        return f64::NAN;
    }
    if exponent == 0.0 {
        return 1.0;
    }
    // IEEE 754 says 1 here.
    if base.abs() == 1.0 && exponent.is_infinite() {
        return f64::NAN;
    }
    // Exact where the result is; also much faster for the common small exponents.
    if exponent == 2.0 {
        return base * base;
    }
    if exponent == 1.0 {
        return base;
    }
    if exponent.abs() <= GREATEST_INTEGER_EXPONENT
        && exponent.trunc() == exponent
        && let Some(power) = integer_pow(base, exponent as i32)
    {
        return power;
    }
    libm::pow(base, exponent)
}

/// Powers up to this one are computed by multiplication.
const GREATEST_INTEGER_EXPONENT: f64 = 512.0;

/// The power with twice the precision of a double until the end, so that the result is the nearest Number in all but very rare
/// cases: `10 ** -4` is 0.0001. `None` when the result or an intermediate product leaves the range where this works.
fn integer_pow(base: f64, exponent: i32) -> Option<f64> {
    const RANGE: std::ops::RangeInclusive<f64> = 1e-140..=1e290;
    let mut result = Double2 { high: 1.0, low: 0.0 };
    let mut square = Double2 { high: base, low: 0.0 };
    let mut rest = exponent.unsigned_abs();
    loop {
        if rest & 1 == 1 {
            result = result.times(square);
        }
        rest >>= 1;
        if rest == 0 {
            break;
        }
        if !RANGE.contains(&square.high.abs()) || square.high.abs() > 1e145 {
            return None;
        }
        square = square.times(square);
    }
    if !RANGE.contains(&result.high.abs()) {
        return None;
    }
    Some(if exponent < 0 { result.reciprocal() } else { result.high + result.low })
}

/// The unevaluated sum of two doubles, the second at most half a unit in the last place of the first.
#[derive(Clone, Copy)]
struct Double2 {
    high: f64,
    low: f64,
}

impl Double2 {
    fn times(self, other: Double2) -> Double2 {
        let (product, error) = exact_product(self.high, other.high);
        let error = error + (self.high * other.low + self.low * other.high);
        let high = product + error;
        Double2 { high, low: error - (high - product) }
    }

    fn reciprocal(self) -> f64 {
        let quotient = 1.0 / self.high;
        let (product, error) = exact_product(quotient, self.high);
        let remainder = ((1.0 - product) - error) - quotient * self.low;
        quotient + remainder / self.high
    }
}

/// A product and its rounding error, by splitting both factors into halves whose products are exact.
fn exact_product(left: f64, right: f64) -> (f64, f64) {
    fn split(number: f64) -> (f64, f64) {
        let scaled = number * 134_217_729.0;
        let high = scaled - (scaled - number);
        (high, number - high)
    }
    let product = left * right;
    let ((left_high, left_low), (right_high, right_low)) = (split(left), split(right));
    let error =
        ((left_high * right_high - product) + left_high * right_low + left_low * right_high) + left_low * right_low;
    (product, error)
}
