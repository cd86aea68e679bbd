/// The keys of rows in order, split into runs of the same store.
struct RowKeyRuns {
  private(set) var runs: [Run] = []
  /// The IDs of unsaved objects among the rows. They can be resolved if the objects are saved
  /// before the rows are used.
  private var temporaryIDs: [Int64: NSManagedObjectID] = [:]

  struct Run {
    let origin: StoreOrigin
    var rows: [(key: Int64, layout: EntityLayout)]
  }

  mutating func append(_ key: Int64, _ layout: EntityLayout, _ origin: StoreOrigin) {
    if let last = runs.indices.last, runs[last].origin === origin {
      runs[last].rows.append((key, layout))
    } else {
      runs.append(Run(origin: origin, rows: [(key, layout)]))
    }
  }

  init() {}

  /// Creates the runs of the rows of objects.
  init(_ objects: [NSManagedObject]) {
    for object in objects {
      if object.key > 0 {
        append(object.key, object.layout, object.origin)
      } else {
        let id = object.ownID
        append(id.key, id.layout, id.origin)
        if id.key < 0 { temporaryIDs[id.key] = id }
      }
    }
  }

  /// The same rows with their current IDs. O(1) if no row belongs to an unsaved object.
  var current: RowKeyRuns {
    if temporaryIDs.isEmpty { return self }
    var rows = RowKeyRuns()
    for run in runs {
      for row in run.rows {
        guard let id = temporaryIDs[row.key]?.current else {
          rows.append(row.key, row.layout, run.origin)
          continue
        }
        rows.append(id.key, id.layout, id.origin)
        if id.key < 0 { rows.temporaryIDs[id.key] = id }
      }
    }
    return rows
  }
}
