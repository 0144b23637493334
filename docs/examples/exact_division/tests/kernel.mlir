// Divisions by a power of two, by another number, and by one of the program.
cuda_tile.module @kernels {
  entry @divide(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
    %i = iota : tile<128xi32>
    %from1 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
    %froms = broadcast %from1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %sources = offset %froms, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %to1 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
    %tos = broadcast %to1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %targets = offset %tos, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %x, %read = load_ptr_tko weak %sources : tile<128xptr<f32>> -> tile<128xf32>, token
    %eight = constant <f32: 8.0> : tile<128xf32>
    %a = divf %x, %eight : tile<128xf32>
    %three = constant <f32: 3.0> : tile<128xf32>
    %b = divf %a, %three : tile<128xf32>
    %c = divf %b, %x : tile<128xf32>
    %written = store_ptr_tko weak %targets, %c token = %read : tile<128xptr<f32>>, tile<128xf32> -> token
    return
  }
}
