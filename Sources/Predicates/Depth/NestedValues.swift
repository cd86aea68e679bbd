/// Handles nested collections that are too deep for recursion.
///
/// A thread may have as little as 512 KB of stack, and Swift releases, compares and prints a nested collection by
/// recursion. So does Foundation, which even bridges all nested collections to return a single member.
package enum NestedValues {
  /// The maximum nesting depth of a value.
  package static let maximumHeight = 100_000

  /// Returns the collections in a value by level, the value itself first; an empty array if it is not a collection.
  ///
  /// A collection that occurs several times is listed once per level.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of levels to return.
  ///   - visitLeaf: Called with each member that is not a collection, and its level.
  private static func levels(
    of value: Any, limit: Int = maximumHeight + 1, visitLeaf: ((Any, Int) -> Void)? = nil
  ) -> [[any NestingCollection]] {
    guard let root = collection(value) else { return [] }
    var levels: [[any NestingCollection]] = []
    var level = [root]
    while !level.isEmpty, levels.count < limit {
      levels.append(level)
      var next: [any NestingCollection] = []
      var known: Set<UnsafeRawPointer> = []
      for collection in level {
        for member in collection.nestingMembers {
          guard let inner = Self.collection(member) else {
            visitLeaf?(member, levels.count)
            continue
          }
          // List each collection once per level: if each list contained the next one twice, the number of
          // members would double at each level.
          if let place = inner.storageAddress, !known.insert(place).inserted { continue }
          next.append(inner)
        }
      }
      level = next
    }
    return levels
  }

  private static func collection(_ value: Any) -> (any NestingCollection)? {
    // Most members are plain values, and comparing types costs a tenth of a cast.
    isPlainValue(value) ? nil : value as? any NestingCollection
  }

  /// Returns the nesting depth of collections in a value: 0 if it is not a collection. Counting stops above
  /// `maximumHeight`.
  ///
  /// Cost: O(members).
  package static func height(of value: Any) -> Int { levels(of: value).count }

  /// Converts a Foundation collection, and all collections nested in it, to Swift collections. Returns any other value,
  /// and an `NSOrderedSet`, unchanged.
  ///
  /// Cost: O(members). Foundation converts recursively, so the caller must provide a large enough stack.
  package static func native(_ value: Any) -> Any {
    (value as? any NestingCollection)?.native ?? value
  }

  /// Runs a function on a stack that is large enough to recurse through the collections nested in the values.
  package static func run<Result, Failure: Error>(
    on values: Any..., body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try LargeStack.running(height: values.map(height).max() ?? 0, body)
  }

  /// Returns whether two values are equal. They may contain collections nested to any depth.
  ///
  /// Cost: O(members) even for deep values, where Foundation's comparison is quadratic in the number of levels.
  package static func areEqual(_ left: Any, _ right: Any) -> Bool {
    let height = height(of: left)
    if height <= LargeStack.safeHeight { return areEqualObjects(left, right) }
    if height != Self.height(of: right) { return false }
    var open = [(left, right)]
    var known: Set<[UnsafeRawPointer]> = []
    while let (left, right) = open.popLast() {
      guard let a = collection(left), let b = collection(right) else {
        if ValueEquality.areEqual(left, right) { continue }
        return false
      }
      guard type(of: a).archivedClass == type(of: b).archivedClass else { return false }
      if let place = a.storageAddress, let other = b.storageAddress {
        // The same collections may be members of many others: compare each pair once.
        if place == other || !known.insert([place, other]).inserted { continue }
      }
      switch (a.contents, b.contents) {
      case (.list(let members), .list(let others)):
        if members.count != others.count { return false }
        open += zip(members, others)
      case (.table(let entries), .table(let others)):
        guard let pairs = pairs(entries, others) else { return false }
        open += pairs
      case (.set, .set):
        if !areEqualObjects(left, right) { return false }
      default: return false
      }
    }
    return true
  }

  /// Pairs the values of two dictionaries by key; nil if the keys differ.
  private static func pairs(
    _ entries: [(key: Any, value: Any)], _ others: [(key: Any, value: Any)]
  ) -> [(Any, Any)]? {
    func hashable(_ key: Any) -> AnyHashable? {
      // Convert the key, so that an `NSString` and a `String` are the same key.
      (key as? String).map(AnyHashable.init) ?? key as? AnyHashable
    }
    guard entries.count == others.count else { return nil }
    var values: [AnyHashable: Any] = [:]
    for entry in others {
      guard let key = hashable(entry.key) else { return nil }
      values[key] = entry.value
    }
    var pairs: [(Any, Any)] = []
    for entry in entries {
      guard let key = hashable(entry.key), let other = values[key] else { return nil }
      pairs.append((entry.value, other))
    }
    return pairs
  }

  private static func areEqualObjects(_ left: Any, _ right: Any) -> Bool {
    switch (left as? AnyHashable, right as? AnyHashable) {
    case (let a?, let b?): a == b
    default: (left as AnyObject) === (right as AnyObject)
    }
  }

  /// Releases a value without recursion. It may contain collections nested to any depth.
  package static func release(_ value: inout Any) {
    guard value is any NestingCollection else { return }
    // List all levels, because levels below the last listed one would be released by recursion.
    var levels = levels(of: value, limit: .max)
    // From here on, only `levels` references the collections.
    value = ()
    if levels.count <= LargeStack.safeHeight { return }
    // Each level's collections reference those of the next level, which `levels` keeps alive until their own turn.
    for index in levels.indices { levels[index] = [] }
  }

  /// Returns the Foundation class that archives use for a collection; nil if the value is not a collection.
  package static func archivedClass(of value: Any) -> NSObject.Type? {
    (value as? any NestingCollection).map { type(of: $0).archivedClass }
  }

  // MARK: Trees in constants

  /// Returns the height of the constant expression for a value. It is 1 if the value contains neither expressions nor
  /// predicates and is shallow enough for any stack.
  ///
  /// The value may be an expression or a predicate itself, or a collection that contains some.
  static func heightAsConstant(_ value: Any?) -> Int {
    guard let value, !isPlainValue(value) else { return 1 }
    if let height = treeHeight(value) { return 1 + height }
    guard value is any NestingCollection else { return 1 }
    var deepest = 0
    let levels = levels(of: value) { member, level in
      if let height = treeHeight(member) { deepest = max(deepest, level + height) }
    }
    if deepest == 0, levels.count <= LargeStack.safeHeight { return 1 }
    return 1 + max(deepest, levels.count)
  }

  /// Returns the height of an expression or a predicate; nil for any other value.
  private static func treeHeight(_ value: Any) -> Int? {
    if isPlainValue(value) { return nil }
    switch type(of: value) {
    case is NSExpression.Type: return (value as? NSExpression)?.height
    case is NSPredicate.Type: return (value as? NSPredicate)?.height
    default: return nil
    }
  }

  /// A box that releases its value level by level.
  final class Held {
    private var value: Any
    init(_ value: Any) { self.value = value }
    deinit { NestedValues.release(&value) }
  }
}

