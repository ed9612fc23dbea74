use super::*;

struct Tester {
    heap: Heap,
    cache: RegExpCache,
}

impl Tester {
    fn new() -> Tester {
        Tester { heap: Heap::new(), cache: RegExpCache::default() }
    }

    /// Matched texts, the whole match first; an absent group is `-`.
    fn exec(&mut self, pattern: &str, flags: &str, text: &str, from: usize) -> Option<Vec<String>> {
        let units: Vec<u16> = pattern.encode_utf16().collect();
        let flags = RegExpFlags::parse(StrView::from_ascii(flags)).unwrap();
        let compiled = self.cache.compile(StrView::Utf16(&units), flags).unwrap();
        let string = self.heap.new_string(text);
        let sticky = flags.contains(RegExpFlags::STICKY);
        let found = self.cache.find(&mut self.heap, &compiled, string, from, sticky)?;
        let groups = (0..=compiled.group_count()).map(|number| match found.group(number) {
            Some(range) => self.heap.view(string).slice(range.start, range.end).to_rust_string(),
            None => "-".to_owned(),
        });
        Some(groups.collect())
    }

    fn index(&mut self, pattern: &str, flags: &str, text: &str, from: usize) -> Option<usize> {
        let units: Vec<u16> = pattern.encode_utf16().collect();
        let flags = RegExpFlags::parse(StrView::from_ascii(flags)).unwrap();
        let compiled = self.cache.compile(StrView::Utf16(&units), flags).unwrap();
        let string = self.heap.new_string(text);
        let sticky = flags.contains(RegExpFlags::STICKY);
        self.cache.find(&mut self.heap, &compiled, string, from, sticky).map(|found| found.range.start)
    }
}

#[test]
fn matches_in_every_width() {
    let mut tester = Tester::new();
    for prefix in ["", "é", "日"] {
        let text = format!("{prefix}  key = value; other=2");
        assert_eq!(
            tester.exec("(\\w+)\\s*=\\s*(\\w+)(x)?", "", &text, 0).unwrap(),
            ["key = value", "key", "value", "-"]
        );
        assert_eq!(tester.exec("OTHER=(\\d)", "i", &text, 0).unwrap(), ["other=2", "2"]);
        assert_eq!(tester.exec("nothing", "", &text, 0), None);
        assert_eq!(tester.index("e", "", &text, 5 + prefix.chars().count()), Some(12 + prefix.chars().count()));
    }
}

#[test]
fn start_index_and_sticky() {
    let mut tester = Tester::new();
    assert_eq!(tester.index("a", "", "banana", 2), Some(3));
    assert_eq!(tester.index("a", "y", "banana", 2), None);
    assert_eq!(tester.index("a", "y", "banana", 3), Some(3));
    assert_eq!(tester.index("a*", "y", "banana", 2), Some(2));
    assert_eq!(tester.index("(?:)", "y", "", 0), Some(0));
    assert_eq!(tester.index("a", "", "banana", 7), None);
    assert_eq!(tester.index("$", "", "banana", 6), Some(6));
    assert_eq!(tester.index("^", "y", "banana", 1), None);
    assert_eq!(tester.index("(?<=b)a", "y", "banana", 1), Some(1));
    assert_eq!(tester.index("\\2(a)", "y", "\u{2}a", 0), Some(0));
    assert_eq!(tester.index("b|(a)", "y", "ba", 1), Some(1));
    assert_eq!(tester.exec("(a)|b", "y", "ba", 0).unwrap(), ["b", "-"]);
}

#[test]
fn unicode_and_surrogates() {
    let mut tester = Tester::new();
    assert_eq!(tester.exec("^.$", "u", "😀", 0).unwrap(), ["😀"]);
    assert_eq!(tester.exec("^.$", "", "😀", 0), None);
    assert_eq!(tester.exec("^..$", "", "😀", 0).unwrap(), ["😀"]);
    assert_eq!(tester.index(".", "u", "😀", 1), Some(0));
    assert_eq!(tester.index("\\udf06", "u", "\u{1D306}", 0), None);
    assert_eq!(tester.index("\\udf06", "", "\u{1D306}", 0), Some(1));
    assert_eq!(tester.exec("\\p{Lu}+", "u", "abcÄÖ", 0).unwrap(), ["ÄÖ"]);
    assert_eq!(tester.exec("[\\p{L}--[a-c]]+", "v", "abcde", 0).unwrap(), ["de"]);
    assert_eq!(tester.exec("\\u{1F600}", "u", "x😀", 0).unwrap(), ["😀"]);
    assert_eq!(tester.exec("straSSe|\\u017f", "iu", "S", 0).unwrap(), ["S"]);
    assert_eq!(tester.exec("\\u017f", "i", "S", 0), None);
    assert_eq!(tester.exec("ä", "i", "Ä", 0).unwrap(), ["Ä"]);
    assert_eq!(tester.exec("[^x]", "u", "😀", 0).unwrap(), ["😀"]);
}

