/// What one set of changes does to a live result, in the order in which it is reported.
typealias ResultsDelta = SectionedChanges<ReportedObject>

extension ResultsDelta {
  /// The same by the IDs of the rows.
  var byID: SectionedChanges<NSManagedObjectID> {
    compactMap {
      $0.subject.objectID
    } change: {
      $0.subject.objectID
    }
  }

  /// What several changes, one after the other, do together; the results are as after the last.
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
        subjects[change.subject] ?? results.entry(at: change.new).map { results.subject(of: $0) }
      }
  }
}

/// The object of a reported row. It is made on demand, unless it was in use: so a report of very many rows
/// holds no objects.
struct ReportedObject {
  private let known: NSManagedObject?
  private let entry: ResultEntry

  init(_ known: NSManagedObject?, _ entry: ResultEntry) {
    self.known = known
    self.entry = entry
  }

  func object(in results: LiveResults) -> NSManagedObject {
    known ?? results.object(withNeighbours: entry)
  }

  /// The ID of the row; no object is made for it.
  var objectID: NSManagedObjectID { known?.objectID ?? entry.id }
}

extension LiveResults {
  /// A row to be reported, with its object if that is in use. A row without a permanent ID keeps its object, which may
  /// have one when the row is reported.
  func subject(of entry: ResultEntry, _ known: NSManagedObject? = nil) -> ReportedObject {
    if let object = known ?? entry.object { return ReportedObject(object, entry) }
    return ReportedObject(
      entry.key < 0 ? context.registry[entry.layout, entry.key, entry.origin] : nil, entry)
  }
}
