import CoreData
import StoreInspection

/// Converts between values and the texts of editors.
enum EditedText {
  /// Returns the initial text of an editor; nil if the value cannot be edited as text.
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

  /// Converts an editor's text to a value of an attribute.
  ///
  /// - Parameter text: Nil for no value.
  static func value(
    of text: String?, for key: String, of entity: NSEntityDescription,
    in context: NSManagedObjectContext
  ) throws -> Any? {
    guard let attribute = entity.attributesByName[key] ?? entity.element(at: key) else {
      throw Diagnostic.unknownKey(
        key, entity: entity.name ?? "", use: "attribute", among: Array(entity.attributesByName.keys)
      )
    }
    // On a command line `@` refers to a file of the user; here it would refer to a file of the server.
    if attribute.attributeType == .binaryDataAttributeType, text?.hasPrefix("@") == true {
      throw WebFailure(
        status: 400, "'\(text ?? "")' is not a valid value for \(key): send data as base64")
    }
    if attribute.attributeType == .transformableAttributeType, let text {
      return try ArchivedText.value(of: text, for: attribute)
    }
    return try PropertyValue(Assignment(key: key, value: text), of: entity, in: context).value
  }
}
