/// An attribute whose value the store computes from other values.
///
/// ```swift
/// let total = NSDerivedAttributeDescription()
/// total.name = "total"
/// total.type = .decimal
/// total.derivationExpression = NSExpression(format: "jobs.@sum.amount")
/// ```
nonisolated open class NSDerivedAttributeDescription: NSAttributeDescription, @unchecked Sendable {
  /// The text of the expression in the predicate language, such as `canonical:(name)`,
  /// `pages.@count` or `now()`; nil until one is set.
  package final var derivationText: String? {
    willSet { willChange() }
  }

  /// The text of the predicate that selects the rows to count or add up.
  package final var filterText: String? {
    willSet { willChange() }
  }

  /// Returns a mutable copy that belongs to no entity.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSDerivedAttributeDescription()
    copyAttributeState(to: copy)
    copy.derivationText = derivationText
    copy.filterText = filterText
    return copy
  }
}
