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
    libm::pow(base, exponent)
}
