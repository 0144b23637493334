"""A script for a GPU, as people write it, with whatever of `torch.cuda` is usual."""

# pyright: basic, reportMissingImports=false, reportArgumentType=false

import threading

import cuda.tile as ct
import torch


@ct.kernel
def add(a, b, c, tile: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(c, (i,), ct.load(a, (i,), (tile,)) + ct.load(b, (i,), (tile,)))


def run(a, b, tile=128):
    if not (a.is_cuda and a.device.type == "cuda" and a.device == b.device):
        raise ValueError("expected tensors on one GPU")
    c = torch.empty_like(a, device=a.device)
    ct.launch(torch.cuda.current_stream(), (ct.cdiv(a.numel(), tile),), add, (a, b, c, tile))
    return c


assert torch.cuda.is_available() and torch.cuda.get_device_capability()[0] >= 8
torch.manual_seed(0)
device = torch.device("cuda")
a, b = torch.randn(1000, device=device), torch.rand(1000).cuda()
start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
with torch.cuda.stream(torch.cuda.Stream()):
    start.record()
    c = run(a, b)
    end.record()
torch.cuda.synchronize()
assert start.elapsed_time(end) > 0
torch.testing.assert_close(c, a + b)

on_host = c.cpu()
c += 1
assert not torch.equal(on_host, c)

with torch.device("cuda"):
    ones = torch.ones(128, requires_grad=True)
assert (run(ones, ones) == 2).all()
assert (run(ones.to(device, torch.float16), ones.half()) == 2).all()

layer = torch.nn.Linear(128, 128).to("cuda")
assert layer(run(ones, ones)).shape == (128,)

for dtype in (torch.float16, torch.bfloat16, torch.float32):
    x, y = torch.randn(64, 96, device="cuda").to(dtype), torch.randn(96, 32).to("cuda", dtype)
    exact = (x.double() @ y.double()).to(dtype)
    for found in (x @ y, torch.matmul(x, y), x.mm(y), torch.einsum("mk,kn->mn", [x, y])):
        torch.testing.assert_close(found, exact)
    torch.testing.assert_close(torch.matmul(x, y, out=torch.empty_like(exact)), exact)
    if dtype != torch.float32:
        # A sum in f32 loses the middle one.
        terms = torch.tensor([[2**15, 2**-12, -(2**15)]], dtype=dtype, device="cuda")
        assert (terms @ torch.ones_like(terms).T == 2**-12).all()

norm = torch.nn.LayerNorm(64, device="cuda", dtype=torch.bfloat16)
norm(torch.randn(4096, 64, device="cuda", dtype=torch.bfloat16)).sum().backward()
assert (norm.bias.grad == 4096).all()

x = torch.tensor([[1 + 2**-11, 1 + 3 * 2**-11, 1 + 2**-11 + 2**-20]]).cuda().requires_grad_()
torch.set_float32_matmul_precision("high")
product = x @ torch.eye(3, device="cuda")
product.sum().backward()
assert product.tolist() == [[1, 1 + 2 * 2**-10, 1 + 2**-10]] and x.grad.tolist() == [[1, 1, 1]]

results = []
threads = [threading.Thread(target=lambda: results.append(run(a, b))) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert all(torch.equal(result, a + b) for result in results)

found = ct.tune.exhaustive_search(
    [64, 128],
    torch.cuda.current_stream(),
    lambda tile: (ct.cdiv(1000, tile),),
    add,
    lambda tile: (a, b, c.clone(), tile),
    quiet=True,
)
print(found.best.config)
