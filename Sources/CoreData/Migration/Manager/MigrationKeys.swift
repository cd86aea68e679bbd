// The names of the variables in mapping expressions, which are the same as in Apple's Core Data.

/// The variable that contains the migration manager.
public let NSMigrationManagerKey = "manager"
/// The variable that contains the source object.
public let NSMigrationSourceObjectKey = "source"
/// The variable that contains the destination object.
public let NSMigrationDestinationObjectKey = "destination"
/// The variable that contains the entity mapping.
public let NSMigrationEntityMappingKey = "entityMapping"
/// The variable that contains the property mapping.
public let NSMigrationPropertyMappingKey = "propertyMapping"
/// The variable that contains the entity mapping's policy.
public let NSMigrationEntityPolicyKey = "entityPolicy"
