/// An attribute that consists of named elements, each of which is an attribute or another composite.
///
/// The value is a dictionary of the elements' values by name.
///
/// ```swift
/// let latitude = NSAttributeDescription()
/// latitude.name = "latitude"
/// latitude.type = .double
/// let home = NSCompositeAttributeDescription()
/// home.name = "home"
/// home.elements = [latitude]
/// ```
nonisolated open class NSCompositeAttributeDescription: NSAttributeDescription, @unchecked Sendable
{
  /// The elements, in the order of the model.
  open var elements: [NSAttributeDescription] = [] {
    willSet { willChange() }
  }

  /// The name of the composite in the model file that declares the elements, which several attributes may share.
  package final var compositeName: String? {
    willSet { willChange() }
  }

  /// Creates a composite attribute without elements.
  public override init() {
    super.init()
    attributeType = .compositeAttributeType
  }

  /// Returns a mutable copy, including the elements, that belongs to no entity.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSCompositeAttributeDescription()
    copyAttributeState(to: copy)
    copy.elements = elements.compactMap { $0.copy() as? NSAttributeDescription }
    copy.compositeName = compositeName
    return copy
  }
}
