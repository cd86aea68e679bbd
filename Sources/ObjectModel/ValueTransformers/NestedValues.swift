package import Foundation
import Predicates

/// Collections within collections, which may be nested deeper than the stack has room for steps.
///
/// A thread has as little as 512 KB of stack, and Swift ends, compares and prints a nested collection by recursion.
package enum NestedValues {
  /// Values may not be nested deeper than this.
  package static let maximumHeight = 100_000

  /// The collections in a value by their level, the value's own first; empty for what is no collection.
  ///
  /// A collection that is shared is listed once a level. Foundation's collections count as leaves unless
  /// `bridgingAll`: they give their members only together with all that is in them.
  private static func levels(of value: Any, bridgingAll: Bool = false) -> [[any NestingCollection]]
  {
    guard let root = collection(value, bridgingAll) else { return [] }
    var levels: [[any NestingCollection]] = []
    var level = [root]
    while !level.isEmpty, levels.count <= maximumHeight {
      levels.append(level)
      var next: [any NestingCollection] = []
      var known: Set<UnsafeRawPointer> = []
      for collection in level {
        for member in collection.nestingMembers {
          guard let inner = Self.collection(member, bridgingAll) else { continue }
          if let place = inner.storagePlace, !known.insert(place).inserted { continue }
          next.append(inner)
        }
      }
      level = next
    }
    return levels
  }

  private static func collection(_ value: Any, _ bridgingAll: Bool) -> (any NestingCollection)? {
    guard let collection = value as? any NestingCollection else { return nil }
    return bridgingAll || !collection.isFoundations ? collection : nil
  }

  /// How deep Swift's collections are nested in a value: 0 for what is none. Above `maximumHeight` it is not counted on.
  ///
  /// Cost: O(members).
  package static func height(of value: Any) -> Int { levels(of: value).count }

  /// The same with Foundation's collections.
  ///
  /// Cost: O(members), and Foundation's recursion where one of its collections is met.
  package static func wholeHeight(of value: Any) -> Int {
    levels(of: value, bridgingAll: true).count
  }

  /// A value whose collections are all Swift's, so that its members can be reached one by one.
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
    var levels = levels(of: value)
    value = ()
    if levels.count <= LargeStack.safeHeight { return }
    // Each level's collections hold those of the next, which the list holds too until they are all that is left.
    for index in levels.indices { levels[index] = [] }
  }

  /// The class of Foundation's that a collection stands for in archives; nil for what is none.
  package static func archivedClass(of value: Any) -> NSObject.Type? {
    (value as? any NestingCollection).map { type(of: $0).archivedClass }
  }
}

/// A collection of any values.
protocol NestingCollection {
  /// The members that may be collections, or have some in them.
  var nestingMembers: [Any] { get }
  /// Where the members are; nil where that is not known.
  var storagePlace: UnsafeRawPointer? { get }
  /// The same as a collection of Swift's.
  var native: Any { get }
  var isFoundations: Bool { get }
  static var archivedClass: NSObject.Type { get }
}

extension NestingCollection {
  var isFoundations: Bool { false }
  var native: Any { self }
  var storagePlace: UnsafeRawPointer? { nil }

  /// Whether values of a type have no collections in them.
  fileprivate static func isPlain<Member>(_ type: Member.Type) -> Bool {
    type is String.Type || type is any Numeric.Type || type is Bool.Type || type is Data.Type
      || type is Date.Type || type is UUID.Type || type is URL.Type
  }
}

extension Array: NestingCollection {
  var nestingMembers: [Any] { Self.isPlain(Element.self) ? [] : map { $0 } }
  var storagePlace: UnsafeRawPointer? {
    isEmpty ? nil : withUnsafeBytes { $0.baseAddress }
  }
  static var archivedClass: NSObject.Type { NSArray.self }
}

extension Set: NestingCollection {
  var nestingMembers: [Any] {
    Self.isPlain(Element.self) ? [] : map { AnyHashable($0).base }
  }
  static var archivedClass: NSObject.Type { NSSet.self }
}

extension Dictionary: NestingCollection {
  var nestingMembers: [Any] {
    var members: [Any] = Self.isPlain(Value.self) ? [] : values.map { $0 }
    if !Self.isPlain(Key.self) { members += keys.map { AnyHashable($0).base } }
    return members
  }
  static var archivedClass: NSObject.Type { NSDictionary.self }
}

extension NSArray: NestingCollection {
  var nestingMembers: [Any] { self as? [Any] ?? [] }
  var native: Any { self as? [Any] ?? [] }
  var isFoundations: Bool { true }
  static var archivedClass: NSObject.Type { NSArray.self }
}

extension NSSet: NestingCollection {
  var nestingMembers: [Any] { allObjects }
  var native: Any { self as? Set<AnyHashable> ?? [] }
  var isFoundations: Bool { true }
  static var archivedClass: NSObject.Type { NSSet.self }
}

extension NSDictionary: NestingCollection {
  var nestingMembers: [Any] { allKeys + allValues }
  var native: Any { self as? [AnyHashable: Any] ?? [:] }
  var isFoundations: Bool { true }
  static var archivedClass: NSObject.Type { NSDictionary.self }
}
