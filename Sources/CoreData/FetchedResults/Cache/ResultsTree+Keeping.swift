extension ResultsTree {
  /// Writes the rows, which must be of a single store.
  func write(to writer: inout ByteWriter, names: SectionNames) {
    // A kind is written as its entity and section, without the store, which the reader knows.
    var kinds: [UInt32: Int] = [:]
    var order: [RowKinds.Kind] = []
    var leaves: [(leaf: Leaf, kinds: [UInt32])] = []
    forEachLeaf { leaf in
      let numbers = leaf.keys.indices.map { index in
        let kind = leaf.kind(index)
        if kinds[kind] == nil {
          kinds[kind] = order.count
          order.append(self.kinds[kind])
        }
        return UInt32(kinds[kind] ?? 0)
      }
      leaves.append((leaf, numbers))
    }
    writer.write(number: UInt64(order.count))
    for kind in order {
      writer.write(kind.layout.name)
      writer.write(names.name(kind.section))
    }
    writer.write(number: UInt64(leaves.count))
    for (leaf, kinds) in leaves {
      writer.write(values: leaf.keys)
      writer.write(values: leaf.fields.map(\.version))
      writer.write(values: leaf.fields.map(\.end))
      writer.write(values: kinds)
      writer.write(leaf.sortKeys)
    }
  }

  /// Reads rows that were written for a store. Returns nil if the bytes are invalid.
  convenience init?(reading reader: inout ByteReader, results: LiveResults, origin: StoreOrigin) {
    self.init(form: results.tree.form)
    var kinds: [(layout: EntityLayout, section: Int)] = []
    // A kind has at least 16 bytes: two strings, each preceded by its length, a number of eight bytes.
    guard let kindCount = reader.count(ofSize: 16) else { return nil }
    for _ in 0..<kindCount {
      guard let entity = reader.text(), let section = reader.text(),
        let layout = results.plan.layout.family.first(where: { $0.name == entity })
      else { return nil }
      kinds.append((layout, results.names.number(of: section)))
    }
    // A leaf has at least 40 bytes: five sequences, each preceded by its length, a number of eight bytes.
    guard let leafCount = reader.count(ofSize: 40) else { return nil }
    var builder = Builder(self)
    for _ in 0..<leafCount {
      guard let keys = reader.values(Int64.self), let versions = reader.values(Int32.self),
        let ends = reader.values(UInt32.self), let numbers = reader.values(UInt32.self),
        let sortKeys = reader.bytes(), versions.count == keys.count, ends.count == keys.count,
        numbers.count == keys.count, numbers.allSatisfy({ $0 < kinds.count }),
        zip(ends, ends.dropFirst()).allSatisfy(<=), (ends.last.map(Int.init) ?? 0) == sortKeys.count
      else { return nil }
      var start = 0
      for index in keys.indices {
        let kind = kinds[Int(numbers[index])]
        let end = Int(ends[index])
        builder.append(
          kind.layout, origin, key: keys[index], version: versions[index], section: kind.section,
          object: nil
        ) { $0 += sortKeys[start..<end] }
        start = end
      }
    }
    guard reader.isAtEnd else { return nil }
    builder.finish()
  }

  private func forEachLeaf(_ body: (Leaf) -> Void) {
    var last: Leaf?
    forEachLocation(in: 0..<count) { location in
      if location.leaf !== last { body(location.leaf) }
      last = location.leaf
    }
  }
}
