/// Actions that are undone together, in reverse order.
struct UndoGroup {
  var actions: [UndoAction] = []
  var name = ""
  var isDiscardable = false
  var userInfo: [String: Any] = [:]

  var isEmpty: Bool { actions.isEmpty }

  /// Runs the actions in reverse order, including those of nested groups at any depth.
  func run() {
    // A loop, because recursion into deeply nested groups would overflow the stack.
    var rest = actions
    while let action = rest.popLast() {
      if let nested = action.nested {
        rest += nested.group.actions
      } else {
        action.run()
      }
    }
  }

  /// Removes the actions of a target, and nested groups that become empty.
  mutating func remove(_ target: ObjectIdentifier) {
    var nested = actions.compactMap(\.nested)
    var place = 0
    while place < nested.count {
      nested += nested[place].group.actions.compactMap(\.nested)
      place += 1
    }
    // Inner groups are processed first, because a group that contains only empty groups is removed
    // as well.
    for inner in nested.reversed() { inner.group.removeOwn(target) }
    removeOwn(target)
  }

  private mutating func removeOwn(_ target: ObjectIdentifier) {
    actions.removeAll { $0.target == target || $0.nested?.group.isEmpty == true }
  }
}

/// A group inside another one.
final class NestedUndoGroup {
  var group: UndoGroup

  init(_ group: UndoGroup) { self.group = group }

  deinit {
    // Deallocating deeply nested groups by recursion would overflow the stack.
    var actions: Any? = group.actions
    group.actions = []
    EndingReferences.release(&actions)
  }
}

/// An action that undoes a change, or a nested group.
struct UndoAction {
  let target: ObjectIdentifier?
  private let handler: () -> Void
  let nested: NestedUndoGroup?

  init(target: AnyObject, _ handler: @escaping () -> Void) {
    self.target = ObjectIdentifier(target)
    self.handler = handler
    nested = nil
  }

  init(nested: UndoGroup) {
    target = nil
    self.nested = NestedUndoGroup(nested)
    handler = {}
  }

  func run() { handler() }
}
