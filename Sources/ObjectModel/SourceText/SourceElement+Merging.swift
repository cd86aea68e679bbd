/// Identifies an element among its siblings: by kind, name and, among equals, position.
private struct SiblingKey: Hashable {
  let kind: String
  let name: String
  let occurrence: Int

  /// The attributes that identify the elements of a model.
  private static let naming = ["name", "key", "property", "value"]

  /// Returns the keys of an element's children.
  static func keys(of elements: [some NamedElement]) -> [SiblingKey] {
    var counts: [SiblingKey: Int] = [:]
    return elements.map { element in
      let name = naming.lazy.compactMap { element[$0] }.first ?? ""
      let count = counts[SiblingKey(kind: element.name, name: name, occurrence: 0), default: 0]
      counts[SiblingKey(kind: element.name, name: name, occurrence: 0)] = count + 1
      return SiblingKey(kind: element.name, name: name, occurrence: count)
    }
  }
}

private protocol NamedElement {
  var name: String { get }
  subscript(_ attribute: String) -> String? { get }
}

extension ModelElement: NamedElement {}
extension SourceElement: NamedElement {}

extension SourceElement {
  /// Merges changes into the text; everything unchanged stays as written.
  ///
  /// - Parameters:
  ///   - old: The content as the reader understood it. Any other content of the text is preserved.
  ///   - new: The new content.
  ///   - indentation: The line break and white space before this element.
  mutating func apply(changesFrom old: ModelElement, to new: ModelElement, indentation: String) {
    guard old != new else { return }
    applyAttributes(from: old, to: new)
    applyChildren(from: old, to: new, indentation: indentation)
  }

  private mutating func applyAttributes(from old: ModelElement, to new: ModelElement) {
    guard old.attributes != new.attributes else { return }
    let names = Set(new.attributes.map(\.name))
    attributes.removeAll { attribute in
      // An attribute that the reader did not understand is not in `old`, and stays.
      !names.contains(attribute.name) && old[attribute.name] != nil
    }
    var predecessor: String?
    for attribute in new.attributes {
      defer { predecessor = attribute.name }
      guard old[attribute.name] != attribute.value else { continue }
      let raw = XMLAttributeText.escaped(attribute.value)
      if let place = attributes.firstIndex(where: { $0.name == attribute.name }) {
        attributes[place].rawValue = raw
        // `escaped` does not escape single quotation marks, so double ones must enclose the value.
        attributes[place].mark = "\""
      } else {
        let before = attributes.firstIndex { $0.name == predecessor }
        attributes.insert(
          Attribute(space: " ", name: attribute.name, rawValue: raw), at: before.map { $0 + 1 } ?? 0
        )
      }
    }
  }

  private mutating func applyChildren(
    from old: ModelElement, to new: ModelElement, indentation: String
  ) {
    guard old.children != new.children else { return }
    let oldKeys = SiblingKey.keys(of: old.children)
    let newKeys = SiblingKey.keys(of: new.children)
    var children = ChildList(self, indentation: indentation)
    let renamed = Self.renamed(from: oldKeys, to: newKeys)
    let oldByKey = Dictionary(zip(oldKeys, old.children), uniquingKeysWith: { first, _ in first })
    let newSet = Set(newKeys)
    for key in oldKeys where !newSet.contains(key) && !renamed.values.contains(key) {
      children.remove(key)
    }
    var predecessor: SiblingKey?
    for (key, child) in zip(newKeys, new.children) {
      let source = renamed[key] ?? key
      if let before = oldByKey[source], children.contains(source) {
        children.change(source) { element, indentation in
          element.apply(changesFrom: before, to: child, indentation: indentation)
        }
        predecessor = source
      } else {
        children.insert(child, key: key, after: predecessor)
        predecessor = key
      }
    }
    let places = newKeys.map { renamed[$0] ?? $0 }
    let common = places.filter { oldByKey[$0] != nil }
    // New elements are already in their places; only a changed order of the old ones requires
    // sorting.
    if common != oldKeys.filter(Set(common).contains) { children.arrange(places) }
    children.replaceChildren(of: &self)
  }

