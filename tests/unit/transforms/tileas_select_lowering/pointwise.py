"""A kernel on 1,024 elements of two arrays, one or two of each thread."""

COUNT = 1024


def pointwise(body: str, second: str = "f32") -> str:
    """The program of a body that computes %r, of f32, from %a, of f32, and %b, of another type."""
    return f"""
cuda_tile.module @m {{
  entry @k(%x: tile<ptr<f32>>, %y: tile<ptr<{second}>>, %out: tile<ptr<f32>>) {{
    %i = iota : tile<1024xi32>
    %xs = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %xb = broadcast %xs : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %xp = offset %xb, %i : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>
    %a, %t0 = load_ptr_tko weak %xp : tile<1024xptr<f32>> -> tile<1024xf32>, token
    %ys = reshape %y : tile<ptr<{second}>> -> tile<1xptr<{second}>>
    %yb = broadcast %ys : tile<1xptr<{second}>> -> tile<1024xptr<{second}>>
    %yp = offset %yb, %i : tile<1024xptr<{second}>>, tile<1024xi32> -> tile<1024xptr<{second}>>
    %b, %t1 = load_ptr_tko weak %yp : tile<1024xptr<{second}>> -> tile<1024x{second}>, token
    {body}
    %os = reshape %out : tile<ptr<f32>> -> tile<1xptr<f32>>
    %ob = broadcast %os : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %op = offset %ob, %i : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>
    %t2 = store_ptr_tko weak %op, %r : tile<1024xptr<f32>>, tile<1024xf32> -> token
  }}
}}
"""
