import FixtureSupport
import Foundation
import Predicates
import Testing

@testable import ObjectModel

@Suite("Writing compiled models")
struct WritingCompiledModelsTests {
  private func archive(_ model: NSManagedObjectModel) throws -> KeyedArchive {
    try KeyedArchive(data: CompiledModel.data(of: model))
  }

  @Test(
    "A source is compiled to the same objects that Apple's compiler writes",
    .enabled(if: Fixtures.areAvailable, "no fixtures"),
    arguments: SourcesAndCompiledModelsTests.pairs)
  func sourcesAreCompiledAlike(source: String, compiled: String) throws {
    let model = try NSManagedObjectModel(validating: Fixtures.url(source))
    let theirs = try KeyedArchive(data: Data(contentsOf: Fixtures.url(compiled)))
    let differences = ArchiveGraph.differences(try archive(model), theirs)
    #expect(differences == Self.laterChanges[compiled] ?? [])
  }

  /// Differences because authors changed a source after compiling it, or because the compiler of 2011 did
  /// not write a field yet.
  private static let laterChanges = [
    "compiled/CoreDataPlus/SampleModel/Fixtures/SampleModel.momd/SampleModel.mom": [
      ".NSEntities.Car.NSProperties.color.NSAttributeValueClassName: "
        + "string(\"Color\") here, nil there"
    ],
    "compiled/ZeeQL3/data/Contacts.mom": [
      ".NSFetchRequestTemplates.fetchTheDucks.NSAllocationType: only here",
      ".NSFetchRequestTemplates.fetchTheDucks.NSBatchSize: integer(20) here, integer(0) there",
      ".NSFetchRequestTemplates.fetchTheDucks.NSFetchLimit: integer(220) here, integer(0) there",
      ".NSFetchRequestTemplates.fetchTheDucks.NSFetchRequestFlags: "
        + "integer(31) here, integer(30) there",
    ],
  ]

  @Test(
    "A compiled model that is read and written again has the same objects",
    .enabled(if: Fixtures.areAvailable, "no fixtures"))
  func compiledModelsComeBack() throws {
    var files = 0
    for path in FixtureModels.compiled {
      let data = try Data(contentsOf: Fixtures.url(path))
      let theirs = try KeyedArchive(data: data)
      // Models in mapping models are sources of Xcode 3, and FreeCoreData's model is not Apple's.
      guard theirs.instance(.uid(theirs.root))?.className == "NSManagedObjectModel",
        data.starts(with: Data("bplist".utf8))
      else { continue }
      files += 1
      let ours = try archive(try NSManagedObjectModel(validating: Fixtures.url(path)))
      let differences = ArchiveGraph.differences(ours, theirs)
      let age = [".NSFetchRequestTemplates.fetchTheDucks.NSAllocationType: only here"]
      #expect(differences == (path.contains("ZeeQL3") ? age : []), "\(path)")
    }
    #expect(files == 6)
  }

  @Test("A property's index mark becomes an index in the compiled file, and a mark when read")
  func marksBecomeIndexes() throws {
    let model = Samples.staff()
    model.entities[0].ownProperties[1].isIndexed = true
    model.entities[0].ownProperties[2].isIndexed = true
    let archive = try archive(model)
    let indexes = archive.objects.compactMap { object -> String? in
      guard case .instance(let names, let fields) = object, names[0] == "NSFetchIndexDescription"
      else { return nil }
      #expect(fields["NSEntity"] == KeyedArchiveBuilder.null)
      return archive.string(fields["NSIndexName"])
    }
    #expect(indexes == ["age", "team"])
    let read = NSManagedObjectModel()
    try ArchivedModel.read(archive.data(), from: nil, into: read)
    let person = try #require(read.entitiesByName["Person"])
    #expect(person.indexes.isEmpty)
    #expect(person.ownProperties.filter(\.isIndexed).map(\.name) == ["age", "team"])
  }

  @Test(
    "A decimal keeps its digits, including zeros after the decimal point",
    arguments: ["0", "0.0", "0.00", "1.5", "-12.34", "1e2", "0.001", "-5", "1234567890.123456789"])
  func decimalsKeepTheirScale(text: String) throws {
    let number = try #require(Decimal(scaled: text))
    #expect(number.scaledText == text)
    let model = Samples.staff()
    let salary = model.entities[1].ownProperties[0] as? NSAttributeDescription
    salary?.defaultValue = NSDecimalNumber(decimal: number)
    let read = NSManagedObjectModel()
    try ArchivedModel.read(CompiledModel.data(of: model), from: nil, into: read)
    let value = read.entitiesByName["Employee"]?.attributesByName["salary"]?.defaultValue
    #expect((value as? NSDecimalNumber)?.decimalValue.scaledText == text)
  }

