/// What a migration does with the objects of an entity.
public enum NSEntityMappingType: UInt, Sendable {
  /// Not said; treated as custom.
  case undefinedEntityMappingType = 0
  /// A policy of the program's own decides.
  case customEntityMappingType = 1
  /// The entity is new, and nothing is made of source objects.
  case addEntityMappingType = 2
  /// The entity is gone, and so are its objects.
  case removeEntityMappingType = 3
  /// The objects stay as they are.
  case copyEntityMappingType = 4
  /// The objects get other values.
  case transformEntityMappingType = 5
}
