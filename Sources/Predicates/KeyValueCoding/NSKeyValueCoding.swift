/// A type whose instances return their values by name, so that predicates, sort descriptors and string
/// key paths can read them.
///
/// ```swift
/// struct City: NSKeyValueCoding {
///   var name: String
///   func value(forKey key: String) -> Any? { key == "name" ? name : nil }
/// }
/// try NSPredicate(validating: "name BEGINSWITH 'B'").evaluate(with: City(name: "Bern"))
/// ```
///
/// Managed objects conform. Dictionaries, collections and Foundation's value types need no
/// conformance.
///
/// Compared to Apple's Core Data: there every Objective-C object supports this without a protocol.
public protocol NSKeyValueCoding {
  /// Returns the value of a property; nil if the property has no value. Called on the thread that evaluates.
  func value(forKey key: String) -> Any?
}

/// A type that throws for an unknown key. Evaluation rethrows the error.
package protocol ThrowingKeyValueCoding: NSKeyValueCoding {
  func readValue(forKey key: String) throws -> Any?
}

/// An object that knows the properties on its key paths, even if a step on the way is nil.
package protocol KeyPathKnowing {
  /// Returns whether a key path leads to many objects.
  func leadsToCollection(_ keys: ArraySlice<Substring>) -> Bool
  /// Throws an error if a key path continues from a composite attribute with a key that is not one of its elements.
  func requireElements(_ keys: ArraySlice<Substring>) throws
}

/// An object that represents an entity with an identity, such as a managed object or its ID. Predicates
/// consider two objects with the same identity equal.
package protocol IdentityComparable {
  var comparableIdentity: AnyHashable { get }
  /// Whether the identity may change, as that of an unsaved object does during a save. If so, it must not be cached.
  var mayChangeIdentity: Bool { get }
}

extension IdentityComparable {
  package var mayChangeIdentity: Bool { false }
}
