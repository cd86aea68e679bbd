import Foundation

/// Actions that are taken back together, the last one first.
struct UndoGroup {
  var actions: [UndoAction] = []
  var name = ""
  var isDiscardable = false
  var userInfo: [String: Any] = [:]

  var isEmpty: Bool { actions.isEmpty }

  func run() {
    for action in actions.reversed() { action.run() }
  }

  mutating func remove(_ target: ObjectIdentifier) {
    actions.removeAll { $0.target == target }
    for index in actions.indices { actions[index].nested?.remove(target) }
    actions.removeAll { $0.nested?.isEmpty == true }
  }
}

/// What takes one change back, or a nested group.
struct UndoAction {
  let target: ObjectIdentifier?
  private let handler: () -> Void
  var nested: UndoGroup?

  init(target: AnyObject, _ handler: @escaping () -> Void) {
    self.target = ObjectIdentifier(target)
    self.handler = handler
  }

  init(target: ObjectIdentifier?, nested: UndoGroup) {
    self.target = target
    self.nested = nested
    handler = {}
  }

  func run() {
    if let nested { nested.run() } else { handler() }
  }
}
