/// A composite attribute of the object at the end of a path, or a composite that is an element of another. It has no
/// column, so requests use its elements.
package struct BoundComposite {
  /// The path to the object. Its terminal is `.object`.
  package let owner: BoundPath
  package let value: CompositeValue

  /// Returns an element.
  package func element(_ slot: PropertySlot) -> BoundExpression {
    .property(
      BoundPath(
        level: owner.level, start: owner.start, steps: owner.steps, end: owner.end,
        terminal: .attribute(slot.index)))
  }

  /// A description for a message.
  package var subject: String { "\(value.layout.name).\(value.name)" }

  /// The error of a request that uses the whole composite where only its elements can be used.
  package var refusal: NSError {
    CoreDataError.badRequest(
      "\(subject) is a composite attribute: use one of its elements, or compare it with nil or a dictionary"
    )
  }
}
