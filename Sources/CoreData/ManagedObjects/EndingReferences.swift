import CSwiftRuntime

/// Releases the references of deallocated objects without recursion.
///
/// Deallocating an object may deallocate the objects that it refers to, each inside the
/// deallocation of the one before. A chain of some ten thousand objects would overflow the stack.
/// So the first object that a thread deallocates releases its own references and then those of all
/// objects that are deallocated meanwhile.
enum EndingReferences {
  /// The references of one object.
  private enum Load {
    case contents([SlotContent])
    case other(Any?)
  }

  /// References of objects deallocated inside another one's deallocation. The last are released first.
  private final class Pile {
    var loads: [Load] = []
  }

  /// Releases the contents of an object that is being deallocated: immediately, or at the end of
  /// the outermost deallocation on this thread.
  static func release(_ contents: inout [SlotContent]) {
    // The state belongs to this thread, and nothing here waits or changes threads.
    guard let state = ending_objects_of_thread() else { return contents = [] }
    if state.pointee.is_releasing != 0 {
      pile(of: state).loads.append(.contents(exchange(&contents, with: [])))
    } else {
      // Assigned in place: a copy in a variable would outlive the loop below.
      leading(state) { contents = [] }
    }
  }

  /// Releases another value of an object that is being deallocated, in the same way.
  static func release(_ value: inout Any?) {
    guard let state = ending_objects_of_thread() else { return value = nil }
    if state.pointee.is_releasing != 0 {
      pile(of: state).loads.append(.other(exchange(&value, with: nil)))
    } else {
      leading(state) { value = nil }
    }
  }

  /// Runs `body` as the outermost deallocation on this thread, and then releases the references that other
  /// deallocations have added to the pile meanwhile.
  @inline(__always)
  private static func leading(_ state: UnsafeMutablePointer<ending_objects>, _ body: () -> Void) {
    state.pointee.is_releasing = 1
    body()
    while let held = state.pointee.pile {
      let pile = Unmanaged<Pile>.fromOpaque(held)
      // This releases the references popped last. Objects that are deallocated with them add theirs to the pile.
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
