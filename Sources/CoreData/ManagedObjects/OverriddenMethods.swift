/// Determines whether a class overrides methods of `NSManagedObject`.
///
/// Validating a value through `validateValue(_:forKey:)` boxes the value and looks up the property, which takes ten
/// times as long as inserting the value. A class that does not override this method has only the model's rules, which
/// are known by slot.
///
/// Swift has no API for this. A method call goes through an entry of the class's vtable. The vtable begins with the
/// superclass's entries at the same positions, and a class that overrides a method has a different function there.
/// Probe classes, which are never instantiated, override the methods to find the positions. If the positions are not
/// found, every class counts as overriding.
enum OverriddenMethods {
  /// Returns whether a class overrides validation.
  static func overridesValidation(_ type: NSManagedObject.Type) -> Bool {
    overrides(type, at: validationPlaces)
  }

  /// Returns whether a class may have keys that its entity does not have.
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

  /// The positions of `value(forKey:)` and `value(forUndefinedKey:)` among a class's entries.
  private static let keyPlaces: [Int]? = {
    guard let value = place(ofMethodIn: KeyProbe.self),
      let undefined = place(ofMethodIn: UndefinedKeyProbe.self), value != undefined
    else { return nil }
    return [value, undefined]
  }()

  /// The positions of both forms of `validateValue(_:forKey:)` among a class's entries.
  private static let validationPlaces: [Int]? = {
    guard let value = place(ofMethodIn: ValueProbe.self),
      let pointer = place(ofMethodIn: PointerProbe.self), value != pointer
    else { return nil }
    return [value, pointer]
  }()

  /// Returns the only position where a probe class differs from its superclass, and where a class
  /// without overrides does not.
  private static func place(ofMethodIn probe: NSManagedObject.Type) -> Int? {
    #if canImport(ObjectiveC)
      // With Objective-C, the header of a class has another format.
      return nil
    #else
      let (own, without) = (entries(of: probe), entries(of: PlainProbe.self))
      let plain = entries(of: NSManagedObject.self)
      let places = plain.indices.filter { without[$0] == plain[$0] && own[$0] != plain[$0] }
      return places.count == 1 ? places[0] : nil
    #endif
  }

  /// Returns the words after a class's header, as many as `NSManagedObject` has.
  private static func entries(of type: NSManagedObject.Type) -> UnsafeBufferPointer<UInt> {
    let start = unsafeBitCast(type, to: UnsafeRawPointer.self)
    let plain = unsafeBitCast(NSManagedObject.self, to: UnsafeRawPointer.self)
    let size = plain.load(fromByteOffset: Header.classSize, as: UInt32.self)
    let before = plain.load(fromByteOffset: Header.classAddressPoint, as: UInt32.self)
    // A header in another format has different numbers in these places. In that case nothing is
    // read.
    let isLikely = size > before && size < 1 << 16 && before < 1 << 10
    let count = isLikely ? (Int(size) - Int(before) - Header.size) / MemoryLayout<UInt>.stride : 0
    return UnsafeBufferPointer(
      start: (start + Header.size).assumingMemoryBound(to: UInt.self), count: max(0, count))
  }

  /// The header of a class: kind, superclass, flags, address point, size and alignment of instances,
  /// size and address point of the class, description, and deallocator of the instance variables.
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
