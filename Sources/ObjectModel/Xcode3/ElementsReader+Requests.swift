extension ElementsReader {
  /// Reads the fetch requests in an entity's stereotype.
  ///
  /// Xcode 3 stores a request with the entity that it fetches: its name, the predicate's text, the
  /// entity, and the fetched property to which it belongs, if any. Public models of that time contain
  /// neither sort orders nor limits, because the editor could not set them.
  func readFetchRequests(_ values: ElementValues) {
    for element in archive.elements(values.value("XD_PSK_fetchRequestsArray")) ?? [] {
      guard let instance = archive.instance(element), let template = fetchRequest(instance) else {
        unrecognized.append("a fetch request without an entity")
        continue
      }
      if let property = archive.instance(instance.fields["_fetchedProperty"]) {
        requestsByProperty[property.place] = template
      } else {
        templates[template.name] = template
      }
    }
  }

  /// Creates a fetched property. ``connectFetchedProperties()`` sets its request after the requests of
  /// all entities have been read.
  func readFetchedProperty(
    _ values: ElementValues, _ instance: KeyedArchive.Instance
  ) -> NSFetchedPropertyDescription {
    let property = NSFetchedPropertyDescription()
    fetchedProperties.append((property, instance.place))
    for (key, value) in values.instances(ofClass: "XDPMFetchRequest") {
      requestsByProperty[instance.place] = fetchRequest(value)
      values.ignore(key)
    }
    return property
  }

  /// Sets the requests of the fetched properties.
  func connectFetchedProperties() {
    for (property, place) in fetchedProperties {
      guard var template = requestsByProperty[place] else { continue }
      template.name = property.name
      property.fetchTemplate = template
    }
  }

  private func fetchRequest(_ instance: KeyedArchive.Instance) -> FetchRequestTemplate? {
    guard instance.className == "XDPMFetchRequest",
      let entity = elementName(instance.fields["_entity"])
    else { return nil }
    let name = archive.string(instance.fields["_name"]) ?? ""
    var template = FetchRequestTemplate(name: name, entityName: entity)
    let text = archive.string(instance.fields["_predicateString"]) ?? ""
    template.predicateFormat = text.isEmpty ? nil : text
    let known: Set = ["_name", "_entity", "_predicateString", "_fetchedProperty"]
    recordUnknownFields(of: instance, known: known, place: "the fetch request '\(name)'")
    return template
  }
}
