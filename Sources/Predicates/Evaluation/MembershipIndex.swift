/// The elements of a constant list by hash value, so that IN takes the same time for a long list as for a short one.
struct MembershipIndex {
  private let buckets: [Int: [Scalar]]
  /// Elements whose hash value may change, such as objects with temporary IDs. They are compared one by one.
  private let changing: [Scalar]

  init(_ elements: [Any]) {
    var buckets: [Int: [Scalar]] = [:]
    var changing: [Scalar] = []
    for element in elements {
      if (element as? any IdentityComparable)?.mayChangeIdentity == true {
        changing.append(Scalar(element))
      } else {
        buckets[Self.hash(element), default: []].append(Scalar(element))
      }
    }
    self.buckets = buckets
    self.changing = changing
  }

  func contains(_ value: Any?) -> Bool {
    let bucket = buckets[Self.hash(value)] ?? []
    if bucket.isEmpty, changing.isEmpty { return false }
    let scalar = Scalar(value)
    return bucket.contains { ValueEquality.areEqual($0, scalar) }
      || changing.contains { ValueEquality.areEqual($0, scalar) }
  }

  private static func hash(_ value: Any?) -> Int {
    var hasher = Hasher()
    ValueEquality.hash(value, into: &hasher)
    return hasher.finalize()
  }
}

/// Caches the index of the constant list on the right side of a comparison. The first use creates it.
///
/// May be used from any thread.
final class MembershipCache: @unchecked Sendable {
  private let lock = NSLock()
  private var index: MembershipIndex?
  private var isDecided = false

  /// Returns the index of an expression that is a constant list; nil for any other expression.
  func index(of expression: NSExpression) -> MembershipIndex? {
    lock.withLock {
      // A separate flag, because nil is a result as well.
      if !isDecided {
        isDecided = true
        // Build the index under the lock: if several threads evaluate the predicate for the first
        // time, one builds it and the others wait.
        index = Self.constants(of: expression).map(MembershipIndex.init)
      }
      return index
    }
  }

  private static func constants(of expression: NSExpression) -> [Any]? {
    switch expression.node {
    case .constant(let value):
      return KeyValueCollection(value)?.elements
        ?? KeyValueCollection.dictionary(value).map { Array($0.values) }
    case .aggregate(let elements):
      var constants: [Any] = []
      for element in elements {
        guard case .constant(let value) = element.node else { return nil }
        constants.append(value ?? NSNull())
      }
      return constants
    default: return nil
    }
  }
}
