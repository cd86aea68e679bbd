// Allows Foundation objects as arguments of `NSPredicate(format:)`. `NSString` conforms already, which is why
// `NSObject` must not: the runtime would print "conforms to protocol 'CVarArg', but it also inherits conformance" in
// each program that uses both. Separate initializers accept objects of other classes.

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
  /// The address of the object, for C functions.
  public var _cVarArgEncoding: [Int] {
    [Int(bitPattern: Unmanaged.passUnretained(self).toOpaque())]
  }
}

extension NSExpression: CVarArg {}
// Allows the call to compile, so that the parser can reject the predicate and explain how to combine predicates.
extension NSPredicate: @retroactive CVarArg {}
