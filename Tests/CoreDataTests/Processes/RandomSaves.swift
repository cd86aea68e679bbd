import CoreData
import FixtureSupport

/// Random changes to objects of the sample model, chosen among all objects in the store.
struct RandomSaves {
  private static let names: [String?] = ["a", "b", "c", nil]

  /// Inserts and saves the initial objects.
  static func fill(_ context: NSManagedObjectContext, _ random: inout SeededGenerator) throws {
    for name in ["A", "B", "C"] { context.insert("Team", ["name": name]) }
    for label in ["x", "y"] { context.insert("Tag", ["label": label]) }
    for _ in 0..<12 { try insertPlayer(context, &random) }
    try context.save()
  }

  private static func insertPlayer(
    _ context: NSManagedObjectContext, _ random: inout SeededGenerator
  ) throws {
    let player = context.insert(Bool.random(using: &random) ? "Player" : "Captain")
    player.setValue(Int.random(in: 0..<6, using: &random), forKey: "age")
    player.setValue(names.randomElement(using: &random).flatMap { $0 }, forKey: "name")
    player.setValue(Bool.random(using: &random), forKey: "isActive")
    player.setValue(try pick("Team", context, &random), forKey: "team")
  }

  private static func pick(
    _ entity: String, _ context: NSManagedObjectContext, _ random: inout SeededGenerator
  ) throws -> NSManagedObject? {
    try context.all(entity).sorted {
      $0.objectID.uriRepresentation().absoluteString
        < $1.objectID.uriRepresentation().absoluteString
    }.randomElement(using: &random)
  }

  /// Makes one to four changes and saves them.
  static func save(_ context: NSManagedObjectContext, _ random: inout SeededGenerator) throws {
    for _ in 0..<Int.random(in: 1...4, using: &random) { try change(context, &random) }
    try context.save()
  }

  /// Makes one change without saving it.
  static func change(_ context: NSManagedObjectContext, _ random: inout SeededGenerator) throws {
    let player = try pick("Player", context, &random)
    switch Int.random(in: 0..<13, using: &random) {
    case 0, 1: try insertPlayer(context, &random)
    case 2: if let player { context.delete(player) }
    case 3, 4, 5: player?.setValue(Int.random(in: 0..<6, using: &random), forKey: "age")
    case 6: player?.setValue(Bool.random(using: &random), forKey: "isActive")
    case 7: player?.setValue(names.randomElement(using: &random).flatMap { $0 }, forKey: "name")
    case 8, 9: player?.setValue(try pick("Team", context, &random), forKey: "team")
    case 10:
      try pick("Team", context, &random)?
        .setValue(["A", "B", "C", "D", "E"].randomElement(using: &random), forKey: "name")
    case 11:
      if Bool.random(using: &random), let team = try pick("Team", context, &random) {
        context.delete(team)
      } else {
        context.insert("Team", ["name": "G\(Int.random(in: 0..<9, using: &random))"])
      }
    default:
      let tag = try pick("Tag", context, &random)
      player?.setValue(
        Bool.random(using: &random) ? NSSet(array: tag.map { [$0] } ?? []) : NSSet(), forKey: "tags"
      )
    }
  }
}
