/// A weak reference that can be an element of a collection.
struct WeakReference {
  weak var object: AnyObject?
  init(_ object: AnyObject) { self.object = object }
}
