/// The values that Core Data's stereotypes add to an element. Tracks which values were read.
final class ElementValues {
  private let archive: KeyedArchive
  private var values: [String: PropertyListValue] = [:]
  private var readNames: Set<String> = []

  init(_ element: KeyedArchive.Instance, archive: KeyedArchive) {
    self.archive = archive
    for entry in archive.entries(element.fields["XDBucketForStereotypesstorage"]) ?? [] {
      let stereotype = archive.instance(entry.value)
      for item in archive.entries(stereotype?.fields["XDBucketForOwnedAttributesstorage"]) ?? [] {
        guard let property = archive.instance(item.value),
          let name = archive.string(property.fields["_name"])
        else { continue }
        values[name] = property.fields["_default"]
      }
    }
  }

  /// The names of the values that were never read, sorted.
  var unreadNames: [String] { values.keys.filter { !readNames.contains($0) }.sorted() }

  /// Marks a value as known and ignored.
  func ignore(_ name: String) { readNames.insert(name) }

  func value(_ name: String) -> PropertyListValue? {
    readNames.insert(name)
    return values[name]
  }

  func string(_ name: String) -> String? { archive.string(value(name)) }
  func bool(_ name: String) -> Bool? { archive.bool(value(name)) }
  func integer(_ name: String) -> Int? { archive.integer(value(name)) }

  /// Returns a user info dictionary, with the sync service's settings as Xcode converts them for current
  /// models: two are dropped, and the lists of identity properties become a string. This is how Xcode 16.1 compiles the
  /// Xcode 3 models of XMPPFramework.
  func userInfo(_ name: String) -> [AnyHashable: Any] {
    var info = archive.swiftValue(value(name)) as? [AnyHashable: Any] ?? [:]
    for key in DroppedNames.sourceUserInfo { info[key] = nil }
    if let groups = info[Self.identityKey] as? [[String]] {
      info[Self.identityKey] = groups.joined().joined(separator: ",")
    }
    return info
  }

  private static let identityKey = "com.apple.syncservices.IdentityProperties"

  func nameGroups(_ name: String) -> [[String]] {
    (archive.elements(value(name)) ?? []).map { group in
      (archive.elements(group) ?? []).compactMap { archive.string($0) }
    }
  }

  /// Returns the values that are objects of a class, with their names.
  func instances(ofClass name: String) -> [(name: String, value: KeyedArchive.Instance)] {
    values.sorted { $0.key.isBefore($1.key) }.compactMap { key, value in
      guard let instance = archive.instance(value), instance.className == name else { return nil }
      return (key, instance)
    }
  }
}
