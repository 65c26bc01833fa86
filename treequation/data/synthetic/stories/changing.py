# ruff: noqa: E501 (a wording reads best in one line)
"""Amounts that grow and shrink, and wholes made of parts: what is left, what came, what was there before."""

from __future__ import annotations

from treequation.data.synthetic.stories.cast import FOOD, SMALL_THINGS
from treequation.data.synthetic.stories.story import Ask, Story, count

_COLORED = (
    "sweet",
    "candy",
    "button",
    "bead",
    "marble",
    "balloon",
    "crayon",
    "bracelet",
    "kite",
    "cup",
    "candle",
    "badge",
)

STORIES = (
    Story(
        {"had": count(9, 90), "gave": count(2, 60)},
        "{who} [had|used to have|started the day with] {had} {thing.many} / {who} [gave {gave} of them to {other}|lost {gave} of them|sold {gave}|threw {gave} away]",
        "{who}[有|原来有|本来有]{had}{thing.unit}{thing.zh} / [送给{other}{gave}{thing.unit}|丢了{gave}{thing.unit}|卖掉了{gave}{thing.unit}|用掉了{gave}{thing.unit}]",
        (
            Ask(
                "how many {thing.many} [remain|are left|does {who} still have]?|how many {thing.many} does {who} have after that?",
                "[{who}|]还[剩下|有]多少{thing.unit}[{thing.zh}|]？|[这时|现在]{who}手里有几{thing.unit}{thing.zh}？",
                lambda had, gave: had - gave,
            ),
            Ask(
                "{had} {thing.many}, {gave} [are gone|get lost|taken away]. How many [left|remain]?|if you have {had} {thing.many} and give away {gave}, how many [remain|do you still have]?"
                "|how many {thing.many} [remain|stay] when {gave} of {had} are [taken away|sold|used]?",
                "{had}{thing.unit}{thing.zh}，拿走{gave}{thing.unit}，剩几{thing.unit}？|从{had}{thing.unit}{thing.zh}里拿走{gave}{thing.unit}，还有几{thing.unit}？",
                lambda had, gave: had - gave,
                alone=True,
            ),
        ),
        where=lambda had, gave: gave < had,
    ),
    Story(
        {"had": count(3, 70), "more": count(2, 70)},
        "{who} [had|owned|already had] {had} {thing.many} / [{other} gave {who.him} {more} more|{who.he} [bought|got|found|made] {more} more|another {more} were added]",
        "{who}[已经有|原有|有]{had}{thing.unit}{thing.zh} / [{other}又给了{more}{thing.unit}|又得到{more}{thing.unit}|后来又做了{more}{thing.unit}]",
        (
            Ask(
                "how many {thing.many} does {who} have [now|in all|altogether|then]?|what is the number of {thing.many} {who} has now?",
                "[{who}|]现在[一共|总共]有多少{thing.unit}[{thing.zh}|]？|{who}[这时|后来]有几{thing.unit}{thing.zh}？",
                lambda had, more: had + more,
            ),
            Ask(
                "{had} {thing.many} plus {more} more {thing.many}: how many [in total|altogether|is that]?|you have {had} {thing.many} and someone gives you {more} more. How many do you have?"
                "|how many {thing.many} are {had} {thing.many} and {more} {thing.many} together?",
                "{had}{thing.unit}{thing.zh}再加上{more}{thing.unit}，[一共|总共]几{thing.unit}？|我有{had}{thing.unit}{thing.zh}，你有{more}{thing.unit}，合起来多少{thing.unit}？",
                lambda had, more: had + more,
                alone=True,
            ),
        ),
    ),
    Story(
        {"had": count(5, 80), "now": count(8, 150)},
        "[last week|yesterday|at first|in the morning] {who} had {had} {thing.many} / now {who.he} has {now}",
        "{who}[上周|昨天|起初|早上]有{had}{thing.unit}{thing.zh} / 现在有{now}{thing.unit}",
        (
            Ask(
                "how many {thing.many} did {who} [get|add|receive] [in the meantime|since then]?|how many more {thing.many} does {who} have now than before?",
                "{who}[增加|多]了多少{thing.unit}？|这段时间{who}又得到了多少{thing.unit}{thing.zh}？",
                lambda had, now: now - had,
            ),
        ),
        where=lambda had, now: now > had + 1,
    ),
    Story(
        {"had": count(12, 150), "left": count(3, 90)},
        "{who} had {had} {thing.many} / [some were [sold|lost|used up|given away]|{who} gave some of them to {other}] / now [there are only {left}|{left} are left]",
        "{who}有{had}{thing.unit}{thing.zh} / [卖掉|用掉|送出]一些后 / 还有{left}{thing.unit}",
        (
            Ask(
                "how many {thing.many} are [gone|missing]?|how many {thing.many} does {who} no longer have?",
                "少了多少{thing.unit}？|[卖掉|用掉|送出]了多少{thing.unit}{thing.zh}？",
                lambda had, left: had - left,
            ),
        ),
        where=lambda had, left: left < had - 1,
    ),
    Story(
        {"gave": count(3, 60), "left": count(3, 80)},
        "{who} [handed out|gave away|sold|lost] {gave} {thing.many} / [{who} kept {left}|{who} still has {left} [{thing.many}|]|{who} has {left} left]",
        "{who}[送出|卖出|用去]{gave}{thing.unit}{thing.zh} / 还[剩|留下]{left}{thing.unit}",
        (
            Ask(
                "how many {thing.many} were there [at the start|to begin with|before that]?|how many {thing.many} did {who} have [originally|at the beginning]?",
                "{who}[原来|起初|本来]有多少{thing.unit}{thing.zh}？",
                lambda gave, left: gave + left,
            ),
        ),
    ),
    Story(
        {"found": count(3, 50), "now": count(10, 120)},
        "{who} [found|picked up|was given|received] {found} {thing.many} [today|on the way home|at school] / {who} has {now} {thing.many} now",
        "{who}今天[得到|找到|收到]{found}{thing.unit}{thing.zh} / 现在一共有{now}{thing.unit}",
        (
            Ask(
                "how many {thing.many} did {who.he} have [before that|yesterday|this morning]?",
                "[在这以前|昨天]{who}有多少{thing.unit}{thing.zh}？|{who}原先有几{thing.unit}？",
                lambda found, now: now - found,
            ),
        ),
        where=lambda found, now: now > found + 1,
    ),
    Story(
        {"x": count(3, 70), "y": count(3, 70)},
        "[in the {place}|{place_at}] there are {x} {a.many} and {y} {b.many}",
        "{place}里有{x}{a.unit}{a.zh}和{y}{b.unit}{b.zh}",
        (
            Ask(
                "how many [fruits|pieces of fruit] are there [altogether|in total|in all]?|what is the total number of fruits?",
                "一共有多少个水果？|两种水果[总共|合起来]有多少个？",
                lambda x, y: x + y,
            ),
            Ask(
                "how many more {a.many} than {b.many} are there?|by how much do the {a.many} outnumber the {b.many}?",
                "{a.zh}比{b.zh}多[多少|几]{a.unit}？",
                lambda x, y: x - y,
            ),
            Ask(
                "how many fewer {a.many} than {b.many} are there?|how many more {b.many} are there than {a.many}?",
                "{a.zh}比{b.zh}少[多少|几]{a.unit}？",
                lambda x, y: y - x,
            ),
        ),
        cast={
            "place": (("basket", "篮子"), ("bowl", "盘子"), ("crate", "箱子"), ("fridge", "冰箱")),
            "place_at": (("on the counter", ""), ("at the market stall", ""), ("on the truck", "")),
            "a": [thing for thing in FOOD if thing.one in ("lemon", "peach", "plum")],
            "b": [thing for thing in FOOD if thing.one in ("apple", "orange", "pear")],
        },
    ),
    Story(
        {"total": count(15, 120), "part": count(4, 90)},
        "[of|out of] {total} [{group} on the trip|{group} in the hall|{group}], {part} are {x}[ and the others are {y}|. The rest are {y}|, the others {y}]",
        "[{group}一共有|共有{group}]{total}人，其中{x}{part}人，其余是{y}",
        (Ask("how many {y} are there?|how many of them are {y}?", "{y}有多少人？", lambda total, part: total - part),),
        where=lambda total, part: part < total - 1,
        cast={
            "group": (("pupils", "学生"), ("players", "队员"), ("guests", "客人"), ("visitors", "游客")),
            "x": (("girls", "女的"),),
            "y": (("boys", "男的"),),
        },
    ),
    Story(
        {"seats": count(20, 300), "taken": count(5, 250)},
        "a {place} has {seats} [seats|places] / {taken} of them are [taken|occupied|already booked]",
        "一个{place}有{seats}个座位 / 已经坐了{taken}人",
        (
            Ask(
                "how many [seats|places] are [free|empty|still available]?|how many more people can sit down?",
                "还有多少个空座位？|还能坐多少人？",
                lambda seats, taken: seats - taken,
            ),
        ),
        where=lambda seats, taken: taken < seats - 1,
        cast={"place": (("cinema", "电影院"), ("theater", "剧场"), ("restaurant", "餐厅"), ("coach", "大客车"))},
    ),
    Story(
        {"whole": count(30, 400), "done": count(5, 380)},
        "{who} wants to {goal_verb} {whole} {unit} / [so far|until now] {who.he} has done {done}",
        "{who}计划{goal_verb}{whole}{unit} / 已经完成了{done}{unit}",
        (
            Ask(
                "how many {unit} [are still missing|remain to be done|are left to do]?|how many more {unit} does {who} have to do?",
                "还要完成多少{unit}？|还[差|剩]多少{unit}？",
                lambda whole, done: whole - done,
            ),
            Ask(
                "{who} plans {whole} {unit} and has done {done}. How many to go?",
                "计划{whole}{unit}，已完成{done}{unit}，还剩几{unit}？",
                lambda whole, done: whole - done,
                alone=True,
            ),
        ),
        where=lambda whole, done: done < whole - 1,
        cast={
            "goal_verb": (("do", "做"),),
            "unit": (("exercises", "道题"), ("push-ups", "个俯卧撑"), ("laps", "圈"), ("jumps", "个跳绳")),
        },
    ),
    Story(
        {"x": count(3, 40), "y": count(3, 40), "z": count(3, 40)},
        "{who} [counted|saw] {x} {a}, {y} {b} and {z} {c} [at the lake|in the park|on the farm|from the window]",
        "{who}在[湖边|公园里|农场里]看到{x}只{a}、{y}只{b}和{z}只{c}",
        (
            Ask(
                "how many [animals|birds] did {who} [see|count] [in total|altogether|in all]?",
                "{who}一共看到多少只？",
                lambda x, y, z: x + y + z,
            ),
            Ask(
                "how many {a} and {c} did {who} see [together|]?|what is the number of {a} and {c} together?",
                "{a}和{c}一共有多少只？",
                lambda x, z: x + z,
            ),
            Ask("how many more {b} than {a} were there?", "{b}比{a}多几只？", lambda x, y: y - x),
            Ask("how many more {a} than {c} did {who} see?", "{a}比{c}多几只？", lambda x, z: x - z),
        ),
        cast={
            "a": (("ducks", "鸭子"), ("geese", "鹅")),
            "b": (("swans", "天鹅"), ("pigeons", "鸽子")),
            "c": (("crows", "乌鸦"), ("sparrows", "麻雀")),
        },
        aside=False,
    ),
    Story(
        {"start": count(15, 90), "left": count(2, 40), "came": count(2, 60)},
        "there were {start} {who_all} in the {place} / [later|then] {left} [left|drove off] / [after that|then] {came} [more|new ones] [came in|arrived]",
        "{place}里[原来|起初]有{start}{who_all} / [先|后来]走了{left}{who_all} / [接着|又]来了{came}{who_all}",
        (
            Ask(
                "how many {who_all} are [in the {place}|there] now?|how many {who_all} were there in the end?",
                "{place}里现在有多少{who_all}？|最后有多少{who_all}？",
                lambda start, left, came: start - left + came,
            ),
            Ask(
                "how many {who_all} were there before the new ones came?",
                "新的来之前，{place}里有多少{who_all}？",
                lambda start, left: start - left,
            ),
        ),
        where=lambda start, left: left < start - 1,
        cast={
            "place": (("parking lot", "停车场"),),
            "who_all": (("cars", "辆车"), ("vans", "辆面包车"), ("motorbikes", "辆摩托车")),
        },
    ),
    Story(
        {"start": count(8, 60), "came": count(2, 40), "left": count(2, 60)},
        "{start} {people} were [at the party|in the pool|at the playground] / {came} [others joined them|more came] / an hour later {left} went home",
        "[游泳池里|操场上|公园里]有{start}名{people} / 又来了{came}名 / 一小时后走了{left}名",
        (
            Ask(
                "how many {people} [stayed|were still there|remained]?",
                "还剩多少名{people}？",
                lambda start, came, left: start + came - left,
            ),
        ),
        where=lambda start, came, left: left < start + came - 1,
        cast={"people": (("children", "孩子"), ("students", "学生"), ("swimmers", "游客"))},
    ),
    Story(
        {"all": count(20, 200), "x": count(3, 90), "y": count(3, 90)},
        "a {place} [had|received] {all} {thing.many} / [in the morning it sold {x} and in the afternoon {y}|on Friday it sold {x} and on Saturday {y}]",
        "{place}有{all}{thing.unit}{thing.zh} / [上午卖出{x}{thing.unit}，下午卖出{y}{thing.unit}|周五卖出{x}{thing.unit}，周六卖出{y}{thing.unit}]",
        (
            Ask(
                "how many {thing.many} [remain|are left] [unsold|]?",
                "还剩多少{thing.unit}没卖？",
                lambda all, x, y: all - x - y,
            ),
            Ask(
                "how many {thing.many} did it sell [altogether|]?|how many {thing.many} were sold in all?",
                "一共卖出多少{thing.unit}？",
                lambda x, y: x + y,
            ),
        ),
        where=lambda all, x, y: x + y < all - 1,
        cast={"place": (("kiosk", "小卖部"), ("store", "商店"), ("market stall", "摊位"), ("school shop", "超市"))},
    ),
    Story(
        {"x": count(4, 60), "y": count(4, 60), "lost": count(2, 30)},
        "{who} had {x} red {thing.many} and {y} blue {thing.many} / {who} [lost|gave away] {lost} of the red ones",
        "{who}有{x}{thing.unit}红色{thing.zh}和{y}{thing.unit}蓝色{thing.zh} / [丢了|送出]{lost}{thing.unit}红色的",
        (
            Ask(
                "how many red {thing.many} [are left|does {who} still have]?",
                "红色{thing.zh}还有多少{thing.unit}？",
                lambda x, lost: x - lost,
            ),
            Ask(
                "how many {thing.many} did {who} have [at first|before that] [in all|altogether|]?",
                "原来一共有多少{thing.unit}{thing.zh}？",
                lambda x, y: x + y,
            ),
            Ask(
                "how many {thing.many} does {who} have [left in all|now altogether|now]?",
                "现在一共还有多少{thing.unit}{thing.zh}？",
                lambda x, y, lost: x + y - lost,
            ),
            Ask(
                "how many blue {thing.many} more than red ones were there at first?",
                "原来蓝色的比红色的多多少{thing.unit}？",
                lambda x, y: y - x,
            ),
        ),
        where=lambda x, lost: lost < x,
        things=[thing for thing in SMALL_THINGS if thing.one in _COLORED],
    ),
    Story(
        {"made": count(10, 90), "also": count(5, 90), "sold": count(3, 80), "gone": count(3, 80)},
        "{who} baked {made} {a} and {also} {b} / {who} sold {sold} {a} and {gone} {b}",
        "{who}做了{made}个{a}和{also}个{b} / 卖了{sold}个{a}和{gone}个{b}",
        (
            Ask(
                "how many {a} [are left|remain]?|how many {a} does {who} still have?",
                "{a}还剩多少个？",
                lambda made, sold: made - sold,
            ),
            Ask("how many {b} [are left|remain]?", "{b}还剩几个？", lambda also, gone: also - gone),
            Ask(
                "how many more {a} than {b} did {who} [bake|make]?",
                "做的{a}比{b}多多少个？",
                lambda made, also: made - also,
            ),
            Ask("how many more {b} than {a} did {who} sell?", "卖的{b}比{a}多几个？", lambda sold, gone: gone - sold),
            Ask(
                "how many {a} and {b} did {who} sell [altogether|in all]?",
                "{a}和{b}一共卖了多少个？",
                lambda sold, gone: sold + gone,
            ),
        ),
        where=lambda made, also, sold, gone: sold < made and gone < also,
        cast={"a": (("cupcakes", "纸杯蛋糕"), ("pies", "馅饼")), "b": (("tarts", "蛋挞"), ("bread rolls", "面包"))},
    ),
    Story(
        {"a": count(5, 80), "b": count(5, 80), "c": count(5, 80)},
        "{who} [read {a} pages on Monday, {b} on Tuesday and {c} on Wednesday|read {a} pages of {who.his} book on Monday. On Tuesday {who.he} read {b} pages and on Wednesday {c}]",
        "{who}星期一看了{a}页书 / 星期二看了{b}页 / 星期三看了{c}页",
        (
            Ask(
                "how many pages did {who} read on Monday and Tuesday [together|]?",
                "星期一和星期二一共看了多少页？",
                lambda a, b: a + b,
            ),
            Ask(
                "how many pages did {who} read in [these|all the] days?|how many pages is that in all?",
                "这几天一共看了多少页？",
                lambda a, b, c: a + b + c,
            ),
            Ask(
                "how many more pages did {who} read on Wednesday than on Monday?",
                "星期三比星期一多看多少页？",
                lambda a, c: c - a,
            ),
            Ask(
                "how many fewer pages did {who} read on Tuesday than on Monday?",
                "星期二比星期一少看多少页？",
                lambda a, b: a - b,
            ),
        ),
    ),
    Story(
        {"all": count(15, 90), "sick": count(2, 12)},
        "[there are {all} [children|students] in the class|a class has {all} [children|students]|{all} [children|students] are on the list] / {sick} of them are [ill|absent|at home] today",
        "班里有{all}名同学 / 今天有{sick}名[请假|没来]",
        (
            Ask(
                "how many [came|are present|are at school] [today|]?",
                "今天来了多少名同学？",
                lambda all, sick: all - sick,
            ),
        ),
        where=lambda all, sick: sick < all - 5,
        aside=False,
    ),
    Story(
        {"first": count(3, 60), "second_": count(3, 60), "goal": count(20, 150)},
        "{who} scored {first} points in the first [game|round] and {second_} [points|] in the next",
        "{who}第一局得了{first}分 / 下一局得了{second_}分",
        (
            Ask(
                "how many points does {who} have [altogether|]?",
                "{who}一共得了多少分？",
                lambda first, second_: first + second_,
            ),
            Ask(
                "how many points did {who.he} improve by?|how many more points did {who} score in the next one?",
                "后一局比前一局多得多少分？",
                lambda first, second_: second_ - first,
            ),
            Ask(
                "{who.he} needs {goal} points to win. How many more points does {who.he} need?",
                "得{goal}分才能获胜，还差多少分？",
                lambda first, second_, goal: goal - (first + second_),
            ),
        ),
    ),
    Story(
        {"out": count(3, 60), "back": count(2, 50), "shelf": count(60, 400)},
        "a library [has|had] {shelf} {kind} / {out} were borrowed and {back} were [returned|brought back]",
        "图书馆有{shelf}本{kind} / 借出{out}本 / 又还回{back}本",
        (
            Ask(
                "how many {kind} are in the library [now|]?",
                "图书馆现在有多少本{kind}？",
                lambda shelf, out, back: shelf - out + back,
            ),
            Ask(
                "how many more {kind} were borrowed than [returned|brought back]?",
                "借出的比还回的多多少本？",
                lambda out, back: out - back,
            ),
        ),
        cast={"kind": (("atlases", "地图册"), ("novels", "小说"), ("comics", "漫画"), ("dictionaries", "词典"))},
    ),
)
