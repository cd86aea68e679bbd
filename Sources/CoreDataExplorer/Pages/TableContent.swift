import StoreInspection

/// The page of a table for browsers without scripts: a filter, headings that sort, some rows, and links to others.
struct TableContent {
  /// How many rows a page shows.
  static let rowCount = 100

  let query: TableQuery
  let at: Int
  /// Hints about parts of the condition that probably do not mean what the user intends.
  var notes: [ConditionHint] = []

  func html(_ page: TablePage, total: CappedCount) -> HTML {
    let titles = page.columns.map { column -> HTML in
      guard column.sortable else { return "<th scope=\"col\">\(column.title)</th>" }
      let isUp = query.sorts.first.map { $0.key == column.key && $0.ascending } ?? false
      let sign = query.sorts.first?.key == column.key ? (isUp ? " ▲" : " ▼") : ""
      return """
        <th scope="col"><a href="\(address(sort: (isUp ? "-" : "") + column.key))">\
        \(column.title)</a>\(sign)</th>
        """
    }
    let rows = page.rows.map { row -> HTML in
      let cells = HTML.joined(row.cells.map { "<td>\(HTML($0))</td>" as HTML })
      return """
        <tr><th scope="row"><a href="\(Address.object(row.entity, row.id))">\(row.id)</a></th>\(cells)</tr>

        """
    }
    let end = page.offset + page.rows.count
    let isMore = total.count > end
    let places: HTML =
      page.rows.isEmpty
      ? "none" : "\(page.offset + 1)–\(end) of \(total.text)"
    let back: HTML = page.offset > 0 ? link("Previous", max(0, page.offset - Self.rowCount)) : ""
    let limit: HTML = page.limited.map { "<p role=\"note\">\($0.message)</p>" } ?? ""
    let next: HTML = isMore ? link("Next", end) : ""
    return """
      <section class="page"><h1>\(query.entity)</h1>
      \(form)\(hints)<p>\(places) \(back) \(next)</p>\(limit)
      <table class="plain"><thead><tr><th></th>\(HTML.joined(titles))</tr></thead><tbody>
      \(HTML.joined(rows))</tbody></table></section>
      """
  }

  func html(_ failure: WebFailure) -> HTML {
    let lines = HTML.joined(failure.error.suggestions.map { "<p>\($0)</p>" as HTML })
    return """
      <section class="page"><h1>\(query.entity)</h1>
      \(form)<p role="alert">\(failure.error.message)</p>\(lines)</section>
      """
  }

  private var form: HTML {
    let kept = [("sort", query.sortText), ("section", query.section), ("columns", columns)]
      .compactMap { name, value in
        value.map { "<input type=\"hidden\" name=\"\(name)\" value=\"\($0)\">" as HTML }
      }
    return """
      <form method="get" action="\(Address.entity(query.entity))">
      <label>Rows with <input name="where" size="60" value="\(query.condition ?? "")"></label>
      \(HTML.joined(kept))<button type="submit">Filter</button></form>

      """
  }

  private var hints: HTML {
    HTML.joined(notes.map { "<p role=\"note\">Hint: \($0.message)</p>" as HTML })
  }

  private var columns: String? {
    query.columns.isEmpty ? nil : query.columns.joined(separator: ",")
  }

  private func link(_ text: String, _ place: Int) -> HTML {
    "<a href=\"\(address(sort: query.sortText, at: place))\">\(text)</a>"
  }

  private func address(sort: String?, at: Int = 0) -> String {
    Address.with(
      Address.entity(query.entity),
      [
        ("where", query.condition), ("sort", sort), ("section", query.section),
        ("columns", columns), ("at", at > 0 ? "\(at)" : nil),
      ])
  }
}

extension TableQuery {
  /// The sort order for an address; nil for none.
  var sortText: String? {
    sorts.isEmpty
      ? nil
      : sorts.map { ($0.ascending ? "" : "-") + ($0.isLocalized ? "~" : "") + $0.key }
        .joined(separator: ",")
  }
}

extension CappedCount {
  /// The number as a page shows it: `1,234`, or `more than` the limit.
  var text: String {
    count > Self.limit ? "more than \(CountText.grouped(Self.limit))" : CountText.grouped(count)
  }
}
