/// The memory from which the conditions of a compiled predicate read an object: the row of the request, a member of a
/// relationship, or the destination of to-one steps.
///
/// An unchanged object is read directly from the cells of its batch. The addresses of the cells are determined once
/// for each batch; a batch has up to 1,024 rows, and objects that are fetched together usually share batches. So
/// reading a cell boxes nothing and creates no string.
///
/// Frames are in one block of memory that exists during one call; see ``PredicateEvaluator``.
struct EvaluationFrame {
  /// The object, which the caller of `load` keeps alive.
  private(set) var object: Unmanaged<NSManagedObject>?
  /// Whether all slots of the frame are in cells, and no written values replace them.
  private(set) var isPlain = false
  /// Whether the cells of the object's row are bound. Written values may replace some of them.
  private(set) var hasCells = false
  private(set) var row = 0
  /// The column of each slot of the frame.
  let columns: UnsafeMutablePointer<CellColumn>
  /// The slots, which the predicate keeps alive for longer than the frame.
  private unowned(unsafe) let frameSlots: FrameSlots
  /// The batch and entity that `columns` are bound to. The frame keeps the batch alive.
  private var batch: RowBatch?
  private var layout: UnsafeRawPointer?
  private var isBound = false

  init(_ frameSlots: FrameSlots, columns: UnsafeMutablePointer<CellColumn>) {
    self.frameSlots = frameSlots
    self.columns = columns
  }

  /// Sets the object that the frame reads, without retaining it.
  ///
  /// - Throws: An error if the object's row must be read and the store fails.
  @inline(__always)
  mutating func load(_ object: Unmanaged<NSManagedObject>) throws {
    // Not retained, because that would take time for each object.
    self.object = object
    isPlain = object._withUnsafeGuaranteedRef { object -> Bool in
      guard object.contents.isEmpty, !object.flags.contains(.inaccessible),
        case .row(let batch, let row) = object.snapshot, batch === self.batch,
        UnsafeRawPointer(Unmanaged.passUnretained(object.layout).toOpaque()) == layout
      else { return false }
      self.row = Int(row)
      return isBound
    }
    hasCells = isPlain
    if !isPlain { try object._withUnsafeGuaranteedRef { try loadSlowly($0) } }
  }

  @inline(never)
  private mutating func loadSlowly(_ object: NSManagedObject) throws {
    // A frame without slots needs no row: its conditions use only the ID or the entity.
    if object.flags.contains(.fault), !frameSlots.slots.isEmpty { try object.readRow() }
    guard !object.flags.contains(.inaccessible), case .row(let batch, let row) = object.snapshot
    else { return }
    // A batch may contain rows of several entities, whose slots are in different columns.
    if batch !== self.batch
      || UnsafeRawPointer(Unmanaged.passUnretained(object.layout).toOpaque()) != layout
    {
      bind(batch, object.layout)
    }
    self.row = Int(row)
    hasCells = isBound
    isPlain = isBound && object.contents.isEmpty
  }

  /// Determines the columns of the slots in a batch, for rows of an entity.
  private mutating func bind(_ batch: RowBatch, _ layout: EntityLayout) {
    self.batch = batch
    self.layout = UnsafeRawPointer(Unmanaged.passUnretained(layout).toOpaque())
    let slots = frameSlots.slots
    for index in slots.indices {
      // A value in another form is read through the object, which converts it.
      guard let column = batch.shape.column(ofSlot: slots[index].number, in: layout),
        slots[index].fits(batch.shape.columns[column])
      else {
        isBound = false
        return
      }
      columns[index] = batch.cells(ofColumn: column)
    }
    isBound = true
  }
}

/// The slots that are read in a frame, which are the same for every object.
final class FrameSlots {
  private(set) var slots: [Slot] = []

  struct Slot {
    let number: Int
    let form: Form

    /// Returns whether a column has the form in which the slot is read.
    func fits(_ column: RowShape.Column) -> Bool {
      switch (form, column) {
      case (.integer, .integer), (.double, .double), (.bytes, .text), (.bytes, .bytes): true
      case (.reference, .reference), (.reference, .polymorphicReference): true
      case (.any, let column): column != .entityIndex
      default: false
      }
    }
  }

  enum Form { case integer, double, bytes, reference, any }

  /// Returns the index of a slot among the slots of the frame, adding it if necessary.
  func column(of number: Int, _ form: Form) -> Int {
    if let known = slots.firstIndex(where: { $0.number == number && $0.form == form }) {
      return known
    }
    slots.append(Slot(number: number, form: form))
    return slots.count - 1
  }
}

/// The frames of an evaluation, by number.
typealias EvaluationFrames = UnsafeMutablePointer<EvaluationFrame>
