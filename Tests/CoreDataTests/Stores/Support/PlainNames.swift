import CoreData

/// The columns and tables of a model in a store, found in the store's own tables by the simplest
/// reading of the naming rules, without the library's schema code.
struct PlainNames {
  struct Missing: Error, CustomStringConvertible { let description: String }

  let model: NSManagedObjectModel
  let numbers: [String: Int]
  let columns: [String: [String]]

  init(_ model: NSManagedObjectModel, _ database: PlainDatabase) throws {
    self.model = model
    var numbers: [String: Int] = [:]
    for row in try database.rows("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY") {
      numbers[row["Z_NAME"]?.text ?? ""] = row["Z_ENT"]?.integer.map { Int($0) }
    }
    // A migration left the old name of a renamed entity in one of the fixture stores.
    if let old = numbers["ExpensiveSportCar"], model.entitiesByName["LuxuryCar"] != nil {
      numbers["LuxuryCar"] = old
    }
    self.numbers = numbers
    columns = try database.columns()
  }

  func number(_ entity: NSEntityDescription) -> Int { numbers[entity.name ?? ""] ?? -1 }

  func root(_ entity: NSEntityDescription) -> NSEntityDescription {
    var entity = entity
    while let parent = entity.superentity { entity = parent }
    return entity
  }

  func table(_ entity: NSEntityDescription) -> String {
    "Z" + (root(entity).name ?? "").uppercased()
  }

  /// Returns the entity that declares a property of `entity`.
  func owner(_ name: String, _ entity: NSEntityDescription) -> NSEntityDescription {
    var entity = entity
    while let parent = entity.superentity, parent.propertiesByName[name] != nil { entity = parent }
    return entity
  }

  /// Returns the column of an attribute or to-one relationship: `ZNAME` for the first entity of the
  /// table that declares the name, `ZNAME1` for the second.
  func column(_ name: String, _ entity: NSEntityDescription) throws -> String {
    let owner = owner(name, entity)
    let rivals = model.entities
      .filter { root($0) === root(entity) && self.owner(name, $0) === $0 }
      .filter {
        $0.properties.contains { $0.name.uppercased() == name.uppercased() && isColumn($0) }
      }
      .sorted { number($0) < number($1) }
    guard let place = rivals.firstIndex(where: { $0 === owner }) else {
      throw Missing(description: "\(entity.name ?? "").\(name) has no place")
    }
    let column = "Z" + name.uppercased() + (place == 0 ? "" : "\(place)")
    guard columns[table(entity)]?.contains(column) == true else {
      throw Missing(description: "\(table(entity)) has no column \(column)")
    }
    return column
  }

  private func isColumn(_ property: NSPropertyDescription) -> Bool {
    if property.isTransient { return false }
    if let relationship = property as? NSRelationshipDescription { return !relationship.isToMany }
    return property is NSAttributeDescription
  }

  /// Returns a to-one relationship's column for the destination's entity, if there is one.
  func entityColumn(_ relationship: NSRelationshipDescription, _ entity: NSEntityDescription) throws
    -> String?
  {
    guard let destination = relationship.destinationEntity else { return nil }
    let key = try column(relationship.name, entity)
    let name = "Z\(number(destination))_" + key.dropFirst()
    return columns[table(entity)]?.contains(name) == true ? name : nil
  }

  /// Returns a query for the `owner, member` pairs of a to-many relationship, in order.
  func membersQuery(_ relationship: NSRelationshipDescription, _ entity: NSEntityDescription) throws
    -> String
  {
    guard let destination = relationship.destinationEntity else {
      throw Missing(description: "\(relationship.name) leads nowhere")
    }
    let target = table(destination)
    let name = relationship.name.uppercased()
    let owner = number(self.owner(relationship.name, entity))
    guard let inverse = relationship.inverseRelationship else {
      return try children(
        "Z\(owner)\(name)", "Z_FOK_\(owner)\(name)", target, relationship.isOrdered)
    }
    if !inverse.isToMany {
      let key = try column(inverse.name, destination)
      return try children(key, "Z_FOK_" + key.dropFirst(), target, relationship.isOrdered)
    }
    let other = number(self.owner(inverse.name, destination))
    let inverseName = inverse.name.uppercased()
    if inverse === relationship {
      let join = "Z_\(owner)\(name)"
      return "SELECT \(join), REFLEXIVE FROM \(join)"
        + " WHERE REFLEXIVE IN (SELECT Z_PK FROM \(target)) ORDER BY 1, 2"
    }
    for join in ["Z_\(owner)\(name)", "Z_\(other)\(inverseName)"] {
      guard let all = columns[join],
        let ownerColumn = match("Z_\(owner)\(inverseName)", all),
        let memberColumn = match("Z_\(other)\(name)", all.filter { $0 != ownerColumn })
      else { continue }
      let order = "Z_FOK_" + memberColumn.dropFirst(2)
      if relationship.isOrdered, !all.contains(order) {
        throw Missing(description: "\(join) has no column \(order)")
      }
      return "SELECT \(ownerColumn), \(memberColumn) FROM \(join)"
        + " WHERE \(memberColumn) IN (SELECT Z_PK FROM \(target))"
        + " ORDER BY 1, \(relationship.isOrdered ? order : "2")"
    }
    throw Missing(description: "no join table for \(entity.name ?? "").\(relationship.name)")
  }

  private func children(_ key: String, _ order: String, _ table: String, _ isOrdered: Bool) throws
    -> String
  {
    for column in isOrdered ? [key, order] : [key] where columns[table]?.contains(column) != true {
      throw Missing(description: "\(table) has no column \(column)")
    }
    return "SELECT \(key), Z_PK FROM \(table) WHERE \(key) IS NOT NULL"
      + " ORDER BY 1, \(isOrdered ? order : "2")"
  }

  /// Returns the column with a name, or with the name and a digit that distinguishes it from a column of another table.
  private func match(_ name: String, _ columns: [String]) -> String? {
    columns.first { $0 == name }
      ?? columns.first {
        $0.hasPrefix(name) && $0.count == name.count + 1 && $0.last?.isNumber == true
      }
  }
}
