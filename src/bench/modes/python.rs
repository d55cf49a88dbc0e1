//! How Python writes a value, where a rule sorts by what it writes.

use std::fmt::Write as _;

use crate::db::Value;

/// `str(x) + str(type(x))`, by which Spider's test suite sorts the values of a row.
pub(super) fn text_and_type(value: &Value) -> String {
    match value {
        Value::Null => "None<class 'NoneType'>".to_owned(),
        Value::Integer(number) => format!("{number}<class 'int'>"),
        Value::Real(number) => format!("{}<class 'float'>", float(*number)),
        Value::Text(text) => format!("{text}<class 'str'>"),
        Value::Blob(bytes) | Value::InvalidText(bytes) => format!("{}<class 'bytes'>", self::bytes(bytes)),
    }
}

/// `repr(x)` of a float: the shortest digits that read back, with an exponent below 1e-4 and from 1e16.
fn float(number: f64) -> String {
    if number.is_nan() {
        return "nan".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let scientific = format!("{number:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..16).contains(&exponent) {
        let plain = number.to_string();
        return if plain.contains('.') { plain } else { plain + ".0" };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

/// `repr(x)` of bytes.
fn bytes(bytes: &[u8]) -> String {
    let quote = if bytes.contains(&b'\'') && !bytes.contains(&b'"') { '"' } else { '\'' };
    let mut text = format!("b{quote}");
    for byte in bytes {
        match byte {
            b'\t' => text.push_str("\\t"),
            b'\n' => text.push_str("\\n"),
            b'\r' => text.push_str("\\r"),
            b'\\' => text.push_str("\\\\"),
            b if char::from(*b) == quote => {
                text.push('\\');
                text.push(quote);
            }
            0x20..0x7f => text.push(char::from(*byte)),
            _ => {
                let _ = write!(text, "\\x{byte:02x}");
            }
        }
    }
    text.push(quote);
    text
}

/// `round(x, 2)`: the nearest number of two decimals, by the exact value of the float; a tie goes to the even digit.
pub(super) fn round_to_2(number: f64) -> f64 {
    // Formatting is exact and takes ties to even, as Python's own conversion does.
    format!("{number:.2}").parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_python_writes_them() {
        // Each as CPython 3.11 prints it.
        for (number, written) in [
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (0.1, "0.1"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (123_456_789_012_345_680.0, "1.2345678901234568e+17"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (-1.5e-7, "-1.5e-07"),
            (1e100, "1e+100"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(float(number), written);
        }
        assert_eq!(bytes(b"a'\x00\xff\\\n"), r#"b"a'\x00\xff\\\n""#);
        assert_eq!(bytes(b"'\""), r#"b'\'"'"#);
        assert_eq!(text_and_type(&Value::Integer(1)), "1<class 'int'>");
        assert_eq!(text_and_type(&Value::Null), "None<class 'NoneType'>");
    }

    #[test]
    fn numbers_are_rounded_as_python_rounds_them() {
        // 0.125 and 0.375 are exact, so the tie goes to the even digit; 2.675 is a little less, 1.005 too.
        for (number, rounded) in [
            (0.125, 0.12),
            (0.375, 0.38),
            (2.675, 2.67),
            (1.005, 1.0),
            (2.665, 2.67),
            (-0.125, -0.12),
            (-0.001, 0.0),
            (1e300, 1e300),
            (5.0, 5.0),
        ] {
            assert_eq!(round_to_2(number), rounded, "{number}");
        }
        assert_eq!(round_to_2(f64::INFINITY), f64::INFINITY);
    }
}
