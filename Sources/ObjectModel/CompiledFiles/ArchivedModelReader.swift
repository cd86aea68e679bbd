/// Reads a compiled model: the archive of an `NSManagedObjectModel` and its entities.
///
/// Unknown keys and optional parts that cannot be read are recorded in ``NSManagedObjectModel/unrecognized``.
final class ArchivedModelReader {
  let archive: KeyedArchive
  let url: URL?
  let assembler: ModelAssembler
  private var noted: Set<String> = []
  /// The number of composite attributes that enclose the current property.
  var compositeDepth = 0
  /// The number of composite elements that may still be read. Limited because an archive can refer to the same element
  /// any number of times.
  var remainingElements = 100_000

  init(archive: KeyedArchive, url: URL?) {
    self.archive = archive
    self.url = url
    // Lenient, because a compiler accepted the model, and stores that use it must still open.
    assembler = ModelAssembler(url: url, isLenient: true)
  }

  func read(_ root: KeyedArchive.Instance, into model: NSManagedObjectModel) throws {
    guard let entries = archive.entries(root.fields["NSEntities"]) else {
      throw ModelFileError.malformed(url, "the archived model has no entity table.")
    }
    // A compiled model does not record the order of its entities; the model editor sorts them by name.
    for entry in entries.sorted(by: isBefore) {
      guard let entity = archive.instance(entry.value) else {
        throw ModelFileError.malformed(url, "an entry of the entity table is not an entity.")
      }
      try readEntity(entity)
    }
    model.isCompiled = true
    // In a store's copy of the model, each entity repeats the properties that it inherits.
    model.entities = try assembler.assemble(repeatsInherited: true)
    model.versionIdentifiers = versionIdentifiers(root)
    model.localizationDictionary =
      archive.swiftValue(root.fields["NSLocalizationDictionary"]) as? [String: String]
    model.compiler = compiler(root)
    readTemplates(root, into: model)
    try readConfigurations(root, into: model)
    for text in assembler.omissions { note(text) }
    note(root, known: Self.modelKeys)
    model.unrecognized = noted.sorted() + ModelTexts.unreadable(in: model)
  }

  private static let modelKeys = [
    "NSEntities", "NSFetchRequestTemplates", "NSVersionIdentifiers", "NSConfigurations",
    "NSLocalizationDictionary", ArchivedModelWriter.toolVersionKey,
    ArchivedModelWriter.xcodeVersionKey,
  ]

  private func compiler(_ root: KeyedArchive.Instance) -> ModelCompiler? {
    let tool: Double? =
      switch archive.plain(root.fields[ArchivedModelWriter.toolVersionKey]) {
      case .real(let number): number
      case .integer(let number): Double(number)
      default: nil
      }
    let xcode = archive.integer(root.fields[ArchivedModelWriter.xcodeVersionKey])
    guard tool != nil || xcode != nil else { return nil }
    return ModelCompiler(toolVersion: tool, xcodeVersion: xcode)
  }

  private func versionIdentifiers(_ root: KeyedArchive.Instance) -> Set<AnyHashable> {
    let values = archive.elements(root.fields["NSVersionIdentifiers"]) ?? []
    return Set(values.compactMap { archive.swiftValue($0) as? AnyHashable })
  }

  private func readTemplates(
    _ root: KeyedArchive.Instance, into model: NSManagedObjectModel
  ) {
    for entry in archive.entries(root.fields["NSFetchRequestTemplates"]) ?? [] {
      guard let name = archive.string(entry.key), let request = archive.instance(entry.value) else {
        note("a fetch request without a name or content")
        continue
      }
      model.fetchRequestTemplates[name] = noting {
        try readFetchRequest(request, name: name)
      }
    }
  }

  private func readConfigurations(
    _ root: KeyedArchive.Instance, into model: NSManagedObjectModel
  ) throws {
    for entry in archive.entries(root.fields["NSConfigurations"]) ?? [] {
      guard let name = archive.string(entry.key) else { continue }
      let members = archive.elements(entry.value) ?? []
      model.configurationTable.append(
        ModelConfiguration(name: name, entityNames: members.compactMap(entityName).sorted()))
    }
    model.configurationTable.sort { $0.name.isBefore($1.name) }
  }

  /// Returns whether the key of a dictionary entry precedes the key of another.
  func isBefore(
    _ one: (key: PropertyListValue, value: PropertyListValue),
    _ other: (key: PropertyListValue, value: PropertyListValue)
  ) -> Bool {
    (archive.string(one.key) ?? "").isBefore(archive.string(other.key) ?? "")
  }

  /// Returns the name of an entity. Archives refer to an entity by its name or by the entity itself.
  func entityName(_ value: PropertyListValue?) -> String? {
    if let name = archive.string(value) { return name }
    guard let entity = archive.instance(value), entity.className == "NSEntityDescription" else {
      return nil
    }
    return archive.string(entity.fields["NSEntityName"])
  }

  /// Returns the entries of a user info dictionary; empty if there is none.
  func userInfo(_ value: PropertyListValue?) -> [AnyHashable: Any] {
    archive.swiftValue(value) as? [AnyHashable: Any] ?? [:]
  }

  /// Records the unknown keys of an object.
  func note(_ instance: KeyedArchive.Instance, known: [String]) {
    for key in instance.fields.keys where !known.contains(key) {
      noted.insert("key '\(key)' of \(instance.className)")
    }
  }

  /// Reads an optional part of the model. If reading fails, records the error and returns nil, because stores that use
  /// the model must still open.
  func noting<Part>(_ body: () throws -> Part?) -> Part? {
    do { return try body() } catch {
      note(error.localizedDescription)
      return nil
    }
  }

  /// Records the description of a part that cannot be read.
  func note(_ text: String) {
    noted.insert(text)
  }
}
