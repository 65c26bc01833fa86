"""Who and what the stories of everyday life are about, besides the people and things of the other levels."""

from __future__ import annotations

from dataclasses import dataclass

from treequation.data.synthetic.vocabulary import PEOPLE, THINGS, Person, Thing

_MEN = (
    "my brother", "my father", "my uncle", "my neighbor", "Mr. Hall", "Mr. Novak", "Coach Diaz", "Grandpa", "Dad",
    "Aaron", "Diego", "Felix", "Hassan", "Jonas", "Kofi", "Mateo", "Nikhil", "Pedro", "Quinn", "Tariq", "Wei", "Yusuf",
)  # fmt: skip
_WOMEN = (
    "my sister", "my mother", "my aunt", "my cousin", "Mrs. Park", "Ms. Lopez", "Grandma", "Mom", "the librarian",
    "Amara", "Bianca", "Carmen", "Elif", "Freya", "Hana", "Ingrid", "Keisha", "Layla", "Mei", "Noor", "Petra", "Tanya",
)  # fmt: skip
_CHINESE_MEN = """
爸爸 爷爷 哥哥 弟弟 叔叔 王老师 张叔叔 李师傅 陈伯伯 小赵 阿强 子轩 浩然 志远 小孙
"""
_CHINESE_WOMEN = """
妈妈 奶奶 姐姐 妹妹 阿姨 刘老师 张阿姨 李奶奶 小陈 小郑 雨涵 欣怡 思琪 佳佳 乐乐 小吴
"""

PERSONS = {
    "en": [
        *PEOPLE["en"],
        *(Person(name, "he", "him", "his") for name in _MEN),
        *(Person(name, "she", "her", "her") for name in _WOMEN),
    ],
    "zh": [
        *PEOPLE["zh"],
        *(Person(name, "他", "他", "他的") for name in _CHINESE_MEN.split()),
        *(Person(name, "她", "她", "她的") for name in _CHINESE_WOMEN.split()),
    ],
}


@dataclass(frozen=True)
class Deed:
    """What somebody does with many things, so that a question can ask for it: "did she sell", "sold", 卖了."""

    base: str
    past: str
    zh: str


DEEDS = (
    Deed("collect", "collected", "收集了"),
    Deed("buy", "bought", "买了"),
    Deed("count", "counted", "数了"),
    Deed("pack", "packed", "包装了"),
    Deed("sell", "sold", "卖了"),
    Deed("find", "found", "找到了"),
    Deed("order", "ordered", "订了"),
    Deed("bring", "brought", "带来了"),
)

