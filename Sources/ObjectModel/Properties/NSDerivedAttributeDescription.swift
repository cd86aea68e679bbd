/// An attribute whose value the store computes from others.
nonisolated open class NSDerivedAttributeDescription: NSAttributeDescription, @unchecked Sendable {
  /// The expression as its text in the predicate language, such as `canonical:(name)`,
  /// `pages.@count` or `now()`; nil before one is set.
  package final var derivationText: String? {
    willSet { willChange() }
  }

  /// The text of the predicate that the rows which are counted or added up must meet.
  package final var filterText: String? {
    willSet { willChange() }
  }

  /// A mutable copy that belongs to no entity.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSDerivedAttributeDescription()
    copyAttributeState(to: copy)
    copy.derivationText = derivationText
    copy.filterText = filterText
    return copy
  }
}
