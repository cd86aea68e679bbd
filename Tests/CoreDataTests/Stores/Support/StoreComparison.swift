import CoreData

/// Compares the values that the library reads from a store with those that plain SQL returns.
struct StoreComparison {
  let url: URL
  let model: NSManagedObjectModel
  let context: NSManagedObjectContext
  private let names: PlainNames
  private let database: PlainDatabase
  /// Descriptions of the first differences, at most ten.
  private(set) var differences: [String] = []
  private(set) var rowCount = 0
  private(set) var valueCount = 0

  init(_ url: URL, _ model: NSManagedObjectModel, _ context: NSManagedObjectContext) throws {
    self.url = url
    self.model = model
    self.context = context
    database = try PlainDatabase(url)
    names = try PlainNames(model, database)
  }

  mutating func compareAll() throws {
    for entity in model.entities { try compare(entity) }
  }

  private mutating func differ(_ text: String) {
    if differences.count < 10 { differences.append(text) }
  }

  private mutating func compare(_ entity: NSEntityDescription) throws {
    let name = entity.name ?? ""
    let rows = try database.rows(
      "SELECT * FROM \(names.table(entity)) WHERE Z_ENT = \(names.number(entity))")
    let request = NSFetchRequest<NSManagedObject>(entityName: name)
    request.includesSubentities = false
    let objects = try context.fetch(request)
    let count = try context.count(for: request)
    if objects.count != rows.count || count != rows.count {
      differ("\(name): \(objects.count) fetched, \(count) counted, \(rows.count) in SQL")
    }
    var byKey: [Int64: NSManagedObject] = [:]
    for object in objects {
      if let key = object.objectID.primaryKey { byKey[key] = object }
      if object.entity.name != name { differ("\(name): \(object.objectID) has a different entity") }
    }
    rowCount += rows.count
    for property in entity.properties where !property.isTransient {
      switch property {
      case let relationship as NSRelationshipDescription:
        if relationship.isToMany {
          try compareToMany(relationship, entity, byKey)
        } else {
          try compareToOne(relationship, entity, rows, byKey)
        }
      case let attribute as NSAttributeDescription:
        let column = try names.column(attribute.name, entity)
        for row in rows {
          guard let object = byKey[row["Z_PK"]?.integer ?? 0] else {
            differ("\(name): row \(row["Z_PK"] ?? .null) was not fetched")
            continue
          }
          compare(object.value(forKey: attribute.name), row[column] ?? .null, attribute, object)
        }
      default: break
      }
    }
  }

  private mutating func compare(
    _ value: Any?, _ raw: PlainValue, _ attribute: NSAttributeDescription, _ object: NSManagedObject
  ) {
    valueCount += 1
    let isEqual: Bool
    switch attribute.attributeType {
    case .booleanAttributeType:
      isEqual = (value as? Bool) == raw.integer.map { $0 != 0 }
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
      isEqual = (value as? NSNumber)?.int64Value == raw.integer
    case .doubleAttributeType: isEqual = (value as? Double) == raw.real
    case .floatAttributeType: isEqual = (value as? NSNumber)?.floatValue == raw.real.map(Float.init)
    case .dateAttributeType:
      isEqual = (value as? Date)?.timeIntervalSinceReferenceDate == raw.real
    case .decimalAttributeType:
      // Converts the text, because `doubleValue` of a decimal is not the nearest double.
      isEqual = (value as? NSDecimalNumber).flatMap { Double($0.stringValue) } == raw.real
    case .stringAttributeType: isEqual = (value as? String) == raw.text
    case .URIAttributeType: isEqual = (value as? URL)?.absoluteString == raw.text
    case .UUIDAttributeType:
      isEqual =
        (value as? UUID).map { withUnsafeBytes(of: $0.uuid) { Data($0) } } == raw.blob
    case .binaryDataAttributeType:
      isEqual = (value as? Data) == bytes(raw, attribute)
    case .transformableAttributeType:
      isEqual = Self.isTransformed(value, bytes(raw, attribute))
    default: isEqual = value == nil
    }
    if !isEqual {
      let place = "\(object.objectID) \(attribute.name)"
      differ("\(place): \(value.map { "\($0)" } ?? "nil"), in SQL \(raw)")
    }
  }

  /// Returns the data of a column's value. With external storage, the value begins with a marker byte: 1 precedes the
  /// data, 2 precedes the name of the file that contains the data.
  private func bytes(_ raw: PlainValue, _ attribute: NSAttributeDescription) -> Data? {
    guard attribute.allowsExternalBinaryDataStorage, let data = raw.blob else { return raw.blob }
    if data.first == 1 { return data.dropFirst() }
    guard data.first == 2, data.count == 38 else { return data }
    let file = String(decoding: data.dropFirst().dropLast(), as: UTF8.self)
    let name = url.deletingPathExtension().lastPathComponent
    return try? Data(
      contentsOf: url.deletingLastPathComponent()
        .appendingPathComponent(".\(name)_SUPPORT/_EXTERNAL_DATA/\(file)"))
  }

  /// Returns whether a transformable value is the object that the stored bytes archive, or the bytes themselves.
  private static func isTransformed(_ value: Any?, _ data: Data?) -> Bool {
    guard let value, let data else { return value == nil && data == nil }
    if let bytes = value as? Data, bytes == data { return true }
    let classes: [AnyClass] = [
      NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self,
      NSData.self, NSURL.self, NSUUID.self, NSNull.self,
    ]
    let object = try? NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: data)
    return (object as? NSObject)?.isEqual(value) == true
  }

  private mutating func compareToOne(
    _ relationship: NSRelationshipDescription, _ entity: NSEntityDescription,
    _ rows: [[String: PlainValue]], _ byKey: [Int64: NSManagedObject]
  ) throws {
    let column = try names.column(relationship.name, entity)
    let entityColumn = try names.entityColumn(relationship, entity)
    for row in rows {
      guard let object = byKey[row["Z_PK"]?.integer ?? 0] else { continue }
      valueCount += 1
      let target = object.value(forKey: relationship.name) as? NSManagedObject
      let key = row[column]?.integer
      if target?.objectID.primaryKey != key {
        differ(
          "\(object.objectID) \(relationship.name): \(target?.objectID.description ?? "nil"), in SQL \(row[column] ?? .null)"
        )
      }
      if let target, let entityColumn, let number = row[entityColumn]?.integer,
        names.number(target.entity) != Int(number)
      {
        differ(
          "\(object.objectID) \(relationship.name): entity \(target.entity.name ?? ""), in SQL \(number)"
        )
      }
    }
  }

  private mutating func compareToMany(
    _ relationship: NSRelationshipDescription, _ entity: NSEntityDescription,
    _ byKey: [Int64: NSManagedObject]
  ) throws {
    var members: [Int64: [Int64]] = [:]
    for pair in try database.values(try names.membersQuery(relationship, entity)) {
      if let owner = pair[0].integer, let member = pair[1].integer {
        members[owner, default: []].append(member)
      }
    }
    for (key, object) in byKey {
      valueCount += 1
      let expected = members[key] ?? []
      let value = object.value(forKey: relationship.name)
      let found: [Int64]
      if relationship.isOrdered {
        found =
          (value as? NSOrderedSet)?.compactMap {
            ($0 as? NSManagedObject)?.objectID.primaryKey
          } ?? []
      } else {
        found = (value as? Set<NSManagedObject>)?.compactMap(\.objectID.primaryKey).sorted() ?? []
      }
      if found != (relationship.isOrdered ? expected : expected.sorted()) {
        differ("\(object.objectID) \(relationship.name): \(found), in SQL \(expected)")
      }
    }
  }
}
