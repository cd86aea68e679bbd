import StoreEngine

extension ChangeWriter {
  /// Writes the members of to-many relationships.
  func link(_ links: [ChangeSet.Link]) throws {
    for link in links {
      switch schema.mapping(link.layout, link.slot) {
      case .children(let column, let orderColumn, let hasInverse):
        try writeChildren(link, column, orderColumn, hasInverse)
      case .join(let join): try writePairs(link, join)
      case .none, .attribute, .toOne: break
      }
    }
  }

  private func writeChildren(
    _ link: ChangeSet.Link, _ column: String, _ orderColumn: String?, _ hasInverse: Bool
  ) throws {
    guard let destination = link.layout.slots[link.slot].relationship?.destination else { return }
    let table = SQLText.name(try schema.table(destination))
    if !hasInverse {
      let column = SQLText.name(column)
      // In the same save, a member may move to another owner, whose link is written before or after
      // this one. So a member is only removed if it still belongs to this owner.
      try run(
        "UPDATE \(table) SET \(column) = ?1 WHERE Z_PK = ?2", owner: link.key, members: link.added)
      try run(
        "UPDATE \(table) SET \(column) = NULL WHERE Z_PK = ?2 AND \(column) = ?1",
        owner: link.key, members: link.removed)
    }
    guard let order = link.order, let orderColumn else { return }
    let read =
      "SELECT Z_PK, \(SQLText.name(orderColumn)) FROM \(table) WHERE \(SQLText.name(column)) = ?"
    // A member that moves to another owner in the same save has its position among that owner's members.
    try writeOrder(
      order, read: read, owner: link.key,
      write: "UPDATE \(table) SET \(SQLText.name(orderColumn)) = ?1 WHERE Z_PK = ?2"
        + " AND \(SQLText.name(column)) = ?3")
  }

  /// Runs a statement for each of an owner's members: ?1 is the owner, ?2 the member.
  private func run(_ sql: String, owner: Int64, members: [Int64]) throws {
    if members.isEmpty { return }
    let statement = try connection.statement(sql)
    for member in members {
      statement.bind(owner, at: 1)
      statement.bind(member, at: 2)
      try statement.run()
    }
  }

  private func writePairs(_ link: ChangeSet.Link, _ join: StoreSchema.JoinTable) throws {
    let table = SQLText.name(join.table)
    let owner = SQLText.name(join.ownerColumn)
    let member = SQLText.name(join.memberColumn)
    // A relationship that is its own inverse has pairs in both directions, and the change set may contain only one of
    // them.
    for (from, to) in join.isReflexive ? [(owner, member), (member, owner)] : [(owner, member)] {
      try run(
        // The pair may exist: another save, or the other side in this one, may have added it.
        "INSERT OR IGNORE INTO \(table) (\(from), \(to)) VALUES (?1, ?2)", owner: link.key,
        members: link.added)
      try run(
        "DELETE FROM \(table) WHERE \(from) = ?1 AND \(to) = ?2", owner: link.key,
        members: link.removed)
    }
    guard let order = link.order, let orderColumn = join.memberOrderColumn else { return }
    let column = SQLText.name(orderColumn)
    try writeOrder(
      order, read: "SELECT \(member), \(column) FROM \(table) WHERE \(owner) = ?", owner: link.key,
      write: "UPDATE \(table) SET \(column) = ?1 WHERE \(member) = ?2 AND \(owner) = ?3")
  }

  /// Assigns ascending order numbers to the members, changing as few as possible.
  ///
  /// - Parameter write: A statement with the parameters number, member and owner.
  private func writeOrder(_ order: [Int64], read: String, owner: Int64, write: String) throws {
    var present: [Int64: Int64] = [:]
    let reading = try connection.statement(read)
    reading.bind(owner, at: 1)
    var others: Set<Int64> = []
    while try reading.step() {
      if let value = reading.optionalInteger(1) { present[reading.integer(0)] = value }
      others.insert(reading.integer(0))
    }
    reading.reset()
    others.subtract(order)
    let order = others.isEmpty ? order : Self.order(order, with: others, present)
    let numbers = OrderNumbers.assign(order.map { present[$0] })
    let writing = try connection.statement(write)
    for (key, number) in zip(order, numbers) where present[key] != number {
      writing.bind(number, at: 1)
      writing.bind(key, at: 2)
      writing.bind(owner, at: 3)
      try writing.run()
    }
  }

  /// Returns the order of the members. Members that another save has added are at the positions of their
  /// numbers, and precede new members at the end.
  private static func order(
    _ known: [Int64], with others: Set<Int64>, _ numbers: [Int64: Int64]
  ) -> [Int64] {
    var rest = others.sorted {
      (numbers[$0] ?? .max, $0) < (numbers[$1] ?? .max, $1)
    }[...]
    var order: [Int64] = []
    let last = known.lastIndex { numbers[$0] != nil } ?? -1
    for (index, key) in known.enumerated() {
      let number = index > last ? nil : numbers[key]
      while let other = rest.first,
        index > last || number.map({ numbers[other] ?? .max < $0 }) == true
      {
        order.append(other)
        rest.removeFirst()
      }
      order.append(key)
    }
    return order + rest
  }
}
