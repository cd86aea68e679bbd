import CoreData
import Foundation

/// An object of ten integers.
final class Reading: NSManagedObject {
  static let keys = (0..<10).map { ManagedKey("n\($0)") }
  private static let k0 = keys[0]
  private static let k1 = keys[1]
  private static let k2 = keys[2]
  private static let k3 = keys[3]
  private static let k4 = keys[4]
  private static let k5 = keys[5]
  private static let k6 = keys[6]
  private static let k7 = keys[7]
  private static let k8 = keys[8]
  private static let k9 = keys[9]

  // Accessors as a generator writes them.
  var n0: Int64 {
    get { managedValue(Self.k0) }
    set { setManagedValue(newValue, Self.k0) }
  }
  var n1: Int64 {
    get { managedValue(Self.k1) }
    set { setManagedValue(newValue, Self.k1) }
  }
  var n2: Int64 {
    get { managedValue(Self.k2) }
    set { setManagedValue(newValue, Self.k2) }
  }
  var n3: Int64 {
    get { managedValue(Self.k3) }
    set { setManagedValue(newValue, Self.k3) }
  }
  var n4: Int64 {
    get { managedValue(Self.k4) }
    set { setManagedValue(newValue, Self.k4) }
  }
  var n5: Int64 {
    get { managedValue(Self.k5) }
    set { setManagedValue(newValue, Self.k5) }
  }
  var n6: Int64 {
    get { managedValue(Self.k6) }
    set { setManagedValue(newValue, Self.k6) }
  }
  var n7: Int64 {
    get { managedValue(Self.k7) }
    set { setManagedValue(newValue, Self.k7) }
  }
  var n8: Int64 {
    get { managedValue(Self.k8) }
    set { setManagedValue(newValue, Self.k8) }
  }
  var n9: Int64 {
    get { managedValue(Self.k9) }
    set { setManagedValue(newValue, Self.k9) }
  }

  /// The sum of all numbers.
  var sum: Int64 {
    n0 &+ n1 &+ n2 &+ n3 &+ n4 &+ n5 &+ n6 &+ n7 &+ n8 &+ n9
  }

  /// Sets all numbers to the values that the floor inserts into a row.
  func fill(_ row: Int64) {
    let start = row * 31
    n0 = start
    n1 = start + 1
    n2 = start + 2
    n3 = start + 3
    n4 = start + 4
    n5 = start + 5
    n6 = start + 6
    n7 = start + 7
    n8 = start + 8
    n9 = start + 9
  }
}

/// Returns the number that the floor computes from a text. Called once per text, because an array of texts would add an
/// allocation to the measurement.
@inline(__always)
func look(at text: String?) -> Int64 {
  guard let text else { return 0 }
  return Int64(text.utf8.count) &+ Int64(text.utf8.first ?? 0)
}

/// An object of four texts of up to 40 bytes and six numbers.
final class Card: NSManagedObject {
  private static let k0 = ManagedKey("t0")
  private static let k1 = ManagedKey("t1")
  private static let k2 = ManagedKey("t2")
  private static let k3 = ManagedKey("t3")
  private static let k4 = ManagedKey("i0")
  private static let k5 = ManagedKey("i1")
  private static let k6 = ManagedKey("i2")
  private static let k7 = ManagedKey("d0")
  private static let k8 = ManagedKey("d1")
  private static let k9 = ManagedKey("d2")

  var t0: String? { managedValue(Self.k0) }
  var t1: String? { managedValue(Self.k1) }
  var t2: String? { managedValue(Self.k2) }
  var t3: String? { managedValue(Self.k3) }
  var i0: Int64 { managedValue(Self.k4) }
  var i1: Int64 { managedValue(Self.k5) }
  var i2: Int64 { managedValue(Self.k6) }
  var d0: Double { managedValue(Self.k7) }
  var d1: Double { managedValue(Self.k8) }
  var d2: Double { managedValue(Self.k9) }

  /// The sum that the floor computes.
  var sum: Int64 {
    let texts = look(at: t0) &+ look(at: t1) &+ look(at: t2) &+ look(at: t3)
    return texts &+ i0 &+ i1 &+ i2 &+ Int64(d0) &+ Int64(d1) &+ Int64(d2)
  }
}

/// The models of the benchmarks.
enum StoreModels {
  static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = true
    return attribute
  }

  static func entity(
    _ type: NSManagedObject.Type, _ properties: [NSPropertyDescription]
  ) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = "\(type)"
    entity.managedObjectClassName = String(reflecting: type)
    entity.properties = properties
    return entity
  }

  static func make() -> NSManagedObjectModel {
    let reading = entity(
      Reading.self, (0..<10).map { attribute("n\($0)", .integer64AttributeType) })
    let card = entity(
      Card.self,
      (0..<4).map { attribute("t\($0)", .stringAttributeType) }
        + (0..<3).map { attribute("i\($0)", .integer64AttributeType) }
        + (0..<3).map { attribute("d\($0)", .doubleAttributeType) })
    let (folder, page) = (NSEntityDescription(), NSEntityDescription())
    folder.name = "Folder"
    page.name = "Page"
    let (pages, owner) = (NSRelationshipDescription(), NSRelationshipDescription())
    pages.name = "pages"
    pages.destinationEntity = page
    pages.inverseRelationship = owner
    pages.maxCount = 0
    owner.name = "folder"
    owner.destinationEntity = folder
    owner.inverseRelationship = pages
    owner.maxCount = 1
    folder.properties = [attribute("name", .stringAttributeType), pages]
    page.properties = [
      attribute("number", .integer64AttributeType), attribute("words", .integer64AttributeType),
      owner,
    ]
    let model = NSManagedObjectModel()
    model.entities = [reading, card, folder, page, Contact.makeEntity()]
    return model
  }
}
