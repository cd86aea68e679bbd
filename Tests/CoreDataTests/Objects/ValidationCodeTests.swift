import CoreData
import Testing

/// Adds its own rules for codes to those of the model: for the value, and for insertion, update and deletion.
final class RuledThing: NSManagedObject {
  override func validateValue(
    _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String
  ) throws {
    try super.validateValue(value, forKey: key)
    if key == "code", value.pointee as? String == "evil" {
      throw NSError(domain: "Ruled", code: 7, userInfo: [NSLocalizedDescriptionKey: "no evil"])
    }
  }
  override func validateForInsert() throws {
    try super.validateForInsert()
    if value(forKey: "code") as? String == "late" { throw NSError(domain: "Ruled", code: 8) }
  }
  override func validateForUpdate() throws {
    try super.validateForUpdate()
    if value(forKey: "code") as? String == "late" { throw NSError(domain: "Ruled", code: 9) }
  }
  override func validateForDelete() throws {
    try super.validateForDelete()
    if value(forKey: "code") as? String == "kept" { throw NSError(domain: "Ruled", code: 10) }
  }
}

// Sources: CoreDataErrors.h for codes and keys; "summary is too long" with object, key and value
// (public report, CoreStore issue 84); "x is a required value." and "Multiple validation errors
// occurred." (public report, XMPPFramework issue 1066); FreeCoreData's tests for details and for
// predicates with warnings.
@Suite("Codes of validation errors", .onEveryStore)
struct ValidationCodeTests {
  /// Returns a model that is read from Xcode's format, so that its rules are as the model editor writes them.
  private func model(className: String? = nil) throws -> NSManagedObjectModel {
    let name = className.map { " representedClassName=\"\($0)\"" } ?? ""
    let source = """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Thing"\(name)>
          <attribute name="whole" optional="YES" attributeType="Integer 16" minValueString="3" maxValueString="5" usesScalarValueType="YES"/>
          <attribute name="part" optional="YES" attributeType="Double" minValueString="0.5" maxValueString="1.5" usesScalarValueType="YES"/>
          <attribute name="amount" optional="YES" attributeType="Decimal" minValueString="1.1" maxValueString="2.2"/>
          <attribute name="day" optional="YES" attributeType="Date" minDateTimeInterval="1000" maxDateTimeInterval="2000" usesScalarValueType="NO"/>
          <attribute name="code" optional="YES" attributeType="String" minValueString="2" maxValueString="5" regularExpressionString="[a-z]+"/>
          <attribute name="link" optional="YES" attributeType="URI"/>
          <attribute name="mark" attributeType="String" defaultValueString="x"/>
          <relationship name="others" optional="YES" toMany="YES" minCount="2" maxCount="3" deletionRule="Nullify" destinationEntity="Thing" inverseName="owner" inverseEntity="Thing"/>
          <relationship name="owner" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Thing" inverseName="others" inverseEntity="Thing"/>
        </entity>
      </model>
      """
    let folder = try TemporaryFolder()
    let file = folder.file("Rules.xcdatamodel")
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
    try Data(source.utf8).write(to: file.appendingPathComponent("contents"))
    return try #require(NSManagedObjectModel(contentsOf: file))
  }

  struct Case: CustomTestStringConvertible {
    let key: String
    let value: Any?
    let code: Int
    let text: String
    var testDescription: String { "\(key) \(code)" }
  }

