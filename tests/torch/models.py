"""A ResNet, a GPT and a recurrent network train on cuda:0 as on the processor: losses and gradients of ten steps, in double
precision to the last few digits; in single precision the first step's."""

import copy

import torch
import torch.nn.functional as F
from torch import nn

STEPS, WORDS, LENGTH, CLASSES = 10, 100, 32, 10


class Block(nn.Module):
    def __init__(self, before, after, stride=1):
        super().__init__()
        self.first = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.second = nn.Conv2d(after, after, 3, 1, 1, bias=False)
        self.norms = nn.ModuleList(nn.BatchNorm2d(after) for _ in range(2))
        straight = nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after)
        self.straight = nn.Sequential(*straight) if (before, 1) != (after, stride) else nn.Identity()

    def forward(self, x):
        y = F.relu(self.norms[0](self.first(x)))
        return F.relu(self.norms[1](self.second(y)) + self.straight(x))


def resnet():
    stem = nn.Conv2d(3, 16, 7, 2, 3, bias=False), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(3, 2, 1)
    widths = [16, 16, 16, 32, 32, 64, 64, 128, 128]
    blocks = [Block(a, b, 1 if a == b else 2) for a, b in zip(widths, widths[1:])]
    return nn.Sequential(*stem, *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, CLASSES))


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.projections, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        parts = self.projections(self.norms[0](x)).chunk(3, -1)
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in parts)
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).flatten(2))
        return x + self.narrow(F.gelu(self.wide(self.norms[1](x))))


class Gpt(nn.Module):
    def __init__(self, width=64, heads=4, layers=2):
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, width), nn.Embedding(LENGTH, width)
        self.layers = nn.Sequential(*(Layer(width, heads) for _ in range(layers)), nn.LayerNorm(width))
        self.back = nn.Linear(width, WORDS, bias=False)

    def forward(self, x):
        return self.back(self.layers(self.words(x) + self.places(torch.arange(x.shape[1], device=x.device)))).flatten(0, 1)


class Recurrent(nn.Module):
    """An LSTM that reads both ways, and a GRU of texts that end at different words."""

    def __init__(self, width=24):
        super().__init__()
        self.words, self.both = nn.Embedding(WORDS, width), nn.LSTM(width, width, 2, bidirectional=True)
        self.one, self.back = nn.GRU(2 * width, width), nn.Linear(width, WORDS)

    def forward(self, x):
        y, _ = self.both(self.words(x.T))
        packed = nn.utils.rnn.pack_padded_sequence(y, [LENGTH, LENGTH, 20, 7])
        y, _ = nn.utils.rnn.pad_packed_sequence(self.one(packed)[0])
        return self.back(y.transpose(0, 1)).flatten(0, 1)


def images(step):
    torch.manual_seed(step)
    return torch.randn(8, 3, 64, 64), torch.randint(0, CLASSES, (8,))


def texts(step):
    torch.manual_seed(step)
    text = torch.randint(0, WORDS, (4, LENGTH + 1))
    return text[:, :-1], text[:, 1:].flatten()


def check(make, data, steps, bound):
    torch.manual_seed(1)
    own = make()
    other = copy.deepcopy(own).cuda()
    optimizers = [torch.optim.AdamW(model.parameters(), lr=1e-3) for model in (own, other)]
    for step in range(steps):
        x, y = data(step)
        losses = [F.cross_entropy(own(x), y), F.cross_entropy(other(x.cuda()), y.cuda())]
        for optimizer, loss in zip(optimizers, losses):
            optimizer.zero_grad()
            loss.backward()
        torch.testing.assert_close(losses[1].cpu(), losses[0], rtol=bound, atol=0)
        for (name, wanted), found in zip(own.named_parameters(), other.parameters()):
            distance = (wanted.grad - found.grad.cpu()).norm() / wanted.grad.norm()
            assert distance < bound, (make, step, name, distance)
        for optimizer in optimizers:
            optimizer.step()
    return losses[1].item()


MODELS = [(resnet, images), (Gpt, texts), (Recurrent, texts)]
# Rounding grows with each step, chaotically where normalisations divide by small spreads: in single precision one step alone
# says something of all gradients.
for make, data in MODELS:
    check(make, data, 1, 1e-4)
torch.set_default_dtype(torch.float64)
for make, data in MODELS:
    print(make.__name__, check(make, data, STEPS, 1e-9))
