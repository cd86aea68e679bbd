import CSQLite
import StoreEngine

/// Decodes the rows of one entity's family from a statement into row batches.
///
/// Created once for each store and entity, with and without values.
final class RowDecoder: @unchecked Sendable {
  let shape: RowShape
  /// The selected columns: `Z_PK`, `Z_OPT` if values are requested, `Z_ENT` if the rows may have several entities;
  /// then the columns of values.
  private let names: [String]
  private let versionPlace: Int?
  private let entityPlace: Int?
  private let firstPlace: Int
  private let table: String
  /// The entities of the rows.
  private let family: FamilyNumbers
  /// For each column that contains the entity of a relationship's destination, the entities it may contain; nil for
  /// other columns.
  private let destinations: [FamilyNumbers?]
  private let runs: [Run]
  /// The owner of the files that rows refer to; nil if they cannot refer to any.
  let files: ExternalUse?

  /// How a cell is read.
  private enum Kind: UInt8 {
    case integer, reference, double, text, bytes, decimal, external, entity
  }

  /// Consecutive columns that are read in the same way. Most rows have only a few such runs.
  private struct Run {
    let kind: Kind
    let columns: Range<Int>

    static func all(_ kinds: [Kind]) -> [Run] {
      var runs: [Run] = []
      for column in kinds.indices {
        if let last = runs.last, last.kind == kinds[column] {
          runs[runs.count - 1] = Run(kind: last.kind, columns: last.columns.lowerBound..<column + 1)
        } else {
          runs.append(Run(kind: kinds[column], columns: column..<column + 1))
        }
      }
      return runs
    }
  }

  init(
    layout: EntityLayout, schema: StoreSchema, external: ExternalStorage, files: ExternalUse?,
    withValues: Bool
  ) {
    let hasFiles = withValues && layout.family.contains { !$0.externalSlots.isEmpty }
    self.files = hasFiles ? files : nil
    table = schema.tables[layout.index] ?? ""
    family = FamilyNumbers(layout, schema)
    var own = ["Z_PK"]
    versionPlace = withValues ? own.count : nil
    if withValues { own.append("Z_OPT") }
    entityPlace = layout.family.count > 1 ? own.count : nil
    if entityPlace != nil { own.append("Z_ENT") }
    firstPlace = own.count
    var names: [String] = []
    var columns: [RowShape.Column] = []
    var kinds: [Kind] = []
    var destinations: [Int: FamilyNumbers] = [:]
    var columnOfName: [String: Int] = [:]
    var numbers: [Int: [Int16]] = [:]
    func add(_ name: String, _ column: RowShape.Column, _ kind: Kind) -> Int {
      // Entities share the columns of inherited properties.
      if let known = columnOfName[name] { return known }
      columnOfName[name] = names.count
      names.append(name)
      columns.append(column)
      kinds.append(kind)
      return names.count - 1
    }
    if withValues {
      for member in layout.family {
        numbers[member.index] = member.slots.map { slot in
          switch schema.mapping(member, slot.index) {
          case .attribute(let column):
            let (form, kind) = slot.mayBeExternal ? (.external, .external) : Self.form(slot.storage)
            return Int16(add(column, form, kind))
          case .toOne(let column, let entityColumn, _):
            guard let destination = slot.relationship?.destination else { return -1 }
            guard let entityColumn else {
              return Int16(add(column, .reference(entity: destination.index), .reference))
            }
            let known = columnOfName[column]
            let index = add(column, .polymorphicReference, .reference)
            // The entity column directly follows the key column, because readers of a polymorphic reference look for it
            // there.
            if known == nil {
              destinations[add(entityColumn, .entityIndex, .entity)] = FamilyNumbers(
                destination, schema)
            }
            return Int16(index)
          default: return -1
          }
        }
      }
    }
    self.names = own + names.map(SQLText.name)
    self.destinations = columns.indices.map { destinations[$0] }
    self.runs = Run.all(kinds)
    // Some queries return one additional value.
    rowForms = RowForm.forms(forValues: self.names.count + 1)
    let source = (try? schema.source(layout)) ?? SQLText.name("")
    let values = Self.values("t0", self.names)
    func query(_ form: RowForm) -> String {
      "SELECT \(form.selection(values)) FROM \(source) t0 WHERE t0.Z_PK "
    }
    (handedOverRows, columnRows) = (query(.handedOver), query(.columns))
    (handedOverRow, columnRow) = (handedOverRows + "= ?", columnRows + "= ?")
    shape = RowShape(
      model: schema.model, columns: columns, columnNumbers: numbers, external: external)
  }

  private static func form(_ storage: AttributeStorage?) -> (RowShape.Column, Kind) {
    switch storage {
    case .integer16, .integer32, .integer64, .boolean: (.integer, .integer)
    case .double, .float, .date: (.double, .double)
    case .decimal: (.text, .decimal)
    case .string, .uri: (.text, .text)
    default: (.bytes, .bytes)
    }
  }

