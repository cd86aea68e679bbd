import CSQLite
import Foundation

/// Reads the rows of one entity's family from a statement into row batches.
///
/// Made once an entity and store.
final class SQLiteRowReader: @unchecked Sendable {
  let shape: RowShape
  /// The result columns of a statement, after `Z_PK`, `Z_OPT` and `Z_ENT`.
  let columns: [String]
  private let forms: [Form]
  private let schema: StoreSchema
  private let fallback: EntityLayout
  /// The entities that rows of the table can have, by their numbers.
  private let family: [Int: EntityLayout]
  /// Who keeps the files that rows name; nil where rows name none.
  let files: ExternalUse?

  private enum Form {
    case integer, double, text, bytes, decimal, external
    case reference
    /// With the entity of the destination in the next result column.
    case polymorphic(fallback: EntityLayout)
    case entity
  }

  init(
    layout: EntityLayout, schema: StoreSchema, external: ExternalStorage, files: ExternalUse?,
    withValues: Bool
  ) {
    self.schema = schema
    let hasFiles = withValues && layout.family.contains { !$0.externalSlots.isEmpty }
    self.files = hasFiles ? files : nil
    self.fallback = layout
    var family: [Int: EntityLayout] = [:]
    for member in layout.family {
      if let number = schema.numbers[member.index] { family[number] = member }
    }
    self.family = family
    var names: [String] = []
    var kinds: [RowShape.Column] = []
    var forms: [Form] = []
    var columnOfName: [String: Int] = [:]
    var numbers: [Int: [Int16]] = [:]
    func add(_ name: String, _ kind: RowShape.Column, _ form: Form) -> Int {
      if let known = columnOfName[name] { return known }
      columnOfName[name] = names.count
      names.append(name)
      kinds.append(kind)
      forms.append(form)
      return names.count - 1
    }
    if withValues {
      for member in layout.family {
        numbers[member.index] = member.slots.map { slot in
          switch schema.mapping(member, slot.index) {
          case .attribute(let column):
            let (kind, form) =
              ExternalStorage.isMarked(slot) ? (.external, .external) : Self.form(slot.storage)
            return Int16(add(column, kind, form))
          case .toOne(let column, let entityColumn, _):
            guard let destination = slot.relationship?.destination else { return -1 }
            guard let entityColumn else {
              return Int16(add(column, .reference(entity: destination.index), .reference))
            }
            let known = columnOfName[column]
            let index = add(column, .polymorphicReference, .polymorphic(fallback: destination))
            if known == nil { _ = add(entityColumn, .entityIndex, .entity) }
            return Int16(index)
          default: return -1
          }
        }
      }
    }
    columns = names
    self.forms = forms
    shape = RowShape(
      model: schema.model, columns: kinds, columnNumbers: numbers, external: external)
  }

  private static func form(_ storage: AttributeStorage?) -> (RowShape.Column, Form) {
    switch storage {
    case .integer16, .integer32, .integer64, .boolean: (.integer, .integer)
    case .double, .float, .date: (.double, .double)
    case .decimal: (.text, .decimal)
    case .string, .uri: (.text, .text)
    default: (.bytes, .bytes)
    }
  }

  /// The result columns as SQL.
  func selection(_ alias: String) -> String {
    (["Z_PK", "Z_OPT", "Z_ENT"] + columns.map(SQLText.name)).map { "\(alias).\($0)" }
      .joined(separator: ", ")
  }

  /// Appends the statement's current row.
  func read(_ statement: SQLiteStatement, into batch: RowBatch) {
    let number = Int(truncatingIfNeeded: statement.integer(2))
    let layout = family[number] ?? fallback
    batch.appendRow(
      key: statement.integer(0), version: Int32(truncatingIfNeeded: statement.integer(1)),
      entity: layout.index)
    for (column, form) in forms.enumerated() {
      let source = column + 3
      if statement.isNull(source), case .entity = form {
      } else if statement.isNull(source) {
        batch.setNull(column: column)
        continue
      }
      switch form {
      case .integer, .reference: batch.set(statement.integer(source), column: column)
      case .double: batch.set(statement.double(source), column: column)
      case .text: batch.set(statement.textBytes(source), column: column)
      case .bytes: batch.set(statement.blobBytes(source), column: column)
      case .external:
        let bytes = statement.blobBytes(source)
        batch.set(bytes, column: column)
        if let files, let name = ExternalStorage.fileName(in: bytes) { batch.hold(name, files) }
      case .decimal: batch.set(Self.decimalText(statement, source).utf8, column: column)
      case .polymorphic: batch.set(statement.integer(source), column: column)
      case .entity:
        // Belongs to the column before; a row of an old model may lack it.
        var entity = schema.layout(number: Int(truncatingIfNeeded: statement.integer(source)))
        if entity == nil, case .polymorphic(let declared) = forms[column - 1] { entity = declared }
        batch.set(Int64(entity?.index ?? fallback.index), column: column)
      }
    }
  }

  /// A decimal's text. The column has numeric affinity, so the file holds a number: the shortest
  /// text that reads back as that number is what was meant.
  private static func decimalText(_ statement: SQLiteStatement, _ column: Int) -> String {
    switch statement.type(column) {
    case SQLITE_INTEGER: return String(statement.integer(column))
    case SQLITE_FLOAT: return "\(statement.double(column))"
    default: return statement.text(column)
    }
  }
}
