"""A small encoder with fresh weights and a tokenizer made from the training texts: no download at all.

For tests, for first steps, and to see what a pretrained encoder is worth.
"""

from __future__ import annotations

from collections.abc import Iterable

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import BertConfig, BertModel

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]


def scratch_encoder(
    texts: Iterable[str], *, layers: int = 2, width: int = 128, heads: int = 4, vocabulary: int = 8_000
) -> tuple[BertModel, Tokenizer]:
    """A BERT of this size, untrained, and a word-piece tokenizer of the words (or Chinese characters) of ``texts``."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.train_from_iterator(
        texts, trainers.WordPieceTrainer(vocab_size=vocabulary, special_tokens=SPECIAL, show_progress=False)
    )
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