  static var cases: [Case] {
    [
      Case(key: "whole", value: 2, code: 1620, text: "whole is too small"),
      Case(key: "whole", value: 6, code: 1610, text: "whole is too large"),
      Case(key: "part", value: 0.25, code: 1620, text: "part is too small"),
      Case(key: "part", value: 1.75, code: 1610, text: "part is too large"),
      Case(
        key: "amount", value: NSDecimalNumber(string: "1.09"), code: 1620,
        text: "amount is too small"
      ),
      Case(
        key: "amount", value: NSDecimalNumber(string: "2.21"), code: 1610,
        text: "amount is too large"
      ),
      Case(
        key: "day", value: Date(timeIntervalSinceReferenceDate: 999), code: 1640,
        text: "day is too soon"),
      Case(
        key: "day", value: Date(timeIntervalSinceReferenceDate: 2001), code: 1630,
        text: "day is too late"),
      Case(key: "code", value: "a", code: 1670, text: "code is too short"),
      Case(key: "code", value: "abcdef", code: 1660, text: "code is too long"),
      Case(key: "code", value: "ABC", code: 1680, text: "code does not match [a-z]+"),
      Case(key: "mark", value: nil, code: 1570, text: "mark is a required value."),
    ]
  }

  @Test("The error of each rule of the model editor has its code, text, object, key and value")
  func codes() throws {
    for className in [nil, "CoreDataTests.RuledThing"] {
      let stack = try SampleStack(model: try model(className: className))
      let context = stack.context
      try context.performAndWait {
        for test in Self.cases {
          let thing = context.insert("Thing")
          #expect(throws: Never.self) { try thing.validateForInsert() }
          thing.setValue(test.value, forKey: test.key)
          for error in [
            #expect(throws: NSError.self) { try context.save() },
            #expect(throws: NSError.self) { try thing.validateForUpdate() },
            #expect(throws: NSError.self) { try thing.validateValue(test.value, forKey: test.key) },
          ] {
            #expect(error?.domain == NSCocoaErrorDomain)
            #expect(error?.code == test.code, "\(test.key)")
            #expect(error?.localizedDescription == test.text)
            #expect(error?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === thing)
            #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == test.key)
            let value = error?.userInfo[NSValidationValueErrorKey]
            if let expected = test.value as? String {
              #expect(value as? String == expected)
            } else {
              #expect(value is NSNull == (test.value == nil))
            }
            #expect(error?.userInfo[NSValidationPredicateErrorKey] == nil)
          }
          context.rollback()
        }
        context.insert(
          "Thing",
          [
            "whole": 5, "part": 0.5, "amount": NSDecimalNumber(string: "2.2"), "code": "abcde",
            "day": Date(timeIntervalSinceReferenceDate: 1000),
          ])
        try context.save()
      }
    }
  }

  @Test("A value of a wrong type is invalid, with the code for its attribute's type")
  func types() throws {
    let context = try SampleStack(model: try model()).context
    context.performAndWait {
      let thing = context.insert("Thing")
      let wrong: [(String, Any, Int)] = [
        ("day", "tomorrow", 1650), ("link", 5, 1690), ("whole", "many", 1550), ("code", 5, 1550),
        ("owner", "nobody", 1550), ("others", "nobody", 1550),
      ]
      for (key, value, code) in wrong {
        let error = #expect(throws: NSError.self) { try thing.validateValue(value, forKey: key) }
        #expect(error?.code == code, "\(key)")
        #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == key)
      }
    }
  }

