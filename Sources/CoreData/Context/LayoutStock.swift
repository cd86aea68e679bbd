import CSwiftRuntime

/// References to the layout of an entity, counted together, at hand for the objects of it that this thread
/// makes until they are put back: an initialiser, which may be the program's, is given the entity alone, and asking
/// that for its layout takes a tenth of making an object.
struct LayoutStock {
  /// The stock of the caller, whose object's initialiser led here.
  private let before: layout_stock

  init(_ layout: EntityLayout, count: Int) {
    before = exchange_layout_stock(Self.stock(layout, count))
  }

  /// Releases the references that are left.
  func putBack() { Self.release(exchange_layout_stock(before)) }

  /// Goes on with another layout.
  func change(to layout: EntityLayout, count: Int) {
    Self.release(exchange_layout_stock(Self.stock(layout, count)))
  }

  /// Removes a reference to the layout of an entity and returns it; nil where this thread has none at hand.
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
