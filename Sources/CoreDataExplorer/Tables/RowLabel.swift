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
    let entity = object.entity
    let key =
      if let keys = object.managedObjectContext?.labelKeys { keys.key(of: entity) } else {
        attribute(of: entity)
      }
    if let key, let text = object.value(forKey: key) as? String, !text.isEmpty {
      return text.cut(to: 100)
    }
    return "\(entity.name ?? "") \(RowName.text(object.objectID.primaryKey))"
  }
}

/// The attributes that name rows, looked for once for each entity: every row of every page has a label.
///
/// Belongs to the context's queue, and goes with the context, before its model does.
private final class LabelKeys {
  private var keys: [ObjectIdentifier: String?] = [:]

  func key(of entity: NSEntityDescription) -> String? {
    if let known = keys[ObjectIdentifier(entity)] { return known }
    let key = RowLabel.attribute(of: entity)
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
