import CoreData
import Testing

/// A player that rejects the team "Reds" and more than one tag.
final class ChoosyPlayer: NSManagedObject {
  override func validateValue(
    _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String
  ) throws {
    try super.validateValue(value, forKey: key)
    if key == "team", let team = value.pointee as? NSManagedObject,
      team.value(forKey: "name") as? String == "Reds"
    {
      throw NSError(domain: "Choosy", code: 1)
    }
    if key == "tags", let tags = value.pointee as? NSSet, tags.count > 1 {
      throw NSError(domain: "Choosy", code: 2)
    }
  }
}

@Suite("Validation of values", .onEveryStore)
struct ValidationRuleTests {
  private func stack(_ change: (NSManagedObjectModel) -> Void = { _ in }) throws -> SampleStack {
    let model = SampleStack.makeModel()
    model.entitiesByName["Player"]?.managedObjectClassName = "CoreDataTests.ChoosyPlayer"
    change(model)
    return try SampleStack(model: model)
  }

  // Sources: CoreDataErrors.h; FreeCoreData's tests.
  @Test("One violated rule is thrown directly, and several as one error with details")
  func severalErrors() throws {
    let stack = try stack()
    let context = stack.context
    context.performAndWait {
      let tag = context.insert("Tag")
      let single = #expect(throws: NSError.self) { try context.save() }
      #expect(single?.domain == NSCocoaErrorDomain)
      #expect(single?.code == NSValidationMissingMandatoryPropertyError)
      #expect(single?.userInfo[NSValidationKeyErrorKey] as? String == "label")
      #expect(single?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === tag)
      #expect(single?.localizedDescription.hasSuffix("label is a required value.") == true)
      context.insert("Tag")
      let several = #expect(throws: NSError.self) { try context.save() }
      #expect(several?.code == NSValidationMultipleErrorsError)
      let details = several?.userInfo[NSDetailedErrorsKey] as? [NSError]
      #expect(details?.map(\.code) == [1570, 1570])
      // The objects are still inserted, so the program can correct them.
      #expect(context.insertedObjects.count == 2)
    }
  }

  @Test("A subclass can validate relationships, and its errors are thrown")
  func relationships() throws {
    let stack = try stack()
    let context = stack.context
    try context.performAndWait {
      let reds = context.insert("Team", ["name": "Reds"])
      let player = context.insert("Player", ["team": reds])
      let team = #expect(throws: NSError.self) { try context.save() }
      #expect(team?.domain == "Choosy" && team?.code == 1)
      player.setValue(nil, forKey: "team")
      for label in ["a", "b"] {
        player.mutableSetValue(forKey: "tags").add(context.insert("Tag", ["label": label]))
      }
      let tags = #expect(throws: NSError.self) { try context.save() }
      #expect(tags?.domain == "Choosy" && tags?.code == 2)
      player.mutableSetValue(forKey: "tags").removeAllObjects()
      try context.save()
    }
  }

  // Sources: NSRelationshipDescription.h, minCount and maxCount; FreeCoreData's tests.
  @Test("An optional relationship can be empty, and its counts apply otherwise")
  func counts() throws {
    let stack = try stack { model in
      let players = model.entitiesByName["Team"]?.relationshipsByName["players"]
      players?.minCount = 2
      players?.maxCount = 3
    }
    let context = stack.context
    try context.performAndWait {
      let team = context.insert("Team")
      try context.save()
      let players = team.mutableSetValue(forKey: "players")
      for (count, code) in [(1, 1580), (2, nil), (3, nil), (4, 1590)] {
        while players.count < count { players.add(context.insert("Player")) }
        if let code {
          let error = #expect(throws: NSError.self) { try context.save() }
          #expect(error?.code == code)
          #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "players")
        } else {
          try context.save()
        }
      }
    }
  }

  // Source: JSQCoreDataKit saves companies without employees, although their relationship to
  // employees is not optional.
  @Test("A relationship that is not optional can be empty unless it has a minimum count")
  func emptyMandatory() throws {
    for minimum in [0, 1] {
      let stack = try stack { model in
        let players = model.entitiesByName["Team"]?.relationshipsByName["players"]
        players?.isOptional = false
        players?.minCount = minimum
      }
      let context = stack.context
      try context.performAndWait {
        let team = context.insert("Team")
        if minimum == 1 {
          let error = #expect(throws: NSError.self) { try context.save() }
          #expect(error?.code == NSValidationRelationshipLacksMinimumCountError)
          context.insert("Player", ["team": team])
        }
        try context.save()
      }
    }
  }

  // Sources: Apple's reference and tests of FreeCoreData. validateForDelete checks the Deny rule, which allows the
  // deletion if the members are deleted too.
  @Test("Deny prevents a deletion unless the members are deleted in the same save")
  func deny() throws {
    let stack = try stack()
    let context = stack.context
    try context.performAndWait {
      let (locker, player) = (context.insert("Locker"), context.insert("Player"))
      locker.setValue(player, forKey: "owner")
      try context.save()
      context.delete(locker)
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSValidationRelationshipDeniedDeleteError)
      #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "owner")
      context.delete(player)
      try context.save()
      #expect(try context.all("Locker").isEmpty)
    }
  }

  // Source: Apple's page for validateValue(_:forKeyPath:). Each relationship's destination comes
  // from value(forKey:), and the last object validates the value.
  @Test("The object at the end of a key path validates the value")
  func keyPaths() throws {
    let stack = try stack { model in
      model.entitiesByName["Team"]?.attributesByName["name"]?.isOptional = false
    }
    let context = stack.context
    try context.performAndWait {
      let (team, reds) = (context.insert("Team"), context.insert("Team", ["name": "Reds"]))
      let player = context.insert("Player", ["team": team])
      let locker = context.insert("Locker", ["owner": player])
      try locker.validateValue("Blues", forKeyPath: "owner.team.name")
      let missing = #expect(throws: NSError.self) {
        try locker.validateValue(nil, forKeyPath: "owner.team.name")
      }
      #expect(missing?.code == NSValidationMissingMandatoryPropertyError)
      #expect(missing?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === team)
      // The player validates its team: its class overrides the method that receives a pointer to the value.
      var value: AnyObject? = reds
      let choosy = #expect(throws: NSError.self) {
        try locker.validateValue(&value, forKeyPath: "owner.team")
      }
      #expect(choosy?.domain == "Choosy" && choosy?.code == 1)
      try player.validateValue("Ann", forKeyPath: "name")
      // No object is at the end of the key path.
      player.setValue(nil, forKey: "team")
      try locker.validateValue(nil, forKeyPath: "owner.team.name")
      for path in ["owner.nome", "nome.name", "owner.tags.label"] {
        let error = #expect(throws: NSError.self) {
          try locker.validateValue("a", forKeyPath: path)
        }
        #expect(error?.code == NSCoreDataError, "\(path)")
      }
    }
  }
}