  @Test("Values that only look equal stay different")
  func lookalikes() throws {
    let model = Samples.staff()
    let team = model.entities[2]
    let texts = ["\u{E9}", "e\u{301}"]
    team.ownProperties += texts.enumerated().map { place, text in
      let attribute = Samples.attribute("t\(place)", .stringAttributeType)
      attribute.defaultValue = text
      return attribute
    }
    team.ownProperties += [0.0, -0.0].enumerated().map { place, number in
      let attribute = Samples.attribute("n\(place)", .doubleAttributeType)
      attribute.defaultValue = NSNumber(value: number)
      return attribute
    }
    for data in [
      try CompiledModel.data(of: model), try ContentsWriter.write(model),
      try VersionedModel(versions: [.init(name: "m", model: model)]).json(),
    ] {
      try Conversions.inFolder { folder in
        let file = folder.appendingPathComponent("model")
        try data.write(to: file)
        let read = try NSManagedObjectModel(validating: file)
        let attributes = try #require(read.entitiesByName["Team"]?.attributesByName)
        for (place, text) in texts.enumerated() {
          let value = try #require(attributes["t\(place)"]?.defaultValue as? String)
          #expect(Array(value.utf8) == Array(text.utf8))
        }
        #expect((attributes["n0"]?.defaultValue as? NSNumber)?.doubleValue.sign == .plus)
        #expect((attributes["n1"]?.defaultValue as? NSNumber)?.doubleValue.sign == .minus)
      }
    }
  }

  /// A request whose predicate compares a key with a constant.
  private func template(_ name: String, constant: Any) -> FetchRequestTemplate {
    var template = FetchRequestTemplate(name: name, entityName: "Person")
    template.predicate = .predicate(
      Predicates.NSComparisonPredicate(
        leftExpression: NSExpression(forKeyPath: "name"),
        rightExpression: NSExpression(forConstantValue: constant), modifier: .direct,
        type: .notEqualTo))
    return template
  }

  // Apple's archives keep a constant as an object, because NSExpression is NSSecureCoding.
  @Test("Predicates of fetch requests keep constants without a textual form")
  func constantsOfRequests() throws {
    let long = try #require(Decimal(string: "12345678901234567890123456789012345678"))
    let date = Date(timeIntervalSinceReferenceDate: 12.5)
    let id = UUID()
    let model = Samples.staff()
    for (name, value) in ["decimal": long, "date": date, "uuid": id, "list": [long]]
      as [String: Any]
    {
      model.fetchRequestTemplates[name] = template(name, constant: value)
    }
    let compiled = NSManagedObjectModel()
    try ArchivedModel.read(CompiledModel.data(of: model), from: nil, into: compiled)
    for read in [compiled, try NSManagedObjectModel(storeModelCache: model.storeModelCache())] {
      #expect(read.unrecognized.isEmpty)
      #expect(read.fetchRequestTemplates.count == 4)
      func value(_ name: String) throws -> Any? {
        let predicate = try read.template(named: name)?.predicate?.makePredicate()
        return (predicate as? Predicates.NSComparisonPredicate)?.rightExpression.constantValue
      }
      #expect(try (value("decimal") as? NSDecimalNumber)?.decimalValue == long)
      #expect(try value("date") as? Date == date)
      #expect(try value("uuid") as? UUID == id)
      #expect(try (value("list") as? [NSDecimalNumber])?.map(\.decimalValue) == [long])
    }
  }

  @Test func `A chain of predicates that code built pairwise is stored as one list`() throws {
    let model = Samples.staff()
    var chain = NSPredicate(format: "name == 'x'")
    for _ in 0..<600 {
      chain = Predicates.NSCompoundPredicate(
        type: .and, subpredicates: [chain, NSPredicate(format: "age == nil")])
    }
    model.fetchRequestTemplates["Chain"] = FetchRequestTemplate(name: "Chain", entityName: "Person")
    model.fetchRequestTemplates["Chain"]?.predicate = .predicate(chain)
    let file = try CompiledModel.data(of: model)
    for read in [
      try NSManagedObjectModel(storeModelCache: model.storeModelCache()),
      try NSManagedObjectModel(archive: file),
    ] {
      let text = try #require(read.fetchRequestTemplates["Chain"]?.predicate?.text)
      #expect(text.components(separatedBy: " AND ").count == 601)
    }
  }

