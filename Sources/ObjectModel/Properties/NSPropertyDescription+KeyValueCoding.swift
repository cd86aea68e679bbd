/// Lets a fetched property's predicate use `$FETCHED_PROPERTY`, as in
/// `$FETCHED_PROPERTY.userInfo.limit`.
extension NSPropertyDescription: NSKeyValueCoding {
  /// Returns the name, the user info, the renaming identifier, or whether the property is optional or transient; nil
  /// for other keys.
  public func value(forKey key: String) -> Any? {
    switch key {
    case "name": name
    case "userInfo": userInfo
    case "optional", "isOptional": NSNumber(value: isOptional)
    case "transient", "isTransient": NSNumber(value: isTransient)
    case "renamingIdentifier": renamingIdentifier
    default: nil
    }
  }
}
