import Foundation
import StoreEngine
import Testing

@Suite struct FileErrorTests {
  @Test(arguments: [
    ("write", EACCES, NSFileWriteNoPermissionError),
    ("remove", EPERM, NSFileWriteNoPermissionError),
    ("write", EROFS, NSFileWriteVolumeReadOnlyError), ("write", ENOSPC, NSFileWriteOutOfSpaceError),
    ("write", EIO, NSFileWriteUnknownError), ("read", EACCES, NSFileReadNoPermissionError),
    ("read", ENOENT, NSFileReadNoSuchFileError), ("read", EIO, NSFileReadUnknownError),
  ])
  func `The code of an error says why a file cannot be read or written`(
    action: String, reason: Int32, code: Int
  ) {
    let cause = String(cString: strerror(reason))
    errno = reason
    let error = FileErrors.failure(action, "/store")
    #expect(error.domain == NSCocoaErrorDomain && error.code == code)
    #expect(error.localizedDescription == "cannot \(action) /store: \(cause)")
    #expect(error.userInfo[NSFilePathErrorKey] as? String == "/store")
  }
}
