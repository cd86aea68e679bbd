import CoreData
import ObjectModel

/// What a person calls an object: the value of the attribute that names it.
enum RowLabel {
  private static let names = ["name", "title", "label", "displayname", "fullname", "lastname"]

  /// The attribute that names the rows of an entity; nil where no text does.
  static func attribute(of entity: NSEntityDescription) -> String? {
    let texts = entity.properties.compactMap { $0 as? NSAttributeDescription }
      .filter { $0.attributeType == .stringAttributeType && !$0.isTransient }
    let known = Self.names.lazy.compactMap { name in
      texts.first { $0.name.lowercased() == name }
    }.first
    return (known ?? texts.min { $0.name < $1.name })?.name
  }

  /// The label of an object, its ID where it has no name.
  ///
  /// To be called on the context's queue.
  static func text(of object: NSManagedObject) -> String {
    let keys = object.managedObjectContext?.labelKeys ?? LabelKeys()
    return text(of: object, keys)
  }

  /// The labels of many objects of a context.
  static func texts(
    of objects: [NSManagedObject], in context: NSManagedObjectContext
  ) -> [String] {
    let keys = context.labelKeys
    return objects.map { text(of: $0, keys) }
  }

  private static func text(of object: NSManagedObject, _ keys: LabelKeys) -> String {
    let entity = object.entity
    if let key = keys.key(of: entity), let text = object.managedValue(key) as String?,
      !text.isEmpty
    {
      return text.cut(to: 100)
    }
    return "\(entity.name ?? "") \(RowName.text(object.objectID.primaryKey))"
  }
}

/// The attributes that name rows, looked for once for each entity: every row of every page has a label.
///
/// Belongs to the context's queue, and goes with the context, before its model does.
private final class LabelKeys {
  private var keys: [ObjectIdentifier: ManagedKey?] = [:]

  func key(of entity: NSEntityDescription) -> ManagedKey? {
    if let known = keys[ObjectIdentifier(entity)] { return known }
    let key = RowLabel.attribute(of: entity).map { ManagedKey($0) }
    keys[ObjectIdentifier(entity)] = .some(key)
    return key
  }
}

extension NSManagedObjectContext {
  private static let labelKeysKey = "explorer.labelKeys"

  fileprivate var labelKeys: LabelKeys {
    if let known = userInfo[Self.labelKeysKey] as? LabelKeys { return known }
    let keys = LabelKeys()
    userInfo[Self.labelKeysKey] = keys
    return keys
  }
}
