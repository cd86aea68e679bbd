// Key-value coding of user defaults, which keep the tokens and dates of many a reader of history.
extension UserDefaults {
  /// What is kept under a key.
  public func value(forKey key: String) -> Any? { object(forKey: key) }

  /// Keeps a value under a key; nil takes it away.
  public func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }
}
