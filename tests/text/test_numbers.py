"""The number finder: what it finds, what it leaves alone, and that no text upsets it."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treequation.text.numbers import find_numbers
from treequation.text.problem import NumberFormat

DIGITS_ONLY = NumberFormat(words=False)
FORMATS = st.builds(
    NumberFormat,
    percent=st.sampled_from(["whole", "fraction"]),
    fraction=st.sampled_from(["one", "two"]),
    words=st.booleans(),
    ordinals=st.booleans(),
)
# Pieces that numbers are made of, so that random texts are full of numbers and of things that nearly are.
DIGIT_PIECES = "0 1 7 12 100 1,234 , . % / ( ) - 1/2 3(1/2) ０ ５ ％ ． ， st th 第 x kg $ percent ² ⁻³ e5 ½ ⅔ ٣ #"
WORD_PIECES = (
    "one two twenty hundred thousand and a half third dozen more 一 两 三 十 百 千 万 亿 半 零 分之 百分之 又 折 个 年"
)
PIECES = [
    *DIGIT_PIECES.split(),
    "no.",
    "000",
    "‰",
    "Rs",
    "m2",
    "k",
    "point",
    "点",
    " and ",
    "\u00a0000",
    "Abc",
    "555-123-4567",
    *WORD_PIECES.split(),
    *"negative minus 负 零下 块 成 斤半 hour-and-a-half below-zero of percent degrees 廿".replace("-", " ").split(),
    " hours and a half",
    " degrees below zero",
]
TEXTS = (
    st.text() | st.lists(st.sampled_from([*PIECES, " "])).map("".join) | st.lists(st.sampled_from(PIECES)).map(" ".join)
)


# Things, containers, events, time, money and measures.
COUNTED = """
个苹果 名学生 只鸡 条鱼 根绳子 张纸 本书 件衣服 块糖 支笔 把伞 棵树 颗糖 粒米 朵花 头牛 匹马 辆车 架飞机 艘船
台电脑 套房 双鞋 对耳环 顶帽子 盏灯 部手机 副手套 封信 首歌 株苗 枚硬币 片面包 扇窗 栋楼 幢楼 册书 滴水 瓣蒜
截木头 句话 尾鱼 束花 串珠子 群羊 窝鸟 面红旗 床被子
包糖 袋米 箱梨 盒笔 桶油 瓶水 罐茶 碗饭 盘菜 碟菜 杯水 壶茶 篮桃 筐枣 缸水 锅汤 勺糖 盆花 坛酒 筒球 听可乐
堆沙 批货 捆柴 卷纸 沓纸 桌客人
次 遍 场球 趟 回 顿饭 圈 步 下 局比赛 轮比赛 集电视剧 章
天 秒 夜 晚 年 周 岁 小时 分钟 刻钟 星期 学期 世纪 元 美元 角 毛钱 倍
吨 斤 升 亩 克 米 尺 寸 平方米 立方米 厘米 毫米 毫克 公斤 公里 英里 千克 千米 千瓦 里路 度电
"""


def found(text: str, format: NumberFormat = NumberFormat()) -> list[str]:  # noqa: B008
    return [f"{text[number.start : number.end]}={number.value}" for number in find_numbers(text, format)]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("12 and 1,234.5 and .5", ["12=12", "1,234.5=2469/2", ".5=1/2"]),
        ("rs . 57 or Rs.57 or $5.00 or 12,34,567", ["57=57", "57=57", "5.00=5", "12,34,567=1234567"]),
        ("in 18, 6,12 days", ["18=18", "6=6", "12=12"]),
        ("20 % or 20% or 20 percent", ["20 %=1/5", "20%=1/5", "20 percent=1/5"]),
        ("1/2, 2 / 3, 1 1/2, 2 and 3/4", ["1/2=1/2", "2 / 3=2/3", "1 1/2=3/2", "2 and 3/4=11/4"]),
        ("3(1/2)米，(7/6)米", ["3(1/2)=7/2", "(7/6)=7/6"]),
        ("36/12, 1/2/2026, 3-2/6", ["36=36", "12=12", "1=1", "2=2", "2026=2026", "3=3", "2=2", "6=6"]),
        ("in the ratio 3:4, from 2-5", ["3=3", "4=4", "2=2", "5=5"]),
        ("-2 , -15 and 5 - 3 (-7)", ["-2=-2", "-15=-15", "5=5", "3=3", "-7=-7"]),
        ("**3** apples, _2_ pears, x_2 and __5", ["3=3", "2=2", "5=5"]),
        ("her mp3 player holds 4kg12.5", ["4=4", "12.5=25/2"]),
        ("１２个，３．５％，（１／５）", ["１２=12", "３．５％=7/200", "（１／５）=1/5"]),
        ("行50千米.7小时到达．3个，139，143", ["50=50", "7=7", "3=3", "139=139", "143=143"]),
        ("百分之20", ["百分之20=1/5"]),
        ("1½ cups, 2 ½ kg, ¼ and ⅔", ["1½=3/2", "2 ½=5/2", "¼=1/4", "⅔=2/3"]),
        ("12½%, 12 1/2 %, 5 percentage points", ["12½%=1/8", "12 1/2 %=1/8", "5 percentage points=1/20"]),
        ("٣ or ۲۵ or ५ apples, ٢٫٥٪", ["٣=3", "۲۵=25", "५=5", "٢٫٥٪=1/40"]),
        ("1,000,000 or 1 000 000 or 2 500 000", ["1,000,000=1000000", "1 000 000=1000000", "2 500 000=2500000"]),
        ("1.5kg, 3x, 10am, a 7-year-old, 5'6\", 2x4", ["1.5=3/2", "3=3", "10=10", "7=7", "5=5", "6=6", "2=2", "4=4"]),
        ("2 to 3, between 5 and 10, 50/50, 24/7", ["2=2", "3=3", "5=5", "10=10", "50=50", "50=50", "24=24", "7=7"]),
        ("after COVID-19 an iPhone 15 of the 1990s", ["15=15"]),  # that 15 is a name takes knowledge of the world
        ("call 555-123-4567 or (555) 123-4567 at 9", ["9=9"]),
        ("计算：3687-363-478-1637=．", ["3687=3687", "363=363", "478=478", "1637=1637"]),
        ("12) Ann took bus No. 7 to shop #4 for 3 pens", ["3=3"]),
        ("3. Tom has 5", ["5=5"]),
        ("3.5 tons, 2、3和5", ["3.5=7/2", "2=2", "3=3", "5=5"]),
        ("-3² or 10⁻³ or 1/2² or 12 cm²", ["-3²=-9", "10⁻³=1/1000", "1=1", "2²=4", "12=12"]),
        ("1e10 or 2.5E-3 or 3e", ["1e10=10000000000", "2.5E-3=1/400", "3=3"]),
        ("10²³ or 2⁵⁰", ["10²³=100000000000000000000000", "2⁵⁰=1125899906842624"]),
        ("0x1e5, 2e3.5, 1e2e3, 3/4e5", ["0=0", "1=1", "2=2", "3.5=7/2", "1=1", "2=2", "3=3", "4e5=400000"]),
        ("26\u00a0000 or 1\u202f234\u2009567", ["26\u00a0000=26000", "1\u202f234\u2009567=1234567"]),
        ("1\u00a0000 000 or 2\u00a0123/456", ["1\u00a0000 000=1000000", "2\u00a0123/456=345/152"]),
        ("５\u00a0０００", ["５\u00a0０００=5000"]),
        ("20\u00a0% of 2\u00a01/2, in 2019\u00a0345", ["20\u00a0%=1/5", "2\u00a01/2=5/2", "2019=2019", "345=345"]),
        ("𝟏𝟐 or ๓ or 2⅑", ["𝟏𝟐=12", "๓=3", "2⅑=19/9"]),
        ("-1/2, -½, (-2 1/2), 3-1/2", ["-1/2=-1/2", "-½=-1/2", "-2 1/2=-5/2", "3=3", "1=1", "2=2"]),
        ("the product of 6 and 2/3, the sum of -5 and 1/2", ["6=6", "2/3=2/3", "-5=-5", "1/2=1/2"]),
        ("Rs50, USD20 and EUR5, but B12 and mp3", ["50=50", "20=20", "5=5"]),
        ("a room of 20m2, 3cm3, 5 dollars per m2", ["20=20", "3=3", "5=5"]),
        ("$5k a month, €1.5k, a 5k run", ["5k=5000", "1.5k=1500", "5=5"]),
        ("£2m, $3.5bn, €40mn, 2m of rope, $2 m", ["2m=2000000", "3.5bn=3500000000", "40mn=40000000", "2=2", "2=2"]),
        ("5‰ or 3 ‰", ["5‰=1/200", "3 ‰=3/1000"]),
        ("最低气温-4℃，数是-4，从－3℃到5℃", ["-4=-4", "-4=-4", "－3=-3", "5=5"]),
        ("一年级-3班，5月-8月，A地-2", ["3=3", "5=5", "8=8", "2=2"]),
        (
            "10 000 people, $26 000, 1 500 000, 1 234 567",
            ["10 000=10000", "26 000=26000", "1 500 000=1500000", "1=1", "234=234", "567=567"],
        ),
        ("a 5-percent discount, 20-per-cent, 3 per-cent", ["5-percent=1/20", "20-per-cent=1/5", "3 per-cent=3/100"]),
        ("60 and 3/4 of 80, ate 10 and 1/3 of the rest", ["60=60", "3/4=3/4", "80=80", "10=10", "1/3=1/3"]),
        ("1 and 1/4 of a cup, 2 and 3/4 cups", ["1 and 1/4=5/4", "2 and 3/4=11/4"]),
        ('2-1/2 feet, a 3-1/4-inch nail, 1-1/2"', ["2-1/2=5/2", "3-1/4=13/4", "1-1/2=3/2"]),
        ("5'x8' or 5\" x7\", 10cm x4cm", ["5=5", "8=8", "5=5", "7=7", "10=10", "4=4"]),
        ("3 ft x6 ft, 3 x4", ["3=3", "6=6", "3=3", "4=4"]),
        ("x1 = 3 or x2, 12 mp3s", ["3=3", "12=12"]),
        ("1. Tom has 3.\n2. 4 more.\n\n3) Now?", ["3=3", "4=4"]),
        ("有：\n（1）3个苹果\n（2）5个梨", ["3=3", "5=5"]),
        ("He has\n12. How many are\n1. what?", ["12=12", "1=1"]),
        ("5-1/2 is what, 3-2/6的商", ["5=5", "1=1", "2=2", "3=3", "2=2", "6=6"]),
    ],
)
def test_digits(text: str, numbers: list[str]) -> None:
    assert found(text, DIGITS_ONLY) == numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("twenty-three, one hundred and five", ["twenty-three=23", "one hundred and five=105"]),
        ("Two hundred thousand; a million", ["Two hundred thousand=200000", "a million=1000000"]),
        ("two million three hundred thousand and six", ["two million three hundred thousand and six=2300006"]),
        ("five and six, three four", ["five=5", "six=6", "three=3", "four=4"]),
        ("and hundred", ["hundred=100"]),
        ("half of two thirds", ["half=1/2", "two thirds=2/3"]),
        ("a third of it, three-quarters, one-fifth", ["a third=1/3", "three-quarters=3/4", "one-fifth=1/5"]),
        ("one and a half or 2 and a half", ["one and a half=3/2", "2 and a half=5/2"]),
        ("3² and a half", ["3²=9", "a half=1/2"]),
        ("twice 2 dozen", ["twice=2", "2=2", "dozen=12"]),
        ("6 million people", ["6=6", "million=1000000"]),
        ("ten percent", ["ten percent=1/10"]),
        ("He ate one and bought one more", ["one=1", "one=1"]),
        ("one-half, two-thirds, one and one-half", ["one-half=1/2", "two-thirds=2/3", "one and one-half=3/2"]),
        ("two and three quarters or a two-and-a-half", ["two and three quarters=11/4", "two-and-a-half=5/2"]),
        ("2 and a quarter hours; half an hour", ["2 and a quarter=9/4", "half=1/2"]),
        ("five hundred or a million and a half", ["five hundred=500", "a million and a half=1500000"]),
        ("one percent, tenfold, doubling", ["one percent=1/100", "tenfold=10", "doubling=2"]),
        ("$1.5 million for two dozen", ["1.5=3/2", "million=1000000", "two=2", "dozen=12"]),
        ("二十三人，一百零五人，三千万", ["二十三=23", "一百零五=105", "三千万=30000000"]),
        ("十个，两年，一半，半小时", ["十=10", "两=2", "一半=1/2", "半=1/2"]),
        ("三分之二，一又二分之一", ["三分之二=2/3", "一又二分之一=3/2"]),
        ("百分之五，打八折，增产二成，七五折", ["百分之五=1/20", "八折=4/5", "二成=1/5", "七五折=3/4"]),
        ("3.5亿元", ["3.5=7/2", "亿=100000000"]),
        ("六千克，三千米，十二千克，三千千米", ["六=6", "三=3", "十二=12", "三千=3000"]),
        ("三千人，两万五千米，三分之二千米", ["三千=3000", "两万五千=25000", "三分之二=2/3"]),
        ("三百五，一万二，三百零五", ["三百五=350", "一万二=12000", "三百零五=305"]),
        ("他八年一共，八年3个月，四周后", ["八=8", "八=8", "3=3", "四=4"]),
        ("两个半小时，一个半月，两个半圆", ["两个半=5/2", "一个半=3/2", "两=2"]),
        ("切成两半，路的两旁，五车沙，三种颜色", ["两=2", "两=2", "五=5", "三=3"]),
        ("三点五千克，零点五升，一百二十点二五元", ["三点五=7/2", "零点五=1/2", "一百二十点二五=481/4"]),
        ("百分之十二点五，百分之百，打八点五折", ["百分之十二点五=1/8", "百分之百=1", "八点五折=17/20"]),
        ("下午三点五分，三点五十到，三点五分钟", ["三=3", "五=5", "三=3", "五十=50", "三点五=7/2"]),
        ("千分之三，万分之五", ["千分之三=3/1000", "万分之五=1/2000"]),
        ("五减八，一加一等于几，三乘以4，10除以二", ["五=5", "八=8", "一=1", "一=1", "三=3", "4=4", "10=10", "二=2"]),
        ("做错了四题，八G流量", ["四=4", "八=8"]),
        ("工资3千元，5百人，6千克", ["3=3", "千=1000", "5=5", "百=100", "6=6"]),
        ("three point five kg, one point two five", ["three point five=7/2", "one point two five=5/4"]),
        ("twelve point five percent", ["twelve point five percent=1/8"]),
        ("3 quarters of the 20 boys, 2 thirds of it", ["3 quarters=3/4", "20=20", "2 thirds=2/3"]),
        ("3 quarters and a dime, 4 quarters of it, 5 lacs", ["3=3", "4=4", "5 lacs=500000"]),
        ("seven (7) pens, 3 (three) pens, five (six)", ["seven=7", "3=3", "five=5", "six=6"]),
        ("Question 5: Tom has 3", ["3=3"]),
        ("Exercise 12\nTom has 3", ["3=3"]),
        ("例1：小明有3个", ["3=3"]),
        ("Problem 3.5 of 5", ["3.5=7/2", "5=5"]),
        (
            "two percentage points, half a percentage point",
            ["two percentage points=1/50", "half a percentage point=1/200"],
        ),
        (
            "₹45 lakh, 2.5 crores, two lakh fifty thousand",
            [
                "45 lakh=4500000",
                "2.5 crores=25000000",
                "two lakh fifty thousand=250000",
            ],
        ),
        (
            "from -$50 to −€2.50, $-3, $50 - $30, $50-$30",
            ["-$50=-50", "−€2.50=-5/2", "-3=-3", "50=50", "30=30", "50=50", "30=30"],
        ),
        ("one eleventh of it, two fifteenths", ["one eleventh=1/11", "two fifteenths=2/15"]),
        ("a forty-fifth share, two twenty-fifths", ["a forty-fifth=1/45", "two twenty-fifths=2/25"]),
        ("one thirty-first, a thirtieth of it", ["a thirtieth=1/30"]),
        ("one hundredth or five thousandths", ["one hundredth=1/100", "five thousandths=1/200"]),
        ("two hundred fifth graders, twenty third graders", ["two hundred=200", "twenty=20"]),
        ("a thirty-second film", ["thirty=30"]),
        ("two million and a half", ["two million and a half=2500000"]),
        ("two hundred and a half", ["two hundred and a half=401/2"]),
        ("6 million and a half", ["6=6", "million=1000000", "a half=1/2"]),
        ("$5million or 3hundred", ["5=5", "million=1000000", "3=3", "hundred=100"]),
        ("打8折，打85折，6.5折，占3成", ["8折=4/5", "85折=17/20", "6.5折=13/20", "3成=3/10"]),
        ("增产两成，多卖两成半，三成半价", ["两成=1/5", "两成半=1/4", "三成=3/10"]),
        ("2成人，8折叠", ["2=2", "8=8"]),
        ("five-percent, twenty-per-cent", ["five-percent=1/20", "twenty-per-cent=1/5"]),
        (
            "two and a half percent, 3 and a half per cent",
            ["two and a half percent=1/40", "3 and a half per cent=7/200"],
        ),
        ("half a percent, one-quarter percent", ["half a percent=1/200", "one-quarter percent=1/400"]),
        (
            "a quarter of one percent, three quarters of a percent",
            [
                "a quarter of one percent=1/400",
                "three quarters of a percent=3/400",
            ],
        ),
        ("ate 10 and a third of the rest, nine and a half of them", ["10=10", "a third=1/3", "nine=9", "a half=1/2"]),
        ("a third of a cup, 2 and a half of a pizza", ["a third=1/3", "2 and a half=5/2"]),
        (
            "an hour and a half at 4 km/h, two hours and a half",
            [
                "an hour and a half=3/2",
                "4=4",
                "two hours and a half=5/2",
            ],
        ),
        (
            "3 miles and a quarter, the last day and a half",
            ["3 miles and a quarter=13/4", "the last day and a half=3/2"],
        ),
        ("a ladle and a half per guest, paid time and a half", ["a ladle and a half=3/2", "time and a half=3/2"]),
        ("a hat and a third of the rest, a lesson and a half-day pass", ["a third=1/3", "a half=1/2"]),
        ("a dozen and a half, a dress and a half price hat", ["dozen=12", "a half=1/2", "a half=1/2"]),
        ("一斤半，一年半，两圈半，3小时半", ["一斤半=3/2", "一年半=3/2", "两圈半=5/2", "3小时半=7/2"]),
        ("6个半小时，四吨半粮食，2车半", ["6个半=13/2", "四吨半=9/2", "2车半=5/2"]),
        ("第二件半价，一人一半，第一天半天，8点半，3个半圆", ["一半=1/2", "半=1/2", "8=8", "半=1/2", "3=3"]),
        ("三块五，一块二，12块5一斤，五块五的", ["三块五=7/2", "一块二=6/5", "12块5=25/2", "五块五=11/2"]),
        ("一块三角形，10块3个，六块一杯，两块5米长", ["10=10", "3=3", "六=6", "两=2", "5=5"]),
        ("高1米35，长约一米零五，1米5高，每隔2米3棵", ["1米35=27/20", "一米零五=21/20", "1米5=3/2", "2=2", "3=3"]),
        ("面积9米2，长3米5分米，水管长8米一米60", ["9=9", "2=2", "3=3", "5=5", "8=8", "60=60"]),
        ("1万3千元，12万5千人，3千5百元", ["1万3千=13000", "12万5千=125000", "3千5百=3500"]),
        ("2万5千克", ["2=2", "万=10000", "5=5"]),
        ("四成五，二成五是，六成二五，3成半", ["四成五=9/20", "二成五=1/4", "六成二五=5/8", "3成半=7/20"]),
        ("三成五百元，两成一个", ["三成=3/10", "五百=500", "两成=1/5"]),
        ("5分之3，8分之一，千分之2，2又5分之3", ["5分之3=3/5", "8分之一=1/8", "千分之2=1/500", "2又5分之3=13/5"]),
        ("廿五人，卅个，廿天", ["廿五=25", "卅=30", "廿=20"]),
        ("negative 5, by negative three", ["negative 5=-5", "negative three=-3"]),
        ("are B negative. 5 of them, non-negative", ["5=5"]),
        ("负5加3，住负2楼，是负三度", ["负5=-5", "3=3", "负2=-2", "负三=-3"]),
        ("胜3场，平2场，负4场", ["3=3", "2=2", "4=4"]),
        ("减负30%，正负5度", ["30%=3/10", "5=5"]),
        ("零下5度，最低气温零下 12.5℃", ["零下5=-5", "零下 12.5=-25/2"]),
        ("零下31度，升了6度，零下多少度？", ["31=31", "6=6"]),
        ("5 degrees below zero, 9 below 0", ["5 degrees below zero=-5", "9 below 0=-9"]),
        ("It was minus 5 degrees, at minus seven degrees", ["minus 5=-5", "minus seven=-7"]),
        ("20 degrees minus 5 degrees, at minus 1 each", ["20=20", "5=5", "1=1"]),
        ("31, 28 and 26 degrees below zero", ["31=31", "28=28", "26=26", "zero=0"]),
        ("It was 31 degrees below zero. How many degrees below zero is it?", ["31=31", "zero=0", "zero=0"]),
        ("一萬三千元，兩個，三點五公斤，3萬5千", ["一萬三千=13000", "兩=2", "三點五=7/2", "3萬5千=35000"]),
        (
            "一個半小時，三塊五，五隻，七張，八歲，兩億",
            ["一個半=3/2", "三塊五=7/2", "五=5", "七=7", "八=8", "兩億=200000000"],
        ),
        (
            "twenty\nthree, two hundred\nthree, an hour\nand a half, thirty‑five, twentyfive",
            [
                "twenty\nthree=23",
                "two hundred\nthree=203",
                "an hour\nand a half=3/2",
                "thirty‑five=35",
                "twentyfive=25",
            ],
        ),
        (
            r"$\frac{3}{4}$ of \$5.50, 2\dfrac{1}{2} kg, 20\%, \frac{x}{3}",
            [r"\frac{3}{4}=3/4", "5.50=11/2", r"2\dfrac{1}{2}=5/2", r"20\%=1/5", "3=3"],
        ),
        ("12\n1/2, 5\n000, at ‑5 °C", ["12=12", "1/2=1/2", "5=5", "000=0", "‑5=-5"]),
    ],
)
def test_words(text: str, numbers: list[str]) -> None:
    assert found(text) == numbers
    assert not any(number.kind == "word" for number in find_numbers(text, DIGITS_ONLY))


@pytest.mark.parametrize(
    "text",
    [
        "a couple of hours, the 2nd grade, a pair of shoes, hundreds of them",  # how many hours, nobody can tell
        "the first, the 3rd, a third friend, the last second",
        "the twenty-fifth day, the thirty-third, the twenty-first, the twenty third, a twenty-fifth birthday",
        "the hundred and fifth, one hundred and twenty-fifth, the two hundredth, the one hundredth, the hundred first",
        "one day each one saw one of them, and no one else",
        "someone in Sevenoaks weighs a tenner often",
        "第三天，三年级，星期三，三角形，三位数，十分高兴",
        "一共，一些，一个，半径，半圆，上半年，零件，千米，千克",
        "他加一次班，增加一些，加减乘除，第三加工厂，第三题，三题目",
        "甲乙两地，两车，两队，两种，两部分，两列火车，张三",
        "在四周围一圈，池塘四周种树，三年二班，一千克，几千米，四面八方，五年级，三轮车",
    ],
)
def test_number_words_that_are_no_amounts(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize("counted", COUNTED.split())
def test_a_single_chinese_numeral_counts_before_what_it_counts(counted: str) -> None:
    assert found(f"用了七{counted}") == ["七=7"]


def test_conventions() -> None:
    text = "On the 3rd day 5 % of 2/3 and 1 1/2 were sold; 第4天, two more"
    assert found(text) == ["5 %=1/20", "2/3=2/3", "1 1/2=3/2", "two=2"]
    other = NumberFormat(percent="whole", fraction="two", words=False, ordinals=True)
    assert found("$26 000, 2-1/2 feet", other) == ["26=26", "000=0", "2=2", "1=1", "2=2"]
    assert found("half a percent, 2 and a half percent", NumberFormat(percent="whole")) == [
        "half=1/2",
        "2 and a half=5/2",
    ]
    assert found(text, other) == ["3=3", "5=5", "2=2", "3=3", "1=1", "1=1", "2=2", "4=4"]
    assert found("1) No. 7, #4, 1990s, 3½, ¼ %", other) == ["1=1", "7=7", "4=4", "1990=1990", "3=3", "½=1/2", "¼=1/4"]
    assert found("ten percent, 百分之五", NumberFormat(percent="whole")) == ["ten=10", "五=5"]


@given(TEXTS, FORMATS)
def test_any_text_gives_numbers_in_order(text: str, format: NumberFormat) -> None:
    end = 0
    for number in find_numbers(text, format):
        assert end <= number.start < number.end <= len(text)
        end = number.end


@given(TEXTS, FORMATS)
def test_the_place_of_a_number_holds_its_value(text: str, format: NumberFormat) -> None:
    for number in find_numbers(text, format):
        if number.kind in ("digits", "fraction"):
            place = text[number.start : number.end]
            assert [again.value for again in find_numbers(place, format)] == [number.value]


@given(TEXTS)
def test_without_words_the_rest_is_the_same(text: str) -> None:
    words = {(number.start, number.end) for number in find_numbers(text) if number.kind in ("word", "percent")}
    for number in find_numbers(text, DIGITS_ONLY):
        in_both = number in find_numbers(text)
        assert in_both or any(start <= number.start < end for start, end in words)


SMALL = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
SMALL_WORDS = [*SMALL.split(), "seventeen", "eighteen", "nineteen"]
TENS_WORDS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def in_english(number: int) -> str:
    for scale, name in ((10**9, "billion"), (10**6, "million"), (1000, "thousand"), (100, "hundred")):
        if number >= scale:
            rest = number % scale
            joint = " and " if 0 < rest < 100 else " "
            return f"{in_english(number // scale)} {name}" + (joint + in_english(rest) if rest else "")
    if number < 20:
        return SMALL_WORDS[number]
    return TENS_WORDS[number // 10] + (f"-{SMALL_WORDS[number % 10]}" if number % 10 else "")


def in_chinese(number: int) -> str:
    for scale, name in ((10**8, "亿"), (10**4, "万"), (1000, "千"), (100, "百"), (10, "十")):
        if number >= scale:
            rest = number % scale
            gap = "零" if 0 < rest < scale // 10 else ""
            return in_chinese(number // scale) + name + gap + (in_chinese(rest) if rest else "")
    return "零一二三四五六七八九"[number]


@given(st.integers(2, 10**11))
def test_every_cardinal_is_read_as_it_is_said(number: int) -> None:
    for text in (f"{in_english(number)} nuts", f"{in_chinese(number)}个"):
        assert [found.value for found in find_numbers(text)] == [number]


@given(st.fractions(min_value=0, max_value=10**6, max_denominator=1000), FORMATS)
def test_every_written_value_is_read_exactly(value: Fraction, format: NumberFormat) -> None:
    whole, rest = divmod(value, 1)
    format = NumberFormat(format.percent, "one", format.words, format.ordinals)
    texts = [f"{whole}({rest.numerator}/{rest.denominator})", f"({value.numerator}/{value.denominator})"]
    if rest:
        texts.append(f"about {whole} {rest.numerator}/{rest.denominator} kg")
    for text in texts:
        assert [number.value for number in find_numbers(text, format)] == [value]


def test_a_numeral_too_long_to_be_an_amount_is_left_out() -> None:
    assert find_numbers("1" * 10_000_000) == ()
    assert found("7 of serial " + "9" * 41 + " and 1/" + "3" * 41) == ["7=7"]
    assert found("3⁹⁹, 2" + "⁹" * 10_000 + ", 1e400, 1e" + "9" * 10_000 + ", 0⁻¹") == []


REPEATED = "1, 1/ 1e 1² (1/ 1. 一又 百分之 x1 1½ 两万五千"


@pytest.mark.parametrize(
    "piece",
    [
        *REPEATED.split(),
        "9" * 40 + "⁹⁹⁹⁹ ",
        "1 1/",
        "one ",
        "a hundred and ",
        "1 000 ",
        "1\u00a0000",
        "2块5，",
        "负5零下5度",
        "5 below 0, ",
        "3 hours and a half ",
    ],
)
def test_time_grows_with_the_length_only(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    start = time.process_time()
    find_numbers(text)
    assert time.process_time() - start < 10  # takes half a second; a quadratic search would take minutes
