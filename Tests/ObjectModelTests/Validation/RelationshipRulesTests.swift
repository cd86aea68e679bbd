import Foundation
import Testing

@testable import ObjectModel

@Suite("Rules for relationships") struct RelationshipRulesTests {
  @Test("A relationship's destination is an entity of the model")
  func destinations() throws {
    let aimless = try SpoiledModel()
    try aimless.relationship("team").destinationEntity = nil
    #expect(
      aimless.problems == [
        "missingDestination Person.team: the relationship has no destination entity"
      ])
    let spoiled = try SpoiledModel()
    let other = NSEntityDescription()
    other.name = "Person"
    let team = try spoiled.relationship("team")
    let members = try spoiled.relationship("members")
    members.destinationEntity = other
    withExtendedLifetime(other) {
      #expect(
        spoiled.problems == [
          "wrongInverse Person.team: the inverse 'Team.members' leads to 'Person' instead of back",
          "destinationOutsideModel Team.members: the destination entity 'Person' is not in the model,"
            + " only another entity with this name",
          "wrongInverse Team.members: the inverse 'Person.team' does not belong to the destination entity"
            + " 'Person'",
        ])
      team.inverseRelationship = nil
      members.inverseRelationship = nil
      other.name = "Stranger"
      #expect(
        spoiled.problems.contains(
          "destinationOutsideModel Team.members: the destination entity 'Stranger' is not in the"
            + " model"))
    }
  }

  /// Xcode's compiler warns about a missing inverse ("… should have an inverse"), and Apple's
  /// framework accepts it.
  @Test("A missing inverse is a warning")
  func missingInverse() throws {
    let spoiled = try SpoiledModel()
    try spoiled.relationship("team").inverseRelationship = nil
    try spoiled.relationship("members").inverseRelationship = nil
    #expect(
      spoiled.problems == [
        "missingInverse Person.team: the relationship has no inverse, so the other side is not updated"
          + " with it",
        "missingInverse Team.members: the relationship has no inverse, so the other side is not updated"
          + " with it",
      ])
    try spoiled.model.validate()
  }

  @Test("An inverse that is set on one side only is rejected")
  func oneSided() throws {
    let spoiled = try SpoiledModel()
    try spoiled.relationship("team").inverseRelationship = nil
    #expect(
      spoiled.problems.last
        == "wrongInverse Team.members: the inverse 'Person.team' has no inverse itself; set"
        + " both sides")
  }

  @Test("An inverse leads back to the relationship")
  func wrongInverse() throws {
    let spoiled = try SpoiledModel()
    let former = NSRelationshipDescription()
    former.name = "formerTeam"
    former.destinationEntity = spoiled.team
    former.inverseRelationship = try spoiled.relationship("members")
    let boss = NSRelationshipDescription()
    boss.name = "boss"
    boss.maxCount = 1
    boss.destinationEntity = spoiled.person
    boss.inverseRelationship = try spoiled.relationship("members")
    let peer = NSRelationshipDescription()
    peer.name = "peer"
    peer.maxCount = 1
    peer.destinationEntity = spoiled.person
    peer.inverseRelationship = try spoiled.relationship("team")
    spoiled.person.ownProperties += [former, boss, peer]
    #expect(
      spoiled.problems == [
        "wrongInverse Person.formerTeam: the inverse 'Team.members' is the inverse of 'Person.team'",
        "wrongInverse Person.boss: the inverse 'Team.members' does not belong to the destination entity"
          + " 'Person'",
        "wrongInverse Person.peer: the inverse 'Person.team' leads to 'Team' instead of back",
      ])
  }

  @Test("A relationship may be its own inverse")
  func ownInverse() throws {
    let spoiled = try SpoiledModel()
    let friends = NSRelationshipDescription()
    friends.name = "friends"
    friends.destinationEntity = spoiled.person
    friends.inverseRelationship = friends
    spoiled.person.ownProperties += [friends]
    #expect(spoiled.problems == [])
  }

  @Test("Only a to-many relationship can be ordered")
  func ordered() throws {
    let spoiled = try SpoiledModel()
    try spoiled.relationship("team").isOrdered = true
    #expect(
      spoiled.problems == ["orderedToOne Person.team: only a to-many relationship can be ordered"])
  }

  @Test("A minimum cannot exceed the maximum; -1, as in a real model, means no limit")
  func counts() throws {
    let spoiled = try SpoiledModel()
    try spoiled.relationship("team").minCount = 2
    try spoiled.relationship("members").maxCount = -1
    #expect(
      spoiled.problems == [
        "impossibleCount Person.team: the minimum of 2 objects is greater than the maximum of 1",
        "negativeCount Team.members: the minimum or maximum number of objects is negative (0, -1),"
          + " which means no limit",
      ])
  }
}
