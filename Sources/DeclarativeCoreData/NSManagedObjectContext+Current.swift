public import CoreData

extension NSManagedObjectContext {
  /// The context that `FetchRequest` and `SectionedFetchRequest` use if none is passed to them, in a task and the
  /// functions that it calls.
  ///
  /// <!-- example: prelude struct PlayerList {} -->
  /// ```swift
  /// let list = NSManagedObjectContext.$current.withValue(container.viewContext) { PlayerList() }
  /// ```
  ///
  /// Compared to Apple's Core Data: new; SwiftUI provides the context in the environment of views.
  @TaskLocal public static var current: NSManagedObjectContext?
}
