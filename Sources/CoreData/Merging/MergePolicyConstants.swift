// The names of the policies in programs that predate the class NSMergePolicy.

/// The save fails, as with `NSMergePolicy.error`.
public var NSErrorMergePolicy: AnyObject { NSMergePolicy.error }
/// `NSMergePolicy.mergeByPropertyStoreTrump`.
public var NSMergeByPropertyStoreTrumpMergePolicy: AnyObject {
  NSMergePolicy.mergeByPropertyStoreTrump
}
/// `NSMergePolicy.mergeByPropertyObjectTrump`.
public var NSMergeByPropertyObjectTrumpMergePolicy: AnyObject {
  NSMergePolicy.mergeByPropertyObjectTrump
}
/// `NSMergePolicy.overwrite`.
public var NSOverwriteMergePolicy: AnyObject { NSMergePolicy.overwrite }
/// `NSMergePolicy.rollback`.
public var NSRollbackMergePolicy: AnyObject { NSMergePolicy.rollback }
