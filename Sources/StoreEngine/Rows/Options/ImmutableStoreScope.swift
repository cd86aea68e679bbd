/// The code in which stores that are not open are read as with ``immutableStoreOption``, too.
package enum ImmutableStoreScope {
  @TaskLocal package static var isOn = false
}
