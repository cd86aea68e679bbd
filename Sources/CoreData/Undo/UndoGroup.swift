/// Actions that are taken back together, the last one first.
struct UndoGroup {
  var actions: [UndoAction] = []
  var name = ""
  var isDiscardable = false
  var userInfo: [String: Any] = [:]

  var isEmpty: Bool { actions.isEmpty }

  /// Runs the actions, the last one first; those of nested groups, however deep, in their place.
  func run() {
    var rest = actions
    while let action = rest.popLast() {
      if let nested = action.nested {
        rest += nested.group.actions
      } else {
        action.run()
      }
    }
  }

  /// Removes the actions of a target, and the nested groups that are empty then.
  mutating func remove(_ target: ObjectIdentifier) {
    var nested = actions.compactMap(\.nested)
    var place = 0
    while place < nested.count {
      nested += nested[place].group.actions.compactMap(\.nested)
      place += 1
    }
    // The inner ones first, because an outer one may become empty by what they lose.
    for inner in nested.reversed() { inner.group.removeOwn(target) }
    removeOwn(target)
  }

  private mutating func removeOwn(_ target: ObjectIdentifier) {
    actions.removeAll { $0.target == target || $0.nested?.group.isEmpty == true }
  }
}

/// A group within another one.
final class NestedUndoGroup {
  var group: UndoGroup

  init(_ group: UndoGroup) { self.group = group }

  deinit {
    // Groups may be nested deeper than the stack has room for their ends.
    var actions: Any? = group.actions
    group.actions = []
    EndingReferences.release(&actions)
  }
}

/// What takes one change back, or a nested group.
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
