/// Pairs what has a name and a renaming identifier: entities with entities, properties with
/// properties.
///
/// Apple's documentation says that a renaming identifier makes a canonical name, so that a rename in
/// version 2 and another in version 3 lead from version 1 to 3 as well. Where no identifier leads
/// anywhere the name counts: an identifier that names something long gone shall not cost the values.
struct NamePairing<Item: AnyObject> {
  /// The items of the new side that are paired, by the identity of the old one.
  private(set) var newByOld: [ObjectIdentifier: Item] = [:]
  /// The items of the old side that are paired, by the identity of the new one.
  private(set) var oldByNew: [ObjectIdentifier: Item] = [:]

  init(
    old: [Item], new: [Item], name: (Item) -> String, identifier: (Item) -> String?
  ) {
    func explicit(_ item: Item) -> String? {
      guard let text = identifier(item), !text.isEmpty, text != name(item) else { return nil }
      return text
    }
    let olds = old.map { Named(item: $0, name: name($0), identifier: explicit($0)) }
    let news = new.map { Named(item: $0, name: name($0), identifier: explicit($0)) }
    pair(olds, news, by: \.identifier, \.identifier)
    pair(olds, news, by: \.plainName, \.identifier)
    pair(olds, news, by: \.identifier, \.plainName)
    pair(olds, news, by: \.anyName, \.identifier)
    pair(olds, news, by: \.identifier, \.anyName)
    pair(olds, news, by: \.anyName, \.anyName)
  }

  private struct Named {
    var item: Item
    var name: String
    var identifier: String?
    var anyName: String? { name }
    /// The name where it is the canonical one.
    var plainName: String? { identifier == nil ? name : nil }
  }

  /// Pairs what is still alone, where the key of an old item is that of a new one.
  private mutating func pair(
    _ olds: [Named], _ news: [Named], by oldKey: (Named) -> String?,
    _ newKey: (Named) -> String?
  ) {
    // Backwards, so that of items with the same name the first is taken first.
    var waiting: [String: [Item]] = [:]
    for old in olds.reversed() where newByOld[ObjectIdentifier(old.item)] == nil {
      if let key = oldKey(old) { waiting[key, default: []].append(old.item) }
    }
    guard !waiting.isEmpty else { return }
    for new in news where oldByNew[ObjectIdentifier(new.item)] == nil {
      guard let key = newKey(new), let old = waiting[key]?.popLast() else { continue }
      newByOld[ObjectIdentifier(old)] = new.item
      oldByNew[ObjectIdentifier(new.item)] = old
    }
  }
}
