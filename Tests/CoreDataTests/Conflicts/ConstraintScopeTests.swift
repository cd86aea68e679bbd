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
}