  /// The number of values in a row.
  var resultCount: Int { names.count }
  /// The forms in which queries without an order can return rows, in the order in which they are tried.
  let rowForms: [RowForm]

  /// Returns the SQL for the values of a row, and for an optional additional value.
  func selection(_ alias: String, _ form: RowForm, and extra: String? = nil) -> String {
    form.selection(Self.values(alias, names) + (extra.map { ", \($0)" } ?? ""))
  }

  private static func values(_ alias: String, _ names: [String]) -> String {
    names.map { "\(alias).\($0)" }.joined(separator: ", ")
  }

  /// Returns the query for the row of one key.
  func rowQuery(_ form: RowForm) -> String { form == .columns ? columnRow : handedOverRow }
  /// Returns the beginning of a query for the rows of keys.
  func rowsQuery(_ form: RowForm) -> String { form == .columns ? columnRows : handedOverRows }
  // These texts are prepared here, because thousands of rows are read one by one.
  private let handedOverRow, columnRow, handedOverRows, columnRows: String

  /// Appends a row.
  ///
  /// - Throws: If there is not enough memory for a value, or the key is invalid.
  @inline(__always)
  func decode(_ cells: some RowCells, into batch: RowBatch) throws {
    let entity =
      if let entityPlace { family.index(cells.integer(entityPlace)) } else { family.declared }
    let key = cells.integer(0)
    guard key > 0 else { throw PrimaryKey.invalid(key, in: table) }
    batch.appendRow(
      key: key, version: versionPlace.map { Int32(truncatingIfNeeded: cells.integer($0)) } ?? 0,
      entity: entity)
    for run in runs { try decode(run, cells, into: batch) }
  }

  @inline(__always)
  private func decode(_ run: Run, _ cells: some RowCells, into batch: RowBatch) throws {
    let offset = firstPlace
    switch run.kind {
    case .integer: decodeNumbers(run, cells, into: batch) { cells.integer($0) }
    case .reference:
      for column in run.columns {
        let value = cells.integer(column &+ offset)
        batch.set(max(value, 0), column: column)
        // NULL, or a value that is not a valid key.
        if value < 1 { batch.setNull(column: column) }
      }
    case .double:
      decodeNumbers(run, cells, into: batch) { Int64(bitPattern: cells.double($0).bitPattern) }
    case .text:
      for column in run.columns {
        if let bytes = try cells.textIfPresent(column &+ offset) {
          batch.set(bytes: bytes, column: column)
        } else {
          batch.setNull(column: column)
        }
      }
    default:
      for column in run.columns {
        try decodeOther(run.kind, cells, column &+ offset, into: batch, column)
      }
    }
  }

  /// Decodes numbers, given as 64 bits.
  @inline(__always)
  private func decodeNumbers(
    _ run: Run, _ cells: some RowCells, into batch: RowBatch, _ bits: (Int) -> Int64
  ) {
    let offset = firstPlace
    for column in run.columns {
      let value = bits(column &+ offset)
      batch.set(value, column: column)
      // The check costs as much as the read. NULL reads as zero, so only zeros need the check.
      if value == 0, cells.isNull(column &+ offset) { batch.setNull(column: column) }
    }
  }

  private func decodeOther(
    _ kind: Kind, _ cells: some RowCells, _ source: Int, into batch: RowBatch, _ column: Int
  ) throws {
    let isNull = cells.isNull(source)
    switch kind {
    case .entity:
      // The entity of the key in the previous column. In a row that was written with an older model, it may be NULL,
      // which reads as 0, and no entity has this number.
      let entity = destinations[column]?.index(cells.integer(source)) ?? family.declared
      batch.set(Int64(entity), column: column)
    case _ where isNull: batch.setNull(column: column)
    case .bytes: batch.set(try cells.blob(source), column: column)
    case .external:
      let bytes = try cells.blob(source)
      batch.set(bytes: bytes, column: column)
      if let files, let name = ExternalStorage.fileName(in: bytes) {
        // Keeps the file as long as the batch exists, even if a later save removes the row.
        batch.resource { ExternalLease(files) }.add(name)
      }
    case .decimal: batch.set(Self.decimalText(cells, source).utf8, column: column)
    case .integer, .reference, .double, .text: break
    }
  }

  /// Returns the text of a decimal.
  private static func decimalText(_ cells: some RowCells, _ column: Int) -> String {
    // The column has numeric affinity, so the file contains a number. For a decimal of at most 15 digits, the shortest
    // text that converts back to this number is the decimal that was written. SQLite rounded longer decimals when they
    // were written, except in the rows of atomic stores, where such a decimal is a blob with the digits.
    switch cells.type(column) {
    case SQLITE_INTEGER: return String(cells.integer(column))
    case SQLITE_FLOAT: return "\(cells.double(column))"
    default: return cells.text(column)
    }
  }
}
