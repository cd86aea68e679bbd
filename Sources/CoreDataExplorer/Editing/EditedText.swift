import CoreData
import StoreInspection

/// Values as editors have them.
enum EditedText {
  /// What an editor begins with; nil where the value is no text that somebody could write.
  static func text(of value: CellValue) -> String? {
    switch value {
    case .null: ""
    case .text(let text): text
    case .date(let date): DateText.exact(date)
    case .url(let url): url.absoluteString
    case .boolean, .integer, .double, .decimal, .uuid: value.formatted
    default: nil
    }
  }

  /// The value that an editor's text gives an attribute.
  ///
  /// - Parameter text: nil for no value.
  static func value(
    of text: String?, for key: String, of entity: NSEntityDescription,
    in context: NSManagedObjectContext
  ) throws -> Any? {
    guard let attribute = entity.attributesByName[key] ?? entity.element(at: key) else {
      throw Diagnostic.unknownKey(
        key, entity: entity.name ?? "", use: "attribute", among: Array(entity.attributesByName.keys)
      )
    }
    // On a command line `@` names a file of the person's own; here it would be one of the server's.
    if attribute.attributeType == .binaryDataAttributeType, text?.hasPrefix("@") == true {
      throw WebFailure(
        status: 400, "'\(text ?? "")' is not a value for \(key): bytes come in base64")
    }
    if attribute.attributeType == .transformableAttributeType, let text {
      return try ArchivedText.value(of: text, for: attribute)
    }
    return try PropertyValue(Assignment(key: key, value: text), of: entity, in: context).value
  }
}
