import CoreData
import StoreInspection

/// Values of transformable attributes as somebody may write them: JSON of the texts, numbers, lists and dictionaries that
/// most of them are.
enum ArchivedText {
  /// What an editor begins with; nil where the value is an object of a program's own.
  static func text(of value: Any?, _ attribute: NSAttributeDescription) -> String? {
    guard isPlainlyArchived(attribute) else { return nil }
    guard let value else { return "" }
    // Lists that hold one another have no end when they are written out.
    guard ValueJSON.wholeText(of: value) != nil, JSONSerialization.isValidJSONObject([value]),
      let data = try? JSONSerialization.data(
        withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes])
    else { return nil }
    return String(decoding: data, as: UTF8.self)
  }

  /// The value that an editor's text gives an attribute.
  static func value(of text: String, for attribute: NSAttributeDescription) throws -> Any {
    guard isPlainlyArchived(attribute) else {
      throw WebFailure(
        status: 400, "\(attribute.name) is an object of the program's own, which has no text")
    }
    do {
      return try JSONSerialization.jsonObject(
        with: Data(text.utf8), options: .fragmentsAllowed)
    } catch {
      throw WebFailure(
        status: 400,
        "\(attribute.name) takes JSON: \"a text\", a number, a [list] or a {\"key\": \"value\"}")
    }
  }

  /// Whether values are archives of Foundation's own classes; what other transformers make is known to their program alone.
  private static func isPlainlyArchived(_ attribute: NSAttributeDescription) -> Bool {
    let name = attribute.valueTransformerName ?? ""
    return name.isEmpty
      || NSValueTransformerName(name) == .secureUnarchiveFromDataTransformerName
  }
}
