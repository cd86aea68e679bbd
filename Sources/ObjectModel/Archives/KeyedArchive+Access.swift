extension KeyedArchive {
  /// An object of an archive with its index, which identifies it.
  package struct Instance {
    /// The object's index in the archive's table.
    package let place: Int
    /// The name of its class.
    package let className: String
    /// The names of its class and of its superclasses.
    package let classNames: [String]
    /// The encoded values.
    package let fields: [String: PropertyListValue]
  }

  /// Returns the index of the object that a value refers to; nil if there is no value, if it is a plain value, or if it
  /// refers to nil or to a missing object.
  package func place(_ value: PropertyListValue?) -> Int? {
    // The first object of every archive stands for nil.
    guard case .uid(let place)? = value, place > 0, objects.indices.contains(place) else {
      return nil
    }
    return place
  }

  /// Returns the object that a value refers to; nil if it is not an instance of a class.
  package func instance(_ value: PropertyListValue?) -> Instance? {
    guard let place = place(value),
      case .instance(let classNames, let fields) = objects[place]
    else { return nil }
    return Instance(
      place: place, className: classNames.first ?? "", classNames: classNames, fields: fields)
  }

  /// Returns the plain value that a reference points to, or the value itself if it is not a reference; nil for a
  /// reference to anything else.
  package func plain(_ value: PropertyListValue?) -> PropertyListValue? {
    guard case .uid(let place)? = value else { return value }
    guard place > 0, objects.indices.contains(place), case .value(let plain) = objects[place] else {
      return nil
    }
    return plain
  }

  /// Returns a string that is encoded as a plain value or as a string object; nil for any other value.
  package func string(_ value: PropertyListValue?) -> String? {
    if let text = plain(value)?.string { return text }
    guard let instance = instance(value) else { return nil }
    return plain(instance.fields["NS.string"])?.string
  }

  /// Returns an integer that is encoded directly or as an object: also 0 or 1 for a boolean, and the value of a
  /// floating-point number without a fraction. Nil for any other value.
  package func integer(_ value: PropertyListValue?) -> Int? {
    switch plain(value) {
    case .integer(let number): Int(exactly: number)
    case .bool(let truth): truth ? 1 : 0
    case .real(let number): Int(exactly: number)
    default: nil
    }
  }

  /// Returns a boolean that is encoded directly or as an object; for an integer, whether it is not 0; nil for any other
  /// value.
  package func bool(_ value: PropertyListValue?) -> Bool? {
    switch plain(value) {
    case .bool(let truth): truth
    case .integer(let number): number != 0
    default: nil
    }
  }

  /// Returns the elements of an array or set object, in the archive's order; nil for any other value.
  package func elements(_ value: PropertyListValue?) -> [PropertyListValue]? {
    instance(value)?.fields["NS.objects"]?.array
  }

  /// Returns the keys and values of a dictionary object, in the archive's order; nil for any other value.
  package func entries(
    _ value: PropertyListValue?
  ) -> [(key: PropertyListValue, value: PropertyListValue)]? {
    guard let instance = instance(value) else { return nil }
    // A store's copy of its model uses this class for entities. It keeps the keys in a separate
    // mapping object.
    if instance.className.hasPrefix("NSKnownKeysDictionary") {
      let mapping = self.instance(instance.fields["searchMapping"])
      guard let keys = elements(mapping?.fields["keys"]),
        let values = elements(instance.fields["values"]), keys.count == values.count
      else { return nil }
      return zip(keys, values).map { (key: $0, value: $1) }
    }
    guard let keys = instance.fields["NS.keys"]?.array,
      let values = instance.fields["NS.objects"]?.array, keys.count == values.count
    else { return nil }
    return zip(keys, values).map { (key: $0, value: $1) }
  }
}
