// What programs pass for `%@`: `NSPredicate(format: "entity == %@", entity)`.

extension NSEntityDescription: CVarArg {
  /// For functions of C: the address of the description.
  public var _cVarArgEncoding: [Int] {
    [Int(bitPattern: Unmanaged.passUnretained(self).toOpaque())]
  }
}
