/// An element of an XML text with all its characters, so that printing reproduces the text.
///
/// Values and texts are stored as written: entity references such as `&amp;` are not resolved.
struct SourceElement: Hashable, Sendable {
  /// An attribute with the white space before it and its quotation marks.
  struct Attribute: Hashable, Sendable {
    var space: String
    var name: String
    /// The text between the name and the opening quotation mark: `=`, possibly with white space.
    var equals = "="
    var mark: Unicode.Scalar = "\""
    var rawValue: String
  }

  enum Child: Hashable, Sendable {
    /// White space, text, CDATA sections, comments and processing instructions.
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

/// An XML text: its root element with the text before and after it.
struct SourceText: Hashable, Sendable {
  var prolog: String
  var root: SourceElement
  var epilog: String
}

extension SourceElement {
  /// The value of an attribute; nil if it does not exist.
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
