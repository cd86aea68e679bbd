/// An object whose ID identifies its row in a request.
package protocol ObjectIDProviding: AnyObject {
  var ownID: NSManagedObjectID { get }
}
