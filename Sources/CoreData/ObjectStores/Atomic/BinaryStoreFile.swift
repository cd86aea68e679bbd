/// The file of a binary store, which is a binary property list.
///
/// The root is a dictionary with the keys `Format` (the string below), `FormatVersion` (1), `Metadata`, `NextObjectID`
/// and `Entities`, a dictionary by entity name. An entity has `Keys`, an array of its objects' keys, and `Columns`, a
/// dictionary by property name. A column has two arrays of the same length: `Rows`, the indexes in `Keys` of the
/// objects that have a value, and `Values`, their values.
///
/// Integers and Boolean values are stored as integers; doubles, floats and dates (seconds since 2001) as reals;
/// strings, decimals and URIs as strings; UUIDs (16 bytes), data and transformable values as data; to-one relationships
/// as the key of the destination, to-many ones as an array of keys.
///
/// This is not Apple's format, which is not documented; no example of it was available.
struct BinaryStoreFile {
  private static let format = "OpenCoreData binary store"
  private let root: [String: Any]
  private let url: URL
  let metadata: [String: Any]

  init(_ data: Data, _ url: URL) throws {
    self.url = url
    guard data.starts(with: Data("bplist00".utf8)),
      let list = try? CheckedPropertyList.read(data),
      let root = list as? [String: Any], root["Format"] as? String == Self.format
    else {
      throw StoreErrors.notAStore(url, "it is not a binary store of this library")
    }
    guard root["FormatVersion"] as? Int == 1, let metadata = root["Metadata"] as? [String: Any],
      metadata[NSStoreUUIDKey] is String
    else { throw StoreErrors.damaged(url, "its version or metadata is invalid") }
    self.root = root
    self.metadata = metadata
  }

  /// Returns the content of the file with its metadata replaced.
  func replacing(_ metadata: [String: Any]) throws -> Data {
    var root = root
    root["Metadata"] = metadata
    return try PropertyListSerialization.data(fromPropertyList: root, format: .binary, options: 0)
  }

  // MARK: Writing

  static func data(_ document: StoreDocument) throws -> Data {
    var entities: [String: Any] = [:]
    for (_, objects) in Dictionary(grouping: document.objects, by: { $0.layout.index }) {
      let layout = objects[0].layout
      var rows = [[Int]](repeating: [], count: layout.slots.count)
      var values = [[Any]](repeating: [], count: layout.slots.count)
      for (place, object) in objects.enumerated() {
        for (slot, value) in object.attributes {
          guard let form = form(value) else { continue }
          rows[slot].append(place)
          values[slot].append(form)
        }
        for (slot, keys) in object.relationships where !keys.isEmpty {
          rows[slot].append(place)
          values[slot].append(layout.slots[slot].kind == .toOne ? keys[0] as Any : keys)
        }
      }
      var columns: [String: Any] = [:]
      for slot in layout.slots where !rows[slot.index].isEmpty {
        columns[slot.name] = ["Rows": rows[slot.index], "Values": values[slot.index]]
      }
      entities[layout.name] = ["Keys": objects.map(\.key), "Columns": columns]
    }
    let root: [String: Any] = [
      "Format": format, "FormatVersion": 1, "Metadata": document.metadata,
      "NextObjectID": document.nextKey, "Entities": entities,
    ]
    return try PropertyListSerialization.data(fromPropertyList: root, format: .binary, options: 0)
  }

  private static func form(_ value: StoredValue) -> Any? {
    switch value {
    case .null, .object, .reference: nil
    case .integer(let number): number
    case .double(let number): number
    case .decimal(let number): number.stringValue
    case .text(let text): text
    case .data(let data): data
    case .uuid(let uuid): uuid.bytes
    case .uri(let uri): uri.absoluteString
    }
  }

  // MARK: Reading

  func document(_ model: ModelLayout) throws -> StoreDocument {
    var document = StoreDocument(
      metadata: metadata, nextKey: (root["NextObjectID"] as? NSNumber)?.int64Value ?? 1)
    let entities = root["Entities"] as? [String: [String: Any]] ?? [:]
    for (name, content) in entities.sorted(by: { $0.key < $1.key }) {
      guard let layout = model.layout(named: name) else {
        throw StoreErrors.damaged(url, "the model has no entity \(name)")
      }
      guard let keys = content["Keys"] as? [Int64],
        let columns = content["Columns"] as? [String: [String: Any]]
      else { throw StoreErrors.damaged(url, "entity \(name) has no keys or columns") }
      if let key = keys.first(where: { $0 < 1 }) {
        throw StoreErrors.damaged(url, "entity \(name) has an object with the key \(key)")
      }
      var objects = keys.map { StoreDocument.Object(layout: layout, key: $0) }
      for (property, column) in columns.sorted(by: { $0.key < $1.key }) {
        guard let slot = layout.slot(named: property), let rows = column["Rows"] as? [Int],
          let values = column["Values"] as? [Any], rows.count == values.count
        else { throw damaged(name, property) }
        for (row, form) in zip(rows, values) {
          guard objects.indices.contains(row) else { throw damaged(name, property) }
          if slot.relationship != nil {
            let list = (form as? [Int64]) ?? (form as? NSNumber).map { [$0.int64Value] }
            guard let list else { throw damaged(name, property) }
            objects[row].relationships.append((slot.index, list))
          } else if let value = Self.value(form, slot) {
            objects[row].attributes.append((slot.index, value))
          } else {
            throw damaged(name, property)
          }
        }
      }
      document.objects += objects
    }
    // If `NextObjectID` is too small, new objects would get the keys of existing ones.
    document.reserveKeys(through: document.objects.map(\.key).max() ?? 0)
    return document
  }

  private func damaged(_ entity: String, _ property: String) -> NSError {
    StoreErrors.damaged(url, "the values of \(entity).\(property) are invalid")
  }

  private static func value(_ form: Any, _ slot: PropertySlot) -> StoredValue? {
    switch slot.storage {
    case .integer16, .integer32, .integer64, .boolean:
      (form as? NSNumber).map { .integer($0.int64Value) }
    case .double, .float, .date: (form as? NSNumber).map { .double($0.doubleValue) }
    case .decimal: (form as? String).map { .decimal(NSDecimalNumber(column: $0)) }
    case .string: (form as? String).map(StoredValue.text)
    case .uuid: (form as? Data).flatMap(UUID.init(bytes:)).map(StoredValue.uuid)
    case .uri: (form as? String).flatMap { URL(string: $0) }.map(StoredValue.uri)
    default: (form as? Data).map(StoredValue.data)
    }
  }
}
