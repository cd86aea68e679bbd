/// Writes a model as an archive, in the form that Apple's Core Data writes to a store or that Apple's model
/// compiler writes to a file.
final class ArchivedModelWriter {
  /// The two forms of archives.
  enum Form {
    /// Entities are in a known-keys dictionary, sorted by name. Each entity contains copies of the properties it
    /// inherits.
    case storeCache
    /// Entities are in an ordinary dictionary and contain only their own properties.
    case compiledModel
  }

  let form: Form
  /// The destination file, for error messages.
  let url: URL?
  let builder = KeyedArchiveBuilder()
  let model: NSManagedObjectModel
  private(set) var modelPlace = 0
  private var entityPlaces: [ObjectIdentifier: Int] = [:]
  private var propertyPlaces: [PropertyKey: Int] = [:]

  /// A property in one of the entities that have it.
  struct PropertyKey: Hashable {
    let entity: ObjectIdentifier
    let name: String
  }

  private init(_ model: NSManagedObjectModel, _ form: Form, _ url: URL?) {
    self.model = model
    self.form = form
    self.url = url
  }

  /// Archives a model.
  ///
  /// - Throws: An `NSError` that identifies the entity and, if it concerns one, the property with a part that cannot be
  ///   archived. The form `storeCache` leaves out such parts, and throws only for a property of an unknown class.
  static func archive(
    _ model: NSManagedObjectModel, as form: Form = .storeCache, for url: URL? = nil
  ) throws -> KeyedArchive {
    try ArchivedModelWriter(model, form, url).write()
  }

  /// Archives a single value, such as a default value.
  static func archive(
    _ value: Any, of entity: String, property: String?, for url: URL?
  ) throws -> KeyedArchive {
    let writer = forParts(of: url)
    return writer.builder.finish(
      root: try writer.archived(value, of: entity, property: property))
  }

  /// Creates a writer for values, expressions and predicates outside a model.
  static func forParts(of url: URL? = nil) -> ArchivedModelWriter {
    // Not `.storeCache`: in that form, the writer omits values that cannot be archived instead of
    // throwing.
    ArchivedModelWriter(NSManagedObjectModel(), .compiledModel, url)
  }

  static let toolVersionKey = "CDMCompilerToolVersion"
  static let xcodeVersionKey = "CDMCompilerXcodeVersion"

  /// Returns the properties that an entity contains in this form.
  func properties(of entity: NSEntityDescription) -> [NSPropertyDescription] {
    switch form {
    case .storeCache: entity.properties
    case .compiledModel: entity.ownProperties
    }
  }

  private func write() throws -> KeyedArchive {
    modelPlace = builder.reserve()
    let entities = model.entities.sorted { ($0.name ?? "").isBefore($1.name ?? "") }
    for entity in entities {
      // Parents, inverses and destinations refer to each other in cycles, so all entries are
      // reserved before any is filled.
      entityPlaces[ObjectIdentifier(entity)] = builder.reserve()
      for property in properties(of: entity) {
        propertyPlaces[PropertyKey(entity: ObjectIdentifier(entity), name: property.name)] =
          builder.reserve()
      }
    }
    for entity in entities { try write(entity) }
    var fields: [String: PropertyListValue] = [
      "NSEntities": entityTable(entities),
      "NSVersionIdentifiers": builder.array(versionIdentifiers, .set),
      "NSFetchRequestTemplates": try templates(),
    ]
    if !model.configurationTable.isEmpty {
      fields["NSConfigurations"] = configurations()
    }
    if form == .compiledModel, let compiler = model.compiler {
      fields[Self.toolVersionKey] = compiler.toolVersion.map { .real($0) }
      fields[Self.xcodeVersionKey] = compiler.xcodeVersion.map { .integer(Int64($0)) }
    }
    if let names = model.explicitLocalization {
      fields["NSLocalizationDictionary"] = builder.dictionary(
        names.sorted { $0.key.isBefore($1.key) }.map { (key: $0.key, value: builder.add($0.value)) }
      )
    }
    builder.fill(modelPlace, .model, fields)
    return builder.finish(root: .uid(modelPlace))
  }

  /// Returns a reference to an entity; a reference to nil if the entity is outside the model.
  func reference(to entity: NSEntityDescription?) -> PropertyListValue {
    guard let entity, let place = entityPlaces[ObjectIdentifier(entity)] else {
      return KeyedArchiveBuilder.null
    }
    return .uid(place)
  }

  /// Returns a reference to a property in an entity; a reference to nil if the property is outside the model.
  func reference(
    to property: NSPropertyDescription?, in entity: NSEntityDescription?
  ) -> PropertyListValue {
    guard let property, let entity,
      let place = propertyPlaces[
        PropertyKey(entity: ObjectIdentifier(entity), name: property.name)]
    else { return KeyedArchiveBuilder.null }
    return .uid(place)
  }

  private var versionIdentifiers: [PropertyListValue] {
    // Sorted, because a set's own order differs in each process.
    model.versionIdentifiers.compactMap { $0.base as? String }.sorted().map { builder.add($0) }
  }

  private func entityTable(_ entities: [NSEntityDescription]) -> PropertyListValue {
    switch form {
    case .storeCache: knownKeysDictionary(entities)
    case .compiledModel:
      builder.dictionary(
        entities.map { (key: $0.name ?? "", value: reference(to: $0)) }, .mutableDictionary)
    }
  }

  private func knownKeysDictionary(_ entities: [NSEntityDescription]) -> PropertyListValue {
    let mapping = builder.add(
      .knownKeysMapping,
      [
        "keys": builder.array(entities.map { builder.add($0.name ?? "") }),
        "length": .integer(Int64(entities.count)), "version": .integer(1),
      ])
    return builder.add(
      .knownKeysDictionary,
      [
        "searchMapping": mapping, "values": builder.array(entities.map { reference(to: $0) }),
        "emptyToken": builder.add(Self.emptySlotToken), "version": .integer(1),
      ])
  }

  /// The marker of an empty slot in a known-keys dictionary. There are no empty slots here, but Apple's reader requires
  /// the token.
  private static let emptySlotToken = "__empty_slot_token_4c24_98dc_ac1e_b773__"

  private func templates() throws -> PropertyListValue {
    guard !model.fetchRequestTemplates.isEmpty else { return KeyedArchiveBuilder.null }
    let sorted = model.fetchRequestTemplates.sorted { $0.key.isBefore($1.key) }
    let entries = try sorted.compactMap { entry in
      try archivable { (key: entry.key, value: try fetchRequest(entry.value)) }
    }
    return builder.dictionary(entries, .mutableDictionary)
  }

  private func configurations() -> PropertyListValue {
    let byName = model.entitiesByName
    return builder.dictionary(
      model.configurationTable.map { configuration in
        let members = configuration.entityNames.map { reference(to: byName[$0]) }
        return (key: configuration.name, value: builder.array(members, .set))
      }, .mutableDictionary)
  }
}
