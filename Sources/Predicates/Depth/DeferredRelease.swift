/// Takes high trees apart level by level.
///
/// When the last reference to the top of a tree goes, each level would release the next within
/// its own release, and the stack end before the tree does.
enum DeferredRelease {
  private static let queue = DispatchQueue(label: "OpenCoreData.DeferredRelease")

  /// Releases the children of an object that goes on a queue; for a low tree it does nothing.
  ///
  /// - Parameter removeChildren: removes the children from the object. Whoever has the last reference
  ///   ends them: if the object kept its own, and the queue was quicker, they would end within it, and
  ///   theirs within them.
  @inline(__always)
  static func release(height: Int, _ removeChildren: () -> [AnyObject]) {
    guard height > 100 else { return }
    let load = Load(removeChildren())
    queue.async { load.children = [] }
  }

  /// What is to be released; the queue empties it, so that nobody else has the last reference.
  private final class Load: @unchecked Sendable {
    var children: [AnyObject]
    init(_ children: [AnyObject]) { self.children = children }
  }
}
