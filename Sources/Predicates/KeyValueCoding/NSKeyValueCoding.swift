/// A type whose instances tell their values by name, so that predicates, sort descriptors and key
/// paths in text can read them.
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
/// Compared to Apple's Core Data: there every Objective-C object can do this without a protocol.
public protocol NSKeyValueCoding {
  /// The value of a property, nil where it has none. Called on the thread that evaluates.
  func value(forKey key: String) -> Any?
}

/// A type that knows its keys and throws for others, which evaluation then passes on.
package protocol ThrowingKeyValueCoding: NSKeyValueCoding {
  func readValue(forKey key: String) throws -> Any?
}

/// An object that knows which of its key paths lead to many objects, also where the way there ends.
package protocol CollectionKeyKnowing {
  func leadsToCollection(_ keys: ArraySlice<Substring>) -> Bool
}

/// An object that stands for a thing of an identity of its own, such as a managed object and its
/// ID: predicates take two of the same identity for equal.
package protocol IdentityComparable {
  var comparableIdentity: AnyHashable { get }
  /// Whether the identity may become another one, as an unsaved object's does when it is saved. Then it must not be kept.
  var mayChangeIdentity: Bool { get }
}

extension IdentityComparable {
  package var mayChangeIdentity: Bool { false }
}
