import StoreInspection

/// An object as a page without scripts has it.
enum ObjectContent {
  static func html(_ object: ObjectSummary, members: [(name: String, rows: RelatedRows)]) -> HTML {
    let values = object.attributes.map { attribute -> [HTML] in
      ["\(attribute.name)", "<small>\(attribute.type)</small>", HTML(attribute.value)]
    }
    let single = object.relationships.filter { !$0.toMany }.map { relationship -> [HTML] in
      let other = relationship.object.map {
        "<a href=\"\(Address.object($0.entity, $0.id))\">\($0.label)</a>" as HTML
      }
      return [
        "\(relationship.name)", "<small>\(relationship.destination)</small>", other ?? "<i>nil</i>",
      ]
    }
    let many = members.map { name, rows -> HTML in
      let items = rows.rows.map {
        "<li><a href=\"\(Address.object($0.entity, $0.id))\">\($0.label)</a></li>\n" as HTML
      }
      return "<h2>\(name) (\(rows.total.text))</h2><ul>\(HTML.joined(items))</ul>\n"
    }
    return """
      <section class="page">
      <p><a href="\(Address.entity(object.entity))">\(object.entity)</a></p>
      <h1>\(object.label)</h1><p>\(object.entity) \(object.id)</p>
      \(HTML.table(["Property", "", "Value"], values + single))\(HTML.joined(many))</section>
      """
  }
}
