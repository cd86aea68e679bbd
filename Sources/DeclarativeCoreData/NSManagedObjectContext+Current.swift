public import CoreData

extension NSManagedObjectContext {
  /// The context that `FetchRequest` and `SectionedFetchRequest` work in where none is named, for a task and
  /// what it calls.
  ///
  /// <!-- example: prelude struct PlayerList {} -->
  /// ```swift
  /// let list = NSManagedObjectContext.$current.withValue(container.viewContext) { PlayerList() }
  /// ```
  ///
  /// Compared to Apple's Core Data: new; there the environment of SwiftUI's views has it.
  @TaskLocal public static var current: NSManagedObjectContext?
}
