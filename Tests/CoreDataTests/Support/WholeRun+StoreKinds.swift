import FixtureSupport

extension WholeRun {
  /// Returns whether a test tries a case on the current kind of store. By default, each case runs on every third kind,
  /// and each kind has every third case.
  static func includes(_ number: Int) -> Bool {
    let kind = TestedStore.everyKind.firstIndex(of: StoreScope.current.kind) ?? 0
    return isChosen || (number + kind).isMultiple(of: 3)
  }
}
