/// The three passes of a migration over its mappings. Runs on the queues of both contexts.
///
/// The first pass creates objects, the second sets relationships, and the third validates the objects, which are
/// complete only then. Each pass works in batches of ``MigrationRun/batchSize``.
struct MigrationPasses {
  private let run: MigrationRun
  private let policies: [NSEntityMigrationPolicy]

  init(_ run: MigrationRun, _ policies: [NSEntityMigrationPolicy]) {
    self.run = run
    self.policies = policies
  }

  private var manager: NSMigrationManager { run.manager }

  func execute() throws {
    run.schedule.plan(try run.mappings.map(sourceCount))
    for (place, (mapping, policy)) in zip(run.mappings, policies).enumerated() {
      manager.currentEntityMapping = mapping
      try policy.begin(mapping, with: manager)
      try createInstances(place, mapping, policy)
      try policy.endInstanceCreation(forMapping: mapping, manager: manager)
      try run.finishBatch()
    }
    for (place, (mapping, policy)) in zip(run.mappings, policies).enumerated() {
      manager.currentEntityMapping = mapping
      try createRelationships(place, mapping, policy)
      try policy.endRelationshipCreation(forMapping: mapping, manager: manager)
      try run.finishBatch()
    }
    for (place, (mapping, policy)) in zip(run.mappings, policies).enumerated() {
      manager.currentEntityMapping = mapping
      try policy.performCustomValidation(forMapping: mapping, manager: manager)
      try run.finishBatch()
      try validate(place, mapping)
      try policy.end(mapping, manager: manager)
      try run.finishBatch()
    }
    // Objects without an association belong to no mapping, so the loop above has not validated them.
    if let mapping = run.mappings.last { try validate(run.unassociated, mapping) }
  }

  /// Returns the number of rows of a mapping's source entity, for the progress.
  private func sourceCount(_ mapping: NSEntityMapping) throws -> Int {
    guard let name = mapping.sourceEntityName, mapping.sourceExpression != nil,
      run.stores?.source.layouts.layout(named: name) != nil
    else { return 0 }
    let request = NSFetchRequest<NSManagedObject>(entityName: name)
    request.includesSubentities = false
    do { return try manager.sourceContext.count(for: request) } catch {
      throw MigrationErrors.source(run.source.url, error)
    }
  }

  private func report(_ pass: Int, _ mapping: Int, _ done: Int) {
    manager.report(run.schedule.fraction(pass: pass, mapping: mapping, done: done))
  }

  // MARK: Creating objects

  private func createInstances(
    _ place: Int, _ mapping: NSEntityMapping, _ policy: NSEntityMigrationPolicy
  ) throws {
    // No destination objects are created for a removed entity, so the source objects are read only for a custom
    // policy.
    if mapping.destinationEntityName == nil, type(of: policy) == NSEntityMigrationPolicy.self {
      return
    }
    guard let sources = try sources(of: mapping) else { return }
    var done = 0
    for source in sources {
      try manager.throwIfCancelled()
      try policy.createDestinationInstances(forSource: source, in: mapping, manager: manager)
      done += 1
      if done % MigrationRun.batchSize == 0 {
        try run.finishBatch()
        report(0, place, done)
      }
    }
    report(0, place, done)
  }

  /// Returns the source objects of a mapping; nil if it has no source expression. Fetched objects are created batch by
  /// batch during the iteration.
  private func sources(of mapping: NSEntityMapping) throws -> AnySequence<NSManagedObject>? {
    guard let expression = mapping.sourceExpression else { return nil }
    let variables: [String: Any] = [
      NSMigrationManagerKey: manager, NSMigrationEntityMappingKey: mapping,
    ]
    do {
      guard let fetch = expression as? NSFetchRequestExpression, !fetch.isCountOnlyRequest else {
        let value = try expression.value(with: nil, variables: variables)
        return AnySequence(try MigrationObjects.objects(of: value))
      }
      let context = try fetch.contextExpression.value(with: nil, variables: variables)
      guard
        let request = try fetch.requestExpression.value(with: nil, variables: variables)
          as? any FetchExecutable, let context = context as? NSManagedObjectContext
      else { throw MigrationFailure(reason: "\(fetch) has no request, or no context to run it in") }
      let wanted = NSFetchRequest<NSManagedObject>(request.converted(to: .managedObjectResultType))
      wanted.fetchBatchSize = MigrationRun.batchSize
      // With prefetching, `fetchInBatches` would create all objects at once.
      wanted.relationshipKeyPathsForPrefetching = nil
      return AnySequence(try context.fetchInBatches(wanted))
    } catch {
      let reason = (error as? MigrationFailure)?.reason ?? (error as NSError).localizedDescription
      throw MigrationErrors.mapping(
        mapping, "its source objects cannot be fetched: \(reason)", cause: error)
    }
  }