  @Test(
    "A fetch request that cannot be stored is rejected in files, and omitted in stores")
  func requestsWithoutForm() throws {
    let model = Samples.staff()
    var deep = NSPredicate(format: "name == 'x'")
    for level in 0..<600 {
      deep = Predicates.NSCompoundPredicate(
        type: level.isMultiple(of: 2) ? .and : .or,
        subpredicates: [deep, NSPredicate(format: "age == nil")])
    }
    var nested = FetchRequestTemplate(name: "Deep", entityName: "Person")
    nested.predicate = .predicate(deep)
    let unusual = [
      nested, template("Object", constant: NSObject()), template("Map", constant: ["a": 1]),
    ]
    for template in unusual {
      model.fetchRequestTemplates = [template.name: template]
      for write in [
        { try ContentsWriter.write(model) },
        { try VersionedModel(versions: [.init(name: "m", model: model)]).json() },
      ] as [() throws -> Data] {
        let error = #expect(throws: NSError.self) { try write() }
        #expect(error?.localizedDescription.contains("'\(template.name)'") == true)
      }
      let read = try NSManagedObjectModel(storeModelCache: model.storeModelCache())
      #expect(read.fetchRequestTemplates.isEmpty == (template.name != "Map"))
      #expect(read.unrecognized.isEmpty)
      if template.name != "Map" {
        #expect(throws: NSError.self) { try CompiledModel.data(of: model) }
      }
    }
  }

  /// Returns a predicate whose tree has a number of levels: AND inside OR inside AND.
  private func predicate(height: Int) -> NSPredicate {
    // A comparison of a key path and a constant has two levels.
    (0..<height - 2).reduce(NSPredicate(format: "name == 'x'")) {
      Predicates.NSCompoundPredicate(
        type: $1.isMultiple(of: 2) ? .and : .or,
        subpredicates: [$0, NSPredicate(format: "age == nil")])
    }
  }

  @Test func `A predicate has at most 200 levels in a file, both written and read`() throws {
    let model = Samples.staff()
    var template = FetchRequestTemplate(name: "Deep", entityName: "Person")
    for height in [197, 198, 199, 200] {
      let deep = predicate(height: height)
      #expect(deep.height == height)
      template.predicate = .predicate(deep)
      model.fetchRequestTemplates["Deep"] = template
      let file = try CompiledModel.data(of: model)
      for read in [
        try NSManagedObjectModel(storeModelCache: model.storeModelCache()),
        try NSManagedObjectModel(archive: file),
      ] {
        #expect(read.unrecognized.isEmpty, "\(height)")
        let found = try read.fetchRequestTemplates["Deep"]?.predicate?.makePredicate()
        #expect(found == deep, "\(height)")
      }
    }
    template.predicate = .predicate(predicate(height: 201))
    model.fetchRequestTemplates["Deep"] = template
    let error = #expect(throws: NSError.self) { try CompiledModel.data(of: model) }
    #expect(error?.localizedDescription.contains("at most 200 levels") == true)
    let read = try NSManagedObjectModel(storeModelCache: model.storeModelCache())
    #expect(read.fetchRequestTemplates.isEmpty)
  }

  // The writer once accepted a level more than the reader, which then omitted the innermost values.
  @Test func `A value of 16 levels of collections is written and read, and a deeper one refused`()
    throws
  {
    func nested(_ levels: Int) -> [Any] { (1..<levels).reduce(["x"]) { inner, _ in [inner] } }
    let model = Samples.staff()
    let person = try #require(model.entitiesByName["Person"])
    for isUserInfo in [true, false] {
      func put(_ value: [Any]) {
        if isUserInfo {
          person.userInfo = ["nested": value]
        } else {
          person.attributesByName["name"]?.userInfo = ["table": ["nested": value]]
        }
      }
      let levels = isUserInfo ? 16 : 15
      put(nested(levels))
      let read = try #require(
        try NSManagedObjectModel(archive: CompiledModel.data(of: model)).entitiesByName["Person"])
      let info = isUserInfo ? read.userInfo : read.attributesByName["name"]?.userInfo
      let table = isUserInfo ? info : info?["table"] as? [AnyHashable: Any]
      var value = try #require(table?["nested"])
      for _ in 0..<levels { value = try #require((value as? [Any])?.first) }
      #expect(value as? String == "x")
      put(nested(levels + 1))
      let error = #expect(throws: NSError.self) { try CompiledModel.data(of: model) }
      #expect(error?.localizedDescription.contains("more than 16 levels") == true)
      person.userInfo = nil
    }
  }

