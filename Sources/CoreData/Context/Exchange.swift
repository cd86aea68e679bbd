/// Returns a variable's value and leaves another one, so that no copy stays.
@inline(__always)
func exchange<Value>(_ variable: inout Value, with other: consuming Value) -> Value {
  swap(&variable, &other)
  return other
}
