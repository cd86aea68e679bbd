extension NSManagedObjectModel {
  /// The name of an entity for people; nil where the model has none.
  package final func localizedName(of entity: NSEntityDescription) -> String? {
    localized("Entity/\(entity.name ?? "")")
  }

  /// The name of a property for people, as it is called in an entity or the nearest one above that
  /// has a name of its own for it; nil where the model has none.
  package final func localizedName(
    ofProperty name: String, of entity: NSEntityDescription
  ) -> String? {
    guard explicitLocalization != nil || stringsFileTexts != nil else { return nil }
    for entity in entity.lineage.reversed() {
      if let text = localized("Property/\(name)/Entity/\(entity.name ?? "")") { return text }
    }
    return localized("Property/\(name)")
  }

  /// The message of a validation rule for people; the message itself where the model has no other.
  package final func localized(errorText text: String) -> String {
    localized("ErrorString/\(text)") ?? text
  }

  /// The text of a key, of which the model's own comes before that of a file beside it.
  private func localized(_ key: String) -> String? {
    explicitLocalization?[key] ?? stringsFileTexts?[key]
  }
}
