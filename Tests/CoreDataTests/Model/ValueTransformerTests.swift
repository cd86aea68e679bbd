import CoreData
import Testing

/// A value that only the program's own transformer can convert.
struct Color: Hashable {
  var red: UInt8
  var green: UInt8
  var blue: UInt8
}

/// Converts a color to three bytes and back.
class ColorTransformer: ValueTransformer {
  override class func transformedValueClass() -> AnyClass { NSData.self }

  override func transformedValue(_ value: Any?) -> Any? {
    (value as? Color).map { Data([$0.red, $0.green, $0.blue]) }
  }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    guard let data = value as? Data, data.count == 3 else { return nil }
    return Color(red: data[0], green: data[1], blue: data[2])
  }
}

/// Is never registered, and so must be found by its class name.
final class UnregisteredColorTransformer: ColorTransformer {}

final class OneWayTransformer: ColorTransformer {
  override class func allowsReverseTransformation() -> Bool { false }
}

/// An object that can be archived.
final class Place: NSObject, NSSecureCoding {
  static let supportsSecureCoding = true
  let name: String

  init(name: String) { self.name = name }

  init?(coder: NSCoder) {
    guard let name = coder.decodeObject(of: NSString.self, forKey: "name") else { return nil }
    self.name = name as String
  }

  func encode(with coder: NSCoder) { coder.encode(name as NSString, forKey: "name") }
  override func isEqual(_ object: Any?) -> Bool { (object as? Place)?.name == name }
  override var hash: Int { name.hashValue }
}

final class PlaceTransformer: NSSecureUnarchiveFromDataTransformer {
  override class var allowedTopLevelClasses: [AnyClass] { [Place.self] }
}

@Suite(
  "Value transformers of transformable attributes",
  .only(TestedStore.allCases, "custom stores decide themselves how to store values"))
struct ValueTransformerTests {
  private static func model(_ transformer: String?) -> NSManagedObjectModel {
    let thing = NSEntityDescription()
    thing.name = "Thing"
    let value = SampleStack.attribute("value", .transformableAttributeType)
    value.valueTransformerName = transformer
    thing.properties = [value, SampleStack.attribute("name", .stringAttributeType)]
    let model = NSManagedObjectModel()
    model.entities = [thing]
    return model
  }

  /// Saves a value and returns what another stack (or, in memory, another context) fetches.
  private func roundTrip(_ value: Any, through transformer: String?) throws -> Any? {
    let stack = try SampleStack(model: Self.model(transformer))
    try stack.context.performAndWait {
      stack.context.insert("Thing", ["value": value])
      try stack.context.save()
    }
    let reader = try stack.reopened(model: Self.model(transformer)).context
    return try reader.performAndWait {
      let object = try #require(try reader.all("Thing").first)
      #expect(!object.hasChanges)
      return object.value(forKey: "value")
    }
  }

  @Test("A custom value goes through its registered transformer")
  func custom() throws {
    ValueTransformer.setValueTransformer(ColorTransformer(), forName: .init("TestColors"))
    let color = Color(red: 1, green: 20, blue: 255)
    #expect(try roundTrip(color, through: "TestColors") as? Color == color)
  }

  @Test("A transformer is found by the name of its class")
  func byClassName() throws {
    let color = Color(red: 3, green: 2, blue: 1)
    let name = "CoreDataTests.UnregisteredColorTransformer"
    #expect(try roundTrip(color, through: name) as? Color == color)
    let found = try #require(ValueTransformer(forName: .init(name)))
    #expect(found is UnregisteredColorTransformer)
    #expect(ValueTransformer(forName: .init(name)) === found)
  }

  @Test("A subclass of the secure transformer allows a class of the program")
  func secureSubclass() throws {
    ValueTransformer.setValueTransformer(PlaceTransformer(), forName: .init("TestPlaces"))
    let place = Place(name: "Vík")
    #expect(try roundTrip(place, through: "TestPlaces") as? Place == place)
  }

  @Test(
    "Plain values are archived if the attribute has no transformer or a standard one",
    arguments: [
      nil, "", "NSSecureUnarchiveFromData", "NSKeyedUnarchiveFromData",
      // Apple's `init(forName:)` finds a class with that name if no transformer is registered for
      // it.
      "NSSecureUnarchiveFromDataTransformer",
    ])
  func plain(name: String?) throws {
    #expect(try roundTrip(["a", "b"], through: name) as? [String] == ["a", "b"])
    #expect(try roundTrip(["a": 1], through: name) as? [String: Int] == ["a": 1])
    #expect(try roundTrip(Data([1, 2]), through: name) as? Data == Data([1, 2]))
    let url = try #require(URL(string: "https://example.org"))
    #expect(try roundTrip(url, through: name) as? URL == url)
  }

