import Foundation

/// Takes high trees apart level by level.
///
/// When the last reference to the top of a tree goes, each level would release the next within
/// its own release, and the stack end before the tree does.
enum DeferredRelease {
  private static let queue = DispatchQueue(label: "OpenCoreData.DeferredRelease")

  /// Keeps the children of an object that goes until it is gone, and then releases them; for a
  /// low tree it does nothing.
  @inline(__always)
  static func release(height: Int, _ children: @autoclosure () -> [AnyObject]) {
    guard height > 100 else { return }
    nonisolated(unsafe) let children = children()
    queue.async { withExtendedLifetime(children) {} }
  }
}
