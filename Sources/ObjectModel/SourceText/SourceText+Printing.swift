extension SourceText {
  /// The complete text.
  var text: String {
    var text = prolog
    root.print(to: &text)
    return text + epilog
  }

  /// Creates the text of an element, in Xcode's format.
  init(_ element: ModelElement) {
    prolog = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
    root = SourceElement(element, indentation: "\n")
    epilog = ""
  }
}

extension SourceElement {
  fileprivate func print(to text: inout String) {
    text += "<\(name)"
    for attribute in attributes {
      text += attribute.space
      text += attribute.name
      text += attribute.equals
      text.unicodeScalars.append(attribute.mark)
      text += attribute.rawValue
      text.unicodeScalars.append(attribute.mark)
    }
    text += endSpace
    guard !isSelfClosing else {
      text += "/>"
      return
    }
    text += ">"
    for child in children {
      switch child {
      case .text(let part): text += part
      case .element(let element): element.print(to: &text)
      }
    }
    text += "</\(name)\(closingSpace)>"
  }

  /// One level of Xcode's indentation.
  static let step = "    "

  /// Creates an element in Xcode's format.
  ///
  /// - Parameter indentation: The line break and white space before the element.
  init(_ element: ModelElement, indentation: String, step: String = Self.step) {
    self.init(name: element.name)
    attributes = element.attributes.map { attribute in
      Attribute(
        space: " ", name: attribute.name, rawValue: XMLAttributeText.escaped(attribute.value))
    }
    // Xcode always writes an end tag for the root.
    isSelfClosing = element.children.isEmpty && element.name != "model"
    guard !isSelfClosing else { return }
    let inner = indentation + step
    for child in element.children {
      children.append(.text(inner))
      children.append(.element(SourceElement(child, indentation: inner, step: step)))
    }
    children.append(.text(indentation))
  }
}
