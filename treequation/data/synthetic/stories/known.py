# ruff: noqa: E501 (a wording reads best in one line)
"""Groups whose size everybody knows, told or not: the legs of a spider, the days of a week."""

from __future__ import annotations

from treequation.data.synthetic.stories.story import Ask, Story, count, plain

# What everybody knows, told all the same: who (plural, article and singular, Chinese) has what, and how many.
_KNOWN = (
    ("spiders", "a", "spider", "蜘蛛", "只", "legs", "条腿", 8),
    ("insects", "an", "insect", "昆虫", "只", "legs", "条腿", 6),
    ("cars", "a", "car", "汽车", "辆", "wheels", "个轮子", 4),
    ("tricycles", "a", "tricycle", "三轮车", "辆", "wheels", "个轮子", 3),
    ("dogs", "a", "dog", "狗", "只", "legs", "条腿", 4),
    ("hands", "a", "hand", "手", "只", "fingers", "根手指", 5),
    ("dice", "a", "die", "骰子", "个", "faces", "个面", 6),
    ("guitars", "a", "guitar", "吉他", "把", "strings", "根弦", 6),
)
# Units of time: the larger (plural, article and singular, Chinese), the smaller, and how many of them make it.
TIME = (
    ("weeks", "a", "week", "个星期", "days", "天", 7),
    ("days", "a", "day", "天", "hours", "小时", 24),
    ("hours", "an", "hour", "小时", "minutes", "分钟", 60),
    ("minutes", "a", "minute", "分钟", "seconds", "秒", 60),
    ("years", "a", "year", "年", "months", "个月", 12),
)

_ANIMALS_AND_THINGS = tuple(
    Story(
        {"size": plain(size), "n": count(2, 30)},
        f"[{a}|every|each] {one} has {{size}} {parts}",
        f"[一|每]{unit}{zh}有{{size}}{zh_parts}",
        (
            Ask(
                f"how many {parts} do {{n}} {many} have [altogether|]?|how many {parts} are there on {{n}} {many}?",
                f"{{n}}{unit}{zh}[一共|]有多少{zh_parts}？",
                lambda size, n: size * n,
            ),
            Ask(
                f"how many {parts} do {{n}} {many} have if [each|every] {one} has {{size}}?|{{n}} {many}, {{size}} {parts} each: how many {parts}?",
                f"{{n}}{unit}{zh}，每{unit}{{size}}{zh_parts}，共几{zh_parts}？",
                lambda size, n: n * size,
                alone=True,
            ),
        ),
    )
    for many, a, one, zh, unit, parts, zh_parts, size in _KNOWN
)

_TOLD_UNITS = tuple(
    Story(
        {"size": plain(size), "n": count(2, 20)},
        f"[{a}|one] {one} has {{size}} {small}|there are {{size}} {small} in [{a}|one] {one}",
        f"一{'个' if zh == '小时' else ''}{zh}有{{size}}{zh_small}",
        (
            Ask(
                f"how many {small} [do {{n}} {many} have|are {{n}} {many}|make {{n}} {many}]?",
                f"{{n}}{zh}[是|有]多少{zh_small}？",
                lambda size, n: size * n,
            ),
            Ask(
                f"if [{a}|one] {one} has {{size}} {small}, how many {small} [is|are] {{n}} {many}?|how many {small} is {{n}} {many} when [{a}|one] {one} has {{size}} of them?",
                f"如果一{'个' if zh == '小时' else ''}{zh}是{{size}}{zh_small}，那么{{n}}{zh}是几{zh_small}？",
                lambda size, n: size * n,
                alone=True,
            ),
        ),
        aside=False,
    )
    for many, a, one, zh, small, zh_small, size in TIME
)

STORIES = (
    *_ANIMALS_AND_THINGS,
    *_TOLD_UNITS,
    Story(
        {"n": count(2, 12)},
        "",
        "",
        (
            Ask(
                "how many days [are|is|make] {n} weeks?|{n} weeks is how many days?",
                "{n}个星期[等于|合|是][多少|几]天？",
                lambda n: n * 7,
            ),
            Ask(
                "how many hours [are|is] {n} days?|convert {n} days to hours.",
                "{n}天[等于|合|是]多少小时？",
                lambda n: n * 24,
            ),
            Ask(
                "how many minutes [are|is|make] {n} hours?|convert {n} hours to minutes.",
                "{n}小时[等于|合|是]多少分[钟|]？",
                lambda n: n * 60,
            ),
            Ask(
                "how many seconds [are|is|make] {n} minutes?|{n} minutes is how many seconds?",
                "{n}分钟[等于|合|是]多少秒？",
                lambda n: n * 60,
            ),
            Ask(
                "how many months [are|is|make] {n} years?|{n} years in months?",
                "{n}年[等于|合|是][多少|几]个月？",
                lambda n: n * 12,
            ),
        ),
    ),
)
