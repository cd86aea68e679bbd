extension ArchivedModelWriter {
  /// Archives a user info dictionary.
  func userInfo(
    _ info: [AnyHashable: Any], of entity: String, property: String?
  ) throws -> PropertyListValue {
    if info.isEmpty { return builder.emptyDictionary }
    let entries = try ArchiveOrder.sorted(Array(info)) { $0.key.base }.compactMap { entry in
      try archivable {
        (
          key: try archived(entry.key.base, of: entity, property: property),
          value: try archived(entry.value, of: entity, property: property)
        )
      }
    }
    return builder.add(
      .dictionary,
      ["NS.keys": .array(entries.map(\.key)), "NS.objects": .array(entries.map(\.value))])
  }

  /// Calls a closure that archives a part of the model, and returns its result. If the file is a store's copy of the
  /// model, returns nil instead of throwing the closure's error: a model that was built in code may contain objects
  /// that cannot be archived, and a compiled model may contain texts that cannot be parsed. They must not prevent the
  /// store from opening.
  func archivable<Result>(_ body: () throws -> Result) throws -> Result? {
    // A file that a program writes deliberately must be complete or not written at all.
    if form != .storeCache { return try body() }
    return try? body()
  }

  /// Archives a value: a string, number, date, data, UUID, URL, or an array, set or dictionary of these.
  func archived(_ value: Any, of entity: String, property: String?) throws -> PropertyListValue {
    // Archiving is recursive, and the reader does not accept deeper values.
    guard NestedValues.height(of: value) <= KeyedArchive.deepestNesting else {
      throw ModelFileError.invalid(
        url, entity: entity, property: property,
        "a value is nested more than \(KeyedArchive.deepestNesting) levels deep.")
    }
    switch value {
    case let text as String: return builder.add(text)
    case let number as NSDecimalNumber: return builder.add(number.decimalValue)
    case let number as Decimal: return builder.add(number)
    case let date as Date:
      return builder.add(.date, ["NS.time": .real(date.timeIntervalSinceReferenceDate)])
    case let data as Data: return builder.add(plain: .data(data))
    case let id as UUID:
      let bytes = withUnsafeBytes(of: id.uuid) { Data($0) }
      return builder.add(.uuid, ["NS.uuidbytes": .data(bytes)])
    case let url as URL:
      return builder.add(
        .url,
        ["NS.base": KeyedArchiveBuilder.null, "NS.relative": builder.add(url.absoluteString)])
    // An `NSNumber` of 0 or 1 also casts to `Bool`, but must stay a number.
    case let truth as Bool where type(of: value) == Bool.self:
      return builder.add(plain: .bool(truth))
    case let number as NSNumber: return builder.add(number: number)
    case let values as [Any]:
      return builder.array(try values.map { try archived($0, of: entity, property: property) })
    case let values as Set<AnyHashable>:
      return builder.array(
        try ArchiveOrder.sorted(values.map(\.base)) { $0 }.map {
          try archived($0, of: entity, property: property)
        }, .set)
    case let table as [AnyHashable: Any]:
      return try userInfo(table, of: entity, property: property)
    default:
      throw ModelFileError.invalid(
        url, entity: entity, property: property,
        "a value of the type \(type(of: value)) cannot be archived.")
    }
  }
}
