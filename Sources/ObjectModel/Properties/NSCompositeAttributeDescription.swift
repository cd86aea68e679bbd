/// An attribute made of named elements, each an attribute or a composite again.
///
/// The value is a dictionary from the elements' names to their values.
nonisolated open class NSCompositeAttributeDescription: NSAttributeDescription, @unchecked Sendable
{
  /// The parts of the attribute, in the order of the model.
  open var elements: [NSAttributeDescription] = [] {
    willSet { willChange() }
  }

  /// The name under which the model file declares the elements, which several attributes share.
  package final var compositeName: String? {
    willSet { willChange() }
  }

  /// A composite attribute without elements.
  public override init() {
    super.init()
    attributeType = .compositeAttributeType
  }

  /// A mutable copy, elements included, that belongs to no entity.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSCompositeAttributeDescription()
    copyAttributeState(to: copy)
    copy.elements = elements.compactMap { $0.copy() as? NSAttributeDescription }
    copy.compositeName = compositeName
    return copy
  }
}
