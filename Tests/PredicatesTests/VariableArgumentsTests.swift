import Foundation
import Testing

@testable import Predicates

@Suite("Variable arguments")
struct VariableArgumentsTests {
  private func text(_ format: String, _ arguments: any CVarArg...) -> String {
    withVaList(arguments) { NSPredicate(format: format, arguments: $0) }.description
  }

  @Test func `every conversion reads its value from the list`() {
    #expect(text("a == %d", 42) == "a == 42")
    #expect(text("a == %d AND b == %i", Int32(-5), Int8(-3)) == "a == -5 AND b == -3")
    #expect(text("a == %ld", Int.min) == "a == -9223372036854775808")
    #expect(text("a == %lld OR a == %qd", Int64.max, 7) == "a == 9223372036854775807 OR a == 7")
    #expect(text("a == %u", UInt32.max) == "a == 4294967295")
    #expect(text("a == %lu", UInt(1) << 40) == "a == 1099511627776")
    #expect(text("a == %llu", UInt64(5)) == "a == 5")
    #expect(text("a == %lud", 5) == "a == 5")
    #expect(
      text("a == %x AND b == %X AND c == %o", 255, 16, 8) == "a == 255 AND b == 16 AND c == 8")
    #expect(text("a == %hd", Int16(-2)) == "a == -2")
    #expect(text("a == %hhu", UInt8(200)) == "a == 200")
    #expect(text("a == %zd AND a == %zu", -1, UInt(1)) == "a == -1 AND a == 1")
    #expect(text("a == %c", Int32(65)) == "a == 65")
    #expect(text("a == %D", -9) == "a == -9")
    #expect(text("a == %f AND b == %g", 0.1, Float(1.5)) == "a == 0.1 AND b == 1.5")
    #expect(
      text("a == %e AND b == %.2f AND c == %lf", 1e300, 0.125, -2.5)
        == "a == 1e+300 AND b == 0.125 AND c == -2.5")
    #expect(text("a == %f", Double.infinity) == text("a == %f", 1.0 / 0))
    #expect(
      "x".withCString { text("a == %s AND b == %d", $0, 3) } == #"a == "x" AND b == 3"#)
    let wide: [UInt16] = Array("é😀".utf16) + [0]
    #expect(wide.withUnsafeBufferPointer { text("a == %S", $0.baseAddress!) } == #"a == "é😀""#)
    #expect(text("%K == %@", "team.name", "Ann") == #"team.name == "Ann""#)
    #expect(
      text("a %% 2 == %d", 1) == "modulus:by:(a, 2) == 1"
        || text("a %% 2 == %d", 1) == "a %% 2 == 1")
    #expect(text("a == '%d' AND b == %d", 1) == #"a == "%d" AND b == 1"#)
    #expect(text("TRUEPREDICATE") == "TRUEPREDICATE")
  }

  @Test func `a printed number is read with the radix character of any locale`() {
    for radix in [".", ",", "\u{66B}", "\u{FFFD}"] {
      #expect(VariableArguments.double("-0x1\(radix)8p-1") == -0.75)
    }
    #expect(VariableArguments.double("0x1p+0") == 1)
    #expect(VariableArguments.double("-inf") == -.infinity)
  }

  @Test func `objects keep their types`() throws {
    let date = Date(timeIntervalSinceReferenceDate: 1.5)
    #expect(text("a == %@", date) == #"a == CAST(1.500000, "NSDate")"#)
    #expect(text("a == %@", NSNumber(value: 3)) == "a == 3")
    #expect(text("a == %@", NSNull()) == "a == <null>")
    #expect(text("a IN %@", [1, 2]) == "a IN {1, 2}")
    #expect(text("a IN %@", Set(["x"])) == #"a IN {"x"}"#)
    #expect(text("a BETWEEN %@ AND b == %d", [1, 2], 3) == "a BETWEEN {1, 2} AND b == 3")
    let id = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    #expect(
      text("a == %@", id) == "a == E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
    #expect(text("a == %@", Decimal(string: "1.25") ?? 0) == "a == 1.25")
    let data = withVaList([Data([1, 2])]) { NSPredicate(format: "a == %@", arguments: $0) }
    #expect(data == NSPredicate(format: "a == %@", Data([1, 2])))
    let url = try #require(URL(string: "https://example.org/a"))
    #expect(
      withVaList([url]) { NSPredicate(format: "a == %@", arguments: $0) }
        == NSPredicate(format: "a == %@", url))
    #expect(
      withVaList([NSExpression(forVariable: "v")]) {
        NSPredicate(format: "a == %@", arguments: $0)
      }.description == "a == $v")
  }

  @Test func `expressions accept variable arguments too`() {
    #expect(
      withVaList([2, 1.5]) { NSExpression(format: "a + %d * %f", arguments: $0) }.description
        == "a + (2 * 1.5)")
    #expect(NSExpression(format: "%K + %d", "a", 2).description == "a + 2")
    #expect(NSExpression(format: "%K + %d", argumentArray: ["a", 2]).description == "a + 2")
    #expect(NSExpression(format: "a + 2").description == "a + 2")
  }

  @Test func `the throwing variants throw a syntax error`() {
    let error = #expect(throws: InvalidPredicateError.self) {
      try withVaList([1]) { list in
        Result { try NSPredicate(validating: "a == %d AND", arguments: list) }
      }.get()
    }
    #expect(error?.position == 11)
    #expect(throws: InvalidPredicateError.self) {
      try withVaList([1]) { list in
        Result { try NSExpression(validating: "a + %d +", arguments: list) }
      }.get()
    }
  }

  @Test func `C functions can use Foundation's objects`() {
    let id = UUID()
    #expect(String(format: "%@", id as any CVarArg).contains(id.uuidString))
    #expect(String(format: "%@ %d", [1] as any CVarArg, 5) == "[1] 5")
  }
}
