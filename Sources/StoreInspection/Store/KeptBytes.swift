import CoreData

/// A placeholder for a value transformer that only the store's program has: values remain the stored bytes, and a save
/// of their object does not change them.
final class KeptBytes: ValueTransformer {
  override class func allowsReverseTransformation() -> Bool { true }
  override func transformedValue(_ value: Any?) -> Any? { value as? Data }
  override func reverseTransformedValue(_ value: Any?) -> Any? { value as? Data }

  /// Registers a placeholder for each transformer in a model that this process lacks.
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
