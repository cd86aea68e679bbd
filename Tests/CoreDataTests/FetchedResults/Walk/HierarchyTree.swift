import CoreData
import Foundation

/// An object of hierarchical results and its descendants.
final class HierarchyTree: Equatable {
  typealias Controller = HierarchicalResultsController<NSManagedObject, NSManagedObject>

  let object: NSManagedObject
  let children: [HierarchyTree]

  init(_ object: NSManagedObject, _ children: [HierarchyTree] = []) {
    self.object = object
    self.children = children
  }

  static func == (left: HierarchyTree, right: HierarchyTree) -> Bool {
    left.object === right.object && left.children == right.children
  }

  static func object(_ controller: Controller, _ path: IndexPath) -> NSManagedObject {
    path.count == 1 ? controller.parent(ofSection: path[0]) : controller.object(at: path)
  }

  static func shown(_ controller: Controller) -> [HierarchyTree] {
    func tree(_ path: IndexPath) -> HierarchyTree {
      let count = path.count > controller.levels.count ? 0 : controller.numberOfChildren(at: path)
      return HierarchyTree(object(controller, path), (0..<count).map { tree(path.appending($0)) })
    }
    return (0..<controller.numberOfSections).map { tree(IndexPath(index: $0)) }
  }

  /// Applies the updates of a report level by level, by the rules of a list view's batch updates.
  static func apply(
    _ updates: TableUpdates, to old: [HierarchyTree], object: (IndexPath) -> NSManagedObject
  ) -> [HierarchyTree] {
    func node(_ path: IndexPath) -> HierarchyTree {
      path.dropFirst().reduce(old[path[0]]) { $0.children[$1] }
    }
    let moves =
      updates.movedSections.map { (IndexPath(index: $0.old), IndexPath(index: $0.new)) }
      + updates.movedRows.map { ($0.old, $0.new) }
    let gone = Set(
      (updates.deletedSections.map { IndexPath(index: $0) } + updates.deletedRows + moves.map(\.0))
        .map { ObjectIdentifier(node($0)) })
    var arriving: [IndexPath: [(place: Int, tree: HierarchyTree)]] = [:]
    for path in updates.insertedSections.map({ IndexPath(index: $0) }) + updates.insertedRows {
      arriving[path.dropLast(), default: []].append(
        (path[path.count - 1], HierarchyTree(object(path))))
    }
    for (old, new) in moves {
      arriving[new.dropLast(), default: []].append((new[new.count - 1], node(old)))
    }
    func changed(_ children: [HierarchyTree], _ path: IndexPath) -> [HierarchyTree] {
      var result = children.filter { !gone.contains(ObjectIdentifier($0)) }
      for (place, tree) in (arriving[path] ?? []).sorted(by: { $0.place < $1.place }) {
        if place > result.count { return result }
        result.insert(tree, at: place)
      }
      return result.enumerated().map { place, tree in
        HierarchyTree(tree.object, changed(tree.children, path.appending(place)))
      }
    }
    return changed(old, IndexPath())
  }
}
