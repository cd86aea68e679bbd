import CoreData
import Foundation

/// A team of players.
///
/// The entity's Codegen setting is "Category/Extension", so its properties are generated, and its class is not.
#if canImport(ObjectiveC)
  @objc(Team)
#endif
public class Team: NSManagedObject {
  /// Returns the team with a name, ignoring case, and creates it if there is none.
  class func named(_ name: String, in context: NSManagedObjectContext) throws -> Team {
    let request: NSFetchRequest<Team> = Team.fetchRequest()
    request.predicate = NSPredicate(format: "name ==[c] %@", name)
    request.fetchLimit = 1
    if let team = try context.fetch(request).first { return team }
    let team = Team(context: context)
    team.name = name
    return team
  }
}
