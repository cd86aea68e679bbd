/// A move that a view already shows, because the user dragged the row.
struct ShownMove {
  let view: AnyObject
  let object: NSManagedObject
  let old: ResultPath
  let new: ResultPath
  /// The objects whose values of the order attribute were changed for the move.
  let renumbered: Set<ObjectIdentifier>

  /// Returns the part of a change that a recipient does not show yet. Old positions in the result refer to the rows as
  /// the view shows them, after the move.
  ///
  /// - Parameter recipient: A delegate or observer.
  /// - Returns: The whole change, unless the recipient already shows the move.
  func remainder(
    of delta: ResultsDelta, for recipient: AnyObject, in results: LiveResults
  ) -> ResultsDelta {
    guard recipient === view || (recipient as? any ViewDriver)?.drivenView === view else {
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
    // If no row is inserted or deleted and each moved row is in its new position, the view already has the new order.
    let isShown =
      rest.deletedSections.isEmpty && rest.insertedSections.isEmpty && rest.deleted.isEmpty
      && rest.inserted.isEmpty && rest.moved.allSatisfy { $0.old == $0.new }
    if isShown {
      rest.moved = []
    } else if let change = delta.updated.first(where: { $0.subject.object(in: results) === object })
    {
      // The change moves other rows instead of the dragged row. The view has already moved the dragged row, so the
      // report moves it on to its final position.
      rest.updated.removeAll { $0.new == change.new }
      rest.moved.append(ResultsDelta.Change(subject: change.subject, old: new, new: change.new))
    }
    rest.sort()
    return rest
  }

  /// Converts a row's position before the move to its position after the move.
  private func shown(_ path: ResultPath) -> ResultPath {
    if path == old { return new }
    var path = path
    if path.section == old.section, path.row > old.row { path.row -= 1 }
    if path.section == new.section, path.row >= new.row { path.row += 1 }
    return path
  }
}

/// A delegate or observer that updates a view.
protocol ViewDriver: AnyObject {
  var drivenView: AnyObject? { get }
}
