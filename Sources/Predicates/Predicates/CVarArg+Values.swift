// Swift values that programs pass to `NSPredicate(format:)` besides numbers and strings. On Apple's
// platforms these bridge to Objective-C objects. Here they are variable arguments themselves: predicates
// use the value as it is, and C functions receive the address of a string that describes it. The string lives as
// long as the argument list.

extension Date: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension UUID: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension Data: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension URL: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension Decimal: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension Array: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension Set: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension Dictionary: @retroactive CVarArg, @retroactive _CVarArgObject {}

extension _CVarArgObject {
  /// An object with the same printed form, for functions like `String(format:)`.
  public var _cVarArgObject: any CVarArg { ArgumentObjects.object(for: self) }

  /// The address of the object, for callers that do not keep the object alive with its argument list.
  /// They cannot release it either, so it is leaked.
  public var _cVarArgEncoding: [Int] {
    guard let object = _cVarArgObject as? NSObject else { return [0] }
    return [Int(bitPattern: Unmanaged.passRetained(object).toOpaque())]
  }
}
