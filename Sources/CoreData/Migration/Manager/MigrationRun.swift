/// One migration of one store, from opening the source to replacing the destination.
///
/// After each batch the destination is saved without validation, and the objects of both contexts
/// become faults, so that memory does not grow with the store. Both contexts use copies of the models
/// in which all classes are `NSManagedObject`.
final class MigrationRun {
  /// The number of objects that are created before they are saved and released.
  static let batchSize = 1_000

  unowned let manager: NSMigrationManager
  let mappings: [NSEntityMapping]
  let source: MigrationEndpoint
  let destination: MigrationEndpoint
  /// Whether the destination replaces the source.
  private let replacesSource: Bool

  private(set) var stores: MigrationStores?
  private var tables: [String: AssociationTable] = [:]
  private var valuesByMapping: [ObjectIdentifier: MappedValues] = [:]
  /// Objects that policies inserted but did not associate.
  private var others: [NSManagedObject] = []
  /// The entity mapping and the property mapping whose expression is being evaluated; nil if none is.
  var evaluated: (mapping: NSEntityMapping, property: NSPropertyMapping)?
  var schedule = MigrationSchedule()

  init(
    manager: NSMigrationManager, mappings: [NSEntityMapping], source: MigrationEndpoint,
    destination: MigrationEndpoint, replacesSource: Bool
  ) {
    self.manager = manager
    self.replacesSource = replacesSource
    self.mappings = mappings
    self.source = source
    self.destination = destination
    for mapping in mappings { tables[mapping.name ?? ""] = AssociationTable() }
  }

  // MARK: The stores

  func execute() throws {
    try requireDifferentLocation()
    // Throws an error for a missing policy class before any store is opened.
    let policies = try makePolicies()
    let sourceCoordinator = try plainCoordinator(manager.sourceModel)
    let destinationCoordinator = try plainCoordinator(manager.destinationModel)
    // Records the state of the file before anything is read. The record's connection can write and is closed last,
    // so that SQLite can remove the WAL files.
    let replaced = replacesSource && destination.isFile ? try noteSource() : nil
    defer { replaced?.close() }
    let (sourceStore, configuration) = try openSource(sourceCoordinator)
    defer { close(sourceStore, sourceCoordinator) }
    // Missing mappings are detected before the draft is created, because only the source is needed
    // to detect them.
    try requireMapped(sourceCoordinator, configuration)
    let draft: MigrationDraft
    do {
      draft = try MigrationDraft(
        for: destination, replacesStore: replacesSource, replaced: replaced)
    } catch {
      throw MigrationErrors.destination(destination.url, error)
    }
    defer { draft.remove() }
    let store: NSPersistentStore
    do {
      store = try draft.open(
        destinationCoordinator,
        configuration: replacesSource
          ? destination.configuration
          : configuration.flatMap {
            manager.destinationModel.configurations.contains($0) ? $0 : nil
          })
    } catch {
      throw MigrationErrors.destination(destination.url, error)
    }
    defer { close(store, destinationCoordinator) }
    manager.sourceContext.persistentStoreCoordinator = sourceCoordinator
    manager.destinationContext.persistentStoreCoordinator = destinationCoordinator
    stores = MigrationStores(
      source: MigrationSide(
        context: manager.sourceContext, store: sourceStore, layouts: sourceCoordinator.layouts),
      destination: MigrationSide(
        context: manager.destinationContext, store: store, layouts: destinationCoordinator.layouts))
    defer { releaseContexts() }
    try manager.sourceContext.performAndWait {
      try manager.destinationContext.performAndWait {
        try MigrationPasses(self, policies).execute()
      }
    }
    try requireReadValues()
    do {
      // Only the program's keys are copied. The destination has its own UUID and version hashes.
      let program = (sourceStore.metadata ?? [:]).filter { StoreMetadata.isProgramKey($0.key) }
      store.engine.stageMetadata(program.merging(store.metadata ?? [:]) { _, own in own })
      try store.engine.saveMetadata()
      try manager.throwIfCancelled()
      if replacesSource {
        // The source is closed before its file is replaced, and its objects are released before it
        // is closed.
        releaseContexts()
        close(sourceStore, sourceCoordinator)
      }
      try draft.finish(store, destinationCoordinator)
    } catch {
      // The error may be a consequence of a cancellation, which is reported instead.
      try manager.throwIfCancelled()
      throw MigrationErrors.destination(destination.url, error)
    }
  }

  private func noteSource() throws -> any UnchangedFile {
    do {
      return try source.noteUnchanged()
    } catch let error as NSError {
      throw error.code == NSFileWriteNoPermissionError
        ? MigrationErrors.destination(source.url, error) : MigrationErrors.source(source.url, error)
    }
  }

