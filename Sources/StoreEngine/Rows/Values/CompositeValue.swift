/// The value of a composite attribute: a dictionary in programs, and values of its elements' slots here.
///
/// The dictionary does not contain elements without a value. It is nil if no element has a value.
///
/// The composite attribute has a slot without a value of its own, followed by a slot for each element
/// (`location.latitude`). Thus, rows, saves, batches, undo, sorting and predicates only work with elements. Only code
/// that accesses values by property name needs the dictionary: key-value coding, changed values, validation and
/// conflicts.
package struct CompositeValue {
  package let slot: PropertySlot
  package let layout: EntityLayout
  /// The keys that lead from the attribute to an element that is a composite itself; empty for the attribute.
  package private(set) var keys: [String] = []

  package init(_ slot: PropertySlot, in layout: EntityLayout) {
    self.slot = slot
    self.layout = layout
  }

  /// The name of the attribute, or the key path of the element.
  package var name: String { ([slot.name] + keys).joined(separator: ".") }

  /// The slots of the elements. A nested composite attribute has no slot, but the slots of its elements are included.
  package var elements: ArraySlice<PropertySlot> {
    let all = layout.slots[slot.elements]
    if keys.isEmpty { return all }
    let prefix = name + "."
    // The elements of a nested composite attribute follow one another.
    return all.drop { !$0.name.hasPrefix(prefix) }.prefix { $0.name.hasPrefix(prefix) }
  }

  /// Returns the keys of an element in the dictionary.
  package func keys(of element: PropertySlot) -> ArraySlice<String> {
    element.keys.dropFirst(keys.count)
  }

  private var description: NSCompositeAttributeDescription? {
    var attribute: NSAttributeDescription? = slot.property as? NSAttributeDescription
    for key in keys {
      attribute = (attribute as? NSCompositeAttributeDescription)?.elements
        .first { $0.name == key }
    }
    return attribute as? NSCompositeAttributeDescription
  }

  /// Returns the dictionary of the elements.
  package func dictionary(_ value: (PropertySlot) throws -> Any?) rethrows -> [String: Any]? {
    var result: [String: Any] = [:]
    for element in elements {
      if let value = try value(element) { Self.put(value, keys(of: element), into: &result) }
    }
    return result.isEmpty ? nil : result
  }

  /// Puts a value at a path of keys.
  package static func put(
    _ value: Any, _ keys: ArraySlice<String>, into result: inout [String: Any]
  ) {
    guard let key = keys.first else { return }
    if keys.count == 1 {
      result[key] = value
    } else {
      var inner = result[key] as? [String: Any] ?? [:]
      put(value, keys.dropFirst(), into: &inner)
      result[key] = inner
    }
  }

  /// Returns the values of the elements in a dictionary. For nil and `NSNull`, no element has a value.
  ///
  /// - Throws: For a value that is not a dictionary, and for a key that is not an element.
  package func values(of given: Any?) throws -> [(slot: PropertySlot, value: Any?)] {
    guard let description else { return [] }
    var values: [String: Any] = [:]
    try collect(given, of: description, at: name, into: &values)
    return elements.map { ($0, values[$0.name]) }
  }

  private func collect(
    _ given: Any?, of composite: NSCompositeAttributeDescription, at path: String,
    into values: inout [String: Any]
  ) throws {
    guard let given, let value = flattenOptional(given), !isNullObject(value) else { return }
    guard let dictionary = Self.dictionary(value) else {
      throw CoreDataError.badRequest(
        "Unacceptable type of value for attribute: property = \"\(layout.name).\(path)\"; desired"
          + " type = dictionary; given type = \(type(of: value)); value ="
          + " \(MessageText.description(of: value)).")
    }
    // Sorted, so that a dictionary with several errors always causes the same error.
    for key in dictionary.keys.sorted() {
      guard let element = composite.elements.first(where: { $0.name == key }) else {
        throw CoreDataError.badRequest(
          "the composite attribute \(layout.name).\(path) has no element \"\(key)\"")
      }
      if let inner = element as? NSCompositeAttributeDescription {
        try collect(dictionary[key], of: inner, at: "\(path).\(key)", into: &values)
      } else if let value = dictionary[key].flatMap(flattenOptional), !isNullObject(value) {
        values["\(path).\(key)"] = value
      }
    }
  }

  private static func dictionary(_ value: Any) -> [String: Any]? {
    if let dictionary = value as? [String: Any] { return dictionary }
    guard let given = value as? NSDictionary else { return nil }
    var dictionary: [String: Any] = [:]
    for (key, value) in given {
      guard let key = key as? String else { return nil }
      dictionary[key] = value
    }
    return dictionary
  }

  /// Returns the first required element without a value, if another element has a value.
  package func missingElement(_ isNull: (PropertySlot) throws -> Bool) rethrows -> PropertySlot? {
    guard let description else { return nil }
    let (hasValue, missing) = try missing(in: description, at: name, isNull)
    return hasValue ? missing : nil
  }

  private func missing(
    in composite: NSCompositeAttributeDescription, at path: String,
    _ isNull: (PropertySlot) throws -> Bool
  ) rethrows -> (hasValue: Bool, missing: PropertySlot?) {
    var hasValue = false
    var first: PropertySlot?
    for element in composite.elements {
      let name = "\(path).\(element.name)"
      if let inner = element as? NSCompositeAttributeDescription {
        let found = try missing(in: inner, at: name, isNull)
        hasValue = hasValue || found.hasValue
        if found.hasValue {
          first = first ?? found.missing
        } else if !inner.isOptional {
          // The nested attribute itself has no slot, so its first element
          // represents it in the error.
          first = first ?? elements.first { $0.name.hasPrefix(name + ".") }
        }
      } else if let slot = layout.slot(named: name) {
        let isNull = try isNull(slot)
        hasValue = hasValue || !isNull
        if isNull, !slot.isOptional { first = first ?? slot }
      }
    }
    return (hasValue, first)
  }
}

// MARK: Key paths

extension CompositeValue {
  /// The end of a key path into a composite attribute.
  package enum Target {
    /// An element, and the keys after it, which belong to its value.
    case element(PropertySlot, rest: ArraySlice<Substring>)
    /// The attribute itself, or an element that is a composite.
    case composite(CompositeValue)
  }

  /// Returns the end of a key path that continues after the attribute.
  ///
  /// - Throws: For a key that is not an element.
  package func target(of keys: ArraySlice<Substring>) throws -> Target {
    var target = self
    var rest = keys
    while let key = rest.popFirst() {
      if key.isSelf { continue }
      target.keys.append(String(key))
      if let element = layout.slot(named: target.name) { return .element(element, rest: rest) }
      if target.elements.isEmpty {
        throw CoreDataError.badRequest(
          "\(layout.name).\(target.name) is not an element of the composite attribute \(slot.name)")
      }
    }
    return .composite(target)
  }
}

extension Substring {
  /// Whether the key is a reference to its own object.
  package var isSelf: Bool { self == "self" || self == "SELF" }
}
