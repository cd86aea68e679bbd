/// Converts transformable values to data and back with the attribute's value transformer.
///
/// The transformer is the one with the name in the attribute, or secure unarchiving if there is no name. It is
/// looked up on each use, so that a program can register it at any time before the first use.
package enum TransformableCoding {
  /// Returns the value of data.
  ///
  /// Returns the data itself if the transformer is not registered, if it does not allow reverse transformation, or if
  /// secure unarchiving fails, for example because it does not allow the classes in the data. Unknown content is then
  /// not lost, and does not prevent reading the object. A transformer of the program may return nil.
  package static func value(of data: Data, _ slot: PropertySlot) -> Any? {
    let name = transformerName(slot)
    guard let transformer = ValueTransformer(forName: name) else {
      Log.modelNotice("\(place(slot)): there is no value transformer named \"\(name.rawValue)\"")
      return data
    }
    // Secure unarchiving converts data to values. The transformers that programs define convert values to data.
    if transformer is NSSecureUnarchiveFromDataTransformer {
      return transformer.transformedValue(data) ?? data
    }
    guard type(of: transformer).allowsReverseTransformation() else { return data }
    return transformer.reverseTransformedValue(data)
  }

  /// Returns the data of a value.
  ///
  /// - Throws: An error with the entity and attribute, if the transformer is not registered, does not allow reverse
  ///   transformation, or cannot convert the value to data.
  package static func data(of value: Any, _ slot: PropertySlot) throws -> Data {
    let name = transformerName(slot)
    guard let transformer = ValueTransformer(forName: name) else {
      throw CoreDataError.badRequest(
        "\(place(slot)): there is no value transformer named \"\(name.rawValue)\"; register it with"
          + " ValueTransformer.setValueTransformer(_:forName:)")
    }
    if transformer is NSSecureUnarchiveFromDataTransformer {
      if let data = value as? Data, isUnreadArchive(data, transformer) { return data }
      if let data = transformer.reverseTransformedValue(value) as? Data { return data }
      throw CoreDataError.badRequest(
        "\(place(slot)): a value of type \(type(of: value)) cannot be archived; it is not among the"
          + " classes that the value transformer \"\(name.rawValue)\" allows")
    }
    guard type(of: transformer).allowsReverseTransformation() else {
      throw CoreDataError.badRequest(
        "\(place(slot)): the value transformer \"\(name.rawValue)\" does not allow reverse"
          + " transformation, so the value could not be read again")
    }
    let made = transformer.transformedValue(value)
    guard let data = made as? Data else {
      throw CoreDataError.badRequest(
        "\(place(slot)): the value transformer \"\(name.rawValue)\""
          + " returned \(made.map { "a \(type(of: $0))" } ?? "nothing") for a value of type"
          + " \(type(of: value)) instead of data")
    }
    return data
  }

  /// Returns whether data is an archive that ``value(of:_:)`` returned unread. Such data is written unchanged.
  private static func isUnreadArchive(_ data: Data, _ transformer: ValueTransformer) -> Bool {
    guard data.starts(with: Array("bplist00".utf8)),
      let list = try? CheckedPropertyList.read(data)
    else { return false }
    return (list as? [String: Any])?["$archiver"] != nil
      && transformer.transformedValue(data) == nil
  }

  private static func transformerName(_ slot: PropertySlot) -> NSValueTransformerName {
    let name = (slot.property as? NSAttributeDescription)?.valueTransformerName ?? ""
    return name.isEmpty ? .secureUnarchiveFromDataTransformerName : NSValueTransformerName(name)
  }

  private static func place(_ slot: PropertySlot) -> String {
    "\(slot.property.owner?.name ?? "").\(slot.name)"
  }
}
