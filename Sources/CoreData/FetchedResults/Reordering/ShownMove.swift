/// A row that a view shows at its new place already, because the user dragged it there.
struct ShownMove {
  let view: AnyObject
  let object: NSManagedObject
  let old: ResultPath
  let new: ResultPath
  /// The objects whose place in the order was rewritten for it.
  let renumbered: Set<ObjectIdentifier>

  /// What a report leaves for somebody to be told, in places of what is shown with the row moved.
  ///
  /// - Parameter recipient: who is to be told: a delegate or observer.
  /// - Returns: the report itself for all but the one who shows the move.
  func remainder(
    of delta: ResultsDelta, for recipient: AnyObject, in results: LiveResults
  ) -> ResultsDelta {
    guard recipient === view || (recipient as? any DrivesView)?.drivenView === view else {
      return delta
    }
    var rest = delta
    rest.deleted = delta.deleted.map { ResultsDelta.Row(subject: $0.subject, path: shown($0.path)) }
    rest.moved = delta.moved.map {
      ResultsDelta.Change(subject: $0.subject, old: shown($0.old), new: $0.new)
    }
    rest.updated = delta.updated.compactMap { change in
      renumbered.contains(ObjectIdentifier(change.subject.object(in: results)))
        ? nil
        : ResultsDelta.Change(subject: change.subject, old: shown(change.old), new: change.new)
    }
    // Where nothing comes or goes and each row that moves is where it should be, all are.
    let isShown =
      rest.deletedSections.isEmpty && rest.insertedSections.isEmpty && rest.deleted.isEmpty
      && rest.inserted.isEmpty && rest.moved.allSatisfy { $0.old == $0.new }
    if isShown {
      rest.moved = []
    } else if let change = delta.updated.first(where: { $0.subject.object(in: results) === object })
    {
      // The report lets others move around the row, which is not where they left it.
      rest.updated.removeAll { $0.new == change.new }
      rest.moved.append(ResultsDelta.Change(subject: change.subject, old: new, new: change.new))
    }
    rest.sort()
    return rest
  }

  /// Where a row of the old order is with the row moved.
  private func shown(_ path: ResultPath) -> ResultPath {
    if path == old { return new }
    var path = path
    if path.section == old.section, path.row > old.row { path.row -= 1 }
    if path.section == new.section, path.row >= new.row { path.row += 1 }
    return path
  }
}

/// A delegate or observer that passes what it is told on to a view.
protocol DrivesView: AnyObject {
  var drivenView: AnyObject? { get }
}