/// All members of a collection.
package enum NestedContents {
  case list([Any])
  case set([Any])
  case table([(key: Any, value: Any)])
}

/// A collection whose members may have any type.
package protocol NestingCollection {
  /// All members. Members of Foundation's collections are returned as stored, without bridging.
  var contents: NestedContents { get }
  /// The members that may be or contain collections. Members of Foundation's collections are returned as stored.
  var nestingMembers: [Any] { get }
  /// The address of the members; nil if it is unknown.
  var storageAddress: UnsafeRawPointer? { get }
  /// The same collection as a Swift collection, if Swift has one of its kind.
  var native: Any { get }
  static var archivedClass: NSObject.Type { get }
}

extension NestingCollection {
  package var native: Any { self }
  package var storageAddress: UnsafeRawPointer? { nil }

  /// Returns whether no value of a type can contain collections, expressions or predicates.
  fileprivate static func isPlain<Member>(_ type: Member.Type) -> Bool {
    if type is AnyClass {
      // An element whose static type is `NSObject` may be an object of any class.
      return type != NSObject.self && !(type is NSExpression.Type) && !(type is NSPredicate.Type)
        && !(type is any NestingCollection.Type)
    }
    return type is String.Type || type is any Numeric.Type || type is Bool.Type || type is Data.Type
      || type is Date.Type || type is UUID.Type || type is URL.Type
  }
}

