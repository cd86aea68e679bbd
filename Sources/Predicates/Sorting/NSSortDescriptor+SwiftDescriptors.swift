extension NSSortDescriptor {
  /// Creates a descriptor with the same order as one of Swift's sort descriptors.
  ///
  /// A store can use the descriptor only if it sorts by a property whose name is known at run time. Any other
  /// descriptor works only in memory.
  ///
  /// ```swift
  /// let request = Person.fetchRequest()
  /// request.sortDescriptors = [NSSortDescriptor(SortDescriptor(\Person.age, order: .reverse))]
  /// print(try context.fetch(request)[0].lastName)  // Hopper
  /// ```
  public convenience init<Compared>(_ sortDescriptor: SortDescriptor<Compared>) {
    let ascending = sortDescriptor.order == .forward
    let descriptor: KeySortDescriptor
    if let key = sortDescriptor.key {
      descriptor = KeySortDescriptor(
        key: key, ascending: ascending,
        kind: .standard(sortDescriptor.stringComparator?.comparison ?? .literal))
    } else {
      var forward = sortDescriptor
      // The new descriptor applies the direction itself; applied twice, reverse would become
      // forward.
      forward.order = .forward
      let comparing = forward
      descriptor = KeySortDescriptor(
        key: nil, ascending: ascending,
        kind: .comparator { left, right in
          guard let left = left as? Compared, let right = right as? Compared else {
            return .orderedSame
          }
          return comparing.compare(left, right)
        })
    }
    self.init(descriptor)
  }

  /// Creates a descriptor that compares the values of a property with a comparator.
  ///
  /// The comparator never receives nil: nil sorts first, or last in descending order.
  ///
  /// A store cannot sort with such a descriptor; a fetch with one fails.
  public convenience init<Root: NSKeyValueCoding, Value>(
    keyPath: KeyPath<Root, Value>, ascending: Bool, comparator cmptr: @escaping Comparator
  ) {
    guard let name = KeyPathNames.name(of: keyPath) else {
      self.init(
        KeySortDescriptor(
          key: nil, ascending: ascending,
          kind: .comparator { left, right in
            guard let left = left as? Root, let right = right as? Root else { return .orderedSame }
            return KeySortDescriptor.compare(
              left[keyPath: keyPath], right[keyPath: keyPath], by: cmptr)
          }))
      return
    }
    self.init(KeySortDescriptor(key: name, ascending: ascending, kind: .comparator(cmptr)))
  }
}
