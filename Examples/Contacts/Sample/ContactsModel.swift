public import CoreData
import Foundation

/// The sample's model, as Xcode's model editor would write it.
///
/// The one source is `Contacts.xcdatamodeld` beside this file; the build puts its text into the
/// program, so that `coredata sample` needs no file at run time.
public enum ContactsModel {
  /// The XML of the model's current version.
  public static var contents: Data { Data(PackageResources.contents) }

  /// The model, read anew at each call.
  ///
  /// - Throws: What reading a model throws; the text is part of the program and is tested.
  public static func load() throws -> NSManagedObjectModel {
    try NSManagedObjectModel(contents: contents)
  }
}
