/// An object at its place in hierarchical results, with its children in order.
final class HierarchyNode {
  let object: NSManagedObject
  /// The node whose child this is; nil for a section, and once it is taken out.
  weak var parent: HierarchyNode?
  var children: [HierarchyNode] = []
  /// What the node is sorted by, where its level has sort descriptors.
  var values: SortValues?
  /// Where the node is among its parent's children, where its level has none.
  var place = 0

  init(_ object: NSManagedObject) { self.object = object }
}

/// The nodes of one level by their objects: with a many-to-many relationship an object has several.
struct HierarchyNodes {
  private var nodes: [ObjectIdentifier: [HierarchyNode]] = [:]

  subscript(_ object: NSManagedObject) -> [HierarchyNode] { nodes[ObjectIdentifier(object)] ?? [] }

  var all: [HierarchyNode] { nodes.values.flatMap(\.self) }

  mutating func add(_ node: HierarchyNode) {
    nodes[ObjectIdentifier(node.object), default: []].append(node)
  }

  mutating func remove(_ node: HierarchyNode) {
    let key = ObjectIdentifier(node.object)
    nodes[key]?.removeAll { $0 === node }
    if nodes[key]?.isEmpty == true { nodes[key] = nil }
  }
}
