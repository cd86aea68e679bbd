import CoreData
import Foundation

/// A player of a team.
///
/// Codegen of the entity is "Category/Extension": the properties are generated.
public class Player: NSManagedObject {}
