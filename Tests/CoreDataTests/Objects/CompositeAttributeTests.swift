import CoreData
import Observation
import Synchronization
import Testing

// Sources: Apple's page for NSCompositeAttributeDescription (dictionaries with the elements' names,
// key paths in predicates, elements in indexes and constraints, nesting), and WWDC 2023 session
// 10186.

extension SampleStack {
  /// Returns a model in which `Place` has the composite attribute `location`, with the elements latitude, longitude,
  /// and an address of city and zip. A `Visit` has one place.
  static func makePlaceModel() -> NSManagedObjectModel {
    let place = NSEntityDescription()
    place.name = "Place"
    let visit = NSEntityDescription()
    visit.name = "Visit"
    let visits = relationship("visits", to: visit, toMany: true)
    let placeOfVisit = relationship("place", to: place)
    visits.inverseRelationship = placeOfVisit
    placeOfVisit.inverseRelationship = visits
    place.properties = [attribute("name", .stringAttributeType), makeLocation(), visits]
    visit.properties = [attribute("day", .integer16AttributeType), placeOfVisit]
    let model = NSManagedObjectModel()
    model.entities = [place, visit]
    return model
  }

  static func makeLocation() -> NSCompositeAttributeDescription {
    let address = NSCompositeAttributeDescription()
    address.name = "address"
    address.elements = [
      attribute("city", .stringAttributeType), attribute("zip", .integer32AttributeType),
    ]
    let location = NSCompositeAttributeDescription()
    location.name = "location"
    location.elements = [
      attribute("latitude", .doubleAttributeType), attribute("longitude", .doubleAttributeType),
      address,
    ]
    return location
  }
}

@Suite("Composite attributes", .onEveryStore)
struct CompositeAttributeTests {
  private static var oslo: [String: Any] {
    [
      "latitude": 59.9, "longitude": 10.7,
      "address": ["city": "Oslo", "zip": 150] as [String: Any],
    ]
  }

  private func text(_ object: NSManagedObject) -> String {
    func text(_ value: Any?) -> String {
      guard let dictionary = value as? [String: Any] else { return value.map { "\($0)" } ?? "nil" }
      return "{"
        + dictionary.sorted { $0.key < $1.key }.map { "\($0.key) \(text($0.value))" }
        .joined(separator: ", ") + "}"
    }
    return text(object.value(forKey: "location"))
  }

