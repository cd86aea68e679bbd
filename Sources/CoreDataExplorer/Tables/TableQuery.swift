import CoreData
import StoreInspection

/// What a table shows: an entity, a condition, a sort order, sections and columns. A page's URL contains these.
struct TableQuery: Hashable, Sendable {
  let entity: String
  /// The predicate's text; nil for all rows.
  let condition: String?
  let sorts: [SortTerm]
  /// The key path of the sections; nil for none.
  private(set) var section: String?
  /// The key paths of the columns; empty for the default ones.
  private(set) var columns: [String] = []

  /// Parses the parameters `where`, `sort`, `section` and `columns`.
  init(entity: String, _ request: WebRequest) throws {
    try self.init(
      entity: entity, condition: request.parameter("where"), sort: request.parameter("sort"))
    section = request.parameter("section")
    columns =
      try request.parameter("columns").map { try ColumnList.parse($0, named: "columns") } ?? []
  }

  /// Makes a query for the rows of an entity from the texts of a condition and a sort order.
  init(entity: String, condition: String?, sort: String?) throws {
    self.entity = entity
    self.condition = condition.flatMap { $0.isEmpty ? nil : $0 }
    sorts = try Self.sorts(sort ?? "")
  }

  /// Parses `name,-age,-~title`.
  private static func sorts(_ text: String) throws(Diagnostic) -> [SortTerm] {
    var sorts: [SortTerm] = []
    for part in text.split(separator: ",") {
      var key = part.trimmingBlanks()
      let isDescending = key.hasPrefix("-")
      if isDescending { key = key.dropFirst() }
      let isLocalized = key.hasPrefix("~")
      if isLocalized { key = key.dropFirst() }
      guard !key.isEmpty else { throw Diagnostic(.usage, "sort '\(text)' has an empty key") }
      sorts.append(SortTerm(key: String(key), ascending: !isDescending, isLocalized: isLocalized))
    }
    return sorts
  }

  /// The query without its columns: tables that differ only in columns share their results.
  var rows: TableQuery {
    var rows = self
    rows.columns = []
    return rows
  }
}

extension TableQuery {
  /// The sort terms, preceded by one for the section.
  var effectiveSorts: [SortTerm] { SortTerm.terms(sorts, section: section) }

  /// Returns the requested columns, or the stored properties of the entity.
  func resultColumns(of entity: NSEntityDescription) throws(Diagnostic) -> [ResultColumn] {
    var result: [ResultColumn] = []
    for path in columns {
      result.append(try ResultColumn.column(path, of: entity, use: "columns"))
    }
    // The row's own ID is shown at the beginning of the line.
    return columns.isEmpty ? ResultColumn.all(of: entity).filter { $0.end != .objectID } : result
  }

  /// Runs a block that fetches the query's rows. Errors in the condition contain the location in its text.
  func reporting<Result>(_ body: () throws -> Result) throws(Diagnostic) -> Result {
    try RowSelection.reporting(condition, body)
  }

  /// Makes the request for all rows.
  ///
  /// - Parameter coordinator: The coordinator whose store contains the rows that the condition refers to by ID.
  /// - Throws: Errors in the condition, with their location, or in a key.
  func request(
    of entity: NSEntityDescription, in coordinator: NSPersistentStoreCoordinator?
  ) throws -> NSFetchRequest<NSManagedObject> {
    let request = try RowSelection(entity: entity, where: condition, in: coordinator).request()
    for sort in sorts { try SortCheck.requireSortable(sort.key, of: entity, use: "sort") }
    if let section { try SortCheck.requireSortable(section, of: entity, use: "section") }
    request.sortDescriptors = effectiveSorts.map(\.descriptor)
    return request
  }
}

extension TableQuery {
  /// Returns the entities whose rows determine which rows the table has, and their order.
  func reachOfRows(_ entity: NSEntityDescription) throws -> EntityReach {
    var reach = EntityReach()
    reach.add(entity)
    for sort in effectiveSorts { reach.add(path: sort.key, from: entity) }
    if let predicate = try RowSelection(entity: entity, where: condition).predicate {
      reach.add(predicate, in: ConditionScope(of: entity))
    }
    return reach
  }

  /// Returns the entities of other rows that the columns show.
  static func reach(
    ofColumns columns: [ResultColumn], _ entity: NSEntityDescription
  ) -> EntityReach {
    var reach = EntityReach()
    for column in columns {
      switch column.end {
      case .objectID: reach.add(path: column.hops.joined(separator: "."), from: entity)
      case .attribute(let key, _), .toOne(let key):
        reach.add(path: (column.hops + [key]).joined(separator: "."), from: entity)
      case .toMany(let key, let destination):
        reach.add(path: (column.hops + [key]).joined(separator: "."), from: entity)
        if let destination = entity.managedObjectModel.entitiesByName[destination] {
          reach.add(destination)
        }
      }
    }
    return reach
  }
}

extension TableQuery {
  /// Words in the names of attributes that contain a user's order.
  private static let orderWords = ["order", "position", "index", "sequence", "rank", "sort"]

  /// Returns the attribute that dragging a row changes: the only sort key of a table without sections, if it is a
  /// stored integer in ascending order whose name suggests that it contains the user's order. Otherwise returns nil,
  /// and the rows cannot be dragged.
  func orderKey(of entity: NSEntityDescription) -> String? {
    guard section == nil, sorts.count == 1, let sort = sorts.first, sort.ascending,
      !sort.isLocalized,
      let attribute = entity.attributesByName[sort.key], !attribute.isTransient,
      !(attribute is NSDerivedAttributeDescription),
      [.integer16AttributeType, .integer32AttributeType, .integer64AttributeType]
        .contains(attribute.attributeType),
      Self.orderWords.contains(where: sort.key.lowercased().contains)
    else { return nil }
    return sort.key
  }
}
