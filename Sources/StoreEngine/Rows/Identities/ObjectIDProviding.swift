/// An object whose ID identifies its row in a request.
package protocol ObjectIDProviding: AnyObject {
  var objectID: NSManagedObjectID { get }
}
