import StoreEngine

/// The statements of a batch insertion.
struct BatchInsertText {
  private let layout: EntityLayout
  private let table: String
  private let columns: [String]
  private let tuple: String
  /// The slots of the columns.
  let slots: [Int]

  init(_ insertion: BatchInsertion, _ schema: StoreSchema) throws {
    layout = insertion.layout
    table = SQLText.name(try schema.table(layout))
    var slots: [Int] = []
    var columns: [String] = []
    for slot in insertion.slots {
      guard case .attribute(let column) = schema.mapping(insertion.layout, slot.index) else {
        continue
      }
      slots.append(slot.index)
      columns.append(SQLText.name(column))
    }
    self.slots = slots
    self.columns = columns
    let marks = Array(repeating: "?", count: columns.count + 1).joined(separator: ",")
    tuple = "(\(marks),\(try schema.number(layout)),1)"
  }

  /// Returns the slots that are written into an existing row: those that the new row sets, and the attributes that are
  /// derived from the time or from a text that the new row sets.
  func assignments(presentSlots: [Int]) -> [Int] {
    let derived = layout.derivations.ofRow.filter { derivation in
      switch derivation.source {
      case .time: true
      case .text(let source, _): presentSlots.contains(source)
      }
    }
    // An attribute that the new row does not set keeps its value in the existing row.
    return slots.filter { slot in
      presentSlots.contains(slot) || derived.contains { $0.slot == slot }
    }
  }

  func statement(rows: Int, clash: BatchInsertion.Clash, assigned: [Int]) -> String {
    let names = (["Z_PK"] + columns + ["Z_ENT", "Z_OPT"]).joined(separator: ",")
    var sql = "INSERT INTO \(table) (\(names)) VALUES "
    sql += Array(repeating: tuple, count: rows).joined(separator: ",")
    switch clash {
    case .fails: return sql
    case .isLeftOut: sql += " ON CONFLICT DO NOTHING"
    case .updates:
      let assignments = zip(slots, columns).filter { assigned.contains($0.0) }
        .map { ", \($0.1) = excluded.\($0.1)" }
      // A constraint applies to all entities of the table. The caller notices if a row of another
      // entity prevents the insertion, because no row is returned for it.
      sql +=
        " ON CONFLICT DO UPDATE SET Z_OPT = IFNULL(\(table).Z_OPT, 0) + 1"
        + assignments.joined() + " WHERE \(table).Z_ENT = excluded.Z_ENT"
    }
    return sql + " RETURNING Z_PK, Z_OPT"
  }
}
