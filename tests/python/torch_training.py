"""PyPI's PyTorch, whose kernels are there as machine code alone: a ResNet, a GPT and an LSTM train as the suite `torch` lets them train by
Debian's."""

import pathlib
import runpy

import torch

architectures = torch.cuda.get_arch_list()
assert architectures and all(name.startswith("sm_") for name in architectures), architectures
runpy.run_path(str(pathlib.Path(__file__).parents[1] / "torch/models.py"))
