/// What the objects of a program's own store are called there, and the keys that stand for it here.
///
/// A reference object is anything with a value: a number, a text, a UUID. Two that are equal are the
/// same object. Keys are given out in the order in which references are first met and mean nothing
/// outside this process.
///
/// Everything above the store works with keys, as it does with other stores.
package final class ReferenceObjectTable: @unchecked Sendable {
  private let lock = NSLock()
  private var keys: [HashableReference: Int64] = [:]
  private var references: [Int64: Any] = [:]
  private var byText: [Text: Int64] = [:]

  package init() {}

  /// Entities of one hierarchy share their references, as they share a table elsewhere.
  private struct HashableReference: Hashable {
    let root: Int
    let reference: AnyHashable
  }

  private struct Text: Hashable {
    let root: Int
    let text: String
  }

  /// The key of a reference, given out when it is met for the first time.
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

  /// A value that is equal for equal references, also where one is a Swift value and the other an
  /// object of Foundation's, which do not compare equal by themselves on all platforms.
  private static func comparable(_ reference: Any) -> AnyHashable {
    if let text = reference as? String { return text }
    if let uuid = reference as? UUID { return uuid }
    if let url = reference as? URL { return url }
    if let data = reference as? Data { return data }
    if let number = reference as? NSNumber {
      let whole = number.int64Value
      return NSNumber(value: whole).isEqual(number)
        ? AnyHashable(whole) : AnyHashable(number.doubleValue)
    }
    // A reference that cannot be compared is only itself.
    return (reference as? AnyHashable) ?? AnyHashable(ObjectIdentifier(reference as AnyObject))
  }

  /// The reference of a key.
  package func reference(of key: Int64) -> Any? { lock.withLock { references[key] } }

  /// The text of a key's reference.
  package func text(of key: Int64) -> String { reference(of: key).map { "\($0)" } ?? "\(key)" }

  /// The key of the reference that a URI spells.
  ///
  /// A text that was not met yet stands for a number when it spells one, else for itself.
  package func key(ofText text: String, in layout: EntityLayout) -> Int64 {
    let known = lock.withLock { byText[Text(root: layout.root.index, text: text)] }
    if let known { return known }
    if let number = Int64(text), "\(number)" == text {
      return key(of: NSNumber(value: number), in: layout)
    }
    return key(of: text, in: layout)
  }
}
