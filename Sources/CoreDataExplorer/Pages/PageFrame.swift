import StoreInspection

/// The HTML around the content of every page. Browsers without scripts show it; in other browsers, the scripts that it
/// loads replace the content.
struct PageFrame {
  let store: StoreSummary
  /// The address of the client's files.
  let client: String

  func page(_ title: String?, _ content: HTML) -> HTML {
    let heading = title.map { "\($0) – \(store.name)" } ?? store.name
    return """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(heading)</title>
      <link rel="icon" href="data:,">
      <link rel="stylesheet" href="\(client)/explorer.css">
      <script type="module" src="\(client)/main.js"></script></head>
      <body><main class="plain-page">\(navigation)\(content)</main></body></html>

      """
  }

  private var navigation: HTML {
    let entities = store.entities.map { entity in
      let count = entity.count.map { HTML(escaping: " \($0)") } ?? ""
      return "<li><a href=\"\(Address.entity(entity.name))\">\(entity.name)</a>\(count)</li>\n"
        as HTML
    }
    return """
      <nav aria-label="Store"><p><a href="/">\(store.name)</a></p>
      <ul>\(HTML.joined(entities))</ul>
      <ul><li><a href="/diagram">Model diagram</a></li><li><a href="/history">History</a></li>
      <li><a href="/requests">Requests</a></li><li><a href="/store">About this store</a></li></ul></nav>

      """
  }
}

extension HTML {
  /// A cell for a page without scripts: nil is `nil`, an empty string `""`, and truncated text ends in an ellipsis.
  ///
  /// - Parameter whole: The address of the whole value, for truncated text and for data; nil for none.
  init(_ cell: Cell, whole: String? = nil) {
    switch cell.value {
    case .null:
      self =
        cell.unreadSize.map { "\(CellValue.sizeText($0))" } ?? "<i>nil</i>"
    case .text(""), .other(""): self = "<i>\("\"\"")</i>"
    case .data, .unread:
      let size: HTML = "\(cell.value.formatted)"
      self = whole.map { "\(size) <a href=\"\($0)\" download>Download</a>" } ?? size
    case .object(let entity, let key):
      let name = ObjectReference.text(ofKey: key)
      self = "<a href=\"\(Address.object(entity, name))\">\(cell.label ?? "\(entity) \(name)")</a>"
    default:
      let text = cell.value.formatted
      let shown = text.shortened(to: whole == nil ? 300 : 4_000)
      if let whole, shown != text {
        self = "\(shown) <a href=\"\(whole)\" download>Download all</a>"
      } else {
        self = "\(shown)"
      }
    }
  }

  /// Returns a table with column headings.
  static func table(_ titles: [String], _ rows: some Sequence<[HTML]>) -> HTML {
    let head = joined(titles.map { "<th scope=\"col\">\($0)</th>" as HTML })
    let body = joined(
      rows.map { row in
        let cells = joined(row.map { "<td>\($0)</td>" as HTML })
        return "<tr>\(cells)</tr>\n" as HTML
      })
    return
      "<table class=\"plain\"><thead><tr>\(head)</tr></thead><tbody>\n\(body)</tbody></table>\n"
  }
}
