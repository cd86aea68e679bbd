/// An element of a source model's XML without its formatting: a name, attributes in Xcode's order, and child elements.
struct ModelElement: Hashable {
  struct Attribute: Hashable {
    let name: String
    let value: String
  }

  let name: String
  var attributes: [Attribute] = []
  var children: [ModelElement] = []

  init(
    _ name: String, _ attributes: KeyValuePairs<String, String> = [:],
    children: [ModelElement] = []
  ) {
    self.name = name
    self.attributes = attributes.map { Attribute(name: $0, value: $1) }
    self.children = children
  }

  /// The value of an attribute; nil if it does not exist.
  subscript(_ attribute: String) -> String? {
    attributes.first { $0.name == attribute }?.value
  }

  /// Adds an attribute; does nothing if the value is nil.
  mutating func add(_ name: String, _ value: String?) {
    if let value { attributes.append(Attribute(name: name, value: value)) }
  }

  /// Adds an attribute with the value `YES` if the condition is true.
  mutating func add(_ name: String, if truth: Bool) {
    if truth { add(name, "YES") }
  }

  /// Adds an attribute with the value `YES` or `NO`; does nothing if `truth` is nil.
  mutating func add(_ name: String, truth: Bool?) {
    add(name, truth.map { $0 ? "YES" : "NO" })
  }

  /// Adds an attribute with a number, unless the number is the default.
  mutating func add(_ name: String, _ number: Int, unless usual: Int) {
    if number != usual { add(name, "\(number)") }
  }
}
