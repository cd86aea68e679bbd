extension EntityLayout {
  /// The layout of an entity of no model, with one property that stands for any: of IDs that name nothing,
  /// and of objects that are asked for the names of their properties before a model is in use.
  package static var nothing: EntityLayout { noModel.layout }

  // A layout does not keep its model.
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
