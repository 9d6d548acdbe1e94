"""PyTorch's own database of operators: samples of all that single precision has, forward and backward, on cuda:0 and on the
processor. `OPERATORS` is `i/n`: the part of them to check."""

import os
import signal

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_flatten, tree_map

# As large as the differences between an H100 and the processor are, which are ours bit by bit where they were looked at.
BOUND, GRADIENT_BOUND = 1e-3, 1e-2
SAMPLES, LIMIT = 24, 300

# The prefixes of operators whose results are by chance or undefined.
BY_CHANCE = (
    "bernoulli", "cauchy", "dropout", "empty", "exponential", "geometric", "log_normal", "multinomial", "new_empty", "normal",
    "rand", "rrelu", "uniform", "alpha_dropout", "feature_alpha_dropout", "fractional_max_pool", "scaled_dot_product_attention",
    "multi_head_attention_forward", "svd_lowrank", "pca_lowrank",
)  # fmt: skip

# What differs between PyTorch's two backends, on NVIDIA's GPUs too.
EXCEPTIONS = {
    "_native_batch_norm_legit": "statistics that are not computed have another shape",
    "as_strided.partial_views": "reads beyond the tensor, in the memory behind it",
    "full_like": "samples name the device that the result is on",
    "jiterator_2inputs_2outputs": "for CUDA alone",
    "jiterator_4inputs_with_extra_args": "for CUDA alone",
    "jiterator_binary": "for CUDA alone",
    "jiterator_binary_return_by_ref": "for CUDA alone",
    "jiterator_unary": "for CUDA alone",
    "linalg.eigh": "eigenvectors have any sign",
    "linalg.lstsq": "CUDA has one algorithm of several",
    "linalg.lstsq.grad_oriented": "CUDA has one algorithm of several",
    "native_batch_norm": "statistics that are not computed have another shape",
    "new_full": "samples name the device that the result is on",
    "new_ones": "samples name the device that the result is on",
    "new_zeros": "samples name the device that the result is on",
    "ones_like": "samples name the device that the result is on",
    "sparse.mm.reduce": "for processors alone",
    "tensor_split": "takes places on the processor alone",
    "to": "gradients stay on the device where the tensor was",
    "zeros_like": "samples name the device that the result is on",
}


def upload(value):
    if isinstance(value, torch.device):
        return torch.device("cuda")
    if not isinstance(value, torch.Tensor):
        return value
    return value.detach().cuda().requires_grad_(value.requires_grad)


def tensors(tree):
    return [leaf for leaf in tree_flatten(tree)[0] if isinstance(leaf, torch.Tensor)]


def gradients(results, inputs, weights):
    results = [result for result in results if result.requires_grad]
    found = torch.autograd.grad(results, inputs, weights, allow_unused=True)
    return [torch.zeros(()) if gradient is None else gradient for gradient in found]


def same(found, wanted, bound, what):
    assert len(found) == len(wanted), what
    for mine, other in zip(found, wanted):
        if other.layout != torch.strided:
            mine, other = mine.to_dense(), other.to_dense()
        torch.testing.assert_close(
            mine.detach().cpu(), other.detach(), rtol=bound, atol=bound, equal_nan=True, msg=lambda text: f"{what}: {text}"
        )


def check(operator, sample, what):
    """Whether the processor computes the sample; what it refuses says nothing."""
    arguments = ((sample.input, *sample.args), sample.kwargs)
    own = tree_map(upload, arguments)
    try:
        wanted = tensors(operator(*arguments[0], **arguments[1]))
    except (RuntimeError, NotImplementedError):
        return False
    found = tensors(operator(*own[0], **own[1]))
    same(found, wanted, BOUND, what)
    inputs, own_inputs = ([x for x in tensors(tree) if x.requires_grad] for tree in (arguments, own))
    weights = [torch.randn(x.shape, dtype=x.dtype) for x in wanted if x.requires_grad]
    if operator.supports_autograd and inputs and weights:
        try:
            slopes = gradients(wanted, inputs, weights)
        except (RuntimeError, NotImplementedError):
            return True
        same(gradients(found, own_inputs, [x.cuda() for x in weights]), slopes, GRADIENT_BOUND, f"gradient of {what}")
    return True


part, parts = map(int, os.environ["OPERATORS"].split("/"))
cases, failures = 0, []
for operator in op_db[part::parts]:
    name = ".".join(filter(None, (operator.name, operator.variant_test_name)))
    if name in EXCEPTIONS or operator.name.split(".")[-1].startswith(BY_CHANCE):
        continue
    if torch.float32 not in operator.dtypes or torch.float32 not in operator.supported_dtypes("cuda"):
        continue
    torch.manual_seed(0)
    # What hangs ends here.
    signal.alarm(LIMIT)
    samples = operator.sample_inputs("cpu", torch.float32, requires_grad=operator.supports_autograd)
    try:
        for number, sample in zip(range(SAMPLES), samples):
            cases += check(operator, sample, f"{name}, sample {number}")
    except Exception as error:
        failures.append(f"{name}: {type(error).__name__}: {error}")
    signal.alarm(0)
print(f"{cases} samples")
assert cases > 4000 // parts, cases
assert not failures, "\n".join(failures)
