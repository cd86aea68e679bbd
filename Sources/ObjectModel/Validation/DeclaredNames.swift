/// Where the properties that an entity declares itself are, by their names.
struct DeclaredNames {
  /// The place of the first property of each name.
  private(set) var places: [String: Int] = [:]
  /// The place of the first property of each name without regard to case.
  private(set) var placesWithoutCase: [String: Int] = [:]
  /// The place of each property, and whether it is there again.
  private(set) var properties: [ObjectIdentifier: (place: Int, isRepeated: Bool)] = [:]

  init(of entity: NSEntityDescription) {
    for (place, property) in entity.ownProperties.enumerated() {
      let name = property.name
      if places[name] == nil { places[name] = place }
      let lowercased = name.lowercased()
      if placesWithoutCase[lowercased] == nil { placesWithoutCase[lowercased] = place }
      let known = properties[ObjectIdentifier(property)]?.place
      properties[ObjectIdentifier(property)] = (known ?? place, known != nil)
    }
  }
}
