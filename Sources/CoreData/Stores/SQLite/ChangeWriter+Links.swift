import Foundation

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
      let statement = try connection.statement(
        "UPDATE \(table) SET \(SQLText.name(column)) = ?1 WHERE Z_PK = ?2")
      for key in link.added {
        statement.bind(link.key, at: 1)
        statement.bind(key, at: 2)
        try statement.run()
      }
      let removal = try connection.statement(
        "UPDATE \(table) SET \(SQLText.name(column)) = NULL WHERE Z_PK = ?2 AND"
          + " \(SQLText.name(column)) = ?1")
      for key in link.removed {
        removal.bind(link.key, at: 1)
        removal.bind(key, at: 2)
        try removal.run()
      }
    }
    guard let order = link.order, let orderColumn else { return }
    let read =
      "SELECT Z_PK, \(SQLText.name(orderColumn)) FROM \(table) WHERE \(SQLText.name(column)) = ?"
    try writeOrder(
      order, read: read, owner: link.key, writesOfOwner: false,
      write: "UPDATE \(table) SET \(SQLText.name(orderColumn)) = ?1 WHERE Z_PK = ?2")
  }

  private func writePairs(_ link: ChangeSet.Link, _ join: StoreSchema.JoinTable) throws {
    let table = SQLText.name(join.table)
    let owner = SQLText.name(join.ownerColumn)
    let member = SQLText.name(join.memberColumn)
    let insert = try connection.statement(
      "INSERT OR IGNORE INTO \(table) (\(owner), \(member)) VALUES (?1, ?2)")
    for key in link.added {
      insert.bind(link.key, at: 1)
      insert.bind(key, at: 2)
      try insert.run()
    }
    let delete = try connection.statement(
      "DELETE FROM \(table) WHERE \(owner) = ?1 AND \(member) = ?2")
    for key in link.removed {
      delete.bind(link.key, at: 1)
      delete.bind(key, at: 2)
      try delete.run()
    }
    guard let order = link.order, let orderColumn = join.memberOrderColumn else { return }
    let column = SQLText.name(orderColumn)
    try writeOrder(
      order, read: "SELECT \(member), \(column) FROM \(table) WHERE \(owner) = ?", owner: link.key,
      writesOfOwner: true,
      write: "UPDATE \(table) SET \(column) = ?1 WHERE \(member) = ?2 AND \(owner) = ?3")
  }

  /// Gives the members ascending order numbers, changing as few as it can.
  ///
  /// - Parameter writesOfOwner: whether `write` asks for the owner, too, as its third parameter.
  private func writeOrder(
    _ order: [Int64], read: String, owner: Int64, writesOfOwner: Bool, write: String
  ) throws {
    var present: [Int64: Int64] = [:]
    let reading = try connection.statement(read)
    reading.bind(owner, at: 1)
    while try reading.step() {
      if let value = reading.optionalInteger(1) { present[reading.integer(0)] = value }
    }
    reading.reset()
    let numbers = OrderNumbers.assign(order.map { present[$0] })
    let writing = try connection.statement(write)
    for (key, number) in zip(order, numbers) where present[key] != number {
      writing.bind(number, at: 1)
      writing.bind(key, at: 2)
      if writesOfOwner { writing.bind(owner, at: 3) }
      try writing.run()
    }
  }
}
