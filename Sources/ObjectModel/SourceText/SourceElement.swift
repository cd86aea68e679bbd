/// An element of an XML text with every character of it, so that printing gives the text again.
///
/// Values and texts stay as they are written, entities unresolved.
struct SourceElement: Hashable, Sendable {
  /// An attribute with the white space before it and its quotation mark.
  struct Attribute: Hashable, Sendable {
    var space: String
    var name: String
    /// What stands between the name and the value's mark: `=`, perhaps with white space around it.
    var equals = "="
    var mark: Unicode.Scalar = "\""
    var rawValue: String
  }

  enum Child: Hashable, Sendable {
    /// White space, text, comments, instructions.
    case text(String)
    case element(SourceElement)
  }

  var name: String
  var attributes: [Attribute] = []
  /// The white space before the end of the start tag.
  var endSpace = ""
  var isSelfClosing = true
  var children: [Child] = []
  /// The white space before the end of the end tag.
  var closingSpace = ""
}

/// An XML text: its root element with what stands before and after it.
struct SourceText: Hashable, Sendable {
  var prolog: String
  var root: SourceElement
  var epilog: String
}

extension SourceElement {
  /// The value of an attribute, or nil.
  subscript(_ attribute: String) -> String? {
    attributes.first { $0.name == attribute }.map { XMLAttributeText.unescaped($0.rawValue) }
  }

  /// The child elements.
  var elements: [SourceElement] {
    children.compactMap { child in
      if case .element(let element) = child { element } else { nil }
    }
  }
}