  @Test("An invalid date is rejected even without rules, and can be printed")
  func noDate() throws {
    let context = try SampleStack().context
    context.performAndWait {
      for seconds in [Double.nan, .infinity] {
        let team = context.insert("Team")
        team.setValue(Date(timeIntervalSinceReferenceDate: seconds), forKey: "founded")
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == NSValidationInvalidDateError)
        #expect(error?.localizedDescription == "founded is not a valid date.")
        #expect(team.description.contains("founded = (no date)"))
        context.rollback()
      }
    }
  }

  @Test("A wrong number of members fails with its code; an optional relationship can be empty")
  func counts() throws {
    let context = try SampleStack(model: try model()).context
    try context.performAndWait {
      let owner = context.insert("Thing")
      let things = (0..<4).map { _ in context.insert("Thing") }
      for (count, code) in [(0, nil), (1, 1580), (2, nil), (3, nil), (4, 1590)] as [(Int, Int?)] {
        let members = NSSet(array: Array(things.prefix(count)))
        owner.setValue(members, forKey: "others")
        guard let code else {
          try owner.validateValue(members, forKey: "others")
          try context.save()
          continue
        }
        for error in [
          #expect(throws: NSError.self) { try owner.validateValue(members, forKey: "others") },
          #expect(throws: NSError.self) { try context.save() },
        ] {
          #expect(error?.code == code)
          #expect(error?.localizedDescription.hasPrefix("others has too ") == true)
          #expect(error?.userInfo[NSValidationValueErrorKey] as? NSSet == members)
        }
      }
    }
  }

  // Source: CoreDataErrors.h. 1570 means a nil value, 1580 too few destinations.
  @Test("An empty required to-many relationship has too few members, and a to-one is missing")
  func required() throws {
    let model = SampleStack.makeModel()
    let players = model.entitiesByName["Team"]?.relationshipsByName["players"]
    players?.isOptional = false
    // Without a minimum count it can be empty, as tests of JSQCoreDataKit show for Apple's Core
    // Data.
    players?.minCount = 1
    model.entitiesByName["Trophy"]?.relationshipsByName["winner"]?.isOptional = false
    let context = try SampleStack(model: model).context
    context.performAndWait {
      context.insert("Team")
      context.insert("Trophy")
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSValidationMultipleErrorsError)
      #expect(error?.localizedDescription.hasPrefix("Multiple validation errors occurred.") == true)
      let details = error?.userInfo[NSDetailedErrorsKey] as? [NSError] ?? []
      #expect(
        details.map { "\($0.code) \($0.userInfo[NSValidationKeyErrorKey] ?? "")" }.sorted()
          == ["1570 winner", "1580 players"])
    }
  }

  @Test("A predicate with a warning fails with code 1550, the warning and the predicate")
  func predicates() throws {
    let model = SampleStack.makeModel()
    let age = model.entitiesByName["Player"]?.attributesByName["age"]
    age?.setValidationPredicates(
      [NSPredicate(format: "SELF < 100"), NSPredicate(format: "SELF != 13")],
      withValidationWarnings: ["too old", "unlucky"])
    #expect(age?.validationPredicates.count == age?.validationWarnings.count)
    let context = try SampleStack(model: model).context
    context.performAndWait {
      let player = context.insert("Player", ["age": 113])
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSManagedObjectValidationError)
      #expect(error?.localizedDescription == "too old")
      #expect(error?.userInfo[NSValidationValueErrorKey] as? Int == 113)
      #expect(
        (error?.userInfo[NSValidationPredicateErrorKey] as? NSPredicate)?.description
          == "SELF < 100")
      player.setValue(13, forKey: "age")
      let second = #expect(throws: NSError.self) { try context.save() }
      #expect(second?.localizedDescription == "unlucky")
    }
  }

  // Apple's Core Data raises an exception that identifies neither the object nor the key.
  @Test(
    "A rule that cannot be evaluated fails with code 1550, the reason, object, key, value and rule")
  func unevaluableRules() throws {
    for format in ["SELF.length > 3", "SELF BEGINSWITH 'a'", "SELF > 'a'", "SELF > $limit"] {
      let model = SampleStack.makeModel()
      let age = try #require(model.entitiesByName["Player"]?.attributesByName["age"])
      age.setValidationPredicates(
        [NSPredicate(format: format)], withValidationWarnings: ["too old"])
      let context = try SampleStack(model: model).context
      context.performAndWait {
        let player = context.insert("Player", ["age": 13])
        for error in [
          #expect(throws: NSError.self) { try context.save() },
          #expect(throws: NSError.self) { try player.validateValue(13, forKey: "age") },
        ] {
          let info = error?.userInfo
          #expect(error?.domain == NSCocoaErrorDomain)
          #expect(error?.code == NSManagedObjectValidationError, "\(format)")
          #expect(
            error?.localizedDescription.hasPrefix("age cannot be checked by the rule ") == true)
          #expect(info?[NSUnderlyingErrorKey] is NSError)
          #expect(info?[NSValidationObjectErrorKey] as? NSManagedObject === player)
          #expect(info?[NSValidationKeyErrorKey] as? String == "age")
          #expect(info?[NSValidationValueErrorKey] as? Int == 13)
          #expect(
            info?[NSValidationPredicateErrorKey] as? NSPredicate == NSPredicate(format: format))
        }
      }
    }
  }

  // Source: FreeCoreData's tests. Errors of a subclass keep their own domain and code.
  @Test("All errors of a subclass's validation of values, insert, update and delete are reported")
  func ownRules() throws {
    let context = try SampleStack(model: try model(className: "CoreDataTests.RuledThing")).context
    try context.performAndWait {
      func failure() -> String {
        let error = #expect(throws: NSError.self) { try context.save() }
        return "\(error?.domain ?? "") \(error?.code ?? 0)"
      }
      let thing = context.insert("Thing", ["code": "evil"])
      #expect(failure() == "Ruled 7")
      thing.setValue("late", forKey: "code")
      #expect(failure() == "Ruled 8")
      thing.setValue("kept", forKey: "code")
      try context.save()
      thing.setValue("late", forKey: "code")
      #expect(failure() == "Ruled 9")
      context.rollback()
      context.delete(thing)
      #expect(failure() == "Ruled 10")
      #expect(thing.isDeleted && context.deletedObjects == [thing])
      context.rollback()
      // Several errors of one object, and errors of other objects.
      thing.setValue("evil", forKey: "code")
      thing.setValue(9, forKey: "whole")
      context.insert("Thing", ["part": 9.0])
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSValidationMultipleErrorsError)
      let details = error?.userInfo[NSDetailedErrorsKey] as? [NSError] ?? []
      #expect(
        details.map { "\($0.domain) \($0.code)" }.sorted()
          == ["NSCocoaErrorDomain 1610", "NSCocoaErrorDomain 1610", "Ruled 7"])
      let own = #expect(throws: NSError.self) { try thing.validateForUpdate() }
      #expect((own?.userInfo[NSDetailedErrorsKey] as? [NSError])?.count == 2)
    }
  }

  // Sources: Core Data Programming Guide, delete rules; CoreDataErrors.h 1600.
  @Test("A Deny rule fails with the remaining members, even if the deletion cascades in a cycle")
  func deny() throws {
    let model = SampleStack.makeModel()
    let team = model.entitiesByName["Team"]?.relationshipsByName
    team?["players"]?.deleteRule = .cascadeDeleteRule
    let player = model.entitiesByName["Player"]?.relationshipsByName
    player?["team"]?.deleteRule = .cascadeDeleteRule
    player?["tags"]?.deleteRule = .denyDeleteRule
    let context = try SampleStack(model: model).context
    try context.performAndWait {
      let red = context.insert("Team", ["name": "Red"])
      let players = (0..<3).map { context.insert("Player", ["number": $0, "team": red]) }
      let tag = context.insert("Tag", ["label": "a"])
      players[1].mutableSetValue(forKey: "tags").add(tag)
      try context.save()
      context.delete(players[0])
      context.processPendingChanges()
      // The player's deletion cascades to the team, and the team's to the other players.
      #expect(red.isDeleted && players.allSatisfy(\.isDeleted))
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSValidationRelationshipDeniedDeleteError)
      #expect(error?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === players[1])
      #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "tags")
      #expect(error?.userInfo[NSValidationValueErrorKey] as? NSSet == NSSet(object: tag))
      // The save fails until the error is fixed.
      #expect(throws: NSError.self) { try context.save() }
      context.delete(tag)
      try context.save()
      #expect(try context.all("Player").isEmpty && context.all("Team").isEmpty)
    }
  }
}
