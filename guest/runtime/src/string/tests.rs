use super::*;
use std::cmp::Ordering;

fn text(heap: &mut Heap, string: Gc<JsString>) -> String {
    heap.rust_string(string)
}

#[test]
fn representations_are_the_narrowest() {
    let mut heap = Heap::new();
    for (source, wide) in
        [("", false), ("short", false), ("a longer ASCII text", false), ("grüße an alle Welt", false), ("日本語", true)]
    {
        let string = heap.new_string(source);
        assert_eq!(heap.is_wide(string), wide, "{source}");
        assert_eq!(text(&mut heap, string), source);
        let units: Vec<u16> = source.encode_utf16().collect();
        let same = heap.new_string_utf16(&units);
        assert_eq!(heap.is_wide(same), wide, "{source}");
        assert!(heap.strings_equal(string, same));
        assert_eq!(heap.string_hash(string), heap.string_hash(same));
        assert_eq!(heap.string_length(string), units.len());
    }
}

#[test]
fn ascii_text_is_known_without_reading() {
    let mut heap = Heap::new();
    let long = heap.new_string("an ASCII text that is long enough for a slice");
    assert!(heap.ascii_view(long).is_some());
    let slice = heap.substring(long, 3, 40);
    assert_eq!(heap.ascii_view(slice), Some("ASCII text that is long enough for a "));
    let latin1 = heap.new_string("Ärger mit Umlauten in langem Text");
    assert!(heap.ascii_view(latin1).is_none());
    let short = heap.new_string("abc");
    assert_eq!(heap.ascii_view(short), Some("abc"));
}

#[test]
fn concatenation_and_flattening() {
    let mut heap = Heap::new();
    let (a, b) = (heap.new_string("Hello, "), heap.new_string("Wörld"));
    let short = heap.concat(a, b).unwrap();
    assert!(heap[short].is_flat());
    assert_eq!(text(&mut heap, short), "Hello, Wörld");
    let tail = heap.new_string(" and everything beyond it: 日本");
    let rope = heap.concat(short, tail).unwrap();
    assert!(!heap[rope].is_flat());
    assert!(heap.is_wide(rope));
    assert_eq!(heap.string_length(rope), 41);
    assert_eq!(text(&mut heap, rope), "Hello, Wörld and everything beyond it: 日本");
    assert!(heap[rope].is_flat());
    let empty = heap.empty_string();
    assert_eq!(heap.concat(empty, a), Ok(a));
    assert_eq!(heap.concat(a, empty), Ok(a));
}

#[test]
fn deep_ropes_do_not_overflow() {
    let mut heap = Heap::new();
    let piece = heap.new_string("0123456789abcdef");
    let mut left_deep = piece;
    let mut right_deep = piece;
    for _ in 0..100_000 {
        left_deep = heap.concat(left_deep, piece).unwrap();
        right_deep = heap.concat(piece, right_deep).unwrap();
    }
    assert!(heap.strings_equal(left_deep, right_deep));
    assert_eq!(heap.code_unit_at(left_deep, 1_600_015), Some(u16::from(b'f')));
}

#[test]
fn length_is_limited() {
    let mut heap = Heap::new();
    let mut string = heap.new_string("0123456789abcdef");
    while heap.string_length(string) < MAX_STRING_LENGTH as usize {
        string = heap.concat(string, string).unwrap();
    }
    let one = heap.single_char(u16::from(b'x'));
    assert_eq!(heap.concat(string, one), Err(StringTooLong));
    let mut builder = StringBuilder::new();
    builder.push_string(&mut heap, string);
    assert!(!builder.is_too_long());
    builder.push_unit(0x78);
    assert!(builder.is_too_long());
    assert_eq!(builder.finish(&mut heap), Err(StringTooLong));
}

#[test]
fn substrings() {
    let mut heap = Heap::new();
    let string =
        heap.new_string("The quick brown fox jumps over the lazy dog, twice: 日本 and then there is more Latin text");
    let slice = heap.substring(string, 4, 60);
    assert!(matches!(heap[slice].repr, Repr::Slice { .. }));
    let nested = heap.substring(slice, 6, 52);
    assert!(matches!(heap[nested].repr, Repr::Slice { start: 10, .. }));
    assert!(text(&mut heap, nested).starts_with("brown fox"));
    // All Latin-1: narrow again, so that equal strings have equal representations.
    let narrow = heap.substring(string, 4, 44);
    assert!(!heap.is_wide(narrow));
    assert_eq!(text(&mut heap, narrow), "quick brown fox jumps over the lazy dog,");
    assert_eq!(heap.substring(string, 0, 1000), string);
    let one = heap.substring(string, 0, 1);
    assert_eq!(one, heap.single_char(u16::from(b'T')));
    let empty = heap.substring(string, 5, 2);
    assert_eq!(empty, heap.empty_string());
}

