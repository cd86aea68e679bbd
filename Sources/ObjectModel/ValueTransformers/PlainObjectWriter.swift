/// Archives objects of Foundation's plain classes in the format of Apple's archiver.
///
/// Foundation's archiver stops the program at a decimal number, and records fewer class names.
final class PlainObjectWriter {
  /// The reason why a value cannot be archived here.
  enum Failure: Error {
    /// An object of another class.
    case otherClass
    /// Values that are nested too deeply to be read from an archive again.
    case tooDeep
  }

  private let builder = KeyedArchiveBuilder()
  /// The number of sets that enclose the current value.
  private var openSets = 0

  /// Returns the archive of a value.
  ///
  /// - Throws: A ``Failure``.
  static func archive(of value: Any) throws -> KeyedArchive {
    let height = NestedValues.height(of: value)
    guard height <= NestedValues.maximumHeight else { throw Failure.tooDeep }
    return try LargeStack.running(height: height) {
      let writer = PlainObjectWriter()
      // Converted to Swift collections, because Foundation's collections bridge all nested values at each access.
      return writer.builder.finish(root: try writer.write(NestedValues.native(value)))
    }
  }

  private func write(_ value: Any) throws -> PropertyListValue {
    if value is any NestingCollection { return try writeCollection(value) }
    guard let object = ArchivedClasses.object(of: value) else { throw Failure.otherClass }
    switch object {
    case let text as NSString: return builder.add(plain: .string("\(text)"))
    // This case precedes the one for `NSNumber`, the superclass.
    case let number as NSDecimalNumber: return builder.add(number.decimalValue)
    case let number as NSNumber: return builder.add(number: number)
    case let data as NSData: return builder.add(plain: .data(Data(referencing: data)))
    case let date as NSDate:
      return builder.add(.date, ["NS.time": .real(date.timeIntervalSinceReferenceDate)])
    case let id as NSUUID:
      guard let id = UUID(uuidString: id.uuidString) else { throw Failure.otherClass }
      let bytes = withUnsafeBytes(of: id.uuid) { Data($0) }
      return builder.add(.uuid, ["NS.uuidbytes": .data(bytes)])
    case let url as NSURL:
      let base = try url.baseURL.map { try write($0) }
      return builder.add(
        .url,
        [
          "NS.base": base ?? KeyedArchiveBuilder.null,
          "NS.relative": builder.add(url.relativeString),
        ])
    case is NSNull: return builder.add(.null, [:])
    default: throw Failure.otherClass
    }
  }

  private func writeCollection(_ value: Any) throws -> PropertyListValue {
    if value is Set<AnyHashable> {
      openSets += 1
      // The reader rejects deeper sets, because hashing them takes too long.
      guard openSets <= PlainObjectReader.mostSets else { throw Failure.tooDeep }
    }
    defer { if value is Set<AnyHashable> { openSets -= 1 } }
    switch value {
    case let list as [Any]:
      return builder.array(try list.map { try write($0) })
    case let set as Set<AnyHashable>:
      return builder.array(
        try ArchiveOrder.sorted(set.map(\.base)) { $0 }.map { try write($0) }, .set)
    case let table as [AnyHashable: Any]:
      let entries = try ArchiveOrder.sorted(table.keys.map(\.base)) { $0 }.map { key in
        let value = (key as? AnyHashable).flatMap { table[$0] } ?? NSNull()
        return (try write(key), try write(value))
      }
      return builder.add(
        .dictionary,
        ["NS.keys": .array(entries.map(\.0)), "NS.objects": .array(entries.map(\.1))])
    default: throw Failure.otherClass
    }
  }
}
