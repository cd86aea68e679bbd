extension KeyedArchive {
  /// Returns a separate archive of the object at an index and everything it refers to.
  package func part(from place: Int) -> KeyedArchive {
    var part = KeyedArchive(objects: [.value(.string("$null"))], root: 0)
    var places: [Int: Int] = [:]
    part.root = part.adopt(place, of: self, places: &places)
    return part
  }

  /// Adds an object of another archive and everything it refers to.
  ///
  /// - Parameter places: Maps the other archive's indexes of objects that were already added to their indexes here.
  /// - Returns: The object's index in this archive.
  mutating func adopt(_ place: Int, of other: KeyedArchive, places: inout [Int: Int]) -> Int {
    // Use a worklist instead of recursion, because a linked list with a million nodes is a legal archive.
    var waiting = [place]
    var found: [Int] = []
    while let next = waiting.popLast() {
      // Objects may form cycles and may be shared, so each one is added only once.
      guard next > 0, other.objects.indices.contains(next), places[next] == nil else { continue }
      places[next] = objects.count + found.count
      found.append(next)
      if case .instance(_, let fields) = other.objects[next] {
        // Sort by key, because a dictionary's own order differs in each process.
        for field in fields.sorted(by: { $0.key.isBefore($1.key) }) {
          Self.collect(field.value, into: &waiting)
        }
      }
    }
    // A second pass, because references can be updated only after every object has its new index.
    for next in found {
      switch other.objects[next] {
      case .instance(let names, let fields):
        objects.append(
          .instance(classNames: names, fields: fields.mapValues { Self.move($0, by: places) }))
      case let object: objects.append(object)
      }
    }
    return places[place] ?? 0
  }

  private static func collect(_ value: PropertyListValue, into places: inout [Int]) {
    switch value {
    case .uid(let place): places.append(place)
    case .array(let values): for value in values { collect(value, into: &places) }
    case .dictionary(let values):
      for entry in values.sorted(by: { $0.key.isBefore($1.key) }) {
        collect(entry.value, into: &places)
      }
    default: break
    }
  }

  private static func move(_ value: PropertyListValue, by places: [Int: Int]) -> PropertyListValue {
    switch value {
    case .uid(let place): .uid(places[place] ?? 0)
    case .array(let values): .array(values.map { move($0, by: places) })
    case .dictionary(let values): .dictionary(values.mapValues { move($0, by: places) })
    default: value
    }
  }
}
