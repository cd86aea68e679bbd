import CSwiftRuntime

/// Releases what ending objects refer to without recursion.
///
/// The end of an object may end the objects that it refers to, each within the end of the one before: a chain
/// of some ten thousand objects would be longer than the stack. So the first object of a thread to end releases
/// its references, and those that end meanwhile leave theirs to it.
enum EndingReferences {
  /// References that one object had.
  private enum Load {
    case contents([SlotContent])
    case other(Any?)
  }

  /// References of objects that ended within the end of another one, which releases the last ones first.
  private final class Pile {
    var loads: [Load] = []
  }

  /// Releases the contents of an object that is ending, at the latest when the first of the objects has ended
  /// whose ends are under way on this thread.
  static func release(_ contents: inout [SlotContent]) {
    // The address is this thread's, and nothing here waits or changes threads.
    guard let state = ending_objects_of_thread() else { return contents = [] }
    if state.pointee.is_releasing != 0 {
      pile(of: state).loads.append(.contents(exchange(&contents, with: [])))
    } else {
      // Assigned in place: a copy in a variable would outlive the loop below.
      leading(state) { contents = [] }
    }
  }

  /// Releases any other value that an ending object leads to, in the same way.
  static func release(_ value: inout Any?) {
    guard let state = ending_objects_of_thread() else { return value = nil }
    if state.pointee.is_releasing != 0 {
      pile(of: state).loads.append(.other(exchange(&value, with: nil)))
    } else {
      leading(state) { value = nil }
    }
  }

  /// Runs `body` as the first end on this thread, and then releases what was left meanwhile.
  @inline(__always)
  private static func leading(_ state: UnsafeMutablePointer<ending_objects>, _ body: () -> Void) {
    state.pointee.is_releasing = 1
    body()
    while let held = state.pointee.pile {
      let pile = Unmanaged<Pile>.fromOpaque(held)
      if pile._withUnsafeGuaranteedRef({ $0.loads.popLast() }) == nil {
        state.pointee.pile = nil
        pile.release()
      }
    }
    state.pointee.is_releasing = 0
  }

  private static func pile(of state: UnsafeMutablePointer<ending_objects>) -> Pile {
    if let pile = state.pointee.pile {
      return Unmanaged<Pile>.fromOpaque(pile).takeUnretainedValue()
    }
    let pile = Pile()
    state.pointee.pile = Unmanaged.passRetained(pile).toOpaque()
    return pile
  }
}
