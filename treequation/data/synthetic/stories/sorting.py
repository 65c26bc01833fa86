# ruff: noqa: E501 (a wording reads best in one line)
"""Things of two kinds and of a third: the question asks for one kind, and the rest does not count."""

from __future__ import annotations

from treequation.data.synthetic.stories.story import (
    Ask,
    Story,
    count,
)

#: Two things of a kind and one of another: the kind is asked for.
_KINDS = (
    ("oranges", "pears", "knives", "pieces of fruit", "橙子", "梨", "小刀", "水果", "个", "个", "把"),
    ("hens", "ducks", "buckets", "birds", "母鸡", "鸭子", "水桶", "家禽", "只", "只", "个"),
    ("cars", "vans", "bicycles", "vehicles with an engine", "小汽车", "货车", "自行车", "机动车", "辆", "辆", "辆"),
    ("roses", "lilies", "vases", "flowers", "玫瑰", "百合", "花瓶", "花", "朵", "朵", "个"),
    ("novels", "comics", "lamps", "books", "小说", "漫画书", "台灯", "书", "本", "本", "盏"),
    ("chairs", "stools", "cushions", "seats", "椅子", "凳子", "靠垫", "座位", "把", "张", "个"),
    ("boys", "girls", "dogs", "children", "男孩", "女孩", "狗", "孩子", "个", "个", "只"),
    ("cows", "sheep", "tractors", "animals", "牛", "羊", "拖拉机", "动物", "头", "只", "台"),
)
STORIES = tuple(
    Story(
        {"a": count(2, 40), "b": count(2, 40), "c": count(2, 20)},
        f"there are {{a}} {x} and {{b}} {y} [here|outside|in the picture] and {{c}} {other} [beside them|nearby]|{{who}} counts {{a}} {x}, {{b}} {y} and {{c}} {other}",
        f"这里有{{a}}{ux}{zx}和{{b}}{uy}{zy} / 旁边有{{c}}{uo}{zo}",
        (
            Ask(f"how many {kind} are there?|how many {kind} is that?", f"一共有多少{zkind}？", lambda a, b: a + b),
            Ask(f"how many more {x} than {y} are there?", f"{zx}比{zy}多多少？", lambda a, b: a - b),
            Ask(f"how many more {x} than {other} are there?", f"{zx}比{zo}多多少？", lambda a, c: a - c),
        ),
        aside=False,
    )
    for x, y, other, kind, zx, zy, zo, zkind, ux, uy, uo in _KINDS
)
