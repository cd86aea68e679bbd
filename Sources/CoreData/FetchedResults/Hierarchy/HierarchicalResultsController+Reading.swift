extension HierarchicalResultsController {
  /// The parents in order; nil before the first fetch.
  public var parents: [Parent]? {
    results.map { results in
      (0..<results.sectionCount).compactMap { results.section($0)?.object as? Parent }
    }
  }

  /// How many parents there are; 0 before the first fetch.
  public var numberOfSections: Int { results?.sectionCount ?? 0 }

  /// How many children a parent has.
  public func numberOfRows(inSection section: Int) -> Int {
    node(at: IndexPath(index: section)).children.count
  }

  /// How many children the object at a place has: of a section for one number, of a row for more.
  public func numberOfChildren(at indexPath: IndexPath) -> Int {
    node(at: indexPath).children.count
  }

  /// The parent of a section. A section that does not exist stops the program.
  public func parent(ofSection section: Int) -> Parent {
    guard let parent = node(at: IndexPath(index: section)).object as? Parent else {
      stopProgram("section \(section) of the hierarchical results is no \(Parent.self)")
    }
    return parent
  }

  /// The section of a parent; nil when it has none.
  public func section(of parent: Parent) -> Int? {
    guard let results, !results.nodes[0][parent].isEmpty else { return nil }
    return results.section(of: parent)
  }

  /// The children of a section, in order.
  public func children(ofSection section: Int) -> [Child] {
    node(at: IndexPath(index: section)).children.compactMap { $0.object as? Child }
  }

  /// The object of a row. A place that does not exist stops the program.
  public func object(at indexPath: IndexPath) -> Child {
    guard indexPath.count > 1, let child = node(at: indexPath).object as? Child else {
      stopProgram(
        "what is at \(Self.text(indexPath)) of the hierarchical results is no \(Child.self)")
    }
    return child
  }

  /// The place of an object's row, the first where it has several; nil when it has none.
  ///
  /// O(log n) for each row that the object has.
  public func indexPath(forObject object: Child) -> IndexPath? {
    indexPaths(forObject: object).first
  }

  /// The places of all rows of an object, in order: several, where it is a member of several parents.
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
        "nothing at index \(Self.text(path)) of the hierarchical results"
          + (results == nil ? ": performFetch was not called" : ""))
    }
    return node
  }

  private static func text(_ path: IndexPath) -> String {
    path.map(String.init).joined(separator: ".")
  }
}
