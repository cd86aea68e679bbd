import StoreEngine

// What programs pass for `%@`: `NSPredicate(format: "team == %@", team)`.

extension NSManagedObject: CVarArg {
  /// For functions of C: the address of the object.
  public var _cVarArgEncoding: [Int] {
    [Int(bitPattern: Unmanaged.passUnretained(self).toOpaque())]
  }
}

extension NSManagedObjectID: CVarArg {
  /// For functions of C: the address of the ID.
  public var _cVarArgEncoding: [Int] {
    [Int(bitPattern: Unmanaged.passUnretained(self).toOpaque())]
  }
}

extension NSPersistentHistoryToken: CVarArg {
  /// For functions of C: the address of the token.
  public var _cVarArgEncoding: [Int] {
    [Int(bitPattern: Unmanaged.passUnretained(self).toOpaque())]
  }
}
