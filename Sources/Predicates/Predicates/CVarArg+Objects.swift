// Foundation's classes as arguments of `NSPredicate(format:)`. `NSString` is one already, which is why `NSObject` is
// none here: the runtime prints "conforms to protocol 'CVarArg', but it also inherits conformance" in each program that
// has both. Objects of other classes are taken by initialisers of their own.

extension NSNumber: @retroactive CVarArg {}
extension NSDate: @retroactive CVarArg {}
extension NSNull: @retroactive CVarArg {}
extension NSArray: @retroactive CVarArg {}
extension NSSet: @retroactive CVarArg {}
extension NSOrderedSet: @retroactive CVarArg {}
extension NSDictionary: @retroactive CVarArg {}
extension NSUUID: @retroactive CVarArg {}
extension NSData: @retroactive CVarArg {}
extension NSURL: @retroactive CVarArg {}
extension NSError: @retroactive CVarArg {}
extension NSIndexPath: @retroactive CVarArg {}
extension NSIndexSet: @retroactive CVarArg {}
extension NSCharacterSet: @retroactive CVarArg {}
extension NSAttributedString: @retroactive CVarArg {}
extension NSLocale: @retroactive CVarArg {}
extension NSTimeZone: @retroactive CVarArg {}
extension NSCalendar: @retroactive CVarArg {}

extension CVarArg where Self: NSObject {
  /// For functions of C: the address of the object.
  public var _cVarArgEncoding: [Int] {
    [Int(bitPattern: Unmanaged.passUnretained(self).toOpaque())]
  }
}

extension NSExpression: CVarArg {}
// A predicate is refused as an argument, with a message that says how to join predicates.
extension NSPredicate: @retroactive CVarArg {}