  private func savingError(_ value: Any, through transformer: String?) throws -> NSError {
    let stack = try SampleStack(model: Self.model(transformer))
    return try stack.context.performAndWait {
      stack.context.insert("Thing", ["value": value])
      return try #require(throws: NSError.self) { try stack.context.save() }
    }
  }

  @Test("A missing transformer fails the save with an error that states entity and attribute")
  func unknown() throws {
    let error = try savingError(["a"], through: "NoSuchTransformer")
    #expect(error.code == 134060)
    #expect(
      error.localizedDescription == "Thing.value: there is no value transformer named"
        + " \"NoSuchTransformer\"; register it with ValueTransformer.setValueTransformer(_:forName:)"
    )
  }

  @Test("A value of a class that could not be unarchived is not written")
  func notAllowed() throws {
    let error = try savingError(Place(name: "x"), through: nil)
    #expect(
      error.localizedDescription
        == "Thing.value: a value of type Place cannot be archived; it is not"
        + " among the classes that the value transformer \"NSSecureUnarchiveFromData\" allows")
  }

  @Test("A transformer that returns no data, or is one-way, fails the save")
  func wrongTransformers() throws {
    ValueTransformer.setValueTransformer(ColorTransformer(), forName: .init("TestColors"))
    ValueTransformer.setValueTransformer(OneWayTransformer(), forName: .init("TestOneWay"))
    #expect(
      try savingError("red", through: "TestColors").localizedDescription
        == "Thing.value: the value transformer \"TestColors\" returned nothing for a value of type String"
        + " instead of data")
    let color = Color(red: 1, green: 1, blue: 1)
    #expect(
      try savingError(color, through: "TestOneWay").localizedDescription
        .contains("does not allow reverse transformation"))
  }

  @Test(
    "Bytes that cannot be decoded are returned and saved unchanged",
    .only(TestedStore.fileKinds, "programs with and without the transformer open the file"))
  func foreignBytes() throws {
    ValueTransformer.setValueTransformer(PlaceTransformer(), forName: .init("TestPlaces"))
    let writer = try SampleStack(model: Self.model("TestPlaces"))
    try writer.context.performAndWait {
      writer.context.insert("Thing", ["value": Place(name: "Vík")])
      try writer.context.save()
    }
    // The version hash does not include the transformer, so that a program without it opens the
    // store.
    let reader = try writer.reopened(model: Self.model(nil))
    try reader.context.performAndWait {
      let thing = try #require(try reader.context.all("Thing").first)
      let bytes = try #require(thing.value(forKey: "value") as? Data)
      thing.setValue("renamed", forKey: "name")
      reader.context.insert("Thing", ["value": bytes, "name": "copy"])
      try reader.context.save()
    }
    let again = try writer.reopened(model: Self.model("TestPlaces"))
    try again.context.performAndWait {
      let places = try again.context.all("Thing", sort: ["name"]).map { $0.value(forKey: "value") }
      #expect(places as? [Place] == [Place(name: "Vík"), Place(name: "Vík")])
    }
  }

  @Test("Setting an equal value is not a change")
  func unchanged() throws {
    ValueTransformer.setValueTransformer(ColorTransformer(), forName: .init("TestColors"))
    let stack = try SampleStack(model: Self.model("TestColors"))
    try stack.context.performAndWait {
      let thing = stack.context.insert("Thing", ["value": Color(red: 1, green: 2, blue: 3)])
      try stack.context.save()
      thing.setValue(Color(red: 1, green: 2, blue: 3), forKey: "value")
      #expect(!thing.hasPersistentChangedValues)
      thing.setValue(Color(red: 1, green: 2, blue: 4), forKey: "value")
      #expect(thing.hasPersistentChangedValues)
    }
  }

  @Test(
    "A default value that cannot be archived with the model does not prevent opening a store",
    .only([.sqlite], "the stored model is read from the file"))
  func objectAsDefault() throws {
    ValueTransformer.setValueTransformer(PlaceTransformer(), forName: .init("TestPlaces"))
    let folder = try TemporaryFolder()
    let model = Self.model("TestPlaces")
    let thing = try #require(model.entitiesByName["Thing"])
    thing.attributesByName["value"]?.defaultValue = Place(name: "Vík")
    thing.userInfo = ["place": Place(name: "Höfn"), "note": "kept"]
    let stack = try SampleStack(url: folder.file("a.sqlite"), model: model)
    try stack.context.performAndWait {
      let object = stack.context.insert("Thing")
      #expect(object.value(forKey: "value") as? Place == Place(name: "Vík"))
      try stack.context.save()
    }
    let stored = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(
      at: folder.file("a.sqlite"))
    #expect(stored.entityVersionHashesByName == model.entityVersionHashesByName)
    #expect(stored.entitiesByName["Thing"]?.userInfo as? [String: String] == ["note": "kept"])
  }
}
