extension EntityLayout {
  /// The layout of an entity without a model, with a placeholder property: for IDs that identify nothing, and for
  /// objects whose property names are requested before a model is in use.
  package static var nothing: EntityLayout { noModel.layout }

  // A layout does not retain its model.
  private static let noModel: (model: NSManagedObjectModel, layout: EntityLayout) = {
    let property = NSAttributeDescription()
    property.name = "anything"
    property.attributeType = .stringAttributeType
    let entity = NSEntityDescription()
    entity.name = "Nothing"
    entity.properties = [property]
    let model = NSManagedObjectModel()
    model.entities = [entity]
    return (model, ModelLayout.of(model).entities[0])
  }()
}