  @Test("A composite is saved as a dictionary of its elements' values, without the nil ones")
  func dictionaries() throws {
    let stack = try SampleStack(model: SampleStack.makePlaceModel())
    try stack.context.performAndWait {
      let context = stack.context
      context.insert("Place", ["name": "a", "location": Self.oslo])
      context.insert("Place", ["name": "b", "location": ["latitude": 1.5, "address": NSNull()]])
      context.insert("Place", ["name": "c", "location": ["address": ["zip": 7]]])
      context.insert("Place", ["name": "d", "location": [String: Any]()])
      let last = context.insert("Place", ["name": "e", "location": Self.oslo])
      last.setValue(nil, forKey: "location")
      try context.save()
    }
    let again = try stack.reopened().context
    try again.performAndWait {
      let places = try again.all("Place", sort: ["name"])
      #expect(
        places.map(text) == [
          "{address {city Oslo, zip 150}, latitude 59.9, longitude 10.7}", "{latitude 1.5}",
          "{address {zip 7}}", "nil", "nil",
        ])
      places[1].setValue(["longitude": 2.5], forKey: "location")
      places[0].setValue(NSNull(), forKey: "location")
      try again.save()
    }
    let last = try stack.reopened().context
    try last.performAndWait {
      let places = try last.all("Place", sort: ["name"]).prefix(2)
      #expect(places.map(text) == ["nil", "{longitude 2.5}"])
    }
  }

  @Test("A key path reads and sets one element and keeps the others")
  func keyPaths() throws {
    try SampleStack.withContext(model: SampleStack.makePlaceModel()) { context in
      let place = context.insert("Place", ["location": Self.oslo])
      try context.save()
      #expect(place.value(forKeyPath: "location.latitude") as? Double == 59.9)
      #expect(place.value(forKeyPath: "location.address.city") as? String == "Oslo")
      place.setValue("Bergen", forKeyPath: "location.address.city")
      #expect(place.hasChanges)
      try context.save()
      context.refreshAllObjects()
      #expect(text(place) == "{address {city Bergen, zip 150}, latitude 59.9, longitude 10.7}")
      let visit = context.insert("Visit", ["place": place])
      #expect(visit.value(forKeyPath: "place.location.address.city") as? String == "Bergen")
      visit.setValue(nil, forKeyPath: "place.location.address.city")
      #expect(place.value(forKeyPath: "location.address.city") == nil)
    }
  }

  @Test("A composite rejects values with a wrong type or unknown elements")
  func errors() throws {
    try SampleStack.withContext(model: SampleStack.makePlaceModel()) { context in
      let place = context.insert("Place", ["location": Self.oslo])
      let wrong: [(Any, String)] = [
        ("Oslo", "desired type = dictionary"), (["height": 3], "no element \"height\""),
        (["latitude": "north"], "Place.location.latitude"),
        (["address": 5], "Place.location.address"),
      ]
      for (value, part) in wrong {
        let error = #expect(throws: NSError.self) {
          try place.setValidatedValue(value, forKey: "location")
        }
        #expect(error?.localizedDescription.contains(part) == true)
        #expect(throws: NSError.self) { try place.validateValue(value, forKey: "location") }
      }
      #expect(text(place) == "{address {city Oslo, zip 150}, latitude 59.9, longitude 10.7}")
    }
  }

  @Test("Changed values, committed values and an event's former values contain the whole composite")
  func changes() throws {
    try SampleStack.withContext(model: SampleStack.makePlaceModel()) { context in
      let place = context.insert("Place", ["name": "a", "location": Self.oslo])
      try context.save()
      place.setValue(1.5, forKeyPath: "location.latitude")
      #expect(Array(place.changedValues().keys) == ["location"])
      let new = place.changedValues()["location"] as? [String: Any]
      #expect(new?["latitude"] as? Double == 1.5 && new?["longitude"] as? Double == 10.7)
      let former = place.changedValuesForCurrentEvent()["location"] as? [String: Any]
      #expect(former?["latitude"] as? Double == 59.9)
      let old = place.committedValues(forKeys: ["location"])["location"] as? [String: Any]
      #expect(old?["latitude"] as? Double == 59.9)
      #expect(
        Set(place.committedValues(forKeys: nil).keys) == ["name", "location", "visits"])
      place.setValue(59.9, forKeyPath: "location.latitude")
      #expect(place.changedValues().isEmpty && !place.hasPersistentChangedValues)
    }
  }

  @Test("A composite is undone, redone and rolled back as one value")
  func undo() throws {
    try SampleStack.withContext(model: SampleStack.makePlaceModel()) { context in
      let place = context.insert("Place", ["location": Self.oslo])
      try context.save()
      let manager = UndoManager()
      manager.groupsByEvent = false
      context.undoManager = manager
      manager.beginUndoGrouping()
      place.setValue(["latitude": 1.5], forKey: "location")
      context.processPendingChanges()
      manager.endUndoGrouping()
      #expect(text(place) == "{latitude 1.5}")
      context.undo()
      #expect(text(place) == "{address {city Oslo, zip 150}, latitude 59.9, longitude 10.7}")
      context.redo()
      #expect(text(place) == "{latitude 1.5}")
      context.rollback()
      #expect(text(place) == "{address {city Oslo, zip 150}, latitude 59.9, longitude 10.7}")
    }
  }

  @Test("A required composite, and a required element, are validated on save")
  func validation() throws {
    let model = SampleStack.makePlaceModel()
    let place = try #require(model.entitiesByName["Place"])
    let location = try #require(
      place.attributesByName["location"] as? NSCompositeAttributeDescription)
    location.isOptional = false
    location.elements[0].isOptional = false
    location.elements[1].setValidationPredicates(
      [NSPredicate(format: "SELF < 180")], withValidationWarnings: ["too far east"])
    let cases: [([String: Any]?, Int?, String)] = [
      (nil, NSValidationMissingMandatoryPropertyError, "location"),
      (["longitude": 1.5], NSValidationMissingMandatoryPropertyError, "location.latitude"),
      (
        ["latitude": 1.5, "longitude": 200.0], NSManagedObjectValidationError, "location.longitude"
      ),
      (["latitude": 1.5], nil, ""),
    ]
    for (value, code, key) in cases {
      try SampleStack.withContext(model: model.copy() as? NSManagedObjectModel ?? model) {
        context in
        context.insert("Place", ["location": value])
        guard let code else { return try context.save() }
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == code)
        #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == key)
      }
    }
  }

  @Test("A new object has the composite's default value, or else those of its elements")
  func defaults() throws {
    let model = SampleStack.makePlaceModel()
    let location = try #require(
      model.entitiesByName["Place"]?.attributesByName["location"]
        as? NSCompositeAttributeDescription)
    location.elements[0].defaultValue = 3.5
    let second = SampleStack.makeLocation()
    second.name = "origin"
    second.elements[0].defaultValue = 3.5
    second.defaultValue = ["longitude": 4.5, "address": ["city": "Rome"]] as [String: Any]
    model.entitiesByName["Place"]?.properties.append(second)
    try SampleStack.withContext(model: model) { context in
      let place = context.insert("Place")
      #expect(text(place) == "{latitude 3.5}")
      let origin = place.value(forKey: "origin") as? [String: Any]
      #expect(origin?.keys.sorted() == ["address", "longitude"])
      try context.save()
      context.refreshAllObjects()
      #expect(text(place) == "{latitude 3.5}")
    }
  }

  @Test("Observers of a composite or of an element are notified when an element is set")
  func observation() throws {
    try SampleStack.withContext(model: SampleStack.makePlaceModel()) { context in
      let place = context.insert("Place", ["location": Self.oslo])
      try context.save()
      let notifications = ObservationTests.Counter()
      func observe(_ body: () -> Void) {
        withObservationTracking(body) { notifications.value.add(1, ordering: .relaxed) }
      }
      observe { _ = place.value(forKey: "location") }
      observe { _ = place.value(forKeyPath: "location.address.city") }
      observe { _ = place.value(forKey: "name") }
      place.setValue("Bergen", forKeyPath: "location.address.city")
      #expect(notifications.count == 2)
    }
  }

  @Test("A child context saves a composite to its parent")
  func children() throws {
    try SampleStack.withContext(model: SampleStack.makePlaceModel()) { context in
      let place = context.insert("Place", ["location": Self.oslo])
      try context.save()
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = context
      try child.performAndWait {
        let twin = try child.existingObject(with: place.objectID)
        #expect(twin.value(forKeyPath: "location.address.zip") as? Int == 150)
        twin.setValue(["longitude": 2.5], forKey: "location")
        try child.save()
      }
      #expect(text(place) == "{longitude 2.5}")
    }
  }

  @Test("A refresh that keeps changes keeps a changed composite as a whole")
  func merging() throws {
    let stack = try SampleStack(model: SampleStack.makePlaceModel())
    let (context, other) = (stack.context, stack.newContext())
    try onQueues(of: context, other) {
      let place = context.insert("Place", ["name": "a", "location": ["latitude": 0.5]])
      try context.save()
      let twin = try other.existingObject(with: place.objectID)
      func save(_ name: String, _ location: [String: Any]) throws {
        other.refresh(twin, mergeChanges: false)
        twin.setValue(name, forKey: "name")
        twin.setValue(location, forKey: "location")
        try other.save()
      }
      // Setting the dictionary sets all elements, a key path only one.
      try save("b", ["latitude": 0.5, "longitude": 2.5])
      place.setValue(["latitude": 1.5], forKey: "location")
      context.refresh(place, mergeChanges: true)
      #expect(text(place) == "{latitude 1.5}")
      #expect(place["name"] == "b")
      try context.save()
      try save("c", ["latitude": 1.5, "longitude": 2.5])
      place.setValue(3.5, forKeyPath: "location.latitude")
      context.refresh(place, mergeChanges: true)
      #expect(text(place) == "{latitude 3.5}")
      #expect(place["name"] == "c")
      try context.save()
      // A composite that was not changed gets the stored value.
      try save("d", ["latitude": 3.5, "longitude": 2.5])
      place.setValue("here", forKey: "name")
      context.refresh(place, mergeChanges: true)
      #expect(text(place) == "{latitude 3.5, longitude 2.5}")
      #expect(place["name"] == "here")
    }
  }

  @Test("A child's save replaces a composite as a whole that its parent has changed meanwhile")
  func childOfChangedParent() throws {
    try SampleStack.withContext(model: SampleStack.makePlaceModel()) { context in
      let place = context.insert("Place", ["location": ["latitude": 0.5]])
      try context.save()
      let child = ChildContextTests.child(of: context)
      for isWhole in [true, false] {
        try child.performAndWait {
          let twin = try child.existingObject(with: place.objectID)
          let latitude = try #require(twin.value(forKeyPath: "location.latitude") as? Double)
          place.setValue(["latitude": latitude, "longitude": 2.5], forKey: "location")
          if isWhole {
            twin.setValue(["latitude": 1.5], forKey: "location")
          } else {
            twin.setValue(3.5, forKeyPath: "location.latitude")
          }
          try child.save()
        }
        #expect(text(place) == (isWhole ? "{latitude 1.5}" : "{latitude 3.5}"))
      }
    }
  }

  @Test("A composite is redone as one value after another context has changed it")
  func redoAfterMerge() throws {
    let stack = try SampleStack(model: SampleStack.makePlaceModel())
    let (context, other) = (stack.context, stack.newContext())
    try onQueues(of: context, other) {
      let place = context.insert("Place", ["location": ["latitude": 0.5]])
      try context.save()
      let manager = UndoManager()
      manager.groupsByEvent = false
      context.undoManager = manager
      manager.beginUndoGrouping()
      place.setValue(["latitude": 1.5], forKey: "location")
      context.processPendingChanges()
      manager.endUndoGrouping()
      context.undo()
      let twin = try other.existingObject(with: place.objectID)
      twin.setValue(2.5, forKeyPath: "location.longitude")
      try other.save()
      context.refresh(place, mergeChanges: true)
      #expect(text(place) == "{latitude 0.5, longitude 2.5}")
      context.redo()
      #expect(text(place) == "{latitude 1.5}")
    }
  }

  @Test("Dictionary results contain whole composites")
  func dictionaryResults() throws {
    try SampleStack.withContext(model: SampleStack.makePlaceModel()) { context in
      context.insert("Place", ["name": "a", "location": Self.oslo])
      try context.save()
      let request = NSFetchRequest<NSDictionary>(entityName: "Place")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = ["location"]
      let row = try #require(try context.fetch(request).first)
      let location = row["location"] as? [String: Any]
      #expect(location?["latitude"] as? Double == 59.9)
      #expect((location?["address"] as? [String: Any])?["city"] as? String == "Oslo")
      request.propertiesToFetch = ["name", "location.address.city"]
      let named = try #require(try context.fetch(request).first)
      #expect(named["name"] as? String == "a")
      #expect(named["location.address.city"] as? String == "Oslo")
    }
  }
}
