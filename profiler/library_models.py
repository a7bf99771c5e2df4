"""Factories of models that the library has measured profiles of, with random weights and inputs:

    python3 jigsaw_profile.py library_models.py:make_bert_large --gpu h100 --batch 16 --dtype bf16 --file bert_large.json

They need transformers and torchvision. Architectures are those that the library's estimates are made from.
"""

import json
from pathlib import Path

import torch
from torch.nn.functional import cross_entropy

CONFIGS = Path(__file__).parent.parent / "formulation" / "instance" / "profiles" / "estimate" / "configs"
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def transformer(name, auto, **changes):
    """A model of transformers with random weights; large ones are made on the GPU, where that takes seconds."""
    import transformers

    settings = json.loads((CONFIGS / f"{name}.json").read_text(encoding="utf-8")) | changes
    config = transformers.AutoConfig.for_model(settings.pop("model_type"), **settings)
    with torch.device(DEVICE):
        return getattr(transformers, auto).from_config(config, dtype=torch.bfloat16)


def tokens(batch, length, vocabulary):
    return torch.randint(0, vocabulary, (batch, length))


def language_model(name, batch, length, **changes):
    model = transformer(name, "AutoModelForCausalLM", **changes)
    ids = tokens(batch, length, model.config.vocab_size)
    return model, {"input_ids": ids, "labels": ids, "use_cache": False}, lambda out: out.loss


def make_gpt2_xl(batch):
    return language_model("gpt2_xl", batch, 1024)


def make_llama3_8b(batch):
    return language_model("llama3_8b", batch, 4096)


def make_mistral_7b(batch):
    """Without the window, which is as long as the samples here but for which transformers would leave the fused attention."""
    return language_model("mistral_7b", batch, 4096, sliding_window=None)


def make_qwen2_7b(batch):
    return language_model("qwen2_7b", batch, 4096)


def make_bert_large(batch):
    """Without a language model's head, as the library has it."""
    model = transformer("bert_large", "AutoModel")
    return model, {"input_ids": tokens(batch, 512, model.config.vocab_size)}, lambda out: out.pooler_output.float().square().mean()


def make_vit_l16(batch):
    model = transformer("vit_l16", "AutoModelForImageClassification")
    labels = torch.randint(0, model.config.num_labels, (batch,), device=DEVICE)
    return model, {"pixel_values": torch.randn(batch, 3, 224, 224)}, lambda out: cross_entropy(out.logits.float(), labels)


def image_net(name, batch):
    import torchvision

    model = getattr(torchvision.models, name)().to(DEVICE)
    labels = torch.randint(0, 1000, (batch,), device=DEVICE)
    return model, torch.randn(batch, 3, 224, 224), lambda out: cross_entropy(out.float(), labels)


def make_resnet50(batch):
    return image_net("resnet50", batch)


def make_resnet152(batch):
    return image_net("resnet152", batch)


def make_vgg16(batch):
    return image_net("vgg16", batch)