extension Array: NestingCollection {
  package var contents: NestedContents { .list(map { $0 }) }
  package var nestingMembers: [Any] { Self.isPlain(Element.self) ? [] : map { $0 } }
  package var storageAddress: UnsafeRawPointer? {
    // All empty arrays share one address.
    isEmpty ? nil : withUnsafeBytes { $0.baseAddress }
  }
  package static var archivedClass: NSObject.Type { NSArray.self }
}

extension Set: NestingCollection {
  package var contents: NestedContents { .set(map { AnyHashable($0).base }) }
  package var nestingMembers: [Any] {
    Self.isPlain(Element.self) ? [] : map { AnyHashable($0).base }
  }
  package static var archivedClass: NSObject.Type { NSSet.self }
}

extension Dictionary: NestingCollection {
  package var contents: NestedContents {
    .table(map { (key: AnyHashable($0.key).base, value: $0.value) })
  }
  package var nestingMembers: [Any] {
    var members: [Any] = Self.isPlain(Value.self) ? [] : values.map { $0 }
    if !Self.isPlain(Key.self) { members += keys.map { AnyHashable($0).base } }
    return members
  }
  package static var archivedClass: NSObject.Type { NSDictionary.self }
}

// Foundation's collections bridge a member that is a collection to a Swift collection with all its nested members, so
// each access recurses to the innermost level. Their mirrors return the members as stored.

extension NestingCollection where Self: NSObject {
  /// The address of the object.
  package var storageAddress: UnsafeRawPointer? {
    UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }
}

extension NSArray: NestingCollection {
  package var contents: NestedContents { .list(nestingMembers) }
  package var nestingMembers: [Any] {
    // A subclass may store its members differently.
    type(of: self) == NSArray.self || type(of: self) == NSMutableArray.self
      ? customMirror.children.map(\.value) : self as? [Any] ?? []
  }
  package var native: Any { self as? [Any] ?? [] }
  package static var archivedClass: NSObject.Type { NSArray.self }
}

extension NSSet: NestingCollection {
  package var contents: NestedContents { .set(nestingMembers) }
  package var nestingMembers: [Any] {
    type(of: self) == NSSet.self || type(of: self) == NSMutableSet.self
      ? customMirror.children.map(\.value) : allObjects
  }
  package var native: Any { self as? Set<AnyHashable> ?? [] }
  package static var archivedClass: NSObject.Type { NSSet.self }
}

extension NSOrderedSet: NestingCollection {
  package var contents: NestedContents { .list(nestingMembers) }
  package var nestingMembers: [Any] {
    type(of: self) == NSOrderedSet.self || type(of: self) == NSMutableOrderedSet.self
      ? customMirror.children.map(\.value) : array
  }
  package static var archivedClass: NSObject.Type { NSOrderedSet.self }
}

extension NSDictionary: NestingCollection {
  package var contents: NestedContents { .table(entries) }
  package var nestingMembers: [Any] { entries.flatMap { [$0.key, $0.value] } }
  package var native: Any { self as? [AnyHashable: Any] ?? [:] }
  package static var archivedClass: NSObject.Type { NSDictionary.self }

  private var entries: [(key: Any, value: Any)] {
    if type(of: self) == NSDictionary.self || type(of: self) == NSMutableDictionary.self {
      let entries = customMirror.children.compactMap {
        $0.value as? (key: NSObject, value: AnyObject)
      }
      if entries.count == count { return entries.map { (key: $0.key, value: $0.value) } }
    }
    return allKeys.map { (key: $0, value: object(forKey: $0) ?? NSNull()) }
  }
}
