/// Whether a class has methods of its own in the place of `NSManagedObject`'s.
///
/// Validating a value by `validateValue(_:forKey:)` costs its boxing and a look-up of the property,
/// ten times what inserting the value takes. A class that has not overridden it has the model's rules
/// alone, and these are known by slot.
///
/// Swift has no way to ask. What a call of a method goes by is an entry of the class's table, which
/// begins with the superclass's entries, each at the same place; a class that overrides a method has
/// another function there. The places are found by overriding the methods here, in classes of which
/// nothing is made. Where they cannot be found, every class counts as one that overrides them.
enum OverriddenMethods {
  /// Whether a class validates values by itself.
  static func overridesValidation(_ type: NSManagedObject.Type) -> Bool {
    overrides(type, at: validationPlaces)
  }

  /// Whether a class may have keys that its entity does not have.
  static func overridesKeyAccess(_ type: NSManagedObject.Type) -> Bool {
    overrides(type, at: keyPlaces)
  }

  private static func overrides(
    _ type: NSManagedObject.Type, at places: @autoclosure () -> [Int]?
  ) -> Bool {
    if type == NSManagedObject.self { return false }
    guard let places = places() else { return true }
    let own = entries(of: type)
    let plain = entries(of: NSManagedObject.self)
    return places.contains { own[$0] != plain[$0] }
  }

  /// The places of `value(forKey:)` and `value(forUndefinedKey:)`.
  private static let keyPlaces: [Int]? = {
    guard let value = place(ofMethodIn: KeyProbe.self),
      let undefined = place(ofMethodIn: UndefinedKeyProbe.self), value != undefined
    else { return nil }
    return [value, undefined]
  }()

  /// The places of both forms of `validateValue(_:forKey:)`.
  private static let validationPlaces: [Int]? = {
    guard let value = place(ofMethodIn: ValueProbe.self),
      let pointer = place(ofMethodIn: PointerProbe.self), value != pointer
    else { return nil }
    return [value, pointer]
  }()

  /// The one place where a class has another entry than its superclass, and one that overrides nothing
  /// has the same.
  private static func place(ofMethodIn probe: NSManagedObject.Type) -> Int? {
    #if canImport(ObjectiveC)
      return nil
    #else
      let (own, without) = (entries(of: probe), entries(of: PlainProbe.self))
      let plain = entries(of: NSManagedObject.self)
      let places = plain.indices.filter { without[$0] == plain[$0] && own[$0] != plain[$0] }
      return places.count == 1 ? places[0] : nil
    #endif
  }

  /// The words of a class behind its header, as many as `NSManagedObject` has.
  private static func entries(of type: NSManagedObject.Type) -> UnsafeBufferPointer<UInt> {
    let start = unsafeBitCast(type, to: UnsafeRawPointer.self)
    let plain = unsafeBitCast(NSManagedObject.self, to: UnsafeRawPointer.self)
    let size = plain.load(fromByteOffset: Header.classSize, as: UInt32.self)
    let before = plain.load(fromByteOffset: Header.classAddressPoint, as: UInt32.self)
    // A header of another form has other numbers there: nothing is read by them.
    let isLikely = size > before && size < 1 << 16 && before < 1 << 10
    let count = isLikely ? (Int(size) - Int(before) - Header.size) / MemoryLayout<UInt>.stride : 0
    return UnsafeBufferPointer(
      start: (start + Header.size).assumingMemoryBound(to: UInt.self), count: max(0, count))
  }

  /// The header of a class: kind, superclass, flags, address point, size and alignment of instances,
  /// size and address point of the class, description, and what destroys the properties.
  private enum Header {
    private static let pointer = MemoryLayout<UInt>.size
    static let classSize = 2 * pointer + 16
    static let classAddressPoint = classSize + 4
    static let size = classAddressPoint + 4 + 2 * pointer
  }

  private final class PlainProbe: NSManagedObject {}

  private final class KeyProbe: NSManagedObject {
    override func value(forKey key: String) -> Any? { nil }
  }

  private final class UndefinedKeyProbe: NSManagedObject {
    override func value(forUndefinedKey key: String) -> Any? { nil }
  }

  private final class ValueProbe: NSManagedObject {
    override func validateValue(_ value: Any?, forKey key: String) throws {}
  }

  private final class PointerProbe: NSManagedObject {
    override func validateValue(
      _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String
    ) throws {}
  }
}
