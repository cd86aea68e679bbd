import CoreData
import Testing

@Suite("Objects, saving and undo") struct GraphOracleTests {
  @Test func `A relationship is set on both sides, and deletion nullifies it`() throws {
    try OracleStack.withContext { context in
      let red = context.insert("Team", ["name": "Red"])
      let ann = context.insert("Player", ["name": "Ann", "team": red])
      #expect(red.value(forKey: "players") as? Set<NSManagedObject> == [ann])
      try context.save()
      context.delete(red)
      context.processPendingChanges()
      #expect(ann.value(forKey: "team") == nil && ann.isUpdated)
      try context.save()
      #expect(try context.players("team == nil") == ["Ann"])
    }
  }

  @Test func `A denied deletion is an error of the save`() throws {
    try OracleStack.withContext { context in
      let locker = context.insert("Locker", ["number": 1])
      context.insert("Player", ["name": "Ann", "locker": locker])
      try context.save()
      context.delete(locker)
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.domain == NSCocoaErrorDomain)
      #expect(error?.code == NSValidationRelationshipDeniedDeleteError)
    }
  }

  @Test func `A missing value is an error, and several are one error`() throws {
    try OracleStack.withContext { context in
      let first = context.insert("Team")
      let single = try #require(#expect(throws: NSError.self) { try context.save() })
      #expect(single.code == NSValidationMissingMandatoryPropertyError)
      #expect(single.userInfo[NSValidationKeyErrorKey] as? String == "name")
      #expect(single.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === first)
      context.insert("Team")
      let several = try #require(#expect(throws: NSError.self) { try context.save() })
      #expect(several.code == NSValidationMultipleErrorsError)
      let details = several.userInfo[NSDetailedErrorsKey] as? [NSError]
      #expect(details?.map(\.code) == [1570, 1570])
    }
  }

  @Test func `A save replaces temporary IDs, and their URIs identify the row`() throws {
    try OracleStack.withContext { context in
      let ann = context.insert("Player", ["name": "Ann"])
      #expect(ann.objectID.isTemporaryID && ann.isInserted)
      try context.save()
      #expect(!ann.objectID.isTemporaryID && !ann.hasChanges)
      let uri = ann.objectID.uriRepresentation()
      #expect(uri.scheme == "x-coredata" && uri.path == "/Player/p1")
      let coordinator = try #require(context.persistentStoreCoordinator)
      #expect(coordinator.managedObjectID(forURIRepresentation: uri) == ann.objectID)
    }
  }

  @Test func `A refreshed object is a fault until it is accessed`() throws {
    try OracleStack.withContext { context in
      let ann = context.insert("Player", ["name": "Ann"])
      try context.save()
      ann.setValue("Bea", forKey: "name")
      context.refresh(ann, mergeChanges: false)
      #expect(ann.isFault && !ann.hasChanges)
      #expect(ann.value(forKey: "name") as? String == "Ann" && !ann.isFault)
    }
  }

  @Test func `Undo and redo work in groups, and a rollback restores what was saved`() throws {
    try OracleStack.withContext { context in
      let manager = UndoManager()
      manager.groupsByEvent = false
      context.undoManager = manager
      manager.beginUndoGrouping()
      let ann = context.insert("Player", ["name": "Ann"])
      try context.save()
      manager.endUndoGrouping()
      manager.removeAllActions()
      for name in ["Bea", "Cem"] {
        manager.beginUndoGrouping()
        ann.setValue(name, forKey: "name")
        context.processPendingChanges()
        manager.endUndoGrouping()
      }
      context.undo()
      #expect(ann.value(forKey: "name") as? String == "Bea")
      context.redo()
      #expect(ann.value(forKey: "name") as? String == "Cem")
      context.rollback()
      #expect(ann.value(forKey: "name") as? String == "Ann" && !context.hasChanges)
    }
  }

  @Test func `A conflict is an error, unless the merge policy resolves it`() throws {
    let stack = try OracleStack()
    let (here, there) = (stack.context, OracleStack.makeContext(of: stack.coordinator))
    try here.performAndWait {
      let ann = here.insert("Player", ["name": "Ann", "age": 1])
      try here.save()
      let id = ann.objectID
      try there.performAndWait {
        try there.existingObject(with: id).setValue(2, forKey: "age")
        try there.save()
      }
      ann.setValue("Bea", forKey: "name")
      let error = #expect(throws: NSError.self) { try here.save() }
      #expect(error?.code == NSManagedObjectMergeError)
      here.mergePolicy = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
      try here.save()
      #expect(ann.value(forKey: "name") as? String == "Bea")
      #expect(ann.value(forKey: "age") as? Int == 2)
    }
  }

  @Test func `A batch update changes rows, and returns their number`() throws {
    try OracleStack.withContext { context in
      for age in 1...3 { context.insert("Player", ["name": "p\(age)", "age": age]) }
      try context.save()
      context.reset()
      let request = NSBatchUpdateRequest(entityName: "Player")
      request.predicate = NSPredicate(format: "age > 1")
      request.propertiesToUpdate = ["age": 9]
      request.resultType = .updatedObjectsCountResultType
      let result = try context.execute(request) as? NSBatchUpdateResult
      #expect(result?.result as? Int == 2)
      #expect(try context.players("age == 9") == ["p2", "p3"])
    }
  }
}
