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
  static func text(of object: NSManagedObject) -> String {
    if let key = attribute(of: object.entity), let text = object.value(forKey: key) as? String,
      !text.isEmpty
    {
      return String(text.prefix(100))
    }
    return "\(object.entity.name ?? "") \(RowName.text(object.objectID.primaryKey))"
  }
}
