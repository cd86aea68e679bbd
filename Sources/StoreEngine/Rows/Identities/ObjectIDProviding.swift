/// An object whose ID stands for its row in a request.
package protocol ObjectIDProviding: AnyObject {
  var objectID: NSManagedObjectID { get }
}
