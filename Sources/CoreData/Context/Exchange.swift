/// Replaces a variable's value and returns the old one. Swapping avoids a copy of the old value.
@inline(__always)
func exchange<Value>(_ variable: inout Value, with other: consuming Value) -> Value {
  swap(&variable, &other)
  return other
}
