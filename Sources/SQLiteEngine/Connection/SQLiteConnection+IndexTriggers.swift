import StoreEngine

extension SQLiteConnection {
  /// Lets the triggers of a model's fetch indexes by place write to their R-trees, where the database has
  /// some.
  ///
  /// SQLite knows no less than to trust all of the schema then; what is marked `SQLITE_DIRECTONLY`, as
  /// the library's own functions are, stays out of its reach. Nothing is trusted for a table that the
  /// model does not ask for.
  func allowIndexTriggers(of model: ModelLayout) throws {
    let names = try texts(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL%'"
        + " AND name GLOB 'Z_RT_*'")
    if names.isEmpty || model.rTreeNames.isDisjoint(with: names) { return }
    allowIndexTriggers()
  }
}

extension ModelLayout {
  /// What the R-trees of the model's entities are called: those of fetch indexes, and those that Apple's
  /// Core Data makes of a place that a transient attribute stands for (in the stores of Photos).
  fileprivate var rTreeNames: Set<String> {
    Set(
      entities.flatMap { layout in
        let indexes = layout.entity.indexes
          .filter { $0.elements.contains { $0.collationType == .rTree } }.map(\.name)
        let places = layout.slots.filter(\.isTransient).map(\.name)
        return (indexes + places).map { "Z_RT_\(layout.name)_\($0)" }
      })
  }
}
