"""Who and what the stories are about: people and things in both languages."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody in a story; ``str()`` is the name."""

    name: str
    he: str
    him: str
    his: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that is counted: English forms, the Chinese noun and measure word, and sensible prices."""

    one: str
    many: str
    zh: str
    unit: str
    cheapest: int = 1
    dearest: int = 20

    @property
    def a(self) -> str:
        """With the indefinite article: "an apple", "a pen"."""
        return ("an " if self.one[0] in "aeiou" else "a ") + self.one


_BOYS = """
Tom Jack Ben Sam Luke David Peter Adam Oliver Henry Leo Carlos Ahmed Omar Ravi Kenji Daniel Frank Paul Victor
Marco Ivan Joe Mike John James Robert Edward Noah Ethan Liam Jason Kevin Bryan Dan George Alan
"""
_GIRLS = """
Mary Anna Emma Lucy Sarah Julia Nina Olivia Grace Sophie Maria Fatima Priya Yuki Leila Rosa Helen Kate Jane
Alice Susan Linda Nancy Megan Chloe Amy Laura Diana Ella Zoe Mia Lily Ruth Clara Joan Sandy Paige
"""
_CHINESE_BOYS = """
小明 小刚 小华 小军 小强 小亮 小东 小伟 小杰 小波 小李 小王 小张 小林 小龙 张明 李强 王刚 李明 小宇 小勇
小虎 小峰
"""
_CHINESE_GIRLS = """
小红 小丽 小芳 小英 小玲 小梅 小兰 小燕 小雪 小静 小敏 小娟 小花 丽丽 芳芳 红红 玲玲 李红 王芳 婷婷 小云
小霞 莉莉
"""

PEOPLE = {
    "en": [
        *(Person(name, "he", "him", "his") for name in _BOYS.split()),
        *(Person(name, "she", "her", "her") for name in _GIRLS.split()),
    ],
    "zh": [
        *(Person(name, "他", "他", "他的") for name in _CHINESE_BOYS.split()),
        *(Person(name, "她", "她", "她的") for name in _CHINESE_GIRLS.split()),
    ],
}

# Things that a person can have several of.
THINGS = [
    Thing("apple", "apples", "苹果", "个", 1, 4),
    Thing("orange", "oranges", "橙子", "个", 1, 5),
    Thing("peach", "peaches", "桃子", "个", 1, 5),
    Thing("pear", "pears", "梨", "个", 1, 4),
    Thing("egg", "eggs", "鸡蛋", "个", 1, 2),
    Thing("balloon", "balloons", "气球", "个", 1, 5),
    Thing("ball", "balls", "皮球", "个", 3, 25),
    Thing("pencil", "pencils", "铅笔", "支", 1, 3),
    Thing("pen", "pens", "钢笔", "支", 3, 20),
    Thing("crayon", "crayons", "蜡笔", "支", 1, 3),
    Thing("book", "books", "书", "本", 5, 40),
    Thing("notebook", "notebooks", "笔记本", "本", 2, 12),
    Thing("comic book", "comic books", "漫画书", "本", 4, 25),
    Thing("stamp", "stamps", "邮票", "张", 1, 5),
    Thing("postcard", "postcards", "明信片", "张", 1, 5),
    Thing("sticker", "stickers", "贴纸", "张", 1, 4),
    Thing("card", "cards", "卡片", "张", 1, 6),
    Thing("photo", "photos", "照片", "张", 1, 3),
    Thing("ticket", "tickets", "门票", "张", 5, 60),
    Thing("poster", "posters", "海报", "张", 4, 18),
    Thing("candy", "candies", "糖果", "颗", 1, 3),
    Thing("marble", "marbles", "弹珠", "颗", 1, 3),
    Thing("bead", "beads", "珠子", "颗", 1, 3),
    Thing("strawberry", "strawberries", "草莓", "颗", 1, 3),
    Thing("flower", "flowers", "花", "朵", 2, 9),
    Thing("rose", "roses", "玫瑰", "朵", 3, 12),
    Thing("cookie", "cookies", "饼干", "块", 1, 4),
    Thing("cake", "cakes", "蛋糕", "块", 4, 30),
    Thing("block", "blocks", "积木", "块", 1, 5),
    Thing("chocolate bar", "chocolate bars", "巧克力", "块", 2, 12),
    Thing("eraser", "erasers", "橡皮", "块", 1, 4),
    Thing("chair", "chairs", "椅子", "把", 20, 95),
    Thing("umbrella", "umbrellas", "雨伞", "把", 12, 60),
    Thing("ruler", "rulers", "尺子", "把", 1, 6),
    Thing("button", "buttons", "纽扣", "颗", 1, 3),
    Thing("shirt", "shirts", "衬衫", "件", 15, 90),
    Thing("T-shirt", "T-shirts", "T恤", "件", 10, 50),
    Thing("toy car", "toy cars", "玩具车", "辆", 5, 45),
    Thing("bottle of water", "bottles of water", "矿泉水", "瓶", 1, 4),
    Thing("bottle of milk", "bottles of milk", "牛奶", "瓶", 2, 9),
    Thing("bottle of juice", "bottles of juice", "果汁", "瓶", 2, 10),
    Thing("can of soup", "cans of soup", "罐头", "罐", 2, 9),
    Thing("hamburger", "hamburgers", "汉堡", "个", 8, 25),
    Thing("fish", "fish", "金鱼", "条", 2, 15),
    Thing("scarf", "scarves", "围巾", "条", 9, 60),
    Thing("towel", "towels", "毛巾", "条", 4, 25),
    Thing("doll", "dolls", "布娃娃", "个", 8, 60),
    Thing("robot", "robots", "机器人", "个", 20, 99),
    Thing("key ring", "key rings", "钥匙扣", "个", 2, 12),
    Thing("backpack", "backpacks", "书包", "个", 25, 99),
]

# Things that cost enough for a discount to matter.
DEAR_THINGS = [
    Thing("bicycle", "bicycles", "自行车", "辆", 100, 800),
    Thing("camera", "cameras", "照相机", "台", 200, 900),
    Thing("coat", "coats", "大衣", "件", 80, 600),
    Thing("jacket", "jackets", "夹克", "件", 60, 400),
    Thing("dress", "dresses", "连衣裙", "条", 40, 300),
    Thing("sweater", "sweaters", "毛衣", "件", 40, 200),
    Thing("desk", "desks", "书桌", "张", 100, 600),
    Thing("bed", "beds", "床", "张", 200, 900),
    Thing("lamp", "lamps", "台灯", "盏", 20, 200),
    Thing("watch", "watches", "手表", "块", 60, 700),
    Thing("phone", "phones", "手机", "部", 200, 900),
    Thing("printer", "printers", "打印机", "台", 100, 500),
    Thing("tablet", "tablets", "平板电脑", "台", 200, 900),
    Thing("guitar", "guitars", "吉他", "把", 100, 700),
    Thing("tent", "tents", "帐篷", "顶", 60, 400),
    Thing("washing machine", "washing machines", "洗衣机", "台", 300, 900),
]
