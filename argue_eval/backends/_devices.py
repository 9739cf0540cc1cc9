"""Where models run, and in which format of numbers."""

from __future__ import annotations

from typing import Any

from argue_eval.errors import MissingResourceError


def device_of(torch: Any, name: str) -> str:
    """Returns where a model runs.

    Raises:
        MissingResourceError: there is no such device.
    """
    has_cuda = bool(torch.cuda.is_available())
    if name == "cuda" and not has_cuda:
        raise MissingResourceError(
            "--device cuda: PyTorch finds no GPU; use --device cpu, or install PyTorch for CUDA"
        )
    return "cuda" if has_cuda and name != "cpu" else "cpu"


def best_dtype(torch: Any, device: str) -> str:
    """Returns the 16-bit format where the device computes with it faster, else 32 bits."""
    if device == "cuda":
        return "bf16" if torch.cuda.is_bf16_supported(including_emulation=False) else "fp32"
    checks = ("_is_amx_tile_supported", "_is_avx512_bf16_supported")
    has_bf16 = any(getattr(torch.cpu, check, lambda: False)() for check in checks)
    return "bf16" if has_bf16 else "fp32"
