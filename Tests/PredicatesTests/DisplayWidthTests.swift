import Testing

@testable import Predicates

struct DisplayWidthTests {
  @Test(arguments: [
    ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("ｱ", 1), ("Ａ", 2), ("한글", 4),
    ("ไทย", 3), ("👍", 2), ("👍🏽", 2), ("👩‍👩‍👧‍👦", 2), ("🇩🇪", 2), ("❤", 1), ("❤️", 2), ("1️⃣", 2),
    ("\u{200B}", 0), ("…", 1), ("〿", 1), ("。", 2), ("𠀀", 2),
  ])
  func `The width is the number of terminal columns`(text: String, width: Int) {
    #expect(DisplayWidth.of(text) == width)
  }

  @Test(arguments: [
    ("hello", 5, "hello"), ("hello", 4, "hel…"), ("hello", 1, "…"), ("hello", 0, ""),
    ("日本語", 6, "日本語"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"), ("a日本", 3, "a…"),
  ])
  func `Cutting never splits a wide character`(text: String, width: Int, expected: String) {
    #expect(DisplayWidth.cut(text, to: width) == expected)
  }
}