#[test]
fn interning() {
    let mut heap = Heap::new();
    let (a, b) = (heap.new_string("propertyName"), heap.new_string("propertyName"));
    assert_ne!(a, b);
    assert_eq!(heap.intern(a), heap.intern(b));
    assert_eq!(heap.intern_str("propertyName"), heap.intern(b));
    let (left, right) = (heap.new_string("a long left part of it "), heap.new_string("and the right"));
    let rope = heap.concat(left, right).unwrap();
    let atom = heap.intern_str("a long left part of it and the right");
    assert_eq!(heap.intern(rope), atom);
    assert_eq!(heap.find_atom(StrView::Latin1(b"missing")), None);
    let wide = heap.intern_str("ключ");
    let units: Vec<u16> = "ключ".encode_utf16().collect();
    assert_eq!(heap.find_atom(StrView::Utf16(&units)), Some(wide));
    let other = heap.intern_str("other");
    assert!(!heap.strings_equal(wide, other));
}

#[test]
fn interned_slices_do_not_keep_their_parents() {
    let mut heap = Heap::new();
    let parent = heap.new_string(&"some text ".repeat(20));
    let slice = heap.substring(parent, 5, 60);
    let atom = heap.intern(slice);
    assert_ne!(atom, slice);
    assert!(!matches!(heap[atom].repr, Repr::Slice { .. }));
    assert!(heap.strings_equal(atom, slice));
}

#[test]
fn sweeping_forgets_atoms() {
    let mut heap = Heap::new();
    let kept = heap.intern_str("kept");
    heap.intern_str("dropped");
    heap.string_table.sweep(|atom| atom == kept);
    assert_eq!(heap.find_atom(StrView::Latin1(b"kept")), Some(kept));
    assert_eq!(heap.find_atom(StrView::Latin1(b"dropped")), None);
}

fn wide(source: &str) -> Vec<u16> {
    source.encode_utf16().collect()
}

#[test]
fn searching_every_mix_of_widths() {
    let haystack = "abcabcabd";
    let wide_haystack = wide(haystack);
    for needle in ["abd", "a", "abc", "x", "", "abcabcabd", "abcabcabdx"] {
        let wide_needle = wide(needle);
        for from in 0..=10 {
            let expected = haystack.get(from..).and_then(|rest| rest.find(needle)).map(|index| index + from);
            let last = (0..=from.min(9)).rev().find(|&start| haystack[start..].starts_with(needle));
            for haystack in [StrView::Latin1(haystack.as_bytes()), StrView::Utf16(&wide_haystack)] {
                for needle in [StrView::Latin1(needle.as_bytes()), StrView::Utf16(&wide_needle)] {
                    assert_eq!(haystack.index_of(needle, from), expected, "{haystack:?} {needle:?} {from}");
                    assert_eq!(haystack.last_index_of(needle, from), last, "{haystack:?} {needle:?} {from}");
                }
            }
        }
    }
}

#[test]
fn long_needles_in_wide_text() {
    let haystack = wide(&format!("{}é日{}", "ab".repeat(500), "ab".repeat(500)));
    let needle = wide(&format!("{}é日{}", "ab".repeat(20), "ab".repeat(20)));
    assert_eq!(StrView::Utf16(&haystack).index_of(StrView::Utf16(&needle), 0), Some(960));
    assert_eq!(StrView::Utf16(&haystack).last_index_of(StrView::Utf16(&needle), usize::MAX), Some(960));
    let repeated = wide(&"ab".repeat(20));
    assert_eq!(StrView::Utf16(&haystack).index_of(StrView::Utf16(&repeated), 1), Some(2));
    assert_eq!(StrView::Utf16(&haystack).last_index_of(StrView::Utf16(&repeated), usize::MAX), Some(1962));
}

#[test]
fn occurrences() {
    let all =
        |text: &str, needle: &str, limit| StrView::from_ascii(text).occurrences(StrView::from_ascii(needle), limit);
    assert_eq!(all("aXbXc", "X", 10), [1, 3]);
    assert_eq!(all("aXbXc", "X", 1), [1]);
    assert_eq!(all("aaaa", "aa", 10), [0, 2]);
    let wide = wide("日-日-日");
    assert_eq!(StrView::Utf16(&wide).occurrences(StrView::Latin1(b"-"), 10), [1, 3]);
    assert_eq!(StrView::Utf16(&wide).occurrences(StrView::Utf16(&[wide[0]]), 2), [0, 2]);
}

