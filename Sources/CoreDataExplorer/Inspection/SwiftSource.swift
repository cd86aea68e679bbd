import CoreData
import StoreInspection

/// A table's request as Swift source.
struct SwiftSource: Encodable {
  let swift: String

  init(_ query: TableQuery) {
    var lines = [
      "let request = NSFetchRequest<NSManagedObject>(entityName: \(Self.literal(query.entity)))"
    ]
    if let condition = query.condition {
      // The condition contains its values, so the format has no arguments. The empty array shows this to readers;
      // `format:` alone would be parsed in the same way.
      lines.append(
        "request.predicate = NSPredicate(format: \(Self.literal(condition)), argumentArray: [])")
    }
    let sorts = query.effectiveSorts.map { sort in
      "  NSSortDescriptor(key: \(Self.literal(sort.key)), ascending: \(sort.ascending)"
        + (sort.isLocalized
          // `#selector` needs Objective-C.
          ? ", selector: Selector(\"localizedStandardCompare:\"))," : "),")
    }
    if !sorts.isEmpty {
      lines += ["request.sortDescriptors = ["] + sorts + ["]"]
    }
    if let section = query.section {
      lines += [
        "request.fetchBatchSize = 100",
        "let controller = NSFetchedResultsController(",
        "  fetchRequest: request, managedObjectContext: context,",
        "  sectionNameKeyPath: \(Self.literal(section)), cacheName: nil)",
        "try controller.performFetch()",
      ]
    } else {
      lines.append("let objects = try context.fetch(request)")
    }
    swift = lines.joined(separator: "\n") + "\n"
  }

  /// Returns a string as a Swift literal.
  static func literal(_ text: String) -> String {
    ConstantPrinter.quoted(text) { scalar in
      switch scalar {
      case "\0"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{61c}", "\u{200e}", "\u{200f}",
        "\u{202a}"..."\u{202e}", "\u{2066}"..."\u{2069}":
        "\\u{\(String(scalar.value, radix: 16))}"
      default: nil
      }
    }
  }
}
