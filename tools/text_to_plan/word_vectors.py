"""Make agents/plans/text/data/words.npz: what common English words mean, as short vectors.

The vectors are MiniLM's (all-MiniLM-L6-v2, Apache 2.0), cut down to their principal components.
It runs when a developer changes the list of words; what it makes is shipped. It needs torch,
tokenizers, safetensors, wordfreq and the folder of the model, whose bytes are checked:

    python tools/text_to_plan/word_vectors.py MODEL_FOLDER
"""

import hashlib
import sys
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from wordfreq import top_n_list

HASHES = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
WORDS = 20_000
SIZE = 64
HERE = Path(__file__).parent
OUT = HERE.parents[1] / "agents" / "plans" / "text" / "data" / "words.npz"


class MiniLM:
    """The encoder, as far as single sentences need it."""

    def __init__(self, folder: Path) -> None:
        for name, expected in HASHES.items():
            found = hashlib.sha256((folder / name).read_bytes()).hexdigest()
            if found != expected:
                raise SystemExit(f"{folder / name} is not all-MiniLM-L6-v2: sha256 {found}")
        self.weights = load_file(str(folder / "model.safetensors"))
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_padding()
        self.tokenizer.enable_truncation(32)

    def _linear(self, name: str, x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.linear(
            x, self.weights[name + ".weight"], self.weights[name + ".bias"]
        )

    def _norm(self, name: str, x: torch.Tensor) -> torch.Tensor:
        w = self.weights
        return torch.nn.functional.layer_norm(
            x, (384,), w[name + ".weight"], w[name + ".bias"], 1e-12
        )

    @torch.no_grad()
    def encode(self, texts: list[str]) -> np.ndarray:
        batch = self.tokenizer.encode_batch(texts)
        ids = torch.tensor([one.ids for one in batch])
        mask = torch.tensor([one.attention_mask for one in batch])
        w = self.weights
        x = w["embeddings.word_embeddings.weight"][ids]
        x = x + w["embeddings.position_embeddings.weight"][: ids.shape[1]]
        x = self._norm("embeddings.LayerNorm", x + w["embeddings.token_type_embeddings.weight"][0])
        bias = (1.0 - mask[:, None, None, :].float()) * -1e9
        for layer in range(6):
            at = f"encoder.layer.{layer}."
            parts = [
                self._linear(at + "attention.self." + name, x)
                .view(*x.shape[:2], 12, 32)
                .transpose(1, 2)
                for name in ("query", "key", "value")
            ]
            weight = torch.softmax(parts[0] @ parts[1].transpose(-1, -2) / 32**0.5 + bias, -1)
            mixed = (weight @ parts[2]).transpose(1, 2).reshape(x.shape)
            x = self._norm(
                at + "attention.output.LayerNorm",
                x + self._linear(at + "attention.output.dense", mixed),
            )
            inner = torch.nn.functional.gelu(self._linear(at + "intermediate.dense", x))
            x = self._norm(at + "output.LayerNorm", x + self._linear(at + "output.dense", inner))
        wide = mask[..., None].float()
        return torch.nn.functional.normalize((x * wide).sum(1) / wide.sum(1), dim=-1).numpy()


def main() -> None:
    model = MiniLM(Path(sys.argv[1]))
    common = [
        w for w in top_n_list("en", WORDS + 8000) if w.isascii() and w.isalpha() and len(w) > 1
    ][:WORDS]
    more = (HERE / "more_words.txt").read_text(encoding="utf-8").split("\n")
    words = list(dict.fromkeys([*common, *(word.strip() for word in more if word.strip())]))
    found = np.concatenate([model.encode(words[i : i + 256]) for i in range(0, len(words), 256)])
    mean = found.mean(0)
    centred = found - mean
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    short = centred @ axes[:SIZE].T
    short /= np.linalg.norm(short, axis=1, keepdims=True)
    OUT.parent.mkdir(exist_ok=True)
    np.savez_compressed(
        OUT, words=np.frombuffer("\n".join(words).encode(), np.uint8),
        vectors=np.round(short * 127 * 2).clip(-127, 127).astype(np.int8),
    )  # fmt: skip
    print(len(words), OUT.stat().st_size)


if __name__ == "__main__":
    main()
