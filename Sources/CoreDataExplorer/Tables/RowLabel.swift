import CoreData
import StoreInspection

/// The label of an object: the value of an attribute such as `name` or `title`.
enum RowLabel {
  private static let names = ["name", "title", "label", "displayname", "fullname", "lastname"]

  /// Returns the attribute with the labels of an entity's rows; nil if it has no stored string attribute.
  static func attribute(of entity: NSEntityDescription) -> String? {
    let texts = entity.properties.compactMap { $0 as? NSAttributeDescription }
      .filter { $0.attributeType == .stringAttributeType && !$0.isTransient }
    let known = Self.names.lazy.compactMap { name in
      texts.first { $0.name.lowercased() == name }
    }.first
    return (known ?? texts.min { $0.name < $1.name })?.name
  }

  /// Returns the label of an object: the value of its label attribute, or its entity and ID if the value is nil or
  /// empty.
  ///
  /// Call it on the context's queue.
  static func text(of object: NSManagedObject) -> String {
    let keys = object.managedObjectContext?.labelKeys ?? LabelKeys()
    return text(of: object, keys.key(of: object.entity))
  }

  /// Returns the labels of many objects of a context.
  ///
  /// - Parameters:
  ///   - keys: The cache of label keys: that of the context, or one that the caller owns.
  ///   - known: Values of the objects that were already read, by attribute name.
  static func texts(
    of objects: [NSManagedObject], _ keys: LabelKeys, known: [String: [CellValue]]
  ) -> [String] {
    guard var last = objects.first else { return [] }
    var key = keys.key(of: last.entity)
    var values = key.flatMap { known[$0.name] }
    var texts: [String] = []
    texts.reserveCapacity(objects.count)
    for (place, object) in objects.enumerated() {
      // Consecutive objects are usually of the same entity.
      if !object.hasEntity(of: last) {
        last = object
        key = keys.key(of: object.entity)
        values = key.flatMap { known[$0.name] }
      }
      if let values, case .text(let text) = values[place], !text.isEmpty {
        texts.append(text.shortened(to: length))
      } else {
        texts.append(text(of: object, key))
      }
    }
    return texts
  }

  static let length = 100

  private static func text(of object: NSManagedObject, _ key: ManagedKey?) -> String {
    if let key, let text = object.managedValue(key) as String?, !text.isEmpty {
      return text.shortened(to: length)
    }
    return name(of: object)
  }

  /// Returns the label of an object without a name: its entity and ID.
  static func name(of object: NSManagedObject) -> String {
    "\(object.entityName) \(ObjectReference.text(ofKey: object.primaryKey))"
  }
}

/// Caches the attributes that contain the labels of rows, because every row of every page has a label.
///
/// Use it on the context's queue. A context or a live table owns it, so that it is released before the model.
final class LabelKeys {
  private var keys: [ObjectIdentifier: ManagedKey?] = [:]
  private var bytes: [ObjectIdentifier: [String]] = [:]

  func key(of entity: NSEntityDescription) -> ManagedKey? {
    if let known = keys[ObjectIdentifier(entity)] { return known }
    let key = RowLabel.attribute(of: entity).map { ManagedKey($0) }
    keys[ObjectIdentifier(entity)] = .some(key)
    return key
  }

  /// Returns the binary attributes of an entity whose data is in its rows.
  func bytes(of entity: NSEntityDescription) -> [String] {
    if let known = bytes[ObjectIdentifier(entity)] { return known }
    let names = LargeValueRows.bytes(of: entity)
    bytes[ObjectIdentifier(entity)] = names
    return names
  }
}

extension NSManagedObjectContext {
  private static let labelKeysKey = "explorer.labelKeys"

  var labelKeys: LabelKeys {
    if let known = userInfo[Self.labelKeysKey] as? LabelKeys { return known }
    let keys = LabelKeys()
    userInfo[Self.labelKeysKey] = keys
    return keys
  }
}
