"""tinygrad trains a small network on the CUDA device; the losses must be those of its CPU backend, and the
trained network's answers those that NumPy computes from the same weights."""

import json
import os
import subprocess
import sys

STEPS = 20


def train():
    """Runs on the device that DEV names. Prints the losses; on CUDA checks more against NumPy."""
    import numpy as np
    from tinygrad import Context, Device, Tensor, TinyJit, nn

    class Network:
        def __init__(self):
            self.hidden = nn.Linear(5, 24)
            self.out = nn.Linear(24, 3)

        def __call__(self, x):
            return self.out(self.hidden(x).relu())

    random = np.random.RandomState(7)
    # Three clouds of points.
    labels = random.randint(0, 3, 90).astype(np.int32)
    points = (random.randn(90, 5) + labels[:, None] * np.array([2, -1, 0, 1, 0.5])).astype(np.float32)
    x, y = Tensor(points), Tensor(labels)

    # The initial weights come from tinygrad's own generator, on the device.
    Tensor.manual_seed(3)
    network = Network()
    optimizer = nn.optim.Adam(nn.state.get_parameters(network), lr=0.02)

    def step():
        optimizer.zero_grad()
        loss = network(x).sparse_categorical_crossentropy(y).backward()
        optimizer.step()
        return loss

    losses = []
    with Context(TRAINING=1):
        jitted = TinyJit(step)
        for _ in range(STEPS):
            losses.append(jitted().item())

    weights = [p.numpy() for p in (network.hidden.weight, network.hidden.bias, network.out.weight, network.out.bias)]
    hidden = np.maximum(points @ weights[0].T + weights[1], 0)
    np.testing.assert_allclose(network(x).numpy(), hidden @ weights[2].T + weights[3], rtol=1e-4, atol=1e-4)

    # Other kernels: products, reductions, functions, integers, half precision.
    a, b = random.randn(70, 50).astype(np.float32), random.randn(50, 40).astype(np.float32)
    np.testing.assert_allclose((Tensor(a) @ Tensor(b)).numpy(), a @ b, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(Tensor(a).softmax().numpy().sum(axis=1), np.ones(70), rtol=1e-5)
    np.testing.assert_allclose(Tensor(a).abs().sqrt().log().sin().numpy(), np.sin(np.log(np.sqrt(np.abs(a)))),
                               rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(Tensor(a).max(axis=0).numpy(), a.max(axis=0))
    np.testing.assert_array_equal(Tensor.arange(1000).sum().numpy(), np.arange(1000).sum())
    np.testing.assert_array_equal(Tensor(np.arange(-50, 50)).mul(7).mod(13).numpy(), np.arange(-50, 50) * 7 % 13)
    half = a.astype(np.float16)
    np.testing.assert_allclose((Tensor(half) + Tensor(half[::-1].copy())).numpy(), half + half[::-1])

    print(json.dumps({"device": Device.DEFAULT, "losses": losses}))


def losses_on(device):
    environment = dict(os.environ, DEV=device, CACHELEVEL="0", TRAIN="1")
    # tinygrad's CPU backend compiles with clang.
    environment.setdefault("CC", "/usr/lib/llvm-22/bin/clang")
    output = subprocess.run([sys.executable, __file__], env=environment, stdout=subprocess.PIPE, check=True, text=True)
    result = json.loads(output.stdout.splitlines()[-1])
    assert result["device"] == device.split(":")[0], result
    return result["losses"]


def main():
    cuda, cpu = losses_on("CUDA:PTX"), losses_on("CPU")
    print("CUDA:", *cuda)
    print("CPU: ", *cpu)
    assert len(cuda) == STEPS
    assert cpu[-1] < cpu[0] / 2, "the network does not learn"
    # Sums are rounded in another order; the differences grow a little from step to step.
    for step, (a, b) in enumerate(zip(cuda, cpu)):
        assert abs(a - b) <= 1e-4 * abs(b), f"step {step}: {a} for {b}"
    print("PASS tinygrad_train")


if __name__ == "__main__":
    train() if "TRAIN" in os.environ else main()
