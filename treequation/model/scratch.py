"""A small encoder with random weights, and a tokenizer made from the training texts, so nothing is downloaded.

For tests, for first steps, and to measure what a pretrained encoder contributes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]


def scratch_encoder(
    texts: Iterable[str], *, layers: int = 2, width: int = 128, heads: int = 4, vocabulary: int = 8_000
) -> tuple[BertModel, Tokenizer]:
    """An untrained BERT of this size, and a WordPiece tokenizer for the words (or Chinese characters) of ``texts``."""
    normalizer, splitter = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    words = Counter(word for text in texts for word, _ in splitter.pre_tokenize_str(normalizer.normalize_str(text)))
    tokenizer = Tokenizer(models.WordPiece(vocab=_word_pieces(words, vocabulary), unk_token="[UNK]"))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = splitter
    tokenizer.add_special_tokens(SPECIAL)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    config = BertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=4 * width,
        pad_token_id=0,
    )
    return BertModel(config, add_pooling_layer=False), tokenizer


def _word_pieces(words: Counter[str], size: int) -> dict[str, int]:
    """Every character, at the start of a word and within one, then the most frequent words; at most ``size`` in all.

    Numbers are split into digits, so that unseen ones have no unknown tokens. We do not use the trainer of the
    tokenizers library: it numbers the pieces differently each time, so a run could not be resumed.
    """
    characters = sorted({character for word in words for character in word})
    whole = sorted((w for w in words if len(w) > 1 and not any(map(str.isdigit, w))), key=lambda w: (-words[w], w))
    pieces = [*SPECIAL, *characters, *(f"##{character}" for character in characters), *whole]
    return {piece: number for number, piece in enumerate(pieces[:size])}
