import OrderedCollections

// Access to rows by their IDs, without creating objects.

extension LiveResults {
  /// Returns the ID of the row with a rank; nil if there is none.
  func objectID(atRank rank: Int) -> NSManagedObjectID? {
    tree.entry(at: rank).map(objectID)
  }

  /// Returns the ID of the row at a position; nil if there is none.
  func objectID(at path: ResultPath) -> NSManagedObjectID? { entry(at: path).map(objectID) }

  /// Returns the current ID of a row's object.
  private func objectID(_ entry: ResultEntry) -> NSManagedObjectID {
    // The root context may have published a permanent ID for the row that this context has not adopted yet.
    context.foreign.permanentIDs.currentID(of: entry.id)
  }

  /// Returns the row at a position; nil if there is none.
  func entry(at path: ResultPath) -> ResultEntry? {
    tree.entry(at: ranks(ofSection: path.section).lowerBound + path.row)
  }

  /// Returns the IDs of a range of rows, in order.
  func objectIDs(ofRanks ranks: Range<Int>) -> [NSManagedObjectID] {
    tree.entries(in: ranks).map(objectID)
  }

  /// Whether a snapshot may merge sections, because a section's rows are split or because names differ only in their
  /// Unicode normalization. Positions in such a snapshot differ from those in reports.
  var mayMergeInSnapshots: Bool { isUngrouped || names.haveEquals }

  /// Returns a snapshot of the current sections and rows. Sections with equal names are merged.
  ///
  /// O(n).
  ///
  /// - Parameters:
  ///   - section: Returns the snapshot's identifier for a section name.
  ///   - item: Returns the snapshot's identifier for an object ID.
  ///   - keepsTemporaryIDs: Whether to include rows that have no permanent ID yet.
  ///   - changed: The rows to mark as reloaded.
  func snapshot<Section: Hashable, Item: Hashable>(
    _ section: (String) -> Section, _ item: (NSManagedObjectID) -> Item,
    keepingTemporaryIDs keepsTemporaryIDs: Bool = false, reloading changed: [NSManagedObjectID] = []
  ) -> NSDiffableDataSourceSnapshot<Section, Item> {
    var snapshot = NSDiffableDataSourceSnapshot<Section, Item>()
    for index in 0..<sectionCount {
      let ids = objectIDs(ofRanks: ranks(ofSection: index))
        // A temporary ID does not identify its object after the save.
        .filter { keepsTemporaryIDs || $0.key >= 0 }
      snapshot.addRows(ids.map(item), toSection: section(sectionName(index)))
    }
    for id in changed where snapshot.sectionsOfItems[item(id)] != nil {
      snapshot.reloadedItems.append(item(id))
    }
    return snapshot
  }
}

extension NSDiffableDataSourceSnapshot {
  /// Appends new items to a section, which is created if necessary.
  mutating func addRows(_ items: [ItemIdentifierType], toSection section: SectionIdentifierType) {
    for item in items { sectionsOfItems[item] = section }
    contents[section, default: []].append(contentsOf: items)
  }
}

extension LiveResults {
  /// The first snapshot of a reader. It includes rows with temporary IDs, because reports count all rows.
  var firstSnapshot: FetchedResultsSnapshots.Element {
    snapshot({ $0 }, { $0 }, keepingTemporaryIDs: true)
  }
}
