public import Foundation

// Foundation's classes as arguments of `NSPredicate(format:)`. `NSString` is one already.

extension NSNumber: @retroactive CVarArg {}
extension NSDate: @retroactive CVarArg {}
extension NSNull: @retroactive CVarArg {}
extension NSArray: @retroactive CVarArg {}
extension NSSet: @retroactive CVarArg {}
extension NSOrderedSet: @retroactive CVarArg {}
extension NSDictionary: @retroactive CVarArg {}

extension CVarArg where Self: NSObject {
  /// For functions of C: the address of the object.
  public var _cVarArgEncoding: [Int] {
    [Int(bitPattern: Unmanaged.passUnretained(self).toOpaque())]
  }
}

extension NSExpression: CVarArg {}
// A predicate is refused as an argument, with a message that says how to join predicates.
extension NSPredicate: @retroactive CVarArg {}
