/// The bytes of transformable values, made and read by the attribute's value transformer.
///
/// The transformer is the one that the attribute names; secure unarchiving where it names none. It
/// is looked up at each use, so that it may be registered at any time before.
package enum TransformableCoding {
  /// The value of some bytes.
  ///
  /// The bytes themselves where the attribute's transformer is not there, or they are no archive of
  /// classes that it allows: what is not understood is neither lost nor in the way.
  package static func value(of data: Data, _ slot: PropertySlot) -> Any? {
    let name = transformerName(slot)
    guard let transformer = ValueTransformer(forName: name) else {
      Log.modelNotice("\(place(slot)): there is no value transformer named \"\(name.rawValue)\"")
      return data
    }
    if transformer is NSSecureUnarchiveFromDataTransformer {
      return transformer.transformedValue(data) ?? data
    }
    guard type(of: transformer).allowsReverseTransformation() else { return data }
    return transformer.reverseTransformedValue(data)
  }

  /// The bytes of a value.
  ///
  /// - Throws: An error that names entity and attribute, for a transformer that is not there, or that
  ///   makes no data of the value.
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
        "\(place(slot)): the value transformer \"\(name.rawValue)\" made"
          + " \(made.map { "a \(type(of: $0))" } ?? "nothing") of a value of type"
          + " \(type(of: value)), where data is needed")
    }
    return data
  }

  /// Whether some bytes are what reading gave out because it did not understand them. They go back
  /// as they came.
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
