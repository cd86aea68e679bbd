#include "CSwiftRuntime.h"

_Thread_local ending_objects thread_ending_objects;
