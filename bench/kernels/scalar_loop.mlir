entry @scalars(%n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %r = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%s0 = %zero) -> (tile<i32>) {
      %s1 = addi %s0, %i : tile<i32>
      %s2 = addi %s1, %i : tile<i32>
      %s3 = addi %s2, %i : tile<i32>
      %s4 = addi %s3, %i : tile<i32>
      %s5 = addi %s4, %i : tile<i32>
      %s6 = addi %s5, %i : tile<i32>
      %s7 = addi %s6, %i : tile<i32>
      %s8 = addi %s7, %i : tile<i32>
      %s9 = addi %s8, %i : tile<i32>
      %s10 = addi %s9, %i : tile<i32>
      continue %s10 : tile<i32>
    }
    return
}
