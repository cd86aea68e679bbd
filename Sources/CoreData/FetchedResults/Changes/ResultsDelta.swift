/// The effect of a set of changes on live results, in the order in which it is reported.
typealias ResultsDelta = SectionedChanges<ReportedObject>

extension ResultsDelta {
  /// The changes by object ID.
  var byID: SectionedChanges<NSManagedObjectID> {
    compactMap {
      $0.subject.objectID
    } change: {
      $0.subject.objectID
    }
  }

  /// Combines consecutive changes. The results must be in the state after the last one.
  init(_ deltas: [ResultsDelta], in results: LiveResults) {
    let deltas = deltas.filter { !$0.isEmpty }
    self = deltas.last ?? ResultsDelta()
    if deltas.count < 2 { return }
    var subjects: [NSManagedObjectID: ReportedObject] = [:]
    for delta in deltas {
      for row in delta.deleted + delta.inserted { subjects[row.subject.objectID] = row.subject }
      for row in delta.moved + delta.updated { subjects[row.subject.objectID] = row.subject }
    }
    self = SectionedChanges<NSManagedObjectID>(deltas.map(\.byID), in: results)
      .compactMap {
        subjects[$0.subject]
      } change: { change in
        // A merged report may move rows that none of the deltas mention, if this avoids other moves.
        subjects[change.subject] ?? results.entry(at: change.new).map { results.subject(of: $0) }
      }
  }
}

/// The object of a reported row. Unless it is in memory already, it is created on demand, so that a report of very
/// many rows does not retain objects.
struct ReportedObject {
  private let known: NSManagedObject?
  private let entry: ResultEntry
  /// The rows that left the results together with this one; nil if the row stays, or its object is known.
  private var departed: DepartedRows?

  init(_ known: NSManagedObject?, _ entry: ResultEntry) {
    self.known = known
    self.entry = entry
  }

  /// Returns the subject of a row that left the results.
  func leaving(with departed: DepartedRows) -> ReportedObject {
    if known != nil { return self }
    departed.insert(entry)
    var subject = self
    subject.departed = departed
    return subject
  }

  func object(in results: LiveResults) -> NSManagedObject {
    known ?? results.object(withNeighbors: entry)
  }

  /// Passes the object to `body`. If the row is gone from the store and the context has no object of it, passes a
  /// placeholder, whose context is nil afterwards.
  func withObject(in results: LiveResults, _ body: (NSManagedObject) -> Void) {
    guard let departed, results.findRegistered(of: entry) == nil,
      departed.isGone(entry, in: results.context)
    else { return body(object(in: results)) }
    let placeholder = results.context.makePlaceholder(forDeleted: entry.id)
    body(placeholder)
    // The context's `deinit` resets this unowned reference only in registered objects.
    placeholder.unsafeContext = nil
  }

  /// The ID of the row. Accessing it does not create the object.
  var objectID: NSManagedObjectID { known?.ownID ?? entry.id }
}

extension LiveResults {
  /// Returns the reported object of a row.
  func subject(of entry: ResultEntry, _ known: NSManagedObject? = nil) -> ReportedObject {
    if let object = known ?? entry.object { return ReportedObject(object, entry) }
    return ReportedObject(
      // The object is retained, because it may have its permanent ID by the time the row is reported, and could then
      // no longer be found by its temporary ID.
      entry.key < 0 ? context.registry[entry.layout, entry.key, entry.origin] : nil, entry)
  }
}
