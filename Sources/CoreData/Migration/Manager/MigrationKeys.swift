// The names of the variables in mapping expressions. The values are Apple's.

/// The variable of the migration manager.
public let NSMigrationManagerKey = "manager"
/// The variable of the source object.
public let NSMigrationSourceObjectKey = "source"
/// The variable of the destination object.
public let NSMigrationDestinationObjectKey = "destination"
/// The variable of the entity mapping.
public let NSMigrationEntityMappingKey = "entityMapping"
/// The variable of the property mapping.
public let NSMigrationPropertyMappingKey = "propertyMapping"
/// The variable of the entity mapping's policy.
public let NSMigrationEntityPolicyKey = "entityPolicy"
