extension ContentsWriter {
  /// What a file of the present Xcode says of itself.
  static let presentHeader = [
    "type": "com.apple.IDECoreDataModeler.DataModel", "documentVersion": "1.0",
    "lastSavedToolsVersion": "24512", "systemVersion": "25B78",
    "minimumToolsVersion": "Automatic", "sourceLanguage": "Swift",
  ]

  /// The attributes of the root element, in Xcode's order.
  func header(of model: NSManagedObjectModel) -> [ModelElement.Attribute] {
    var values = model.document?.attributes ?? Self.presentHeader
    values[Self.identifier] = Self.identifierText(of: model)
    var names = DocumentAttributes.kept
    // Until Xcode 8, whose files also name the language, the identifier came first.
    let place = values["sourceLanguage"] == nil ? "type" : "macOSVersion"
    names.insert(Self.identifier, at: names.firstIndex(of: place) ?? names.count)
    return names.compactMap { name in
      values[name].map { ModelElement.Attribute(name: name, value: $0) }
    }
  }

  private static let identifier = "userDefinedModelVersionIdentifier"

  /// The version identifiers, of which a source file has one: several are joined by commas.
  private static func identifierText(of model: NSManagedObjectModel) -> String? {
    let identifiers = model.versionIdentifiers.map { "\($0.base)" }.sorted { $0.isBefore($1) }
    return identifiers.isEmpty ? nil : identifiers.joined(separator: ",")
  }
}