  // MARK: Setting relationships

  private func createRelationships(
    _ place: Int, _ mapping: NSEntityMapping, _ policy: NSEntityMigrationPolicy
  ) throws {
    let values = run.values(for: mapping)
    let isPlain = type(of: policy) == NSEntityMigrationPolicy.self
    // Implied relationships are not skipped for a custom policy, because it may read them.
    if isPlain, let stores = run.stores {
      values.implied = ImpliedRelationships(run.mappings, policies, stores).names(in: mapping)
    }
    if isPlain, !values.hasRelationships { return }
    let keys = values.followedKeys
    guard let stores = run.stores else { return }
    var iterator = run.makeIterator(of: mapping)
    while true {
      let pairs = iterator.next(limit: MigrationRun.batchSize, in: stores)
      if pairs.isEmpty { break }
      try readAhead(pairs, keys)
      // A policy may have deleted the object while it processed another one.
      for pair in pairs where !pair.destination.flags.contains(.deleted) {
        try manager.throwIfCancelled()
        try policy.createRelationships(
          forDestination: pair.destination, in: mapping, manager: manager)
      }
      try run.finishBatch()
      report(1, place, iterator.done)
    }
  }

  /// Reads the rows of a batch, and the members of relationships that the expressions follow, with a few queries.
  private func readAhead(
    _ pairs: [(source: NSManagedObject, destination: NSManagedObject)], _ keys: Set<String>
  ) throws {
    do {
      try manager.sourceContext.readRows(together: pairs.map(\.source))
      for owned in manager.sourceContext.relationshipSlots(of: pairs.map(\.source))
      where owned.property.kind == .toMany && keys.contains(owned.property.name) {
        try manager.sourceContext.readMembers(of: owned.property, owners: owned.owners)
      }
    } catch {
      throw MigrationErrors.source(run.source.url, error)
    }
    do { try manager.destinationContext.readRows(together: pairs.map(\.destination)) } catch {
      throw MigrationErrors.destination(run.destination.url, error)
    }
  }

  // MARK: Validation

  private func validate(_ place: Int, _ mapping: NSEntityMapping) throws {
    guard let stores = run.stores else { return }
    var iterator = run.makeIterator(of: mapping)
    while true {
      let pairs = iterator.next(limit: MigrationRun.batchSize, in: stores)
      if pairs.isEmpty { break }
      try manager.throwIfCancelled()
      try validate(pairs.map(\.destination), mapping)
      try run.finishBatch()
      report(2, place, iterator.done)
    }
  }

  private func validate(_ objects: [NSManagedObject], _ mapping: NSEntityMapping) throws {
    let ruled = objects.filter { !$0.layout.ruledSlots.isEmpty && !$0.flags.contains(.deleted) }
    if ruled.isEmpty { return }
    do {
      try manager.destinationContext.readRows(together: ruled)
      for owned in manager.destinationContext.relationshipSlots(of: ruled)
      where owned.property.countsMembers {
        try manager.destinationContext.readMembers(of: owned.property, owners: owned.owners)
      }
    } catch {
      throw MigrationErrors.destination(run.destination.url, error)
    }
    var errors: [NSError] = []
    for object in ruled where !object.flags.contains(.deleted) {
      do { try object.validateForInsert() } catch { errors.append(error as NSError) }
    }
    let named = errors.flatMap { error -> [NSError] in
      let parts = error.userInfo[NSDetailedErrorsKey] as? [NSError]
      return (parts ?? [error]).map { MigrationErrors.validation($0, mapping) }
    }
    if let error = ValidationErrors.combined(named) { throw error }
  }
}
