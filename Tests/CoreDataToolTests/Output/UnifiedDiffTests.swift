import FixtureSupport
import Testing

@testable import CoreDataTool
@testable import StoreInspection

struct UnifiedDiffTests {
  @Test func `Equal texts have no differences`() {
    #expect(UnifiedDiff(of: "a", from: "x\ny\n", to: "x\ny\n").text == "")
  }

  @Test func `A change is shown with three lines around it`() {
    let old = (1...9).map { "\($0)\n" }.joined()
    let new = old.replacing("5\n", with: "five\n5a\n")
    #expect(
      UnifiedDiff(of: "f", from: old, to: new).text == """
        --- a/f
        +++ b/f
        @@ -2,7 +2,8 @@
         2
         3
         4
        -5
        +five
        +5a
         6
         7
         8

        """)
  }

  @Test func `Windows line ends and a last line without an end are kept`() {
    #expect(
      UnifiedDiff(of: "f", from: "1\r\n2\r\n3", to: "1\r\n5\r\n3").text
        == "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n 1\r\n-2\r\n+5\r\n 3\n\\ No newline at end of file\n"
    )
  }

  @Test func `A line break that only one of the texts has at its end is a difference`() {
    #expect(
      UnifiedDiff(of: "f", from: "1\n2", to: "1\n2\n").text
        == "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n 1\n-2\n\\ No newline at end of file\n+2\n")
    #expect(
      UnifiedDiff(of: "f", from: "1\n", to: "1").text
        == "--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n-1\n+1\n\\ No newline at end of file\n")
  }

  @Test func `Letters that look equal but have different bytes are a difference`() {
    let text = UnifiedDiff(of: "f", from: "caf\u{e9}\n", to: "cafe\u{301}\n").text
    #expect(text.contains("-caf\u{e9}\n") && text.utf8.count > "--- a/f\n+++ b/f\n".utf8.count)
  }

  @Test func `Applying the patch of two random texts to the first produces the second`() throws {
    var random = SeededGenerator("unified diff")
    for _ in 0..<300 {
      let old = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
        "\(Int.random(in: 0..<6, using: &random))"
      }
      var new = old
      for _ in 0..<Int.random(in: 0..<6, using: &random) {
        let place = Int.random(in: 0...new.count, using: &random)
        if Bool.random(using: &random) || place == new.count {
          new.insert("n\(Int.random(in: 0..<6, using: &random))", at: place)
        } else {
          new.remove(at: place)
        }
      }
      let text = UnifiedDiff(
        of: "f", from: old.map { $0 + "\n" }.joined(), to: new.map { $0 + "\n" }.joined()
      ).text
      #expect(try Self.apply(text, to: old) == new, "\(text)")
    }
  }

  private struct Mismatch: Error {}

  /// Applies a patch like `patch` does, with every line at the position in its hunk.
  private static func apply(_ patch: String, to old: [String]) throws -> [String] {
    var result: [String] = []
    var next = 0
    for line in patch.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(2) {
      if line.hasPrefix("@@") {
        let range = line.dropFirst(4).prefix { $0 != " " }.split(separator: ",").compactMap {
          Int($0)
        }
        let start = range[1] == 0 ? range[0] : range[0] - 1
        guard start >= next else { throw Mismatch() }
        result += old[next..<start]
        next = start
        continue
      }
      let text = String(line.dropFirst())
      switch line.first {
      case " ", "-":
        guard next < old.count, old[next] == text else { throw Mismatch() }
        next += 1
        if line.first == " " { result.append(text) }
      case "+": result.append(text)
      default: break
      }
    }
    return result + old[next...]
  }
}
