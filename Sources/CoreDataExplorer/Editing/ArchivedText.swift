import CoreData
import StoreInspection

/// Values of transformable attributes as editable JSON. Most of these values are strings, numbers, arrays and
/// dictionaries, which JSON can express.
enum ArchivedText {
  /// Returns the initial text of an editor: an empty string for nil. Nil if JSON cannot express the value, for example
  /// because it contains dates or itself, or if the attribute has a custom transformer.
  static func text(of value: Any?, _ attribute: NSAttributeDescription) -> String? {
    guard isPlainlyArchived(attribute) else { return nil }
    guard let value else { return "" }
    // A list that contains itself has no finite text.
    guard ValueJSON.wholeText(of: value) != nil, JSONSerialization.isValidJSONObject([value]),
      let data = try? JSONSerialization.data(
        withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes])
    else { return nil }
    return String(decoding: data, as: UTF8.self)
  }

  /// Converts an editor's text to a value of an attribute.
  static func value(of text: String, for attribute: NSAttributeDescription) throws -> Any {
    guard isPlainlyArchived(attribute) else {
      throw WebFailure(
        status: 400, "\(attribute.name) is an object of a custom class and cannot be edited as text"
      )
    }
    do {
      return try JSONSerialization.jsonObject(
        with: Data(text.utf8), options: .fragmentsAllowed)
    } catch {
      throw WebFailure(
        status: 400,
        "\(attribute.name) expects JSON: \"a string\", a number, a [list] or a {\"key\": \"value\"}"
      )
    }
  }

  /// Returns whether the values are archives of Foundation classes. The values of other transformers have unknown
  /// classes.
  private static func isPlainlyArchived(_ attribute: NSAttributeDescription) -> Bool {
    let name = attribute.valueTransformerName ?? ""
    return name.isEmpty
      || NSValueTransformerName(name) == .secureUnarchiveFromDataTransformerName
  }
}
