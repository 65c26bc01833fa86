# ruff: noqa: E501 (a wording reads best in one line)
"""Equal groups: so many of so many, shared, packed, left over; dozens, weeks and other groups of a known size."""

from __future__ import annotations

from treequation.data.synthetic.stories.cast import FOOD
from treequation.data.synthetic.stories.story import Ask, Story, count, digits, plain, word

_PACKS = (("packs", "包"), ("boxes", "盒"), ("bags", "袋"), ("jars", "罐"), ("crates", "箱"), ("baskets", "篮"))
_ONE_PACK = (("pack", "包"), ("box", "盒"), ("bag", "袋"), ("tray", "盘"), ("basket", "篮"))
STORIES = (
    Story(
        {"n": count(2, 15), "each": count(2, 24)},
        "{who} [bought|has|filled|needs] {n} {pack} of {thing.many} / [there are {each} {thing.many} in every one|every one holds {each} {thing.many}|each contains {each}]",
        "{who}[买了|有|装了]{n}{pack}{thing.zh} / 每{pack}[里|]有{each}{thing.unit}",
        (
            Ask(
                "how many {thing.many} [is that|does {who} have|are there] [in total|altogether|]?",
                "{who}一共有多少{thing.unit}{thing.zh}？|总共多少{thing.unit}？",
                lambda n, each: n * each,
            ),
            Ask(
                "how many {thing.many} are in {n} {pack} of {each}?|{n} {pack}, {each} {thing.many} in each. How many {thing.many}?|{n} {pack} x {each} {thing.many} = how many {thing.many}?",
                "{n}{pack}{thing.zh}，每{pack}{each}{thing.unit}，共几{thing.unit}？",
                lambda n, each: n * each,
                alone=True,
            ),
        ),
        cast={"pack": _PACKS},
    ),
    Story(
        {"n": count(2, 12), "each": count(2, 15)},
        "{who} wants to give {each} {thing.many} to each of {n} [friends|guests|children]|{n} [friends|guests|children] are to get {each} {thing.many} each",
        "要给{n}个[小朋友|客人]每人发{each}{thing.unit}{thing.zh}",
        (
            Ask(
                "how many {thing.many} [are needed|does that take]?",
                "[一共|]需要多少{thing.unit}？",
                lambda n, each: n * each,
            ),
        ),
    ),
    Story(
        {"n": count(2, 12), "each": count(2, 20)},
        "[a garden|an orchard|a field] has {n} rows of {plant} / [there are {each} {plant} in each row|each row has {each}]",
        "[果园|地]里有{n}行{plant} / 每行{each}棵",
        (
            Ask("how many {plant} are there [in all|]?", "一共有多少棵{plant}？", lambda n, each: n * each),
            Ask(
                "{n} rows of {each} {plant}: how many {plant}?|how many {plant} are in {n} rows of {each}?",
                "{n}行{plant}，每行{each}棵，共几棵？",
                lambda n, each: n * each,
                alone=True,
            ),
        ),
        cast={
            "plant": (("cherry trees", "樱桃树"), ("tomato plants", "茄子"), ("vines", "葡萄"), ("rose bushes", "玫瑰"))
        },
    ),
    Story(
        {"n": count(2, 9), "each": count(2, 12), "half_size": count(2, 9)},
        "{who} sets up {n} tables with {each} chairs each / {half_size} lamps hang from the ceiling",
        "[会议室|教室]里摆了{n}张桌子，每张桌子配{each}把椅子 / 还挂了{half_size}盏灯",
        (
            Ask(
                "how many chairs are there?|how many chairs does {who} need?",
                "一共有多少把椅子？",
                lambda n, each: n * each,
            ),
            Ask("how many more lamps than tables are there?", "灯比桌子多几个？", lambda n, half_size: half_size - n),
        ),
        aside=False,
    ),
    Story(
        {"total": count(6, 150), "n": count(2, 12)},
        "{n} [children|friends|cousins|neighbors] [share|divide] {total} {thing.many} [fairly|evenly]|{total} {thing.many} are divided evenly among {n} [children|friends|people]",
        "[老师|妈妈|奶奶]把{total}{thing.unit}{thing.zh}平均分成{n}份 / 每个[人|孩子]拿到一份",
        (
            Ask(
                "how many does [each|every one] of them [get|receive]?|how many {thing.many} is that for each?",
                "一份是多少{thing.unit}？|每人拿到多少{thing.unit}{thing.zh}？",
                lambda total, n: total / n,
            ),
            Ask(
                "split {total} {thing.many} [among|between] {n} kids: how many each?|how many {thing.many} does everyone get when {n} people split {total}?|{total} {thing.many} for {n} children. How many each?"
                "|divide {total} {thing.many} equally among {n} people. How many per person?|how many {thing.many} per child if {total} {thing.many} are shared by {n} children?",
                "{total}{thing.unit}{thing.zh}分给{n}人，每人几{thing.unit}？|每人分几{thing.unit}，如果{n}个人平分{total}{thing.unit}{thing.zh}？|{n}人平分{total}{thing.unit}{thing.zh}，一人得几{thing.unit}？",
                lambda total, n: total / n,
                alone=True,
            ),
        ),
        where=lambda total, n: total > n,
        aside=False,
    ),
    Story(
        {"total": count(8, 200), "each": count(2, 15)},
        "{who} [packs|puts] {total} {thing.many} into {pack}, {each} in each",
        "{who}把{total}{thing.unit}{thing.zh}装袋 / 每袋装{each}{thing.unit}",
        (
            Ask(
                "how many {pack} does {who} [fill|need]?",
                "可以装多少袋？|需要几个袋子？",
                lambda total, each: total / each,
            ),
            Ask(
                "how many {pack} of {each} can you make from {total} {thing.many}?|{total} {thing.many}, {each} per bag: how many bags?",
                "{total}{thing.unit}{thing.zh}，{each}{thing.unit}装一袋，能装几袋？",
                lambda total, each: total / each,
                alone=True,
            ),
        ),
        where=lambda total, each: total > each,
        cast={"pack": (("bags", "袋"), ("boxes", "盒"), ("bundles", "捆"))},
    ),
    Story(
        {"total": count(10, 120), "n": count(2, 12), "used": count(2, 60)},
        "{who} has {total} {thing.many} / {who} [puts|uses] {used} of them aside and shares the rest evenly among {n} [friends|plates|bags]",
        "{who}有{total}{thing.unit}{thing.zh} / 留下{used}{thing.unit} / 其余的平均分给{n}个朋友",
        (
            Ask(
                "how many {thing.many} go to each?|how many does each get?",
                "每个朋友得到几{thing.unit}？",
                lambda total, used, n: (total - used) / n,
            ),
        ),
        where=lambda total, used: used < total - 3,
    ),
    Story(
        {"total": count(15, 100), "n": count(2, 9), "each": count(2, 12)},
        "{who} had {total} {thing.many} / {who} gave {each} {thing.many} to each of {n} [friends|cousins|classmates]",
        "{who}有{total}{thing.unit}{thing.zh} / 给了{n}个[朋友|同学]每人{each}{thing.unit}",
        (
            Ask(
                "how many {thing.many} [remain|does {who} have left over|are left over]?",
                "{who}还剩多少{thing.unit}？",
                lambda total, n, each: total - n * each,
            ),
            Ask(
                "how many {thing.many} did {who} give away [in all|]?",
                "{who}一共送出多少{thing.unit}？",
                lambda n, each: n * each,
            ),
        ),
        where=lambda total, n, each: n * each < total,
    ),
    Story(
        {"dozen": word(12, "dozen"), "n": digits(2, 12)},
        "",
        "",
        (
            Ask(
                "how many {thing.many} are in {n} {dozen}?|{n} {dozen} {thing.many} is how many {thing.many}?|{who} buys {n} {dozen} {thing.many}. How many {thing.many} does {who.he} have?|how many is {n} {dozen}?",
                "一打是{dozen}个，{n}打是多少个？|{who}买了{n}打{thing.zh}，每打{dozen}{thing.unit}，一共多少{thing.unit}？",
                lambda n, dozen: n * dozen,
            ),
        ),
        things=FOOD,
    ),
    Story(
        {"dozen": word(12, "dozen"), "x": count(2, 11)},
        "{who} bought a {dozen} {thing.many}",
        "{who}买了一打{thing.zh}，也就是{dozen}{thing.unit}",
        (
            Ask(
                "{who.he} used {x} of them. How many are left?|how many remain if {who.he} eats {x}?",
                "用去{x}{thing.unit}，还剩几{thing.unit}？",
                lambda dozen, x: dozen - x,
            ),
            Ask(
                "{other} brought {x} more. How many {thing.many} are there in all?",
                "{other}又带来{x}{thing.unit}，一共多少{thing.unit}？",
                lambda dozen, x: dozen + x,
            ),
        ),
        things=FOOD,
        aside=False,
    ),
    Story(
        {"dozen": word(12, "dozen"), "m": count(24, 120, 12)},
        "",
        "",
        (
            Ask(
                "how many {dozen} are {m} {thing.many}?|{m} {thing.many} is how many {dozen}?",
                "{m}{thing.unit}{thing.zh}，每{dozen}{thing.unit}一打，是几打？",
                lambda m, dozen: m / dozen,
            ),
        ),
        things=FOOD,
    ),
    Story(
        {"n": count(2, 12), "each": count(2, 12), "extra": count(2, 30)},
        "{who} has {n} {pack} with {each} {thing.many} each and {extra} loose {thing.many}",
        "{who}有{n}{pack}{thing.zh}，每{pack}{each}{thing.unit} / 另外还有{extra}{thing.unit}散装的",
        (
            Ask(
                "how many {thing.many} [is that in all|does {who} have altogether]?",
                "{who}共有多少{thing.unit}{thing.zh}？",
                lambda n, each, extra: n * each + extra,
            ),
            Ask("how many {thing.many} are in the {pack}?", "{pack}装的有多少{thing.unit}？", lambda n, each: n * each),
        ),
        cast={"pack": _PACKS},
    ),
    Story(
        {"n": count(2, 12), "each": count(3, 15), "gone": count(2, 60)},
        "{who} [picked|filled] {n} baskets of {each} {thing.many} [each|] / {gone} {thing.many} [were bad|got lost|were eaten]",
        "{who}摘了{n}篮{thing.zh} / 每篮{each}{thing.unit} / 其中{gone}{thing.unit}坏了",
        (
            Ask(
                "how many {thing.many} are still good?|how many good {thing.many} remain?",
                "好的有多少{thing.unit}？",
                lambda n, each, gone: n * each - gone,
            ),
            Ask(
                "how many {thing.many} did {who} have at first?", "一开始有多少{thing.unit}？", lambda n, each: n * each
            ),
        ),
        where=lambda n, each, gone: gone < n * each - 1,
        things=[
            thing for thing in FOOD if thing.one in ("plum", "tomato", "pear", "peach", "lemon", "apple", "walnut")
        ],
    ),
    Story(
        {"teams": count(2, 10), "each": count(3, 11), "helpers": count(2, 15)},
        "[a tournament|a sports day] has {teams} teams of {each} players / {helpers} [referees|helpers] are there, too",
        "运动会有{teams}个队，每队{each}人 / 还有{helpers}名裁判",
        (
            Ask("how many players [are there|take part]?", "一共有多少名队员？", lambda teams, each: teams * each),
            Ask(
                "how many people is that [in all|with everyone]?",
                "队员和裁判一共多少人？",
                lambda teams, each, helpers: teams * each + helpers,
            ),
        ),
        aside=False,
    ),
    Story(
        {"people": count(12, 400), "seats": count(4, 60)},
        "{people} [pupils|people|fans] [go on a trip|want to travel] / [each|one] {bus} [holds|takes|has room for] {seats}",
        "{people}名[学生|游客]去[春游|旅行] / 每辆{bus}坐{seats}人",
        (
            Ask(
                "how many {buses} [do they need|are needed]?", "需要多少辆{bus}？", lambda people, seats: people / seats
            ),
        ),
        where=lambda people, seats: people > seats,
        cast={"bus": (("bus", "客车"),), "buses": (("buses", "客车"),)},
        aside=False,
    ),
    Story(
        {"n": count(2, 9), "pages": digits(4, 60), "stickers": count(2, 12)},
        "{who} has {n} albums / [every album has {pages} pages|each has {pages} pages] / {who} sticks {stickers} photos on every page",
        "{who}有{n}本相册 / 每本{pages}页 / 每页贴{stickers}张照片",
        (
            Ask(
                "how many photos fit into one album?|how many photos does an album hold?",
                "一本相册能贴多少张照片？",
                lambda pages, stickers: pages * stickers,
            ),
            Ask("how many pages do the albums have [in all|]?", "这些相册一共有多少页？", lambda n, pages: n * pages),
            Ask(
                "how many photos fit into all the albums?",
                "所有相册一共能贴多少张照片？",
                lambda n, pages, stickers: n * pages * stickers,
            ),
        ),
    ),
    Story(
        {"n": count(2, 12), "total": count(12, 200)},
        "[a shelf|a bookcase] has {n} [boards|levels] with the same number of books on each / there are {total} books [on it|]",
        "书架有{n}层，每层的书一样多 / 一共有{total}本书",
        (Ask("how many books are on each [board|level]?", "每层有多少本书？", lambda n, total: total / n),),
        where=lambda n, total: total > n,
    ),
    Story(
        {"one": plain(1), "each": count(4, 40), "n": count(2, 9), "more": count(4, 60)},
        "{who} has {one} {pack} with {each} {thing.many} and {n} empty {pack}s|{who} packs {one} {pack} of {each} {thing.many} and keeps {n} {pack}s empty",
        "{who}有{one}{pack}{thing.zh}，里面有{each}{thing.unit} / 还有{n}个空{pack}子",
        (
            Ask(
                "how many {thing.many} does {who} have?|how many {thing.many} are there?",
                "{who}有多少{thing.unit}{thing.zh}？",
                lambda one, each: one * each,
            ),
            Ask(
                "{other} brings {more} {thing.many}. How many {thing.many} are there now?",
                "{other}又拿来{more}{thing.unit}，现在有多少{thing.unit}{thing.zh}？",
                lambda each, more: each + more,
            ),
        ),
        cast={"pack": (("bag", "袋"), ("jar", "罐"), ("basket", "篮"))},
        aside=False,
    ),
    Story(
        {"n": count(2, 12), "k": count(2, 12), "days": count(2, 30)},
        "{who} [eats|uses] {n} {thing.many} [a|every|each] day",
        "{who}每天吃{n}{thing.unit}{thing.zh}",
        (
            Ask(
                "how many {thing.many} is that in {days} days?|how many {thing.many} in {days} days?",
                "{days}天吃多少{thing.unit}？",
                lambda n, days: n * days,
            ),
            Ask(
                "how many {thing.many} is that in a week?|how many in one week?",
                "一周吃多少{thing.unit}？",
                lambda n: n * 7,
            ),
            Ask("how many {thing.many} is that in {k} weeks?", "{k}个星期吃多少{thing.unit}？", lambda n, k: n * k * 7),
        ),
        things=[
            thing for thing in FOOD if thing.one in ("apple", "banana", "carrot", "egg", "orange", "plum", "walnut")
        ],
    ),
    Story(
        {"stock": count(12, 240), "daily": count(2, 20)},
        "{who} has {stock} {thing.many} and [uses|eats] {daily} [a|every] day",
        "{who}有{stock}{thing.unit}{thing.zh} / 每天吃{daily}{thing.unit}",
        (
            Ask(
                "how many days do [they|the {thing.many}] last?|for how many days is that enough?",
                "够吃多少天？|几天吃完？",
                lambda stock, daily: stock / daily,
            ),
        ),
        where=lambda stock, daily: stock > daily,
        things=[
            thing for thing in FOOD if thing.one in ("apple", "banana", "carrot", "egg", "orange", "plum", "walnut")
        ],
    ),
)
