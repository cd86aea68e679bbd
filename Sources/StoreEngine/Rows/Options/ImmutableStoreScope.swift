/// The scope of a task in which reads of stores that are not open behave as if ``immutableStoreOption`` were set.
package enum ImmutableStoreScope {
  @TaskLocal package static var isOn = false
}
