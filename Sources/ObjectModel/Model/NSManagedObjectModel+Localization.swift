extension NSManagedObjectModel {
  /// The name of an entity for people; nil where the model has none.
  package final func localizedName(of entity: NSEntityDescription) -> String? {
    localizationDictionary?["Entity/\(entity.name ?? "")"]
  }

  /// The name of a property for people, as it is called in an entity or the nearest one above that
  /// has a name of its own for it; nil where the model has none.
  package final func localizedName(
    ofProperty name: String, of entity: NSEntityDescription
  ) -> String? {
    guard let texts = localizationDictionary else { return nil }
    for entity in entity.lineage.reversed() {
      if let text = texts["Property/\(name)/Entity/\(entity.name ?? "")"] { return text }
    }
    return texts["Property/\(name)"]
  }

  /// The message of a validation rule for people; the message itself where the model has no other.
  package final func localized(errorText text: String) -> String {
    localizationDictionary?["ErrorString/\(text)"] ?? text
  }
}
