import CoreData
import Foundation

/// Some players.
///
/// Codegen of the entity is "Category/Extension": the properties are generated.
#if canImport(ObjectiveC)
  @objc(Team)
#endif
public class Team: NSManagedObject {
  /// The team of a name, made where there is none.
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
