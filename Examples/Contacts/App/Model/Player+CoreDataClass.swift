import CoreData
import Foundation

/// A player of a team.
///
/// Codegen of the entity is "Category/Extension": the properties are generated.
#if canImport(ObjectiveC)
  @objc(Player)
#endif
public class Player: NSManagedObject {}
