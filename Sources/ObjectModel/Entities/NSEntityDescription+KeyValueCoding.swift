/// Lets predicates use an object's entity: `entity.name == "Player"`.
extension NSEntityDescription: NSKeyValueCoding {
  /// Returns the value of `name`, `managedObjectClassName`, `isAbstract` (also for the key `abstract`), `superentity`,
  /// `renamingIdentifier` or `userInfo`; nil for other keys.
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
