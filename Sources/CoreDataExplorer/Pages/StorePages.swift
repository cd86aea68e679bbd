import Foundation
import StoreInspection

/// The pages about the store as a whole.
enum StorePages {
  static func overview(_ store: StoreSummary) -> HTML {
    let rows = store.entities.map { entity -> [HTML] in
      let attributes = entity.properties.count { $0.kind == "attribute" }
      let kind: HTML = entity.abstract ? " <small>abstract</small>" : ""
      return [
        "<a href=\"\(Address.entity(entity.name))\">\(entity.name)</a>\(kind)",
        "\(entity.count.map { CountText.grouped($0) } ?? "–")", "\(attributes)",
        "\(entity.properties.count - attributes)",
      ]
    }
    let access = store.writable ? "read-write" : "read-only"
    return """
      <section class="page"><h1>\(store.name)</h1>
      <p>\(store.path) · \(CountText.bytes(store.size)) · \(access)</p>
      \(HTML.table(["Entity", "Rows", "Attributes", "Relationships"], rows))</section>
      """
  }

  static func failure(_ failure: WebFailure) -> HTML {
    let lines = HTML.joined(failure.error.suggestions.map { "<p>\($0)</p>" as HTML })
    return """
      <section class="page"><h1>Nothing to show</h1>
      <p role="alert">\(failure.error.message)</p>\(lines)</section>
      """
  }

  static func facts(_ store: StoreSummary) -> HTML {
    let facts =
      [
        StoreSummary.Fact(name: "Path", value: store.path),
        StoreSummary.Fact(name: "Size", value: CountText.bytes(store.size)),
        StoreSummary.Fact(name: "Checksum of the model", value: store.model.checksum),
        StoreSummary.Fact(name: "History", value: store.history ? "recorded" : "none"),
      ] + store.facts
    let lines = facts.map { "<dt>\($0.name)</dt><dd>\($0.value)</dd>\n" as HTML }
    return
      "<section class=\"page\"><h1>About this store</h1><dl>\(HTML.joined(lines))</dl></section>"
  }

  static func diagram(_ store: StoreSummary) -> HTML {
    """
    <section class="page"><h1>Model diagram</h1>
    <p><a href="/api/diagram.svg"><img src="/api/diagram.svg" alt="Entities and relationships of \(store.name)"></a></p></section>
    """
  }

  static func history(_ page: HistoryPage) -> HTML {
    let rows = page.transactions.map { transaction -> [HTML] in
      let changes = transaction.changes.map { change -> HTML in
        let keys: HTML = change.keys.isEmpty ? "" : ": \(change.keys.joined(separator: ", "))"
        return """
          <li>\(change.kind) <a href="\(Address.object(change.entity, change.id))">\
          \(change.entity) \(change.id)</a>\(keys)</li>
          """
      }
      let missing = transaction.total - transaction.changes.count
      let rest: HTML =
        missing > 0
        ? "<li>and \(CountText.counted(missing, "more change", plural: "more changes"))</li>" : ""
      return [
        "\("\(transaction.id)")", "\(transaction.date)", "\(transaction.author ?? "")",
        "\(transaction.total)", "<ul>\(HTML.joined(changes))\(rest)</ul>",
      ]
    }
    let older: HTML =
      page.more
      ? "<p><a href=\"/history?before=\("\(page.transactions.last?.id ?? 0)")\">Older</a></p>" : ""
    let table =
      rows.isEmpty
      ? "<p>No transactions: the store has no persistent history, or there are no older ones.</p>"
      : HTML.table(["Transaction", "Time", "Author", "Changes", ""], rows)
    return "<section class=\"page\"><h1>History</h1>\(table)\(older)</section>"
  }

  static func requests(_ entries: [RequestLog.Entry]) -> HTML {
    let rows = entries.reversed().map { entry -> [HTML] in
      [
        "\("\(entry.n)")", "\(String(format: "%.2f ms", entry.time))", "\(entry.rows)",
        "<code>\(entry.sql)</code>",
      ]
    }
    return """
      <section class="page"><h1>Requests</h1>
      \(HTML.table(["", "Time", "Rows", "SQL"], rows))</section>
      """
  }
}