  /// Finds elements that were only renamed: a removed and an added element of one kind that follow the same sibling.
  /// Returns their old keys by their new keys.
  private static func renamed(
    from old: [SiblingKey], to new: [SiblingKey]
  ) -> [SiblingKey: SiblingKey] {
    func changes(_ keys: [SiblingKey], _ others: Set<SiblingKey>) -> [SiblingKey?: [SiblingKey]] {
      var result: [SiblingKey?: [SiblingKey]] = [:]
      var anchor: SiblingKey?
      for key in keys {
        if others.contains(key) {
          anchor = key
        } else {
          result[anchor, default: []].append(key)
        }
      }
      return result
    }
    let gone = changes(old, Set(new))
    var result: [SiblingKey: SiblingKey] = [:]
    for (anchor, added) in changes(new, Set(old)) {
      // Pair the elements only if the kinds correspond one by one. Otherwise the pairs would be
      // guesses, and an element would get the unknown attributes of another one.
      guard let removed = gone[anchor], removed.map(\.kind) == added.map(\.kind) else { continue }
      for (old, new) in zip(removed, added) { result[new] = old }
    }
    return result
  }
}

/// The children of an element during a merge, each with the text before it.
private struct ChildList {
  private struct Entry {
    var key: SiblingKey
    var before: String
    var element: SourceElement
  }

  private var entries: [Entry] = []
  private var tail = ""
  private let indentation: String
  private let inner: String

  init(_ parent: SourceElement, indentation: String) {
    self.indentation = indentation
    let keys = SiblingKey.keys(of: parent.elements)
    for child in parent.children {
      switch child {
      case .text(let text): tail += text
      case .element(let element):
        entries.append(Entry(key: keys[entries.count], before: tail, element: element))
        tail = ""
      }
    }
    // Indent new children like the existing ones.
    let usual = entries.first.map { Self.lineStart($0.before) } ?? ""
    inner = usual.isEmpty ? indentation + SourceElement.step : usual
  }

  /// Returns the last line break with the white space after it; an empty string if there is none or other text follows.
  private static func lineStart(_ text: String) -> String {
    var scalars = text.unicodeScalars[...]
    guard let end = scalars.lastIndex(of: "\n") else { return "" }
    scalars = scalars[end...]
    return scalars.allSatisfy(\.properties.isWhitespace) ? String(scalars) : ""
  }

  func contains(_ key: SiblingKey) -> Bool { entries.contains { $0.key == key } }

  mutating func remove(_ key: SiblingKey) {
    guard let place = entries.firstIndex(where: { $0.key == key }) else { return }
    let before = entries.remove(at: place).before
    // Keep a comment before the element.
    let kept = before.dropLast(Self.lineStart(before).count)
    guard kept.contains(where: { !$0.isWhitespace }) else { return }
    if entries.indices.contains(place) {
      entries[place].before = kept + entries[place].before
    } else {
      tail = kept + tail
    }
  }

  mutating func change(_ key: SiblingKey, _ body: (inout SourceElement, String) -> Void) {
    guard let place = entries.firstIndex(where: { $0.key == key }) else { return }
    let start = Self.lineStart(entries[place].before)
    body(&entries[place].element, start.isEmpty ? inner : start)
  }

  mutating func insert(_ child: ModelElement, key: SiblingKey, after predecessor: SiblingKey?) {
    let place = entries.firstIndex { $0.key == predecessor }.map { $0 + 1 } ?? 0
    let step = inner.hasPrefix(indentation) ? String(inner.dropFirst(indentation.count)) : ""
    let element = SourceElement(
      child, indentation: inner, step: step.isEmpty ? SourceElement.step : step)
    entries.insert(Entry(key: key, before: inner, element: element), at: place)
  }

  /// Sorts the entries with some keys into the order of the keys; other entries keep their positions.
  mutating func arrange(_ keys: [SiblingKey]) {
    let rank = Dictionary(zip(keys, 0...), uniquingKeysWith: { first, _ in first })
    let places = entries.indices.filter { rank[entries[$0].key] != nil }
    let sorted = places.map { entries[$0] }.sorted { rank[$0.key] ?? 0 < rank[$1.key] ?? 0 }
    for (place, entry) in zip(places, sorted) { entries[place] = entry }
  }

  func replaceChildren(of parent: inout SourceElement) {
    parent.children = entries.flatMap { entry in
      (entry.before.isEmpty ? [] : [SourceElement.Child.text(entry.before)])
        + [.element(entry.element)]
    }
    let isBlank = tail.allSatisfy(\.isWhitespace)
    // Xcode always writes an end tag for the root.
    if entries.isEmpty && isBlank && parent.name != "model" {
      parent.children = []
      parent.isSelfClosing = true
      return
    }
    parent.isSelfClosing = false
    let end = tail.isEmpty && !entries.isEmpty ? indentation : tail
    if !end.isEmpty { parent.children.append(.text(end)) }
  }
}
