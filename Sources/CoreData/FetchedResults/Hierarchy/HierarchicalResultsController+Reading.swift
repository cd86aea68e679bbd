extension HierarchicalResultsController {
  /// The parents in order, without objects that are not a `Parent`; nil before the first fetch.
  ///
  /// ```swift
  /// func show(_ teams: HierarchicalResultsController<Team, Player>) {
  ///   for (section, team) in (teams.parents ?? []).enumerated() {
  ///     print(team.name ?? "", teams.numberOfRows(inSection: section))
  ///   }
  /// }
  /// ```
  public var parents: [Parent]? {
    results.map { results in
      (0..<results.sectionCount).compactMap { results.section($0)?.object as? Parent }
    }
  }

  /// The number of parents; 0 before the first fetch.
  public var numberOfSections: Int { results?.sectionCount ?? 0 }

  /// Returns the number of children of a section's parent. Stops the program if there is no such section.
  ///
  /// ```swift
  /// let jobs = try HierarchicalResultsController<Customer, Job>(
  ///   parent: customer, childRelationship: "jobs")
  /// try jobs.performFetch()
  /// print(jobs.numberOfRows(inSection: 0))  // 2
  /// ```
  public func numberOfRows(inSection section: Int) -> Int {
    node(at: IndexPath(index: section)).children.count
  }

  /// Returns the number of children of an object. Stops the program if there is no object at the index path.
  ///
  /// - Parameter indexPath: A section if it has one element, otherwise a row.
  ///
  /// ```swift
  /// let jobs = try HierarchicalResultsController<Customer, Job>(
  ///   parent: customer, childRelationship: "jobs")
  /// try jobs.performFetch()
  /// print(jobs.numberOfChildren(at: IndexPath(index: 0)))  // 2
  /// ```
  public func numberOfChildren(at indexPath: IndexPath) -> Int {
    node(at: indexPath).children.count
  }

  /// Returns the parent of a section. Stops the program if there is no such section, or if its object is not a
  /// `Parent`.
  public func parent(ofSection section: Int) -> Parent {
    guard let parent = node(at: IndexPath(index: section)).object as? Parent else {
      stopProgram("section \(section) of the hierarchical results is not a \(Parent.self)")
    }
    return parent
  }

  /// Returns the section of a parent; nil if the results do not contain the parent.
  ///
  /// ```swift
  /// func scroll(_ teams: HierarchicalResultsController<Team, Player>, to team: Team) {
  ///   if let section = teams.section(of: team) { print("show section", section) }
  /// }
  /// ```
  public func section(of parent: Parent) -> Int? {
    guard let results, !results.nodes[0][parent].isEmpty else { return nil }
    return results.section(of: parent)
  }

  /// Returns the children of a section, in order, without objects that are not a `Child`. Stops the program if there is
  /// no such section.
  ///
  /// ```swift
  /// let jobs = try HierarchicalResultsController<Customer, Job>(
  ///   parent: customer, childRelationship: "jobs")
  /// try jobs.performFetch()
  /// print(jobs.children(ofSection: 0).map { $0.title ?? "" })  // ["Kitchen", "Painting"]
  /// ```
  public func children(ofSection section: Int) -> [Child] {
    node(at: IndexPath(index: section)).children.compactMap { $0.object as? Child }
  }

  /// Returns the child at the index path of a row. Stops the program if there is none, or if it is not a `Child`.
  public func object(at indexPath: IndexPath) -> Child {
    guard indexPath.count > 1, let child = node(at: indexPath).object as? Child else {
      stopProgram(
        "the object at index \(Self.text(indexPath)) of the hierarchical results is not a"
          + " \(Child.self)")
    }
    return child
  }

  /// Returns the index path of an object's row, or of its first row if it has several; nil if it has no row.
  ///
  /// O(log n) for each row of the object.
  public func indexPath(forObject object: Child) -> IndexPath? {
    indexPaths(forObject: object).first
  }

  /// Returns the index paths of all rows of an object, in order. A member of several parents has several rows.
  ///
  /// ```swift
  /// func reload(_ player: Player, in teams: HierarchicalResultsController<Team, Player>) {
  ///   tableView.reloadRows(at: teams.indexPaths(forObject: player), with: .fade)
  /// }
  /// ```
  public func indexPaths(forObject object: Child) -> [IndexPath] {
    guard let results else { return [] }
    var paths: [IndexPath] = []
    for depth in 1..<results.nodes.count {
      for node in results.nodes[depth][object] {
        if let path = results.path(of: node, depth: depth) { paths.append(path) }
      }
    }
    return paths.sorted()
  }

  private func node(at path: IndexPath) -> HierarchyNode {
    guard let node = results?.node(at: path) else {
      stopProgram(
        "no object at index \(Self.text(path)) of the hierarchical results"
          + (results == nil ? ": performFetch was not called" : ""))
    }
    return node
  }

  private static func text(_ path: IndexPath) -> String {
    path.map(String.init).joined(separator: ".")
  }
}
