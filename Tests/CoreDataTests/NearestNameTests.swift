import Testing

import CoreData

struct NearestNameTests {
  @Test(arguments: [
    ("persn", "Person"), ("PERSON", "Person"), ("Custmoer", "Customer"), ("Jobs", "Job"),
    ("displayorder", nil), ("xyz", nil), ("", nil),
  ])
  func `The nearest name is returned, or nil if none is close`(typed: String, expected: String?) {
    #expect(
      NearestName.nearest(to: typed, among: ["Customer", "Job", "Person", "Team"]) == expected)
  }

  @Test(arguments: [
    ("", "", 0), ("abc", "", 3), ("", "abc", 3), ("kitten", "sitting", 3), ("ab", "ba", 1),
    ("name", "nmae", 1), ("abcdef", "abcdef", 0),
  ])
  func `Each inserted, deleted or replaced letter and each swap of neighbors counts once`(
    a: String, b: String, expected: Int
  ) {
    #expect(NearestName.editDistance(Array(a), Array(b)) == expected)
  }
}
