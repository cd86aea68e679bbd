public import CoreData

extension NSManagedObjectContext {
  /// The context of `FetchRequest` and `SectionedFetchRequest` if none is passed to them, for a task and the functions
  /// that it calls.
  ///
  /// <!-- example: prelude struct PlayerList {} -->
  /// ```swift
  /// let list = NSManagedObjectContext.$current.withValue(container.viewContext) { PlayerList() }
  /// ```
  ///
  /// Compared to Apple's Core Data: new; SwiftUI provides the context in the environment of views.
  @TaskLocal public static var current: NSManagedObjectContext?
}
