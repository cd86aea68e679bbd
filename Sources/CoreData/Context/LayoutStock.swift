import CSwiftRuntime

/// References to an entity's layout for the objects that this thread is about to create, all
/// retained in one step. An object's initializer, which the program may override, receives only the
/// entity, and looking up the layout by entity would be a tenth of the cost of creating an object.
struct LayoutStock {
  /// The stock that this one replaces until ``restorePrevious()``. The thread may be in the middle of
  /// another batch, because creating an object can run the program's code.
  private let before: layout_stock

  init(_ layout: EntityLayout, count: Int) {
    before = exchange_layout_stock(Self.stock(layout, count))
  }

  /// Releases the unused references and makes the previous stock current again.
  func restorePrevious() { Self.release(exchange_layout_stock(before)) }

  /// Replaces the stock with one for another layout.
  func change(to layout: EntityLayout, count: Int) {
    Self.release(exchange_layout_stock(Self.stock(layout, count)))
  }

  /// Removes one reference to an entity's layout from this thread's stock and returns it, or nil.
  @inline(__always)
  static func popLayout(of entity: NSEntityDescription) -> EntityLayout? {
    take_layout(Unmanaged.passUnretained(entity).toOpaque()).map {
      Unmanaged<EntityLayout>.fromOpaque($0).takeRetainedValue()
    }
  }

  private static func stock(_ layout: EntityLayout, _ count: Int) -> layout_stock {
    let pointer = Unmanaged.passUnretained(layout).toOpaque()
    if count > 0 { retain_times(pointer, UInt32(count)) }
    return layout_stock(
      entity: Unmanaged.passUnretained(layout.entity).toOpaque(), layout: pointer,
      left: UInt32(max(0, count)))
  }

  private static func release(_ stock: layout_stock) {
    if stock.left > 0 { release_times(stock.layout, stock.left) }
  }
}
