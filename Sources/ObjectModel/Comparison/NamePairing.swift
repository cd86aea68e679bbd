/// Pairs items that have a name and a renaming identifier: entities with entities, or properties with properties.
///
/// According to Apple's documentation, a renaming identifier is a canonical name. An item that is renamed in version 2
/// and again in version 3 keeps its identifier, so the items of versions 1 and 3 are paired, too. If no identifier
/// matches, the names are compared, so that no values are lost if an identifier refers to an item that no longer
/// exists.
struct NamePairing<Item: AnyObject> {
  /// The paired new items by the identity of the old ones.
  private(set) var newByOld: [ObjectIdentifier: Item] = [:]
  /// The paired old items by the identity of the new ones.
  private(set) var oldByNew: [ObjectIdentifier: Item] = [:]

  init(
    old: [Item], new: [Item], name: (Item) -> String, identifier: (Item) -> String?
  ) {
    func explicit(_ item: Item) -> String? {
      // An identifier that equals the name is the default and does not mean a rename.
      guard let text = identifier(item), !text.isEmpty, text != name(item) else { return nil }
      return text
    }
    let olds = old.map { Named(item: $0, name: name($0), identifier: explicit($0)) }
    let news = new.map { Named(item: $0, name: name($0), identifier: explicit($0)) }
    // Go from the strongest evidence to the weakest, because each call pairs only the items that
    // the previous calls left unpaired.
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
    /// The name, if it is the canonical one.
    var plainName: String? { identifier == nil ? name : nil }
  }

  /// Pairs the remaining items whose old and new keys are equal.
  private mutating func pair(
    _ olds: [Named], _ news: [Named], by oldKey: (Named) -> String?,
    _ newKey: (Named) -> String?
  ) {
    // Iterate in reverse, because `popLast` must return the first of several items with the same
    // name.
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
