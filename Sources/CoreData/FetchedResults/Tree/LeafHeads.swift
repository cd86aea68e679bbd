extension ResultsTree {
  /// What is read of leaves that were not used lately, by their numbers: 16 bytes of each beside each other, which are
  /// in the processor's caches where the leaves are not.
  final class LeafHeads {
    struct Head {
      unowned(unsafe) var parent: Branch?
      /// The leaf's number among the parent's children.
      var position: Int32 = 0
      /// How many of the rows are the first of a section.
      var sections: UInt16 = 0
      /// Whether all rows are where the index says; false from when one was inserted or removed before others.
      var isAsIndexed = true
    }

    @exclusivity(unchecked)
    private var heads = UnsafeMutableBufferPointer<Head>(start: nil, count: 0)

    deinit { heads.deallocate() }

    subscript(number: Int) -> Head {
      _read { yield heads[number] }
      _modify { yield &heads[number] }
    }

    /// Makes room for a leaf.
    func makeRoom(for number: Int) {
      if number < heads.count { return }
      let more = UnsafeMutableBufferPointer<Head>.allocate(capacity: max(2 * number, 8))
      let start = more.moveInitialize(fromContentsOf: heads)
      more[start...].initialize(repeating: Head())
      heads.deallocate()
      heads = more
    }
  }
}
