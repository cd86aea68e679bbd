import CoreData
import Testing

@Suite struct ClassForCoderTests {
  private func name<T: NSObject>(of type: T.Type) -> String { "\(T.self.classForCoder())" }

  @Test("classForCoder can be called on types, including generic parameters")
  func classes() {
    #expect(name(of: NSManagedObject.self) == "NSManagedObject")
    #expect(NSArray.classForCoder() == NSArray.self)
  }
}
