/// The objects of a keyed archive, as a table of class names and values. Nothing is instantiated.
///
/// Objects refer to each other by their indexes in the table and may form cycles.
package struct KeyedArchive: Sendable {
  /// One entry of the table.
  package enum Object: Hashable, Sendable {
    /// A value without a class, such as a string, a number, a date or data.
    case value(PropertyListValue)
    /// An object: the names of its class and superclasses, and its encoded values by key.
    case instance(classNames: [String], fields: [String: PropertyListValue])
    /// A class to which instances refer.
    case type(names: [String])
  }

  /// The table. Entry 0 represents nil.
  package var objects: [Object]
  /// The index of the root object.
  package var root: Int

  /// The key of the root object.
  static let rootKey = "root"
}

extension KeyedArchive {
  /// Reads a binary or XML archive.
  ///
  /// - Throws: A ``BinaryPropertyListReader/Failure``, even for an XML archive.
  package init(data: Data) throws {
    let isBinary = data.starts(with: Data("bplist".utf8))
    try self.init(isBinary ? BinaryPropertyListReader.read(data) : XMLPropertyList.read(data))
  }

  private init(_ value: PropertyListValue) throws {
    guard let table = value.dictionary, let entries = table["$objects"]?.array,
      let top = table["$top"]?.dictionary
    else { throw BinaryPropertyListReader.Failure(reason: "it is not a keyed archive.") }
    // A program can encode the root object under a key of its own instead of the usual one.
    guard case .uid(let root)? = top[Self.rootKey] ?? top.values.first else {
      throw BinaryPropertyListReader.Failure(reason: "the archive has no root object.")
    }
    guard entries.indices.contains(root) else {
      throw BinaryPropertyListReader.Failure(reason: "the archive's root object is missing.")
    }
    self.root = root
    objects = []
    objects.reserveCapacity(entries.count)
    for entry in entries { objects.append(try Self.object(entry, among: entries)) }
  }

  private static func object(
    _ entry: PropertyListValue, among entries: [PropertyListValue]
  ) throws -> Object {
    guard case .dictionary(var fields) = entry else { return .value(entry) }
    if let names = fields["$classes"]?.array {
      return .type(names: names.compactMap(\.string))
    }
    guard case .uid(let place)? = fields.removeValue(forKey: "$class") else {
      return .value(entry)
    }
    guard entries.indices.contains(place), let type = entries[place].dictionary else {
      throw BinaryPropertyListReader.Failure(reason: "an object's class is missing in the archive.")
    }
    var names = type["$classes"]?.array?.compactMap(\.string) ?? []
    if names.isEmpty, let name = type["$classname"]?.string { names = [name] }
    return .instance(classNames: names, fields: fields)
  }

  /// Encodes the archive as a binary property list that `NSKeyedUnarchiver` reads.
  package func data() -> Data {
    var objects = self.objects
    var types: [[String]: Int] = [:]
    for (place, object) in objects.enumerated() {
      // An archive that was read still contains its classes, because removing them would change all
      // indexes.
      if case .type(let names) = object { types[names] = place }
    }
    for case .instance(let names, _) in self.objects where types[names] == nil {
      types[names] = objects.count
      objects.append(.type(names: names))
    }
    let entries = objects.map { object -> PropertyListValue in
      switch object {
      case .value(let value): return value
      case .type(let names):
        return .dictionary([
          "$classname": .string(names.first ?? ""), "$classes": .array(names.map { .string($0) }),
        ])
      case .instance(let names, var fields):
        fields["$class"] = .uid(types[names] ?? 0)
        return .dictionary(fields)
      }
    }
    return BinaryPropertyListWriter.write(
      .dictionary([
        "$version": .integer(100_000), "$archiver": .string("NSKeyedArchiver"),
        "$top": .dictionary([Self.rootKey: .uid(root)]), "$objects": .array(entries),
      ]))
  }
}
