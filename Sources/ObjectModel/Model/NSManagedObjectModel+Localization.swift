extension NSManagedObjectModel {
  /// Returns the localized name of an entity; nil if the model has none.
  package final func localizedName(of entity: NSEntityDescription) -> String? {
    localized("Entity/\(entity.name ?? "")")
  }

  /// Returns the localized name of a property: for the entity, otherwise for its nearest ancestor that has one,
  /// otherwise for all entities; nil if the model has none.
  package final func localizedName(
    ofProperty name: String, of entity: NSEntityDescription
  ) -> String? {
    guard explicitLocalization != nil || stringsFileTexts != nil else { return nil }
    for entity in entity.lineage.reversed() {
      if let text = localized("Property/\(name)/Entity/\(entity.name ?? "")") { return text }
    }
    return localized("Property/\(name)")
  }

  /// Returns the localized message of a validation rule; the message itself if the model does not localize it.
  package final func localized(errorText text: String) -> String {
    localized("ErrorString/\(text)") ?? text
  }

  /// Returns the text for a key. The model's own text has priority over that of the strings file.
  private func localized(_ key: String) -> String? {
    explicitLocalization?[key] ?? stringsFileTexts?[key]
  }
}
