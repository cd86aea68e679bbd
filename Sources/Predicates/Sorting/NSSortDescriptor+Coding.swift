extension NSSortDescriptor: @retroactive NSSecureCoding {
  /// Always `true`: reading an archive creates only sort descriptors, parts of predicates, and plain values.
  public static var supportsSecureCoding: Bool { true }

  /// Writes the descriptor into an archive, under the keys that Apple's Foundation uses.
  ///
  /// A descriptor with a comparator, which is Swift code, or without a known key cannot be archived. This
  /// method writes the reason instead, and reading the archive fails with that reason.
  public func encode(with coder: NSCoder) {
    let isKeySortDescriptor = self is KeySortDescriptor
    let refusal =
      selector == nil || (key == nil && !isKeySortDescriptor)
      ? "the sort descriptor was not archived, because it contains Swift code" : nil
    Coding.encoding(coder, refusal) {
      if let key { coder.encode(NSString(string: key), forKey: "NSKey") }
      coder.encode(ascending, forKey: "NSAscending")
      if let selector {
        coder.encode(NSString(string: selector.description), forKey: "NSSelector")
      }
    }
  }

  /// Does nothing.
  ///
  /// Compared to Apple's Core Data: there, a program must allow a sort descriptor from an archive to sort, because the
  /// descriptor may call any method. Here, it can compare only by the standard selectors, so it may be used
  /// immediately.
  public func allowEvaluation() {}
}

extension NSSecureCoding where Self: NSSortDescriptor {
  /// Reads a sort descriptor from an archive.
  ///
  /// - Returns: Nil for a damaged archive. If the coder's `decodingFailurePolicy` is `.setErrorAndReturn`, its error
  ///   contains the reason.
  public init?(coder: NSCoder) {
    let descriptor = Coding.decoding(coder) { () throws -> NSSortDescriptor in
      guard coder.containsValue(forKey: "NSAscending") else {
        throw InvalidPredicateError("a sort descriptor has no direction")
      }
      return NSSortDescriptor(
        key: Coding.text(coder, "NSKey"), ascending: coder.decodeBool(forKey: "NSAscending"),
        selector: Coding.text(coder, "NSSelector").map { Selector($0) })
    }
    guard let result = descriptor as? Self else { return nil }
    self = result
  }
}