#[test]
fn language_features() {
    let mut tester = Tester::new();
    assert_eq!(
        tester.exec("(?<year>\\d{4})-(?<month>\\d\\d)", "", "on 2026-12", 0).unwrap(),
        ["2026-12", "2026", "12"]
    );
    assert_eq!(tester.exec("(a)|(b)", "", "b", 0).unwrap(), ["b", "-", "b"]);
    assert_eq!(tester.exec("(?:(a)|b)*", "", "ab", 0).unwrap(), ["ab", "-"]);
    assert_eq!(tester.exec("(.)\\1", "", "abb", 0).unwrap(), ["bb", "b"]);
    assert_eq!(tester.exec("(?<!\\$)\\b\\d+", "", "$12 34", 0).unwrap(), ["34"]);
    assert_eq!(tester.exec("a.c", "s", "a\nc", 0).unwrap(), ["a\nc"]);
    assert_eq!(tester.exec("^b", "m", "a\nb", 0).unwrap(), ["b"]);
    assert_eq!(tester.exec("(?i:a)b", "", "Ab", 0).unwrap(), ["Ab"]);
    assert_eq!(tester.exec("a+?", "", "aaa", 0).unwrap(), ["a"]);
    assert_eq!(tester.exec("(?<n>a)|(?<n>b)\\k<n>", "", "bb", 0).unwrap(), ["bb", "-", "b"]);
    assert_eq!(tester.exec("(?:(?<n>a)|(?<n>b))\\k<n>", "u", "abaa", 0).unwrap(), ["aa", "a", "-"]);
    assert_eq!(tester.exec("^\\u{3}[\\u{61}]$", "", "uuu{", 0).unwrap(), ["uuu{"]);
    assert_eq!(tester.exec("(?<\\u{61}b>x)\\k<ab>", "", "xx", 0).unwrap(), ["xx", "x"]);
    assert_eq!(tester.exec("[\\b]", "", "\u{8}", 0).unwrap(), ["\u{8}"]);
    assert_eq!(tester.exec("\\cJ", "", "\n", 0).unwrap(), ["\n"]);
}

#[test]
fn wide_characters_in_patterns_for_ascii_texts() {
    let mut tester = Tester::new();
    assert_eq!(tester.exec("日*", "", "abc", 0).unwrap(), [""]);
    assert_eq!(tester.exec("a\\u65e5*b", "", "ab", 0).unwrap(), ["ab"]);
    assert_eq!(tester.exec("[日]*a", "", "a", 0).unwrap(), ["a"]);
    assert_eq!(tester.exec("é*a", "", "a", 0).unwrap(), ["a"]);
    assert_eq!(tester.exec("\\xe9*a", "", "a", 0).unwrap(), ["a"]);
}

#[test]
fn names_and_groups() {
    let compile = |source: &str| CompiledRegExp::compile(StrView::from_ascii(source), RegExpFlags::default()).unwrap();
    let compiled = compile("(?<a>x)(y)(?<b\\u0062>[(]z)\\((?:w)(?=v)(?<=q)|(?<a>t)");
    assert_eq!(compiled.group_count(), 4);
    assert_eq!(compiled.group_names(), [("a".to_owned(), vec![1, 4]), ("bb".to_owned(), vec![3])]);
}

fn compile_text(source: &str) -> String {
    match CompiledRegExp::compile(StrView::from_ascii(source), RegExpFlags::default()) {
        Ok(_) => "ok".to_owned(),
        Err(message) => message,
    }
}

#[test]
fn errors_have_known_words() {
    let error =
        |source: &str| CompiledRegExp::compile(StrView::from_ascii(source), RegExpFlags::default()).unwrap_err();
    assert_eq!(error("("), "Invalid regular expression: /(/: Unterminated group");
    assert_eq!(error("a)"), "Invalid regular expression: /a)/: Unmatched ')'");
    assert_eq!(error("[a"), "Invalid regular expression: /[a/: Unterminated character class");
    assert_eq!(error("*"), "Invalid regular expression: /*/: Nothing to repeat");
    for pattern in ["\\b+", "a\\B{1,}", "^*", "(?<=a)?"] {
        assert!(error(pattern).ends_with(": Nothing to repeat"), "{pattern}");
    }
    assert_eq!(compile_text("\\b{x"), "ok");
    assert!(error(&"(".repeat(5000)).len() > 5000);
}

#[test]
fn flags() {
    let parse = |text: &str| RegExpFlags::parse(StrView::from_ascii(text));
    assert_eq!(parse("yg").unwrap().to_string(), "gy");
    assert_eq!(parse("").unwrap().to_string(), "");
    for text in ["gg", "x", "uv", "G"] {
        assert_eq!(parse(text), None);
    }
}

#[test]
fn compiled_patterns_are_shared() {
    let mut cache = RegExpCache::default();
    let source = StrView::Latin1(b"a+");
    let a = cache.compile(source, RegExpFlags::GLOBAL).unwrap();
    let b = cache.compile(source, RegExpFlags::STICKY).unwrap();
    let c = cache.compile(source, RegExpFlags::IGNORE_CASE).unwrap();
    assert!(std::rc::Rc::ptr_eq(&a, &b) && !std::rc::Rc::ptr_eq(&a, &c));
    for index in 0..600 {
        cache.compile(StrView::from_ascii(&format!("a{index}")), RegExpFlags::default()).unwrap();
    }
}