#[test]
fn comparing() {
    let mut heap = Heap::new();
    let mut order = |a: &str, b: &str| {
        let (a, b) = (heap.new_string(a), heap.new_string(b));
        heap.compare_strings(a, b)
    };
    assert_eq!(order("a", "b"), Ordering::Less);
    assert_eq!(order("ab", "a"), Ordering::Greater);
    assert_eq!(order("a", "日"), Ordering::Less);
    assert_eq!(order("日", "ÿÿ"), Ordering::Greater);
    // By code units, not by code points.
    assert_eq!(order("\u{FF61}", "\u{10000}"), Ordering::Greater);
}

fn upper(source: &str) -> String {
    case(source, |view| view.to_upper_case())
}

fn lower(source: &str) -> String {
    case(source, |view| view.to_lower_case())
}

fn case(source: &str, convert: impl Fn(StrView<'_>) -> Option<StringBuilder>) -> String {
    let mut heap = Heap::new();
    let string = heap.new_string(source);
    match convert(heap.view(string)) {
        Some(changed) => changed.as_view().to_rust_string(),
        None => source.to_owned(),
    }
}

#[test]
fn case_conversion() {
    assert_eq!(upper("Straße"), "STRASSE");
    assert_eq!(upper("ÿµ"), "\u{178}\u{39C}");
    assert_eq!(upper("àéîõü÷ß×"), "ÀÉÎÕÜ÷SS×");
    assert_eq!(lower("ÀÉÎÕÜ×ABC"), "àéîõü×abc");
    assert_eq!(upper("ﬃ ŉ"), "FFI ʼN");
    assert_eq!(lower("İ"), "i\u{307}");
    assert_eq!(lower("ΑΣ ΣΑ Σ"), "ας σα σ");
    assert_eq!(lower("Я ЗНАЮ 日本"), "я знаю 日本");
    assert_eq!(upper("𐐨"), "𐐀");
    assert!(StrView::Latin1(b"nothing to do").to_lower_case().is_none());
    // Lone surrogates stay.
    let lone = [0x3A3, 0xD800, 0x41];
    let lowered = StrView::Utf16(&lone).to_lower_case().unwrap();
    assert_eq!(lowered.as_view(), StrView::Utf16(&[0x3C3, 0xD800, 0x61]));
}

#[test]
fn trimming() {
    let units = wide("\u{FEFF}\u{2003}\n x y \u{A0}\u{2029}");
    assert_eq!(StrView::Utf16(&units).trim(), StrView::Latin1(b"x y"));
    assert_eq!(StrView::Latin1(b" \t\x0B\r\n").trim(), StrView::Latin1(b""));
    assert_eq!(StrView::Latin1(b" a ").trim_start(), StrView::Latin1(b"a "));
    assert!(!is_white_space_or_line_terminator(0x180E));
}

#[test]
fn code_points_and_well_formedness() {
    let units = [0x61, 0xD83D, 0xDE00, 0xD83D, 0x62, 0xDE00];
    let view = StrView::Utf16(&units);
    assert_eq!(view.code_points().collect::<Vec<_>>(), [0x61, 0x1F600, 0xD83D, 0x62, 0xDE00]);
    assert!(!view.is_well_formed());
    assert_eq!(view.first_lone_surrogate(0), Some(3));
    assert_eq!(view.first_lone_surrogate(4), Some(5));
    assert!(view.slice(0, 3).is_well_formed());
    assert_eq!(view.to_rust_string(), "a😀\u{FFFD}b\u{FFFD}");
    let mut heap = Heap::new();
    let string = heap.string_from_code_point(0x1F600);
    assert_eq!(text(&mut heap, string), "😀");
}

#[test]
fn array_indices() {
    let index = |source: &str| StrView::Latin1(source.as_bytes()).array_index();
    assert_eq!(index("0"), Some(0));
    assert_eq!(index("42"), Some(42));
    assert_eq!(index("4294967294"), Some(4_294_967_294));
    for none in ["", "00", "01", "-1", "4294967295", "99999999999", "1.5", "1e3", " 1", "x"] {
        assert_eq!(index(none), None, "{none}");
    }
}

#[test]
fn building() {
    let mut heap = Heap::new();
    let mut builder = StringBuilder::new();
    builder.push_str("Ä");
    builder.push_latin1(b"bc");
    builder.push_code_point(0x1F600);
    builder.push_str("日");
    builder.push_unit(0xD800);
    builder.push_utf16(&[0x61]);
    assert_eq!(builder.len(), 8);
    let string = builder.finish(&mut heap).unwrap();
    assert_eq!(text(&mut heap, string), "Äbc😀日\u{FFFD}a");
}
