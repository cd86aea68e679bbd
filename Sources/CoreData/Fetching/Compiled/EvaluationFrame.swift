/// Where the conditions of a compiled predicate read an object: the row of the request, a member
/// of a relationship, or the destination of to-one steps.
///
/// An object that nobody changed is read from its batch's cells by address. The addresses are
/// looked up once a batch; a batch has up to 1,024 rows, and objects fetched together lie in one.
/// So nothing is boxed and no string is made.
///
/// Frames lie in one block of memory that lives for one call; see ``PredicateEvaluator``.
struct EvaluationFrame {
  /// The object; whoever loads it keeps it alive.
  private(set) var object: Unmanaged<NSManagedObject>?
  /// Whether every slot that is read here is in the cells, and nothing written lies over them.
  private(set) var isPlain = false
  /// Whether the cells of the object's row are bound; something written may lie over them.
  private(set) var hasCells = false
  private(set) var row = 0
  /// One for each slot that is read here.
  let columns: UnsafeMutablePointer<CellColumn>
  /// Lives as long as the predicate, and so longer than the frame.
  private unowned(unsafe) let frameSlots: FrameSlots
  /// The batch and entity that `columns` are bound to; the frame keeps the batch alive.
  private var batch: RowBatch?
  private var layout: UnsafeRawPointer?
  private var isBound = false

  init(_ frameSlots: FrameSlots, columns: UnsafeMutablePointer<CellColumn>) {
    self.frameSlots = frameSlots
    self.columns = columns
  }

  /// Makes an object the one that is read.
  ///
  /// No reference is counted: objects that are known weakly, as all objects of a context are, take
  /// long to count.
  ///
  /// - Throws: when its row must be read and cannot be.
  @inline(__always)
  mutating func load(_ object: Unmanaged<NSManagedObject>) throws {
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
    if object.flags.contains(.fault), !frameSlots.slots.isEmpty { try object.readRow() }
    guard !object.flags.contains(.inaccessible), case .row(let batch, let row) = object.snapshot
    else { return }
    if batch !== self.batch
      || UnsafeRawPointer(Unmanaged.passUnretained(object.layout).toOpaque()) != layout
    {
      bind(batch, object.layout)
    }
    self.row = Int(row)
    hasCells = isBound
    isPlain = isBound && object.contents.isEmpty
  }

  /// Looks up where the slots lie in a batch, for rows of an entity.
  private mutating func bind(_ batch: RowBatch, _ layout: EntityLayout) {
    self.batch = batch
    self.layout = UnsafeRawPointer(Unmanaged.passUnretained(layout).toOpaque())
    let slots = frameSlots.slots
    for index in slots.indices {
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

/// What is read of the objects of a frame: the same for every object.
final class FrameSlots {
  private(set) var slots: [Slot] = []

  struct Slot {
    let number: Int
    let form: Form

    /// Whether a column has the form in which the slot is read.
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

  /// The number of a slot among those that are read here.
  func column(of number: Int, _ form: Form) -> Int {
    if let known = slots.firstIndex(where: { $0.number == number && $0.form == form }) {
      return known
    }
    slots.append(Slot(number: number, form: form))
    return slots.count - 1
  }
}

/// The frames of an evaluation, by their numbers.
typealias EvaluationFrames = UnsafeMutablePointer<EvaluationFrame>
