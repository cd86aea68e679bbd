extension NSManagedObjectModel {
  /// Returns a mutable deep copy of the model.
  public final func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSManagedObjectModel()
    copy.adoptCopies(of: entities)
    copy.copyDetails(from: self)
    // `copyDetails` has assigned the original's composites; the copy needs its own.
    copy.composites = composites.map { $0.copy() }
    return copy
  }

  /// Moves the entire content of another model to this one. The other model must not be used afterwards.
  final func adopt(_ other: NSManagedObjectModel) {
    let entities = other.entities
    other.entities = []
    self.entities = entities
    copyDetails(from: other)
  }

  /// Copies everything except the entities from another model.
  private final func copyDetails(from other: NSManagedObjectModel) {
    versionIdentifiers = other.versionIdentifiers
    explicitLocalization = other.explicitLocalization
    stringsFileTexts = other.stringsFileTexts
    configurationTable = other.configurationTable
    fetchRequestTemplates = other.fetchRequestTemplates
    composites = other.composites
    document = other.document
    compiler = other.compiler
    isCompiled = other.isCompiled
    unrecognized = other.unrecognized
  }

  /// Appends copies of entities. Their hierarchies, destinations and inverses refer to the copies.
  final func adoptCopies(of originals: [NSEntityDescription]) {
    var copies: [ObjectIdentifier: NSEntityDescription] = [:]
    var relationships: [ObjectIdentifier: NSRelationshipDescription] = [:]
    for original in originals {
      let copy = original.copyAlone()
      copies[ObjectIdentifier(original)] = copy
      for (old, new) in zip(original.ownProperties, copy.ownProperties) {
        relationships[ObjectIdentifier(old)] = new as? NSRelationshipDescription
      }
    }
    for original in originals {
      guard let copy = copies[ObjectIdentifier(original)] else { continue }
      // Connect the copies in a second pass, because entities refer to others that are copied after
      // them.
      copy.subentities = original.subentities.compactMap { copies[ObjectIdentifier($0)] }
      for case let relationship as NSRelationshipDescription in copy.ownProperties {
        if let destination = relationship.destinationEntity,
          let own = copies[ObjectIdentifier(destination)]
        {
          relationship.destinationEntity = own
        }
        if let inverse = relationship.inverseRelationship,
          let own = relationships[ObjectIdentifier(inverse)]
        {
          relationship.inverseRelationship = own
        }
      }
    }
    entities += originals.compactMap { copies[ObjectIdentifier($0)] }
  }
}
