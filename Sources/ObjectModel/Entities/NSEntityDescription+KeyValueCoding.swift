/// Lets predicates use an object's entity: `entity.name == "Player"`.
extension NSEntityDescription: NSKeyValueCoding {
  /// Returns the name, the class name, the user info and a few other values; nil for other keys.
  public func value(forKey key: String) -> Any? {
    switch key {
    case "name": name
    case "managedObjectClassName": managedObjectClassName
    case "abstract", "isAbstract": NSNumber(value: isAbstract)
    case "superentity": superentity
    case "renamingIdentifier": renamingIdentifier
    case "userInfo": userInfo
    default: nil
    }
  }
}
