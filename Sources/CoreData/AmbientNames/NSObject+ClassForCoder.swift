extension NSObject {
  /// The class itself, which archives of its objects name.
  public class func classForCoder() -> AnyClass { self }
}
