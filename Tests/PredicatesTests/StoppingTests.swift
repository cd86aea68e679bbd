import Foundation
import Predicates
import Testing

/// Where Apple's Core Data raises an exception and the signature cannot throw, the program stops
/// with the message that the throwing variant throws.
@Suite struct StoppingTests {
  private static func message(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }

  @Test func `a syntax error in a literal format stops the program with its message`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = NSPredicate(format: "age > ")
    }
    #expect(
      Self.message(result).contains(
        #"Unable to parse the format string "age > ": expected a value, found the end of the text at character 6"#
      ))
  }

  @Test func `a variable without a value stops the program with its name`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = NSPredicate(format: "age > $limit").withSubstitutionVariables([:])
    }
    #expect(Self.message(result).contains("the variable $limit has no value"))
  }

  @Test func `an accessor of another kind of expression stops the program with both names`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = NSExpression(forConstantValue: 3).keyPath
    }
    #expect(
      Self.message(result).contains(
        "keyPath does not apply to the expression 3 of type constantValue"))
  }

  @Test func `an unknown function stops the program with its name`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = NSExpression(forFunction: "frobnicate:", arguments: [1])
    }
    #expect(
      Self.message(result).contains(#""frobnicate:" is not a predefined function"#))
  }
}
