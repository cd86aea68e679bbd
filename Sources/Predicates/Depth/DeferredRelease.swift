/// Releases deep trees level by level.
///
/// When the last reference to the root of a tree is released, each level releases the next within
/// its own deinitializer. In a deep tree that recursion overflows the stack.
enum DeferredRelease {
  private static let queue = DispatchQueue(label: "OpenCoreData.DeferredRelease")

  /// Releases the children of a deinitializing object on a queue. Does nothing for a shallow tree.
  ///
  /// - Parameter removeChildren: Removes the children from the object and returns them. The object must not
  ///   keep them: if the queue released its references first, the object would hold the last of them, and the
  ///   children would be released recursively after all.
  @inline(__always)
  static func release(height: Int, _ removeChildren: () -> [AnyObject]) {
    guard height > 100 else { return }
    let load = Load(removeChildren())
    // The deinitializers that run here add blocks for their own children, so each level ends before
    // the next begins.
    queue.async { load.children = [] }
  }

  /// The objects to release. The queue empties the array, so it releases the last reference.
  private final class Load: @unchecked Sendable {
    var children: [AnyObject]
    init(_ children: [AnyObject]) { self.children = children }
  }
}