  @Test("Comparisons keep all of their options")
  func optionsOfComparisons() throws {
    let formats = [
      "name ==[c] \"a\"", "name !=[n] \"a\"", "name <[c] \"a\"", "name >=[d] \"a\"",
      "name CONTAINS[cdl] \"a\"", "name BEGINSWITH[n] \"a\"", "name LIKE[cd] \"a*\"",
      "name MATCHES[cl] \"a\"", "name IN[c] {\"a\", \"b\"}",
    ]
    let model = Samples.staff()
    for format in formats {
      model.fetchRequestTemplates[format] = FetchRequestTemplate(name: format, entityName: "Person")
      model.fetchRequestTemplates[format]?.predicateFormat = format
    }
    let read = try NSManagedObjectModel(storeModelCache: model.storeModelCache())
    for format in formats {
      #expect(read.fetchRequestTemplates[format]?.predicateFormat == format)
    }
  }

  // A block cannot be stored: not in a fetch request, and not in a rule, which a program sets as a predicate.
  @Test("A store's copy of the model omits a rule made from a block")
  func rulesOfCode() throws {
    let model = Samples.staff()
    let name = try #require(model.entities[0].ownProperties.first)
    name.validationRules = [
      ValidationRule(.minimumLength(1)),
      ValidationRule(.predicate(NSPredicate { _, _ in true }), warning: .message("code")),
    ]
    #expect(throws: NSError.self) { try CompiledModel.data(of: model) }
    let read = try NSManagedObjectModel(storeModelCache: model.storeModelCache())
    let property = read.entitiesByName["Person"]?.propertiesByName[name.name]
    #expect(property?.validationRules.map(\.predicateFormat) == ["length >= 1"])
  }

  // Problems of a compiled model are only warnings, so stores are created with such models.
  @Test func `A store's copy of the model omits texts that cannot be parsed`() throws {
    func changed(_ change: (NSEntityDescription) -> Void) throws -> NSManagedObjectModel {
      let model = Samples.staff()
      change(try #require(model.entitiesByName["Person"]))
      return model
    }
    func index(_ change: (NSFetchIndexDescription) -> Void) -> NSFetchIndexDescription {
      let element = NSFetchIndexElementDescription(propertyName: "name", collationType: .binary)
      let index = NSFetchIndexDescription(name: "byName", elements: [element])
      change(index)
      return index
    }
    let derived = NSDerivedAttributeDescription()
    (derived.name, derived.attributeType) = ("upper", .stringAttributeType)
    (derived.derivationText, derived.filterText) = ("uppercase:(name)", "name ==")
    let models = [
      try changed { $0.spotlightDisplayText = "name +" },
      try changed { $0.indexes = [index { $0.partialPredicateFormat = "name ==" }] },
      try changed { $0.indexes = [index { $0.elements[0].expressionText = "name +" }] },
      try changed { $0.ownProperties.append(derived) },
    ]
    for model in models {
      #expect(throws: NSError.self) { try CompiledModel.data(of: model) }
      let read = try NSManagedObjectModel(storeModelCache: model.storeModelCache())
      #expect(read.unrecognized.isEmpty)
      let person = try #require(read.entitiesByName["Person"])
      #expect(person.spotlightDisplayText == nil && person.indexes.isEmpty)
      let upper = person.attributesByName["upper"] as? NSDerivedAttributeDescription
      #expect(upper?.derivationText == (model === models[3] ? "uppercase:(name)" : nil))
      #expect(upper?.filterText == nil)
    }
  }

  @Test("Equal models have equal bytes")
  func sameBytes() throws {
    // In one process hash tables with the same content usually have the same order. So this finds identities and dates
    // in the bytes, but not bytes that depend on the seed of the process.
    #expect(
      try CompiledModel.data(of: Samples.staff()) == CompiledModel.data(of: Samples.staff()))
  }
}