  private func requireDifferentLocation() throws {
    let (from, to) = (
      source.url.resolvingSymlinksInPath().path, destination.url.resolvingSymlinksInPath().path
    )
    guard replacesSource || from != to else {
      throw CoreDataError.make(
        NSMigrationError,
        "The store \(from) cannot be migrated to its own location: use another file,"
          + " and replace the store after the migration.")
    }
  }

  /// Returns a coordinator with a copy of the model in which all classes are `NSManagedObject`.
  private func plainCoordinator(
    _ model: NSManagedObjectModel
  ) throws -> NSPersistentStoreCoordinator {
    guard let copy = model.copy(with: nil) as? NSManagedObjectModel else {
      throw CoreDataError.make(NSMigrationError, "The model cannot be copied.")
    }
    // The program's classes belong to one version of its model, and their methods would run for
    // another one here.
    for entity in copy.entities { entity.managedObjectClassName = "NSManagedObject" }
    return NSPersistentStoreCoordinator(managedObjectModel: copy)
  }

  private func openSource(
    _ coordinator: NSPersistentStoreCoordinator
  ) throws -> (NSPersistentStore, configuration: String?) {
    do {
      let configuration = try source.configuration(in: coordinator.model)
      var options = source.plainOptions
      // If the program sets the read-only option to false, its policies can write to the source.
      if options[NSReadOnlyPersistentStoreOption] == nil {
        options[NSReadOnlyPersistentStoreOption] = true
      }
      // Without this option, a table or column that the source lacks would be read as empty, and the destination
      // would lack its values without an error.
      options[StoreOptions.wholeStoreOption] = true
      let store = try coordinator.addPersistentStore(
        ofType: source.type, configurationName: configuration, at: source.url, options: options)
      return (store, configuration)
    } catch {
      throw MigrationErrors.source(source.url, error)
    }
  }

  /// Checks for rows of entities that both models contain but for which there is no entity mapping.
  ///
  /// - Throws: `NSMigrationError` if there are any and the destination replaces the source.
  private func requireMapped(
    _ coordinator: NSPersistentStoreCoordinator, _ configuration: String?
  ) throws {
    let leftOut = LeftOutEntities(mappings, from: manager.sourceModel, to: manager.destinationModel)
    let rows: [(entity: String, count: Int)]
    do { rows = try leftOut.rows(in: coordinator, configuration: configuration) } catch {
      throw MigrationErrors.source(source.url, error)
    }
    if rows.isEmpty { return }
    let error = MigrationErrors.leftOut(rows, source.url)
    // If the source is not replaced, the program still has it, and may migrate only a part of it, or all of it in
    // several migrations.
    if replacesSource { throw error }
    Log.storeNotice(error.localizedDescription)
  }

  private func close(_ store: NSPersistentStore, _ coordinator: NSPersistentStoreCoordinator) {
    guard coordinator.persistentStores.contains(where: { $0 === store }) else { return }
    do {
      try coordinator.remove(store)
    } catch {
      Log.storeError(
        "a store that a migration opened could not be closed: \(error.localizedDescription)")
    }
  }

  private func makePolicies() throws -> [NSEntityMigrationPolicy] {
    try MigrationPolicyClasses.types(
      of: mappings, from: manager.sourceModel, to: manager.destinationModel,
      managedBy: type(of: manager)
    ).map { $0.init() }
  }

  private func releaseContexts() {
    manager.sourceContext.performAndWait { manager.sourceContext.reset() }
    manager.destinationContext.performAndWait { manager.destinationContext.reset() }
    stores = nil
    tables = [:]
    others = []
  }

  // MARK: Associations

  func hasMapping(named name: String) -> Bool { tables[name] != nil }

  func values(for mapping: NSEntityMapping) -> MappedValues {
    if let known = valuesByMapping[ObjectIdentifier(mapping)] { return known }
    let values = MappedValues(mapping)
    valuesByMapping[ObjectIdentifier(mapping)] = values
    return values
  }

  func associate(_ source: NSManagedObject, _ destination: NSManagedObject, _ mapping: String) {
    tables[mapping, default: AssociationTable()].associate(source, destination)
  }

  /// Returns an iterator over the associated pairs of a mapping. Pairs may be added during the iteration.
  func makeIterator(of mapping: NSEntityMapping) -> AssociationIterator {
    // The iterator has a copy of the pairs, so the policy is not called again for pairs that it adds
    // (`MigrationPolicyTests`).
    (tables[mapping.name ?? ""] ?? AssociationTable()).makeIterator()
  }

