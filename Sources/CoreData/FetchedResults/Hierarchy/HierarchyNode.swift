/// An occurrence of an object in hierarchical results, with its children in order.
final class HierarchyNode {
  let object: NSManagedObject
  /// The parent node; nil for a section, and after the node was removed. Weak, because the parent
  /// retains its children.
  weak var parent: HierarchyNode?
  var children: [HierarchyNode] = []
  /// The sort values of the node, if its level has sort descriptors.
  var values: SortValues?
  /// The index of the node among its parent's children, if its level has no sort descriptors.
  var place = 0

  init(_ object: NSManagedObject) { self.object = object }
}

/// The nodes of one level by object. An object has several nodes if it has several parents in a many-to-many
/// relationship.
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
