/// The ways a migration treats the objects of an entity.
///
/// The type only describes a mapping. A migration follows the mapping's source and destination entities, expressions
/// and policy class.
public enum NSEntityMappingType: UInt, Sendable {
  /// Unspecified.
  case undefinedEntityMappingType = 0
  /// A custom policy migrates the objects.
  case customEntityMappingType = 1
  /// The entity is new, and no objects are created from source objects.
  case addEntityMappingType = 2
  /// The entity no longer exists; its objects are deleted.
  case removeEntityMappingType = 3
  /// The objects are copied unchanged.
  case copyEntityMappingType = 4
  /// The objects' values are transformed.
  case transformEntityMappingType = 5
}
