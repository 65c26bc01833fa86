# ruff: noqa: E501 (a wording reads best in one line)
"""Shares of an amount: halves and thirds, percentages, averages."""

from __future__ import annotations

from treequation.data.synthetic.stories.story import Ask, Story, count, digits, percent, share

_GROUPS = (("pupils", "学生"), ("members", "队员"), ("guests", "客人"), ("workers", "工人"), ("voters", "选民"))

STORIES = (
    Story(
        {"f": share("1/2", "1/2", "1/3", "1/4", "2/3", "3/4", "1/5", "2/5"), "n": digits(4, 200)},
        "",
        "",
        (
            Ask(
                "what's {f} of {n}?|how much is {f} of {n}?|{f} of {n} is [what|how much]?|calculate {f} of {n}.|find {f} of {n}.",
                "{n}的{f}等于多少？|求{n}的{f}。|{n}的{f}是几？",
                lambda f, n: f * n,
            ),
        ),
    ),
    Story(
        {"n": count(4, 120), "f": share("1/2", "1/2", "1/3", "1/4", "2/3", "3/4", "1/5")},
        "{who} [had|has] {n} {thing.many} / {who} [gave {other} {f} of them|used {f} of them|put {f} of them away]",
        "{who}有{n}{thing.unit}{thing.zh} / [用去|送给{other}|收起]其中的{f}",
        (
            Ask(
                "how many {thing.many} is that?|how many {thing.many} were these?",
                "是多少{thing.unit}？",
                lambda n, f: n * f,
            ),
            Ask(
                "how many {thing.many} does {who} have [then|after that]?|how many {thing.many} are still there?",
                "还剩多少{thing.unit}？",
                lambda n, f: n - n * f,
            ),
        ),
        where=lambda n, f: (n * f).denominator == 1,
    ),
    Story(
        {"n": count(6, 200), "f": share("1/2", "1/3", "1/4", "2/3", "3/4", "1/5", "3/5")},
        "{f} of the {n} {group} [in the hall|on the list|] are [left-handed|new here|from abroad]",
        "{n}名{group}中有{f}是[左撇子|新来的|外地人]",
        (
            Ask("how many [is that|are they]?|how many people is that?", "是多少人？", lambda n, f: f * n),
            Ask("how many are not?|how many of the {group} are not?", "其余的有多少人？", lambda n, f: n - n * f),
        ),
        where=lambda n, f: (n * f).denominator == 1,
        cast={"group": _GROUPS},
        aside=False,
    ),
    Story(
        {"part": count(2, 60), "f": share("1/2", "1/3", "1/4", "1/5")},
        "{f} of {who}'s {thing.many} are {part}|{part} {thing.many} are {f} of what {who} has",
        "{who}的{thing.zh}的{f}是{part}{thing.unit}",
        (
            Ask(
                "how many {thing.many} does {who} have [in all|]?",
                "{who}一共有多少{thing.unit}？",
                lambda part, f: part / f,
            ),
        ),
    ),
    Story(
        {"p": percent(), "n": digits(20, 900, 4)},
        "",
        "",
        (
            Ask(
                "what's {p} of {n}?|how much is {p} of {n}?|calculate {p} of {n}.|{p} of {n} is [what|how much]?|{p} of {n} = ?|find {p} of the number {n}.",
                "{n}的{p}等于多少？|求{n}的{p}。|{n}的{p}是几？",
                lambda p, n: p * n,
            ),
        ),
    ),
    Story(
        {"a": digits(2, 120), "n": digits(4, 300, 2)},
        "",
        "",
        (
            Ask(
                "what percent of {n} is {a}?|what percentage of {n} is {a}?|{a} is what percent of {n}?|{a} out of {n} is what percent?|how many percent of {n} is {a}?|express {a} as a percentage of {n}.|{a} out of {n}: [what percent|how many percent] is that?|which percentage of {n} is {a}?",
                "",
                lambda a, n: a / n * 100,
            ),
            Ask(
                "",
                "{a}是{n}的百分之几？|{a}占{n}的百分之[多少|几]？|{a}除以{n}，用百分数表示是百分之几？",
                lambda a, n: a / n,
            ),
        ),
        where=lambda a, n: a < n and (a / n * 100).denominator == 1,
        parts=100,
    ),
    Story(
        {"a": count(2, 90), "n": count(10, 300)},
        "{a} of {n} {group} [are ill|came by bike|said yes|wear glasses]|out of {n} {group}, {a} [are ill|came by bike|said yes|wear glasses]",
        "{n}名{group}中有{a}名[戴眼镜|骑车来|同意]",
        (
            Ask(
                "what percent is that?|what percentage [is that|of the {group} is that]?|what is that in percent?",
                "",
                lambda a, n: a / n * 100,
            ),
            Ask("", "占百分之几？|占全体的百分之多少？", lambda a, n: a / n),
            Ask("how many others are there?|how many does that leave?", "其余的有多少名？", lambda a, n: n - a),
            Ask("what fraction of the {group} is that?", "占全体的几分之几？", lambda a, n: a / n),
        ),
        where=lambda a, n: a < n and (a / n * 100).denominator == 1,
        parts=100,
        cast={"group": _GROUPS},
        aside=False,
    ),
    Story(
        {"n": digits(20, 900, 10), "p": percent(5, 90)},
        "[a school has {n} pupils|a club has {n} members|{n} people live in a village|{n} people work for a firm] / {p} of them [play chess|can swim|like tea|ride a bike]",
        "[学校|公司|村里]有{n}人 / 其中{p}[会游泳|喜欢喝茶|会下棋]",
        (
            Ask(
                "how many [is that|are they]?|how many people is that?",
                "这样的人有多少？|是多少人？",
                lambda n, p: n * p,
            ),
            Ask(
                "how many do not?|how many people are left when you leave them out?",
                "其他的有多少人？",
                lambda n, p: n - n * p,
            ),
        ),
        where=lambda n, p: (n * p).denominator == 1,
        aside=False,
    ),
    Story(
        {"n": digits(20, 600, 10), "p": percent(10, 60, 10)},
        "[a factory had {n} workers|a town had {n} shops|a farm had {n} sheep|a park had {n} trees] / the number [fell|went down|shrank] by {p}",
        "某厂去年有{n}[名员工|台机器] / 今年减少了{p}",
        (
            Ask("what is it now?|what is the number now?", "今年有多少？", lambda n, p: n * (1 - p)),
            Ask("by how many did it [fall|go down]?", "减少了多少？", lambda n, p: n * p),
        ),
        aside=False,
    ),
    Story(
        {"n": digits(20, 600, 10), "p": percent(10, 60, 10)},
        "[last year|in May] [a club|a school|a channel] had {n} [members|followers] / [since then|this year] that number has [grown|gone up|increased] by {p}",
        "[协会|学校|频道]去年有{n}人 / 今年增加了{p}",
        (
            Ask("how many are [there|they] now?|what is the number now?", "今年有多少人？", lambda n, p: n * (1 + p)),
            Ask("how many [were added|came]?|how many more is that?", "增加了多少人？", lambda n, p: n * p),
        ),
        aside=False,
    ),
    Story(
        {"a": digits(2, 60), "b": digits(2, 60)},
        "",
        "",
        (
            Ask(
                "what is the [average|mean] of {a} and {b}?|find the [average|mean] of {a} and {b}.|[average|mean] of {a} and {b}?|what number is halfway between {a} and {b}?",
                "{a}和{b}的平均数[等于|是]几？|求{a}和{b}的平均数。|{a}和{b}平均是多少？",
                lambda a, b: (a + b) / 2,
            ),
        ),
    ),
    Story(
        {"a": digits(2, 60), "b": digits(2, 60), "c": digits(2, 60)},
        "",
        "",
        (
            Ask(
                "what is the [average|mean] of {a}, {b} and {c}?|find the [average|mean] of {a}, {b}, and {c}.|[average|mean] of {a}, {b}, {c}?|the mean of {a}, {b} and {c} is [which number|how much]?",
                "{a}、{b}、{c}的平均数[等于|是]几？|求{a}、{b}、{c}这几个数的平均数。|{a}、{b}和{c}平均是多少？",
                lambda a, b, c: (a + b + c) / 3,
            ),
            Ask(
                "{who} scored {a}, {b} and {c} points. What is {who.his} average?|on the last days {who} [ran|walked] {a}, {b} and {c} km. How many km is that on average?",
                "{who}几次测验得了{a}分、{b}分和{c}分，平均得多少分？|{who}这几天分别走了{a}、{b}和{c}千米，平均每天走多少千米？",
                lambda a, b, c: (a + b + c) / 3,
            ),
        ),
    ),
    Story(
        {"a": digits(2, 60), "b": digits(2, 60), "c": digits(2, 60), "d": digits(2, 60)},
        "",
        "",
        (
            Ask(
                "what is the [average|mean] of {a}, {b}, {c} and {d}?|find the [average|mean] of {a}, {b}, {c} and {d}.|[average|mean] of {a}, {b}, {c}, {d}?",
                "{a}、{b}、{c}、{d}的平均数[等于|是]几？|求{a}、{b}、{c}、{d}的平均数。",
                lambda a, b, c, d: (a + b + c + d) / 4,
            ),
        ),
    ),
    Story(
        {"total": digits(12, 600), "n": count(3, 12)},
        "[in {n} [games|days|weeks]|over {n} [games|days|weeks]] {who} [scored|collected|got] {total} points [in all|]",
        "{who}{n}次测验一共得了{total}分",
        (
            Ask(
                "what is the average [per game|each time|]?|how many points is that on average?",
                "平均每次得多少分？",
                lambda total, n: total / n,
            ),
        ),
        where=lambda total, n: total > n,
    ),
    Story(
        {"mean": digits(3, 95), "n": count(3, 12)},
        "{who}'s average [over {n} tests is {mean}|in {n} games is {mean}] [points|]",
        "{who}{n}次测验的平均分是{mean}分",
        (
            Ask(
                "how many points is that [in all|altogether]?|what is {who.his} total?",
                "总分是多少分？",
                lambda mean, n: n * mean,
            ),
        ),
    ),
    Story(
        {"all": digits(20, 200, 10), "p": percent(10, 90, 10), "f": share("1/2", "1/4", "1/5")},
        "a [boiler|tank|pool|barrel] holds {all} liters / it is {p} full",
        "一个[水箱|油桶|水池]能装{all}升 / 现在装了{p}",
        (
            Ask("how many liters are in it?|how much is in it?", "里面有多少升？", lambda all, p: all * p),
            Ask("how many liters still fit in?|how much more fits in?", "还能装多少升？", lambda all, p: all - all * p),
        ),
    ),
    Story(
        {"n": count(8, 96), "k": share("1/4", "3/4", "1/8", "3/8", "1/2")},
        "a [pizza|cake|quiche] is cut into {n} slices / {who} eats {k} of it",
        "一个[比萨|蛋糕]切成{n}块 / {who}吃了{k}",
        (
            Ask("how many slices [is that|does {who} eat]?", "吃了多少块？", lambda n, k: n * k),
            Ask("how many slices are left [over|]?", "还剩多少块？", lambda n, k: n - n * k),
        ),
        where=lambda n, k: n <= 16 and (n * k).denominator == 1,
    ),
)
