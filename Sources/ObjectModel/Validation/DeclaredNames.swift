/// The positions of the properties that an entity declares, by name.
struct DeclaredNames {
  /// The position of the first property with each name.
  private(set) var places: [String: Int] = [:]
  /// The position of the first property with each name, ignoring case.
  private(set) var placesWithoutCase: [String: Int] = [:]
  /// The position of each property, and whether it occurs again.
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
