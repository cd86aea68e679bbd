extension BatchInsertion {
  /// Creates the insertion for a request, and resolves the request's names against the model.
  init(_ request: NSBatchInsertRequest, _ policy: NSMergePolicy, in model: ModelLayout) throws {
    let layout = try request.layout(in: model)
    let clash: Clash =
      switch policy.mergeType {
      case .errorMergePolicyType: .fails
      case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType: .isLeftOut
      case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType: .updates
      }
    if let handler = request.rowHandler {
      let slots = try request.rowProperties.map { try Self.attribute($0, of: layout) }
      try self.init(layout, source: .rowHandler(slots, handler), clash: clash, given: slots)
    } else if let handler = request.managedObjectHandler {
      // Only an update of an existing row depends on which attributes the handler set.
      let filler = ObjectRowFiller(
        layout, needsPresentSlots: clash == .updates && !layout.constraints.isEmpty, handler)
      try self.init(layout, source: .filler(filler), clash: clash)
    } else if let handler = request.dictionaryHandler {
      try self.init(layout, source: .dictionaryHandler(handler), clash: clash)
    } else {
      try self.init(layout, source: .dictionaries(request.objectsToInsert ?? []), clash: clash)
    }
  }

  private static func attribute(_ name: String, of layout: EntityLayout) throws -> PropertySlot {
    guard let slot = layout.slot(named: name) else {
      throw CoreDataError.unknownKey(name, in: layout)
    }
    guard isWritable(slot) else {
      throw CoreDataError.badRequest(
        "cannot insert \(layout.name).\(name): it is transient, derived or not an attribute")
    }
    return slot
  }
}
