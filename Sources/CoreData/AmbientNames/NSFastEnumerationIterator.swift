/// What goes through the objects of an `NSSet`, an `NSOrderedSet` or an enumerator, by the name that Foundation has for
/// it on Apple's platforms.
///
/// Compared to Apple's Foundation: that of an `NSArray` is a type of its own, and none is made of an object
/// (`init(_:)`); `makeIterator()` gives one.
public typealias NSFastEnumerationIterator = NSEnumerator.Iterator
