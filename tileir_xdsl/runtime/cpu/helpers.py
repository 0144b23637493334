"""The functions that compiled kernels call, as LLVM IR, and the context of a launch.

A context is a list of 64-bit slots that all threads of a launch share.
"""

from enum import IntEnum


class Slot(IntEnum):
    """The slots of a context, which the sorted starts and ends of arrays follow."""

    STOP = 0
    FAULT = 1
    SITE = 2
    ADDRESS = 3
    ARRAYS = 4
    BLOCK = 5
    NEXT = 6
    """The first tile block that no thread has claimed yet."""


SLOTS = len(Slot)

HELPER_PREFIX = "tileir_"
"""The prefix of the names of all helpers."""

PRINT = "tileir_print"
"""The function that prints: its arguments are the number of a site, and pointers to the values."""

RUN = "tileir_run"
"""The function in which each thread claims and runs tile blocks of a launch, several at a time."""

HELPERS = f"""
define void @tileir_fault(ptr %context, i64 %code, i64 %site, i64 %address, i64 %block)
    noinline cold nounwind {{
  %fault = getelementptr i64, ptr %context, i64 {Slot.FAULT}
  %old = cmpxchg ptr %fault, i64 0, i64 %code acq_rel monotonic
  %first = extractvalue {{ i64, i1 }} %old, 1
  br i1 %first, label %tell, label %stop
tell:
  %at = getelementptr i64, ptr %context, i64 {Slot.SITE}
  store i64 %site, ptr %at
  %where = getelementptr i64, ptr %context, i64 {Slot.ADDRESS}
  store i64 %address, ptr %where
  %who = getelementptr i64, ptr %context, i64 {Slot.BLOCK}
  store i64 %block, ptr %who
  br label %stop
stop:
  store atomic i64 1, ptr %context monotonic, align 8
  ret void
}}

define ptr @tileir_array(ptr %context, i64 %address) noinline nounwind {{
  %counted = getelementptr i64, ptr %context, i64 {Slot.ARRAYS}
  %count = load i64, ptr %counted
  %pairs = getelementptr i64, ptr %context, i64 {SLOTS}
  br label %search
search:
  %low = phi i64 [ 0, %0 ], [ %low.next, %halve ]
  %high = phi i64 [ %count, %0 ], [ %high.next, %halve ]
  %more = icmp ult i64 %low, %high
  br i1 %more, label %halve, label %found
halve:
  %sum = add i64 %low, %high
  %middle = lshr i64 %sum, 1
  %index = shl i64 %middle, 1
  %pair = getelementptr i64, ptr %pairs, i64 %index
  %start = load i64, ptr %pair
  %after = icmp ule i64 %start, %address
  %beyond = add i64 %middle, 1
  %low.next = select i1 %after, i64 %beyond, i64 %low
  %high.next = select i1 %after, i64 %high, i64 %middle
  br label %search
found:
  %none = icmp eq i64 %low, 0
  br i1 %none, label %outside, label %candidate
candidate:
  %last = sub i64 %low, 1
  %place = shl i64 %last, 1
  %here = getelementptr i64, ptr %pairs, i64 %place
  %ends = getelementptr i64, ptr %here, i64 1
  %end = load i64, ptr %ends
  %inside = icmp ult i64 %address, %end
  br i1 %inside, label %yes, label %outside
yes:
  ret ptr %here
outside:
  ret ptr @tileir_nothing
}}

@tileir_nothing = internal constant [2 x i64] zeroinitializer, align 16

define i1 @tileir_inside(ptr %context, i64 %start, i64 %end) nounwind {{
  %empty = icmp uge i64 %start, %end
  br i1 %empty, label %yes, label %look
look:
  %pair = call ptr @tileir_array(ptr %context, i64 %start)
  %ends = getelementptr i64, ptr %pair, i64 1
  %limit = load i64, ptr %ends
  %fits = icmp ule i64 %end, %limit
  ret i1 %fits
yes:
  ret i1 true
}}

define void @{RUN}(ptr %kernel, ptr %args, ptr %grid, ptr %arena, ptr %context, i64 %count,
    i64 %task) nounwind {{
  %next = getelementptr i64, ptr %context, i64 {Slot.NEXT}
  br label %take
take:
  %first = atomicrmw add ptr %next, i64 %task monotonic
  %stopped = load atomic i64, ptr %context monotonic, align 8
  %goes.on = icmp eq i64 %stopped, 0
  %left = icmp slt i64 %first, %count
  %works = and i1 %goes.on, %left
  br i1 %works, label %work, label %end
work:
  %sum = add i64 %first, %task
  %is.last = icmp slt i64 %count, %sum
  %last = select i1 %is.last, i64 %count, i64 %sum
  call void %kernel(ptr %args, ptr %grid, ptr %arena, ptr %context, i64 %first, i64 %last)
  br label %take
end:
  ret void
}}

define bfloat @__truncsfbf2(float %x) nounwind {{
  %bits = bitcast float %x to i32
  %high = lshr i32 %bits, 16
  %odd = and i32 %high, 1
  %half = add i32 %odd, 32767
  %sum = add i32 %bits, %half
  %rounded = lshr i32 %sum, 16
  %quiet = or i32 %high, 64
  %nan = fcmp uno float %x, %x
  %word = select i1 %nan, i32 %quiet, i32 %rounded
  %short = trunc i32 %word to i16
  %result = bitcast i16 %short to bfloat
  ret bfloat %result
}}

define float @tileir_to_odd(double %x) nounwind {{
  %near = fptrunc double %x to float
  %back = fpext float %near to double
  %exact = fcmp ueq double %back, %x
  %far = call double @llvm.fabs.f64(double %back)
  %size = call double @llvm.fabs.f64(double %x)
  %beyond = fcmp ogt double %far, %size
  %bits = bitcast float %near to i32
  %less = sub i32 %bits, 1
  %towards = select i1 %beyond, i32 %less, i32 %bits
  %odd = or i32 %towards, 1
  %sticky = bitcast i32 %odd to float
  %result = select i1 %exact, float %near, float %sticky
  ret float %result
}}

define bfloat @__truncdfbf2(double %x) nounwind {{
  %odd = call float @tileir_to_odd(double %x)
  %result = call bfloat @__truncsfbf2(float %odd)
  ret bfloat %result
}}

define half @__truncdfhf2(double %x) nounwind {{
  %odd = call float @tileir_to_odd(double %x)
  %result = fptrunc float %odd to half
  ret half %result
}}

declare double @llvm.fabs.f64(double)
"""
"""Functions that are linked into every module.

The last functions are those of compiler-rt for processors without bf16 conversions. Conversions of
doubles first round to odd, which avoids double rounding.
"""
