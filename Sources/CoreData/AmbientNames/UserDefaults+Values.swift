// Key-value coding of user defaults, where programs that read persistent history often keep tokens and dates.
extension UserDefaults {
  /// Returns the value of a key.
  public func value(forKey key: String) -> Any? { object(forKey: key) }

  /// Sets the value of a key; nil removes it.
  public func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }
}
