//! Sums of Numbers that are rounded once, at the end.

use num_bigint::{BigInt, Sign};

/// A sum of Numbers without rounding errors, for [Math.sumPrecise](https://tc39.es/ecma262/#sec-math.sumprecise).
#[derive(Debug, Clone)]
pub struct ExactSum {
    /// The finite summands as a multiple of 2^-1074, which every finite Number is.
    sum: BigInt,
    has_nan: bool,
    has_infinity: bool,
    has_negative_infinity: bool,
    /// Nothing but -0 was added so far.
    only_negative_zeros: bool,
}

impl Default for ExactSum {
    fn default() -> Self {
        ExactSum {
            sum: BigInt::ZERO,
            has_nan: false,
            has_infinity: false,
            has_negative_infinity: false,
            only_negative_zeros: true,
        }
    }
}

impl ExactSum {
    /// Adds a Number.
    pub fn add(&mut self, number: f64) {
        self.has_nan |= number.is_nan();
        self.has_infinity |= number == f64::INFINITY;
        self.has_negative_infinity |= number == f64::NEG_INFINITY;
        self.only_negative_zeros &= number == 0.0 && number.is_sign_negative();
        if !number.is_finite() || number == 0.0 {
            return;
        }
        let bits = number.to_bits();
        let biased = bits >> 52 & 0x7FF;
        let fraction = bits & ((1 << 52) - 1);
        let (mantissa, shift) = if biased == 0 { (fraction, 0) } else { (fraction | 1 << 52, biased - 1) };
        let magnitude = BigInt::from(mantissa) << shift;
        if number < 0.0 {
            self.sum -= magnitude;
        } else {
            self.sum += magnitude;
        }
    }

    /// The Number nearest to the sum, ties to even; -0 when only -0 or nothing was added.
    pub fn total(&self) -> f64 {
        if self.has_nan || self.has_infinity && self.has_negative_infinity {
            return f64::NAN;
        }
        if self.has_infinity {
            return f64::INFINITY;
        }
        if self.has_negative_infinity {
            return f64::NEG_INFINITY;
        }
        if self.only_negative_zeros {
            return -0.0;
        }
        // The upper 64 bits with a sticky bit round correctly; what is below 2^-1074 does not exist.
        let bits = self.sum.bits();
        let shift = bits.saturating_sub(64);
        let magnitude = self.sum.magnitude();
        let top = (magnitude >> shift).iter_u64_digits().next().unwrap_or(0);
        let sticky = shift > 0 && magnitude.trailing_zeros().is_some_and(|zeros| zeros < shift);
        let rounded = libm::ldexp((top | u64::from(sticky)) as f64, shift as i32 - 1074);
        if self.sum.sign() == Sign::Minus { -rounded } else { rounded }
    }
}

#[cfg(test)]
mod tests {
    use super::ExactSum;

    fn sum(numbers: &[f64]) -> f64 {
        let mut sum = ExactSum::default();
        numbers.iter().for_each(|&number| sum.add(number));
        sum.total()
    }

    #[test]
    fn sums() {
        assert_eq!(sum(&[1e20, 0.1, -1e20]), 0.1);
        assert_eq!(sum(&[0.1; 10]), 1.0);
        assert_eq!(sum(&[f64::MAX, f64::MAX, -f64::MAX]), f64::MAX);
        assert_eq!(sum(&[f64::MAX, f64::MAX]), f64::INFINITY);
        assert_eq!(sum(&[5e-324, 5e-324]), 1e-323);
        assert_eq!(sum(&[1e308, 5e-324, -1e308]), 5e-324);
        assert_eq!(sum(&[1.0, f64::EPSILON / 2.0, 5e-324]), 1.0 + f64::EPSILON);
        assert_eq!(sum(&[1.0, f64::EPSILON / 2.0]), 1.0);
        assert_eq!(sum(&[f64::INFINITY, 1.0]), f64::INFINITY);
        assert!(sum(&[f64::INFINITY, f64::NEG_INFINITY]).is_nan());
        assert_eq!(sum(&[]).to_bits(), (-0.0_f64).to_bits());
        assert_eq!(sum(&[-0.0, -0.0]).to_bits(), (-0.0_f64).to_bits());
        assert_eq!(sum(&[-0.0, 0.0]).to_bits(), 0);
        assert_eq!(sum(&[1.0, -1.0]).to_bits(), 0);
    }
}
