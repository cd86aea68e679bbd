import CoreData
import StoreInspection

/// The page of an object for browsers without scripts: its values, and some of the related objects.
struct ObjectContent {
  /// How many related objects the page shows in each part.
  private static let rowCount = 50

  let address: String
  /// The name of the requested part (``Part/name``). The other parts begin with their first object.
  let part: String?
  /// How many objects of that part precede the shown ones.
  let at: Int

  /// The objects that are related by one relationship.
  struct Part {
    /// The name in addresses: that of the object's own relationship, or `Entity.name` for a relationship of another
    /// entity.
    let name: String
    let title: HTML
    let start: Int
    /// Nil until requested, because finding them may need a scan of all rows.
    let rows: RelatedRows?
  }

  /// Reads the members of to-many relationships, and the objects that refer to the object by a relationship without an
  /// inverse.
  ///
  /// Call it on the context's queue.
  func parts(
    of object: NSManagedObject, _ summary: ObjectSummary, model: NSManagedObjectModel,
    in context: NSManagedObjectContext
  ) throws -> [Part] {
    let members = object.entity.relationshipsByName.values.filter(\.isToMany)
      .sorted { $0.name < $1.name }
    let own = try members.map { relationship in
      let start = part == relationship.name ? at : 0
      let rows = try RelatedRows(
        of: object, relationship, offset: start, limit: Self.rowCount, in: context)
      return Part(
        name: relationship.name, title: "\(relationship.name)", start: start, rows: rows)
    }
    let others = try summary.referencedBy.map { referrer in
      let name = "\(referrer.entity).\(referrer.name)"
      let start = part == name ? at : 0
      var rows: RelatedRows?
      if part == name, let entity = model.entitiesByName[referrer.entity],
        let relationship = entity.relationshipsByName[referrer.name]
      {
        rows = try RelatedRows(
          naming: object, relationship, of: entity, offset: start, limit: Self.rowCount, in: context
        )
      }
      return Part(name: name, title: "Referenced by \(name)", start: start, rows: rows)
    }
    return own + others
  }

  func html(_ object: ObjectSummary, _ parts: [Part]) -> HTML {
    // The values of a composite attribute are shown by element.
    let values = object.attributes.flatMap { $0.elements ?? [$0] }.map { attribute -> [HTML] in
      [
        "\(attribute.name)", "<small>\(attribute.type)</small>",
        HTML(
          attribute.value,
          whole: "/api/objects/\(Address.escaped(object.entity))/\(object.id)/data/"
            + Address.escaped(attribute.name)),
      ]
    }
    let single = object.relationships.filter { !$0.toMany }.map { relationship -> [HTML] in
      let other = relationship.object.map {
        "<a href=\"\(Address.object($0.entity, $0.id))\">\($0.label)</a>" as HTML
      }
      return [
        "\(relationship.name)", "<small>\(relationship.destination)</small>", other ?? "<i>nil</i>",
      ]
    }
    return """
      <section class="page">
      <p><a href="\(Address.entity(object.entity))">\(object.entity)</a></p>
      <h1>\(object.label)</h1><p>\(object.entity) \(object.id)</p>
      \(HTML.table(["Property", "", "Value"], values + single))\(HTML.joined(parts.map(html)))</section>
      """
  }

  private func html(_ part: Part) -> HTML {
    guard let rows = part.rows else {
      return "<h2>\(part.title)</h2><p>\(link("Show", part, 0))</p>\n"
    }
    let items = rows.rows.map {
      "<li><a href=\"\(Address.object($0.entity, $0.id))\">\($0.label)</a></li>\n" as HTML
    }
    let end = part.start + rows.rows.count
    // A capped count does not say where the end is.
    let isMore =
      rows.rows.count == Self.rowCount
      && (end < rows.total.count || rows.total.count > CappedCount.limit)
    let places: HTML = rows.rows.isEmpty ? "none" : "\(part.start + 1)–\(end)"
    let before: HTML =
      part.start > 0 ? link("Previous", part, max(0, part.start - Self.rowCount)) : ""
    let next: HTML = isMore ? link("Next", part, end) : ""
    return """
      <h2>\(part.title) (\(rows.total.text))</h2><p>\(places) \(before) \(next)</p>
      <ul>\(HTML.joined(items))</ul>

      """
  }

  private func link(_ text: String, _ part: Part, _ place: Int) -> HTML {
    let target = Address.with(address, [("part", part.name), ("at", place > 0 ? "\(place)" : nil)])
    return "<a href=\"\(target)\">\(text)</a>"
  }
}
