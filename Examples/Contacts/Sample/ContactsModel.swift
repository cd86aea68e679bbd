public import CoreData
import Foundation

/// The sample's model, as Xcode's model editor would write it.
///
/// The only source is `Contacts.xcdatamodeld` in the folder above this one; the build embeds its text in the program,
/// so that `coredata sample` needs no file at run time.
public enum ContactsModel {
  /// The XML of the model's current version.
  public static var contents: Data { Data(PackageResources.contents) }

  /// Loads the model; each call returns a new copy.
  ///
  /// - Throws: Errors of reading a model, although the text is part of the program and is tested.
  public static func load() throws -> NSManagedObjectModel {
    try NSManagedObjectModel(contents: contents)
  }
}
