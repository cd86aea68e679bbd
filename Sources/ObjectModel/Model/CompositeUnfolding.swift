/// Fills composite attributes with copies of the elements of the composites to which they refer, including nested
/// composites.
struct CompositeUnfolding {
  /// An error in the composites. The reason is the end of a message that begins with the attribute's name.
  struct Failure: Error {
    let reason: String
  }

  private let groups: [String: ModelComposite]
  /// The number of elements that may still be created. Composites that each refer to others several
  /// times would otherwise expand exponentially.
  private var room = 100_000

  init(_ groups: [ModelComposite]) {
    self.groups = Dictionary(groups.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Fills one attribute.
  mutating func fill(_ attribute: NSCompositeAttributeDescription) throws {
    attribute.elements = try elements(of: attribute.compositeName ?? "", within: [])
  }

  private mutating func elements(
    of name: String, within open: [String]
  ) throws -> [NSAttributeDescription] {
    guard let group = groups[name] else {
      throw Failure(reason: "the composite '\(name)' is not in the model.")
    }
    guard !open.contains(name) else {
      throw Failure(reason: "the composite '\(name)' contains itself.")
    }
    var result: [NSAttributeDescription] = []
    for element in group.elements {
      room -= 1
      guard room > 0 else { throw Failure(reason: "its composites expand to too many elements.") }
      // Copies, because an element belongs to one attribute, and several attributes may refer to
      // the composite.
      guard let copy = element.copy() as? NSAttributeDescription else { continue }
      if let nested = copy as? NSCompositeAttributeDescription, let inner = nested.compositeName {
        nested.elements = try elements(of: inner, within: open + [name])
      }
      result.append(copy)
    }
    return result
  }
}
