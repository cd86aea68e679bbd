/// The values that Core Data's stereotypes add to an element. It records which were read.
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

  /// The names that were never read, sorted.
  var unreadNames: [String] { values.keys.filter { !readNames.contains($0) }.sorted() }

  /// Marks a value as known and not wanted.
  func ignore(_ name: String) { readNames.insert(name) }

  func value(_ name: String) -> PropertyListValue? {
    readNames.insert(name)
    return values[name]
  }

  func string(_ name: String) -> String? { archive.string(value(name)) }
  func bool(_ name: String) -> Bool? { archive.bool(value(name)) }
  func integer(_ name: String) -> Int? { archive.integer(value(name)) }

  /// What an author noted, with the settings of the sync service in the form in which Xcode takes
  /// them into its present models: two are left out, and the identity is a text. Seen in
  /// XMPPFramework's models of Xcode 3, as Xcode 16.1 compiled them.
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

  /// The values that are objects of a class, by name.
  func instances(ofClass name: String) -> [(name: String, value: KeyedArchive.Instance)] {
    values.sorted { $0.key.isBefore($1.key) }.compactMap { key, value in
      guard let instance = archive.instance(value), instance.className == name else { return nil }
      return (key, instance)
    }
  }
}
