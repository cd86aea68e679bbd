import CoreData
import Testing

/// NSEntityDescription.h: constraints are on attributes. This library also supports to-one relationships (see
/// "Differences").
@Suite("Constraints on relationships")
struct ConstraintScopeTests {
  @Test("A to-one relationship may be unique, alone and with an attribute")
  func toOne() throws {
    for constraint in [["team"], ["team", "name"]] {
      try onEveryStore { kind, _ in
        let model = SampleStack.makeModel()
        model.entitiesByName["Player"]?.uniquenessConstraints = [constraint]
        #expect(model.problems.isEmpty)
        let writers = try TwoWriters(.contexts, kind, model: model)
        let (red, blue) = (writers.here.insert("Team"), writers.here.insert("Team"))
        for team in [red, blue] { writers.here.insert("Player", ["name": "Ann", "team": team]) }
        for _ in 0..<2 { writers.here.insert("Player", ["name": "free"]) }
        try writers.here.save()
        let third = writers.here.insert("Player", ["name": "Ann", "team": red])
        let error = #expect(throws: NSError.self) { try writers.here.save() }
        #expect(error?.code == NSManagedObjectConstraintMergeError, "\(kind)")
        #expect(error?.constraintConflicts.first?.constraint == constraint)
        #expect(error?.constraintConflicts.first?.conflictingObjects == [third])
        third.setValue(nil, forKey: "team")
        try writers.here.save()
        #expect(try writers.reader().all("Player").count == 5)
      }
    }
  }

  /// Returns a model in which the mail addresses of all people are unique. Both subentities have an attribute `code` and
  /// a relationship `boss`, of different types.
  private static func makePeopleModel() -> NSManagedObjectModel {
    let entities = ["Person", "Member", "Guest", "Board", "Host"].map { name in
      let entity = NSEntityDescription()
      entity.name = name
      return entity
    }
    let (person, member, guest) = (entities[0], entities[1], entities[2])
    person.properties = ["mail", "name"].map { SampleStack.attribute($0, .stringAttributeType) }
    person.uniquenessConstraints = [["mail"]]
    member.properties = [
      SampleStack.attribute("code", .integer64AttributeType),
      SampleStack.relationship("boss", to: entities[3]),
    ]
    guest.properties = [
      SampleStack.attribute("code", .stringAttributeType),
      SampleStack.relationship("boss", to: entities[4]),
    ]
    person.subentities = [member, guest]
    let model = NSManagedObjectModel()
    model.entities = entities
    return model
  }

  @Test("An object of another subentity that replaces a row changes only inherited properties")
  func siblings() throws {
    try onEveryStore { kind, _ in
      let writers = try TwoWriters(
        .contexts, kind, model: Self.makePeopleModel(), policy: .mergeByPropertyObjectTrump)
      let board = writers.there.insert("Board")
      writers.there.insert("Member", ["mail": "a", "name": "old", "code": 7, "boss": board])
      try writers.there.save()
      let host = writers.here.insert("Host")
      writers.here.insert("Guest", ["mail": "a", "name": "new", "code": "x", "boss": host])
      try writers.here.save()
      let people = try writers.reader().all("Person")
      #expect(people.map(\.entity.name) == ["Member"], "\(kind)")
      let member = try #require(people.first)
      #expect(member["name"] == "new" && member["code"] == 7, "\(kind)")
      #expect((member["boss"] as NSManagedObject?)?.entity.name == "Board", "\(kind)")
    }
  }
}
