/// What predicates ask of an object's entity: `entity.name == "Player"`.
extension NSEntityDescription: NSKeyValueCoding {
  /// The name, the class, the user info and the like; nil for other keys.
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
