import CoreData
import StoreInspection

/// What a table shows: the rows of an entity that meet a condition, in an order, with columns; as an address
/// says it.
struct TableQuery: Hashable, Sendable {
  let entity: String
  /// The predicate's text; nil for all rows.
  let condition: String?
  let sorts: [SortTerm]
  /// The key path of the sections; nil for none.
  private(set) var section: String?
  /// The key paths of the columns; empty for the entity's own.
  private(set) var columns: [String] = []

  /// Reads `where`, `sort`, `section` and `columns`.
  init(entity: String, _ request: WebRequest) throws {
    try self.init(
      entity: entity, condition: request.parameter("where"), sort: request.parameter("sort"))
    section = request.parameter("section")
    columns = try request.parameter("columns").map { try ColumnList.parse($0) } ?? []
  }

  /// The rows of an entity by a condition and an order, as texts.
  init(entity: String, condition: String?, sort: String?) throws {
    self.entity = entity
    self.condition = condition.flatMap { $0.isEmpty ? nil : $0 }
    sorts = try Self.sorts(sort ?? "")
  }

  /// Reads `name,-age,-~title`.
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

  /// The same rows in the same order: tables that differ in their columns alone share their results.
  var rows: TableQuery {
    var rows = self
    rows.columns = []
    return rows
  }
}

extension TableQuery {
  /// The keys of the order, the section's before all others.
  var effectiveSorts: [SortTerm] { SortTerm.terms(sorts, section: section) }

  /// The columns: those that were asked for, or what the entity's rows keep.
  func resultColumns(of entity: NSEntityDescription) throws(Diagnostic) -> [ResultColumn] {
    var result: [ResultColumn] = []
    for path in columns {
      result.append(try ResultColumn.column(path, of: entity, use: "columns"))
    }
    // The row's own ID is what its line begins with.
    return columns.isEmpty ? ResultColumn.all(of: entity).filter { $0.end != .objectID } : result
  }

  /// Runs a block that fetches what the query asks for, and reports errors of the condition with their place.
  func reporting<Result>(_ body: () throws -> Result) throws(Diagnostic) -> Result {
    try RowSelection.reporting(condition, body)
  }

  /// The request for all rows.
  ///
  /// - Parameter coordinator: its store has the rows that the condition names.
  /// - Throws: what is wrong with the condition, with its place, or with a key.
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
  /// The entities whose rows decide which rows there are, and in which order.
  func reachOfRows(_ entity: NSEntityDescription) throws -> EntityReach {
    var reach = EntityReach()
    reach.add(entity)
    for sort in effectiveSorts { reach.add(path: sort.key, from: entity) }
    if let predicate = try RowSelection(entity: entity, where: condition).predicate {
      reach.add(predicate, in: ConditionScope(of: entity))
    }
    return reach
  }

  /// The entities whose rows decide what columns show, besides the rows' own.
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
  /// Words in the names of attributes that keep an order which people give.
  private static let orderWords = ["order", "position", "index", "sequence", "rank", "sort"]

  /// The attribute by which people may drag the rows: the only one that they are sorted by, an integer whose name
  /// says that it keeps an order. Nil where there is none, for dragging writes it.
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
