package import Foundation

/// Collections within collections, which may be nested deeper than the stack has room for steps.
///
/// A thread has as little as 512 KB of stack, and Swift ends, compares and prints a nested collection by recursion.
/// Foundation does too, and even gives the members of a collection only together with all that is in them.
package enum NestedValues {
  /// Values may not be nested deeper than this.
  package static let maximumHeight = 100_000

  /// The collections in a value by their level, the value's own first; empty for what is no collection.
  ///
  /// A collection that is shared is listed once a level.
  ///
  /// - Parameters:
  ///   - limit: how many levels are counted.
  ///   - visitLeaf: is given each member that is no collection, and its level.
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
          if let place = inner.storagePlace, !known.insert(place).inserted { continue }
          next.append(inner)
        }
      }
      level = next
    }
    return levels
  }

  private static func collection(_ value: Any) -> (any NestingCollection)? {
    // Most members are such values, and comparing types takes a tenth of a cast.
    isPlainValue(value) ? nil : value as? any NestingCollection
  }

  /// How deep collections are nested in a value: 0 for what is none. Above `maximumHeight` it is not counted on.
  ///
  /// Cost: O(members).
  package static func height(of value: Any) -> Int { levels(of: value).count }

  /// A value whose collections are all Swift's.
  ///
  /// Cost: O(members), and Foundation's recursion, for which the caller has room.
  package static func native(_ value: Any) -> Any {
    (value as? any NestingCollection)?.native ?? value
  }

  /// Runs a step that recurses as deep as collections are nested in some values.
  package static func run<Result, Failure: Error>(
    on values: Any..., body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try LargeStack.running(height: values.map(height).max() ?? 0, body)
  }

  /// Releases a value without recursion, however deep collections are nested in it.
  package static func release(_ value: inout Any) {
    guard value is any NestingCollection else { return }
    var levels = levels(of: value, limit: .max)
    value = ()
    if levels.count <= LargeStack.safeHeight { return }
    // Each level's collections hold those of the next, which the list holds too until they are all that is left.
    for index in levels.indices { levels[index] = [] }
  }

  /// The class of Foundation's that a collection stands for in archives; nil for what is none.
  package static func archivedClass(of value: Any) -> NSObject.Type? {
    (value as? any NestingCollection).map { type(of: $0).archivedClass }
  }

  // MARK: Trees in constants

  /// The levels of the expression that has a value as its constant: 1 for a value without trees in it that any stack has
  /// room for.
  ///
  /// An expression or a predicate may be a constant, or a member of a collection that is one.
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

  /// The levels of an expression or a predicate; nil for any other value.
  private static func treeHeight(_ value: Any) -> Int? {
    if isPlainValue(value) { return nil }
    switch type(of: value) {
    case is NSExpression.Type: return (value as? NSExpression)?.height
    case is NSPredicate.Type: return (value as? NSPredicate)?.height
    default: return nil
    }
  }

  /// A value behind a reference, whose end takes it apart level by level.
  final class Held {
    private var value: Any
    init(_ value: Any) { self.value = value }
    deinit { NestedValues.release(&value) }
  }
}

/// A collection of any values.
package protocol NestingCollection {
  /// The members that may be collections, or have some in them; of a collection of Foundation's as it keeps them.
  var nestingMembers: [Any] { get }
  /// Where the members are; nil where that is not known.
  var storagePlace: UnsafeRawPointer? { get }
  /// The same as a collection of Swift's.
  var native: Any { get }
  static var archivedClass: NSObject.Type { get }
}

extension NestingCollection {
  package var native: Any { self }
  package var storagePlace: UnsafeRawPointer? { nil }

  /// Whether values of a type have no collections and no trees in them.
  fileprivate static func isPlain<Member>(_ type: Member.Type) -> Bool {
    if type is AnyClass {
      return type != NSObject.self && !(type is NSExpression.Type) && !(type is NSPredicate.Type)
        && !(type is any NestingCollection.Type)
    }
    return type is String.Type || type is any Numeric.Type || type is Bool.Type || type is Data.Type
      || type is Date.Type || type is UUID.Type || type is URL.Type
  }
}

extension Array: NestingCollection {
  package var nestingMembers: [Any] { Self.isPlain(Element.self) ? [] : map { $0 } }
  package var storagePlace: UnsafeRawPointer? {
    isEmpty ? nil : withUnsafeBytes { $0.baseAddress }
  }
  package static var archivedClass: NSObject.Type { NSArray.self }
}

extension Set: NestingCollection {
  package var nestingMembers: [Any] {
    Self.isPlain(Element.self) ? [] : map { AnyHashable($0).base }
  }
  package static var archivedClass: NSObject.Type { NSSet.self }
}

extension Dictionary: NestingCollection {
  package var nestingMembers: [Any] {
    var members: [Any] = Self.isPlain(Value.self) ? [] : values.map { $0 }
    if !Self.isPlain(Key.self) { members += keys.map { AnyHashable($0).base } }
    return members
  }
  package static var archivedClass: NSObject.Type { NSDictionary.self }
}

// Foundation's collections give a member, and be it one of many, as a collection of Swift's that is made of all that is
// in it: each access recurses to the innermost level. Their mirrors have the members as they are kept.

extension NSObject {
  /// The address of the object.
  fileprivate var place: UnsafeRawPointer {
    UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }
}

extension NSArray: NestingCollection {
  package var nestingMembers: [Any] {
    // A subclass keeps its members elsewhere.
    type(of: self) == NSArray.self || type(of: self) == NSMutableArray.self
      ? customMirror.children.map(\.value) : self as? [Any] ?? []
  }
  package var storagePlace: UnsafeRawPointer? { place }
  package var native: Any { self as? [Any] ?? [] }
  package static var archivedClass: NSObject.Type { NSArray.self }
}

extension NSSet: NestingCollection {
  package var nestingMembers: [Any] {
    type(of: self) == NSSet.self || type(of: self) == NSMutableSet.self
      ? customMirror.children.map(\.value) : allObjects
  }
  package var storagePlace: UnsafeRawPointer? { place }
  package var native: Any { self as? Set<AnyHashable> ?? [] }
  package static var archivedClass: NSObject.Type { NSSet.self }
}

extension NSOrderedSet: NestingCollection {
  package var nestingMembers: [Any] {
    type(of: self) == NSOrderedSet.self || type(of: self) == NSMutableOrderedSet.self
      ? customMirror.children.map(\.value) : array
  }
  package var storagePlace: UnsafeRawPointer? { place }
  package static var archivedClass: NSObject.Type { NSOrderedSet.self }
}

extension NSDictionary: NestingCollection {
  package var nestingMembers: [Any] {
    guard type(of: self) == NSDictionary.self || type(of: self) == NSMutableDictionary.self else {
      return allKeys + allValues
    }
    return customMirror.children.flatMap { child -> [Any] in
      guard let entry = child.value as? (key: NSObject, value: AnyObject) else {
        return [child.value]
      }
      return [entry.key, entry.value]
    }
  }
  package var storagePlace: UnsafeRawPointer? { place }
  package var native: Any { self as? [AnyHashable: Any] ?? [:] }
  package static var archivedClass: NSObject.Type { NSDictionary.self }
}
