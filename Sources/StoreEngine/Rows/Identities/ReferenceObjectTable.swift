/// The reference objects of a custom store, and their keys in this process.
///
/// A reference object is any value, such as a number, a string or a UUID. Equal reference objects identify the same
/// object. Keys are assigned in the order in which reference objects are first used, and have no meaning in other
/// processes.
///
/// The layers above the store use keys, as they do for other stores.
package final class ReferenceObjectTable: @unchecked Sendable {
  private let lock = NSLock()
  private var keys: [HashableReference: Int64] = [:]
  private var references: [Int64: Any] = [:]
  private var byText: [Text: Int64] = [:]
  private var isRetired = false

  package init() {}

  /// Records that the store's objects were moved to a store that identifies them by their keys alone.
  package func retire() { lock.withLock { isRetired = true } }

  /// The greatest key that was assigned; 0 if there is none.
  package var lastKey: Int64 { lock.withLock { Int64(keys.count) } }

  /// Entities of one hierarchy share their reference objects, as they share a table in other stores.
  private struct HashableReference: Hashable {
    let root: Int
    let reference: AnyHashable
  }

  private struct Text: Hashable {
    let root: Int
    let text: String
  }

  /// Returns the key of a reference object, which is assigned on first use.
  package func key(of reference: Any, in layout: EntityLayout) -> Int64 {
    let hashable = HashableReference(root: layout.root.index, reference: Self.comparable(reference))
    return lock.withLock {
      if let known = keys[hashable] { return known }
      let key = Int64(keys.count + 1)
      keys[hashable] = key
      references[key] = reference
      byText[Text(root: hashable.root, text: "\(reference)")] = key
      return key
    }
  }

  /// Returns a value that is equal for equal reference objects, even if one is a Swift value and the
  /// other an object of Foundation.
  private static func comparable(_ reference: Any) -> AnyHashable {
    // A Swift value and an object of Foundation do not compare equal on all platforms.
    if let text = reference as? String { return text }
    if let uuid = reference as? UUID { return uuid }
    if let url = reference as? URL { return url }
    if let data = reference as? Data { return data }
    if let number = reference as? NSNumber {
      let whole = number.int64Value
      return NSNumber(value: whole).isEqual(number)
        ? AnyHashable(whole) : AnyHashable(number.doubleValue)
    }
    // A reference object that is not hashable is only equal to itself.
    return (reference as? AnyHashable) ?? AnyHashable(ObjectIdentifier(reference as AnyObject))
  }

  /// Returns the reference object of a key.
  package func reference(of key: Int64) -> Any? { lock.withLock { references[key] } }

  /// Returns the string that represents a key in a URI: its reference object as text, or the key itself after
  /// ``retire()``.
  package func text(of key: Int64) -> String {
    let reference = lock.withLock { isRetired ? nil : references[key] }
    return reference.map { "\($0)" } ?? "\(key)"
  }

  /// Returns the key of the reference object in a URI; nil if the objects no longer have reference objects.
  ///
  /// An unknown string becomes a new reference object: a number if the string is one, otherwise the string itself.
  package func key(ofText text: String, in layout: EntityLayout) -> Int64? {
    let (known, isRetired) = lock.withLock {
      (byText[Text(root: layout.root.index, text: text)], self.isRetired)
    }
    // After the move, URIs contain keys, and a reference object with the same text would identify another row.
    if isRetired { return nil }
    if let known { return known }
    // `007` or `+7` is a string, because the number's own text would be another one.
    if let number = Int64(text), "\(number)" == text {
      return key(of: NSNumber(value: number), in: layout)
    }
    return key(of: text, in: layout)
  }
}