FOOD = (
    Thing("banana", "bananas", "香蕉", "根", 1, 3),
    Thing("lemon", "lemons", "柠檬", "个", 1, 3),
    Thing("plum", "plums", "李子", "个", 1, 3),
    Thing("tomato", "tomatoes", "西红柿", "个", 1, 3),
    Thing("carrot", "carrots", "胡萝卜", "根", 1, 3),
    Thing("muffin", "muffins", "松饼", "个", 2, 6),
    Thing("doughnut", "doughnuts", "甜甜圈", "个", 2, 6),
    Thing("biscuit", "biscuits", "苏打饼", "块", 1, 3),
    Thing("sandwich", "sandwiches", "三明治", "个", 4, 12),
    Thing("dumpling", "dumplings", "饺子", "个", 1, 3),
    Thing("bread roll", "bread rolls", "小面包", "个", 1, 4),
    Thing("cherry", "cherries", "樱桃", "颗", 1, 2),
    Thing("sweet", "sweets", "软糖", "颗", 1, 2),
    Thing("walnut", "walnuts", "核桃", "个", 1, 3),
    *(t for t in THINGS if t.one in {"apple", "orange", "peach", "pear", "egg", "candy", "cookie", "strawberry"}),
)
_OTHER_THINGS = (
    Thing("seashell", "seashells", "贝壳", "个", 1, 4),
    Thing("badge", "badges", "徽章", "枚", 2, 6),
    Thing("coin", "coins", "硬币", "枚", 1, 5),
    Thing("magazine", "magazines", "杂志", "本", 4, 15),
    Thing("envelope", "envelopes", "信封", "个", 1, 3),
    Thing("candle", "candles", "蜡烛", "根", 1, 6),
    Thing("cup", "cups", "杯子", "个", 3, 12),
    Thing("plate", "plates", "盘子", "个", 3, 12),
    Thing("bracelet", "bracelets", "手链", "条", 4, 15),
    Thing("paper crane", "paper cranes", "纸鹤", "只", 1, 3),
    Thing("kite", "kites", "风筝", "只", 5, 20),
    Thing("toy animal", "toy animals", "玩具动物", "只", 3, 15),
    Thing("brick", "bricks", "砖", "块", 1, 4),
    Thing("tile", "tiles", "瓷砖", "块", 2, 9),
    Thing("light bulb", "light bulbs", "灯泡", "个", 2, 9),
    Thing("battery", "batteries", "电池", "节", 1, 5),
    Thing("paintbrush", "paintbrushes", "画笔", "支", 2, 8),
    Thing("worksheet", "worksheets", "练习卷", "张", 1, 2),
    Thing("tulip", "tulips", "郁金香", "朵", 2, 6),
    Thing("leaf", "leaves", "树叶", "片", 1, 2),
)
#: Small things that a person may have many of, give away, pack and share.
SMALL_THINGS = (*FOOD, *_OTHER_THINGS, *(t for t in THINGS if t.dearest <= 12 and t not in FOOD))
#: Things that are bought one by one, for some dollars or yuan each.
GOODS = tuple(thing for thing in (*FOOD, *_OTHER_THINGS, *THINGS) if thing.dearest >= 8 and thing.cheapest <= 15)

#: Facts that matter to no story, with the range of their number: {someone} is in none.
ASIDES = (
    ("{someone} is {n} years old", "{someone}今年{n}岁", 30, 70),
    ("{someone} has {n} cats", "{someone}家有{n}只猫", 2, 6),
    ("{someone} owns {n} pairs of shoes", "{someone}有{n}双鞋", 3, 15),
    ("{someone} lives {n} km away", "{someone}家离这里{n}千米", 2, 60),
    ("{someone} slept for {n} hours", "{someone}睡了{n}小时", 6, 10),
    ("{someone} watched {n} films [last month|this year]", "{someone}看了{n}部电影", 2, 20),
    ("{someone} has {n} cousins", "{someone}有{n}个表哥", 2, 9),
    ("{someone} ran {n} laps [yesterday|]", "{someone}昨天跑了{n}圈", 2, 25),
    ("{someone} waited for {n} minutes", "{someone}等了{n}分钟", 2, 50),
    ("{someone} moved here {n} years ago", "{someone}{n}年前搬到这里", 2, 20),
    ("{someone}'s house has {n} windows", "{someone}的房子有{n}扇窗户", 6, 20),
    ("{someone} knows {n} songs", "{someone}会唱{n}首歌", 5, 60),
    ("{someone} drank {n} glasses of water", "{someone}喝了{n}杯水", 2, 9),
    ("{someone} went to the gym {n} times last month", "{someone}上个月去了{n}次健身房", 2, 15),
    ("it is {n} degrees outside", "外面的气温是{n}度", 5, 35),
    ("the nearest bus stop is {n} meters away", "最近的车站离这里{n}米", 50, 400),
    ("the street has {n} lamps", "这条街上有{n}盏路灯", 8, 60),
    ("the clock on the wall is {n} minutes slow", "墙上的钟慢了{n}分钟", 2, 15),
    ("the building is {n} years old", "这座楼已经有{n}年了", 5, 90),
    ("it rained for {n} days [last month|]", "上个月下了{n}天雨", 2, 15),
    ("the school has {n} classrooms", "学校有{n}间教室", 12, 40),
)
