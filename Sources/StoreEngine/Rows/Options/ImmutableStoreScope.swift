/// A scope in which stores that are not open are also read as with ``immutableStoreOption``.
package enum ImmutableStoreScope {
  @TaskLocal package static var isOn = false
}
