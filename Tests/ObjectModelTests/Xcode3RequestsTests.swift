import Foundation
import Testing

@testable import ObjectModel

/// Builds a model in the archive format of Xcode 3, as far as the tests need it.
private struct ElementsBuilder {
  var objects: [KeyedArchive.Object] = [.value(.string("$null"))]

  mutating func add(_ object: KeyedArchive.Object) -> PropertyListValue {
    objects.append(object)
    return .uid(objects.count - 1)
  }

  mutating func text(_ text: String) -> PropertyListValue { add(.value(.string(text))) }

  mutating func instance(
    _ name: String, _ fields: [String: PropertyListValue]
  ) -> PropertyListValue {
    add(.instance(classNames: [name, "NSObject"], fields: fields))
  }

  mutating func array(_ elements: [PropertyListValue]) -> PropertyListValue {
    instance("NSMutableArray", ["NS.objects": .array(elements)])
  }

  mutating func table(_ entries: [(String, PropertyListValue)]) -> PropertyListValue {
    let keys = entries.map { text($0.0) }
    return instance(
      "NSMutableDictionary", ["NS.keys": .array(keys), "NS.objects": .array(entries.map(\.1))])
  }

  /// Adds an element of the model, which Xcode 3 stores as a UML diagram: the settings of Core Data are values of a
  /// stereotype.
  mutating func element(
    _ type: String, _ name: String, _ values: [(String, PropertyListValue)],
    _ others: [String: PropertyListValue] = [:]
  ) -> PropertyListValue {
    var items: [(String, PropertyListValue)] = []
    for (key, value) in values {
      let fields = ["_name": text(key), "_default": value]
      items.append((key, instance("XDUMLPropertyImp", fields)))
    }
    let stereotype = instance(
      "XDUMLStereotypeImp", ["XDBucketForOwnedAttributesstorage": table(items)])
    var fields = others
    fields["_name"] = text(name)
    fields["XDBucketForStereotypesstorage"] = table([("stereotype", stereotype)])
    return instance(type, fields)
  }

  mutating func model(of entity: PropertyListValue) throws -> NSManagedObjectModel {
    let package = instance(
      "XDUMLPackageImp", ["XDBucketForClassesstorage": table([("entity", entity)])])
    let root = instance("XDPMModel", ["_xd_rootPackage": package])
    guard case .uid(let place) = root else { throw CocoaError(.coderInvalidValue) }
    let archive = KeyedArchive(objects: objects, root: place)
    let model = NSManagedObjectModel()
    try ElementsReader(archive: archive, url: nil).read(
      try #require(archive.instance(root)), into: model)
    return model
  }
}

@Suite("Fetch requests and textual dates in models of Xcode 3")
struct Xcode3RequestsTests {
  /// The keys are those of a public model of 2009 (ddribin/tasktracker).
  @Test("A request belongs to the model or to a fetched property")
  func requests() throws {
    var builder = ElementsBuilder()
    let fetched = builder.element("XDPMFetchedProperty", "peers", [])
    let entityPlace = builder.objects.count
    builder.objects.append(.value(.string("to be filled")))
    var requests: [PropertyListValue] = []
    for (name, text, property) in [
      ("active", "stop == nil", PropertyListValue.uid(0)), ("peerRequest", "name != nil", fetched),
      ("everything", "", .uid(0)),
    ] {
      let fields = [
        "_name": builder.text(name), "_entity": .uid(entityPlace),
        "_predicateString": builder.text(text), "_fetchedProperty": property,
      ]
      requests.append(builder.instance("XDPMFetchRequest", fields))
    }
    let list = builder.array(requests)
    let properties = builder.table([("peers", fetched)])
    let entity = builder.element(
      "XDPMEntity", "Period", [("XD_PSK_fetchRequestsArray", list)],
      ["XDBucketForOwnedAttributesstorage": properties])
    if case .uid(let place) = entity { builder.objects[entityPlace] = builder.objects[place] }
    let model = try builder.model(of: entity)
    #expect(model.fetchRequestTemplates.keys.sorted() == ["active", "everything"])
    #expect(model.fetchRequestTemplates["active"]?.entityName == "Period")
    #expect(model.fetchRequestTemplates["active"]?.predicateFormat == "stop == nil")
    #expect(model.fetchRequestTemplates["everything"]?.predicateFormat == nil)
    let period = try #require(model.entitiesByName["Period"])
    let peers = try #require(period.propertiesByName["peers"] as? NSFetchedPropertyDescription)
    #expect(peers.isTransient)
    #expect(peers.fetchTemplate?.name == "peers")
    #expect(peers.fetchTemplate?.predicateFormat == "name != nil")
    #expect(model.unrecognized == [])
  }

  @Test("A textual date does not prevent reading a model")
  func dates() throws {
    var builder = ElementsBuilder()
    let text = builder.text("now")
    let type = builder.add(.value(.integer(900)))
    let attribute = builder.element(
      "XDPMAttribute", "start",
      [("XD_PAttK_attributeType", type), ("XD_PAttK_defaultValueAsString", text)])
    let properties = builder.table([("start", attribute)])
    let entity = builder.element(
      "XDPMEntity", "Period", [], ["XDBucketForOwnedAttributesstorage": properties])
    let model = try builder.model(of: entity)
    let start = try #require(model.entitiesByName["Period"]?.attributesByName["start"])
    #expect(start.attributeType == .dateAttributeType)
    #expect(start.defaultValue == nil)
    #expect(start.editorTexts.defaultValue?.text == "now")
    #expect(
      model.unrecognized == [
        "default value 'now' of the attribute 'Period.start', which is not a valid Date"
      ])
  }
}
