/// The iterator of an `NSSet`, an `NSOrderedSet` or an enumerator, by the name that it has on Apple's platforms.
///
/// Compared to Apple's Foundation: the iterator of an `NSArray` has a different type, and there is
/// no `init(_:)`; call `makeIterator()` instead.
public typealias NSFastEnumerationIterator = NSEnumerator.Iterator
