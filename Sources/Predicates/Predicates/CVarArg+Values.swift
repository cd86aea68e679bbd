public import Foundation

// What Swift code passes to `NSPredicate(format:)` beside numbers and strings. On Apple's
// platforms these bridge to Objective-C objects; here they are arguments themselves.

extension Date: @retroactive CVarArg {
  /// For functions like `String(format:)`: the address of an object of the same value.
  public var _cVarArgEncoding: [Int] {
    encoding(of: NSDate(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate))
  }
}

extension UUID: @retroactive CVarArg {
  /// For functions like `String(format:)`: the address of an object of the same value.
  public var _cVarArgEncoding: [Int] { encoding(of: NSString(string: uuidString)) }
}

extension Data: @retroactive CVarArg {
  /// For functions like `String(format:)`: the address of an object of the same value.
  public var _cVarArgEncoding: [Int] { encoding(of: NSData(data: self)) }
}

extension URL: @retroactive CVarArg {
  /// For functions like `String(format:)`: the address of an object of the same value.
  public var _cVarArgEncoding: [Int] { encoding(of: NSString(string: absoluteString)) }
}

extension Decimal: @retroactive CVarArg {
  /// For functions like `String(format:)`: the address of an object of the same value.
  public var _cVarArgEncoding: [Int] { encoding(of: NSDecimalNumber(decimal: self)) }
}

extension Array: @retroactive CVarArg {
  /// For functions like `String(format:)`: the address of an object that prints the same.
  public var _cVarArgEncoding: [Int] { encoding(of: NSString(string: "\(self)")) }
}

extension Set: @retroactive CVarArg {
  /// For functions like `String(format:)`: the address of an object that prints the same.
  public var _cVarArgEncoding: [Int] { encoding(of: NSString(string: "\(self)")) }
}

extension Dictionary: @retroactive CVarArg {
  /// For functions like `String(format:)`: the address of an object that prints the same.
  public var _cVarArgEncoding: [Int] { encoding(of: NSString(string: "\(self)")) }
}

/// The object lives on: nobody says when a function with variable arguments is done with it.
/// Predicates take the value itself and never come here.
private func encoding(of object: NSObject) -> [Int] {
  [Int(bitPattern: Unmanaged.passRetained(object).toOpaque())]
}
