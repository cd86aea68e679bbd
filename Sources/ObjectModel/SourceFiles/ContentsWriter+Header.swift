extension ContentsWriter {
  /// The attributes that the current Xcode writes to the root element of a new file.
  static let currentHeader = [
    "type": "com.apple.IDECoreDataModeler.DataModel", "documentVersion": "1.0",
    "lastSavedToolsVersion": "24512", "systemVersion": "25B78",
    "minimumToolsVersion": "Automatic", "sourceLanguage": "Swift",
  ]

  /// Returns the attributes of the root element, in Xcode's order.
  func header(of model: NSManagedObjectModel) -> [ModelElement.Attribute] {
    var values = model.document?.attributes ?? Self.currentHeader
    values[Self.identifier] = Self.identifierText(of: model)
    var names = DocumentAttributes.kept
    // Until Xcode 8, which added the language, the identifier was the first attribute.
    let place = values["sourceLanguage"] == nil ? "type" : "macOSVersion"
    names.insert(Self.identifier, at: names.firstIndex(of: place) ?? names.count)
    return names.compactMap { name in
      values[name].map { ModelElement.Attribute(name: name, value: $0) }
    }
  }

  private static let identifier = "userDefinedModelVersionIdentifier"

  /// Returns the version identifiers, joined by commas, because a source file has only one identifier.
  private static func identifierText(of model: NSManagedObjectModel) -> String? {
    let identifiers = model.versionIdentifiers.map { "\($0.base)" }.sorted { $0.isBefore($1) }
    return identifiers.isEmpty ? nil : identifiers.joined(separator: ",")
  }
}
