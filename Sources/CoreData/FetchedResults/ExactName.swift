/// A section's name by its characters as they are stored: Swift's strings are equal where only the composition of
/// letters differs (`Å` of one or of two), and such names are of two sections.
struct ExactName: Hashable {
  private let name: String

  init(_ name: String) { self.name = name }

  static func == (left: Self, right: Self) -> Bool {
    left.name.utf8.elementsEqual(right.name.utf8)
  }

  func hash(into hasher: inout Hasher) {
    var name = name
    name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
