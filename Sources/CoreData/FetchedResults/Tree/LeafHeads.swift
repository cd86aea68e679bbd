extension ResultsTree {
  /// The frequently read fields of all leaves, indexed by the leaves' numbers: 16 bytes for each leaf in contiguous
  /// memory. They stay in the processor's caches when the leaves themselves do not.
  final class LeafHeads {
    struct Head {
      unowned(unsafe) var parent: Branch?
      /// The index of the leaf among the parent's children.
      var position: Int32 = 0
      /// The number of rows in the leaf that begin a section.
      var sections: UInt16 = 0
      /// Whether the row index contains the current index of each row of the leaf; false after a row was inserted or
      /// removed before another row, until the empty leaf is freed.
      var isAsIndexed = true
    }

    @exclusivity(unchecked)
    private var heads = UnsafeMutableBufferPointer<Head>(start: nil, count: 0)

    deinit { heads.deallocate() }

    subscript(number: Int) -> Head {
      _read { yield heads[number] }
      _modify { yield &heads[number] }
    }

    /// Makes room for the leaf with a number.
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
