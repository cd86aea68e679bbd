// What Swift code passes to `NSPredicate(format:)` beside numbers and strings. On Apple's
// platforms these bridge to Objective-C objects. Here they are arguments themselves: predicates
// take the value as it is, and functions of C get the address of its text, which lives as long as
// the argument list.

extension Date: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension UUID: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension Data: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension URL: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension Decimal: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension Array: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension Set: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension Dictionary: @retroactive CVarArg, @retroactive _CVarArgObject {}

extension _CVarArgObject {
  /// For functions like `String(format:)`: an object that prints the same.
  public var _cVarArgObject: any CVarArg { ArgumentObjects.object(for: self) }

  /// The address of the object, for callers that do not know it can live with its argument list.
  /// They give nobody to end its life, so it goes on.
  public var _cVarArgEncoding: [Int] {
    guard let object = _cVarArgObject as? NSObject else { return [0] }
    return [Int(bitPattern: Unmanaged.passRetained(object).toOpaque())]
  }
}