  func destinations(of sources: [NSManagedObject]?, mapping: String) -> [NSManagedObject] {
    guard let stores else { return [] }
    guard let sources else {
      return Self.unique(tables[mapping]?.allPairs(in: stores).map(\.destination) ?? [])
    }
    let found = sources.flatMap { tables[mapping]?.destinations(of: $0, in: stores) ?? [] }
    return found.count > 1 ? Self.unique(found) : found
  }

  func sources(of destinations: [NSManagedObject]?, mapping: String) -> [NSManagedObject] {
    guard let stores else { return [] }
    guard let destinations else {
      return Self.unique(tables[mapping]?.allPairs(in: stores).map(\.source) ?? [])
    }
    let found = destinations.flatMap { tables[mapping]?.sources(of: $0, in: stores) ?? [] }
    return found.count > 1 ? Self.unique(found) : found
  }

  /// Returns the destination objects that any mapping created for the members of a source relationship, limited to the
  /// destination entity of the relationship that is being evaluated.
  func destinations(
    of sources: [NSManagedObject], relationship name: String
  ) throws -> [NSManagedObject] {
    guard let stores, let mapping = evaluated?.mapping ?? manager.currentEntityMapping,
      let layout = mapping.sourceEntityName.flatMap({ stores.source.layouts.layout(named: $0) })
    else { return [] }
    guard let slot = layout.slot(named: name), let origin = slot.relationship?.destination else {
      throw MigrationFailure(reason: "the source entity \(layout.name) has no relationship \(name)")
    }
    let target = evaluated.flatMap { evaluated in
      evaluated.mapping.destinationEntityName.flatMap {
        stores.destination.layouts.layout(named: $0)
      }?
      .slot(named: evaluated.property.name ?? "")?.relationship?.destination
    }
    let makers = mappings.filter { mapping in
      guard let from = mapping.sourceEntityName.flatMap({ stores.source.layouts.layout(named: $0) })
      else { return false }
      // The members may belong to subentities with their own mappings, or a superentity's mapping may include them.
      return from.isKind(of: origin) || origin.isKind(of: from)
    }
    var found: [NSManagedObject] = []
    for source in sources {
      for maker in makers {
        for object in tables[maker.name ?? ""]?.destinations(of: source, in: stores) ?? []
        where target.map({ object.layout.isKind(of: $0) }) ?? true {
          found.append(object)
        }
      }
    }
    return found.count > 1 ? Self.unique(found) : found
  }

  private static func unique(_ objects: [NSManagedObject]) -> [NSManagedObject] {
    var seen: Set<ObjectIdentifier> = []
    return objects.filter { seen.insert(ObjectIdentifier($0)).inserted }
  }

  // MARK: Batches

  /// Saves the created objects, and turns all objects into faults except new objects without an association.
  func finishBatch() throws {
    try manager.throwIfCancelled()
    try requireReadValues()
    let context = manager.destinationContext
    if context.hasChanges {
      // Applies the delete rules, which may delete more objects.
      context.processPendingChanges()
      // Pairs with these objects refer to rows that the save below deletes.
      for object in context.deletedObjects where object.key > 0 {
        stores?.destination.deleted.insert(object.layout.rootIndex, object.key)
      }
      for object in context.unsaved.inserted
      where !tables.values.contains(where: { $0.isWaiting(object) }) {
        // Kept in memory, because an object without an association could not be found again
        // (`MigrationPolicyTests`).
        others.append(object)
      }
      do { try context.save() } catch {
        throw MigrationErrors.save(destination.url, error)
      }
    }
    // The keys are recorded after the save, because new objects have permanent keys only now.
    for name in tables.keys { tables[name]?.keepKeys() }
    others.removeAll { $0.unsafeContext == nil }
    // Turning objects into faults breaks the reference cycles between them.
    let kept = Set(others.map(ObjectIdentifier.init))
    for object in context.registry.objects where !kept.contains(ObjectIdentifier(object)) {
      context.refresh(object, mergeChanges: false)
    }
    context.processPendingChanges()
    for object in manager.sourceContext.registry.objects {
      manager.sourceContext.refresh(object, mergeChanges: false)
    }
    manager.sourceContext.processPendingChanges()
  }

  /// - Throws: If the source has a value in an external file that could not be read. The object's value is then nil,
  ///   and the destination would lose it.
  private func requireReadValues() throws {
    do { try stores?.source.store.engine.requireReadValues() } catch {
      throw MigrationErrors.source(source.url, error)
    }
  }

  /// The objects that policies inserted but did not associate.
  var unassociated: [NSManagedObject] { others }
}
