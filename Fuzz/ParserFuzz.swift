import Foundation
import Predicates

// Foundation on Linux has a class of the same name without an implementation.
typealias NSExpression = Predicates.NSExpression

/// Checks one input; libFuzzer calls it.
///
/// The first byte chooses the arguments, the other bytes are the text of a predicate or expression.
/// An error in the text must be thrown with its position in the text. A text that parses must print,
/// parse again to an equal tree, and evaluate or throw. No input may crash, hang or allocate without
/// bounds.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ base: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let base, count > 0 else { return 0 }
  let bytes = UnsafeBufferPointer(start: base, count: count)
  let format = String(decoding: bytes.dropFirst(), as: UTF8.self)
  let arguments = Arguments(choice: Int(bytes[0])).fitting(format)
  check(format) { try NSPredicate(validating: format, arguments: arguments) }
  check(format) { try NSExpression(validating: format, arguments: arguments) }
  return 0
}

/// Sets a short time limit for the regular expressions of all inputs.
@_cdecl("LLVMFuzzerInitialize")
public func initializeFuzzer(
  _ count: UnsafeMutablePointer<CInt>?,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> CInt {
  NSPredicate.matchingTimeLimit = 0.02
  return 0
}

private func check(_ format: String, _ parse: () throws -> NSPredicate) {
  guard let predicate = parsed(format, parse) else { return }
  let text = predicate.description
  let again: NSPredicate
  do {
    again = try NSPredicate(validating: text)
  } catch {
    fail("printed what does not parse: \(text): \(error)", format)
  }
  if again != predicate { fail("printed another predicate: \(text)", format) }
  if again.hash != predicate.hash { fail("equal, but the hashes differ: \(text)", format) }
  if again.description != text { fail("prints differently after parsing: \(text)", format) }
  evaluate(predicate)
  if let substituted = try? predicate.substituting(Sample.variables) { evaluate(substituted) }
}

private func check(_ format: String, _ parse: () throws -> NSExpression) {
  guard let expression = parsed(format, parse) else { return }
  let text = expression.description
  let again: NSExpression
  do {
    again = try NSExpression(validating: text)
  } catch {
    fail("printed what does not parse: \(text): \(error)", format)
  }
  if again != expression { fail("printed another expression: \(text)", format) }
  if again.hash != expression.hash { fail("equal, but the hashes differ: \(text)", format) }
  for object in Sample.objects {
    for rule in [NilRule.foundation, .store] {
      _ = try? expression.value(with: object, variables: Sample.variables, nilRule: rule)
    }
  }
}

private func parsed<Parsed>(_ format: String, _ parse: () throws -> Parsed) -> Parsed? {
  do {
    return try parse()
  } catch let error as InvalidPredicateError {
    guard let position = error.position, (0...format.count).contains(position) else {
      fail("an error without a position: \(error)", format)
    }
    _ = error.excerpt
    return nil
  } catch {
    fail("an error of another type: \(error)", format)
  }
}

private func evaluate(_ predicate: NSPredicate) {
  for object in Sample.objects {
    for rule in [NilRule.foundation, .store] {
      _ = try? predicate.evaluated(with: object, variables: Sample.variables, nilRule: rule)
    }
  }
}

private func fail(_ message: String, _ format: String) -> Never {
  fatalError("\(message)\nin the text \(format.debugDescription)")
}
