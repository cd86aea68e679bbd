import CoreData

/// The placeholder of a value transformer that only a program has: values stay the bytes that they are kept as, and
/// go back as they came where an object is inserted again.
final class KeptBytes: ValueTransformer {
  override class func allowsReverseTransformation() -> Bool { true }
  override func transformedValue(_ value: Any?) -> Any? { value as? Data }
  override func reverseTransformedValue(_ value: Any?) -> Any? { value as? Data }

  /// Registers one for each transformer that a model names and this process does not have.
  static func registerPlaceholders(for model: NSManagedObjectModel) {
    let attributes = model.entities.flatMap { $0.attributesByName.values }
    for name in Set(attributes.compactMap(\.valueTransformerName)) where !name.isEmpty {
      let name = NSValueTransformerName(name)
      if ValueTransformer(forName: name) == nil {
        ValueTransformer.setValueTransformer(KeptBytes(), forName: name)
      }
    }
  }
}
