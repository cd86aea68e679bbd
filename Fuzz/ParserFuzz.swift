import Foundation
import Predicates

// Foundation has a class of the same name, which can do nothing.
typealias NSExpression = Predicates.NSExpression

/// What libFuzzer calls with each input.
///
/// The first byte chooses among arguments of each kind, the others are the text of a predicate or
/// expression. A mistake in it must be a thrown error with a place inside the text. What is read
/// must print, read back as an equal tree, and be evaluated or refused; nothing may crash, hang or
/// ask for memory without measure.
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

/// Sets what must not depend on the machine.
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
  if again.hash != predicate.hash { fail("equal, with another hash: \(text)", format) }
  if again.description != text { fail("prints in two ways: \(text)", format) }
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
  if again.hash != expression.hash { fail("equal, with another hash: \(text)", format) }
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
      fail("an error without a place: \(error)", format)
    }
    _ = error.excerpt
    return nil
  } catch {
    fail("another error: \(error)", format)
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
  fatalError("\(message)\nof the text \(format.debugDescription)")
}
