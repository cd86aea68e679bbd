/// A move of a row of live results, and the values to write for it.
struct Reordering {
  let object: NSManagedObject
  let old: ResultPath
  let new: ResultPath
  private let results: LiveResults
  /// The ranks (positions in the tree) of all rows of the new section, including rows that a limit or an offset hides.
  private let ranks: Range<Int>
  /// The rank of the section's first shown row.
  private let start: Int

  /// The values to write.
  struct Changes {
    /// The name of the order attribute.
    let key: String
    let numbers: [(object: NSManagedObject, number: NSNumber)]
    /// The value that moves the row to its new section; nil if the row stays in its section.
    let section: (key: String, value: Any?)?
  }

  init(_ results: LiveResults, from: IndexPath, to: IndexPath) throws {
    func text(_ path: IndexPath) -> String { path.map(String.init).joined(separator: ".") }
    guard from.count == 2, to.count == 2 else {
      throw CoreDataError.badRequest(
        "cannot move a row from \(text(from)) to \(text(to)): index paths need a section and a row"
      )
    }
    old = ResultPath(section: from[0], row: from[1])
    new = ResultPath(section: to[0], row: to[1])
    self.results = results
    let sections = 0..<results.sectionCount
    guard sections.contains(old.section),
      (0..<results.ranks(ofSection: old.section).count).contains(old.row),
      let object = results.object(
        atRank: results.ranks(ofSection: old.section).lowerBound + old.row)
    else { throw CoreDataError.badRequest("cannot move the row at \(text(from)): there is none") }
    self.object = object
    guard sections.contains(new.section) else {
      throw CoreDataError.badRequest("cannot move a row to \(text(to)): there is no such section")
    }
    let count = results.ranks(ofSection: new.section).count
    guard new.row >= 0, new.row < (new.section == old.section ? count : count + 1) else {
      throw CoreDataError.badRequest(
        "cannot move a row to \(text(to)): the section has \(MessageText.rows(count))")
    }
    start = results.ranks(ofSection: new.section).lowerBound
    let tree = results.tree
    if results.hasSections {
      let section = tree.section(ofRank: start)
      ranks = tree.start(ofSection: section)..<tree.start(ofSection: section + 1)
    } else {
      ranks = 0..<tree.count
    }
  }

  private var changesSection: Bool { old.section != new.section }

  /// Returns the row that is at a position of the new section after the move; nil beyond the section's ends. Position 0
  /// is the section's first shown row.
  private func row(_ place: Int) -> NSManagedObject? {
    if place == new.row { return object }
    var row = place
    // Converts the position after the move to the one before it: the moved row now occupies a position, and no longer
    // occupies its old one if that was in the same section.
    if place > new.row { row -= 1 }
    if !changesSection, row >= old.row { row += 1 }
    return ranks.contains(start + row) ? results.object(atRank: start + row) : nil
  }

  /// Returns the values to write; nil if the row is already in its position.
  func changes() throws -> Changes? {
    if old == new { return nil }
    let section = try changesSection ? sectionChange() : nil
    let order = try orderSort()
    // The first sort key determines the section. A move to another section changes its value, so it is not compared.
    let grouping = changesSection ? 1 : 0
    let sorts = results.plan.sorts
    let before = RowOrder(sorts: Array(sorts[min(grouping, order.index)..<order.index]))
    let own = try rank(of: object, before)
    /// Compares a row with the moved row by the sort descriptors that precede the order attribute. If the result is
    /// 0, the attribute determines their order.
    func compare(_ row: NSManagedObject) throws -> Int {
      before.sorts.isEmpty ? 0 : before.compare(try rank(of: row, before), own)
    }
    for (place, side) in [(new.row - 1, -1), (new.row + 1, 1)] {
      guard let neighbor = row(place) else { continue }
      let order = try compare(neighbor)
      if order != 0, order.signum() != side {
        throw CoreDataError.badRequest(
          "cannot move a row of \(results.plan.layout.name) there: the rows are sorted by"
            + " \(before.sorts.map { Self.text($0.key) }.joined(separator: ", ")) first")
      }
    }
    let sort = sorts[order.index]
    func number(_ place: Int) throws -> FewestRenumberings.Number {
      // A row that differs in an earlier sort key does not limit the numbers.
      guard let row = row(place), try compare(row) == 0 else { return .open }
      return order.numbering.number(try sort.evaluator.value(of: row))
    }
    let (isDescending, target) = (!sort.ascending, new.row)
    let found = try FewestRenumberings(
      from: changesSection ? nil : (isDescending ? 2 * target - old.row : old.row), to: target,
      domain: order.numbering.domain
    ) { place in
      // A descending order is an ascending order read from the end.
      try number(isDescending ? 2 * target - place : place)
    }
    guard let found else {
      throw CoreDataError.badRequest(
        "\(results.plan.layout.name).\(order.slot.name) has fewer possible values than rows to order"
      )
    }
    let numbers = order.numbering.values(found.places.count, above: found.low, below: found.high)
    return Changes(
      key: order.slot.name,
      numbers: zip(found.places, numbers).compactMap { place, number in
        row(isDescending ? 2 * target - place : place).map { ($0, number) }
      },
      section: section)
  }

  private func rank(of row: NSManagedObject, _ order: RowOrder) throws -> SortValues {
    // All rows get the same key, so that rows with equal values compare as equal instead of by their IDs.
    SortValues(values: try order.sorts.map { try $0.evaluator.value(of: row) }, key: 0)
  }

  private static func text(_ key: BoundExpression) -> String {
    if case .property(let path) = key { path.text } else { "an expression" }
  }

  /// Returns the sort descriptor whose attribute is rewritten.
  private func orderSort() throws -> (index: Int, slot: PropertySlot, numbering: OrderNumbering) {
    let sorts = results.plan.sorts
    for index in sorts.indices.reversed() where index > 0 || !results.hasSections {
      if case .property(let path) = sorts[index].key, path.steps.isEmpty,
        let slot = path.attribute, slot.composite == nil, !slot.isTransient,
        let numbering = OrderNumbering(slot)
      {
        return (index, slot, numbering)
      }
    }
    throw CoreDataError.badRequest(
      "cannot move rows of \(results.plan.layout.name): no sort descriptor"
        + (results.hasSections ? " after the section's" : "")
        + " sorts by a stored number (\(sorts.map { Self.text($0.key) }.joined(separator: ", ")))")
  }

  /// Returns the property that determines the section, and its value in the new section.
  private func sectionChange() throws -> (key: String, value: Any?) {
    let name = results.sectionName(new.section)
    guard case .stored(let path) = results.sections, path.level == 0,
      case .property(let first)? = results.plan.sorts.first?.key, first == path
    else {
      throw CoreDataError.badRequest(
        "cannot move a row of \(results.plan.layout.name) to section \"\(name)\": the section key"
          + " is not stored, or is not the first sort key")
    }
    guard
      let member = results.object(atRank: results.ranks(ofSection: new.section).lowerBound)
    else {
      throw CoreDataError.badRequest("cannot move a row to section \"\(name)\": it has no rows")
    }
    let slot: Int
    if let step = path.steps.first {
      slot = step
    } else {
      switch path.terminal {
      case .attribute(let attribute), .reference(let attribute): slot = attribute
      case .object:
        throw CoreDataError.badRequest("cannot move a row between sections whose key is SELF")
      }
    }
    let key = path.start.slots[slot].name
    return (key, member.value(forKey: key))
  }
}
