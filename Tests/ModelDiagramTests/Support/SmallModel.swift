import Foundation
import ObjectModel

/// A model with one of everything that a diagram shows.
///
/// An author has books (ordered, cascade), friends in a reflexive relationship, and an embedded address. The parent of
/// the entity Book is the abstract entity Work. A book refers to a publisher without an inverse.
enum SmallModel {
  static func make() -> NSManagedObjectModel {
    let author = NSEntityDescription()
    author.name = "Author"
    author.managedObjectClassName = "Library.Writer"
    let work = NSEntityDescription()
    work.name = "Work"
    work.isAbstract = true
    let book = NSEntityDescription()
    book.name = "Book"
    book.managedObjectClassName = "Library.Book"
    let publisher = NSEntityDescription()
    publisher.name = "Publisher"
    work.subentities = [book]

    let books = relationship("books", to: book, most: 0, rule: .cascadeDeleteRule)
    books.isOrdered = true
    let writer = relationship("author", to: author, most: 1, rule: .denyDeleteRule)
    writer.isOptional = false
    books.inverseRelationship = writer
    writer.inverseRelationship = books
    let friends = relationship("friends", to: author, most: 5, rule: .nullifyDeleteRule)
    friends.minCount = 2
    friends.inverseRelationship = friends
    let house = relationship("publisher", to: publisher, most: 1, rule: .noActionDeleteRule)

    author.ownProperties = [
      attribute("name", .stringAttributeType, isOptional: false),
      attribute("portrait", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true },
      books, friends, address(),
    ]
    author.uniquenessConstraints = [["name"]]
    work.ownProperties = [
      attribute("title", .stringAttributeType), derived("plainTitle", "canonical:(title)"),
    ]
    book.ownProperties = [
      house, attribute("pages", .integer16AttributeType, isOptional: false) { $0.defaultValue = 0 },
      writer, fetched("similar", "Work"),
    ]
    publisher.ownProperties = [
      attribute("size", .integer64AttributeType) { $0.isTransient = true }
    ]
    let model = NSManagedObjectModel()
    model.entities = [author, work, book, publisher]
    return model
  }

  private static func attribute(
    _ name: String, _ type: NSAttributeType, isOptional: Bool = true,
    _ change: (NSAttributeDescription) -> Void = { _ in }
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = isOptional
    change(attribute)
    return attribute
  }

  private static func address() -> NSCompositeAttributeDescription {
    let address = NSCompositeAttributeDescription()
    address.name = "address"
    address.compositeName = "Address"
    address.elements = [
      attribute("street", .stringAttributeType), attribute("town", .stringAttributeType),
    ]
    return address
  }

  private static func derived(_ name: String, _ text: String) -> NSDerivedAttributeDescription {
    let derived = NSDerivedAttributeDescription()
    derived.name = name
    derived.attributeType = .stringAttributeType
    derived.derivationText = text
    return derived
  }

  private static func fetched(_ name: String, _ entity: String) -> NSFetchedPropertyDescription {
    let fetched = NSFetchedPropertyDescription()
    fetched.name = name
    fetched.fetchTemplate = FetchRequestTemplate(name: name, entityName: entity)
    return fetched
  }

  private static func relationship(
    _ name: String, to entity: NSEntityDescription, most: Int, rule: NSDeleteRule
  ) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.destinationEntity = entity
    relationship.maxCount = most
    relationship.deleteRule = rule
    return relationship
  }
}
