#include "CSwiftRuntime.h"

_Thread_local layout_stock thread_layout_stock;
