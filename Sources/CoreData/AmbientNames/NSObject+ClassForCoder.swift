extension NSObject {
  /// Returns the class itself, which keyed archives record as the class of its objects.
  public class func classForCoder() -> AnyClass { self }
}
