"""Numbers in Chinese numerals: 三, 二十三, 一百零五, 三点五, 两, 半, 三分之二, 百分之五, 八折, 打8折.

Only what says how many or how much counts, since each false one is one more number that a model must choose among. A
single numeral counts before a measure word or a unit (三个, 两年), which leaves out ordinals (第三), names (三角形)
and pairs just mentioned (甲乙两地). It also counts in a calculation (五减三). 一 alone is nearly always an article, so
it counts only in a calculation (一加一).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from treequation.text.problem import FoundNumber, NumberFormat

#: Traditional characters of numerals and of what they count, with the simplified ones.
SIMPLIFIED = str.maketrans(
    "萬億兩點個張隻條顆輛雙對塊歲時鐘錢間樓層頁頭罐籃壺鍋盤籠級場節課題門戶盞頂棟冊噸畝幾負減週臺台餘紀歐鎊輪組處種車隊圈頓發綑疊",
    "万亿两点个张只条颗辆双对块岁时钟钱间楼层页头罐篮壶锅盘笼级场节课题门户盏顶栋册吨亩几负减周台台余纪欧镑轮组处种车队圈顿发捆叠",
)

_DIGITS = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_TWENTIES = {"廿": "二十", "卅": "三十"}
_UNITS = {"十": 10, "百": 100, "千": 1_000}
_LARGE_UNITS = {"百": 100, "千": 1_000, "万": 10**4, "亿": 10**8}
_POINT = "点"

# 千 before a unit belongs to it: 六千克 is six kilograms. But 两万五千米 is 25,000 metres.
_NUMERAL = "(?:[零〇一二两三四五六七八九十廿卅百万亿]|千(?![克米瓦卡])|(?<=[万亿][一二两三四五六七八九])千)"
# 三点五, but not the time of day in 三点五分 and 三点五十.
_DECIMALS = f"(?:{_POINT}[零〇一二三四五六七八九]++(?!十|[分刻](?!钟|米|克|之)))?"
_TENTHS = "成(?!人|为|本|绩|功|员|立|长|熟|了|[正反]?比)"
# The rest of 两成半 and 四成五, but not of 一成半价 and 三成五百元.
_AFTER_TENTH = "(?P<half_a_tenth>半(?!价))|(?P<more>[一二三四五六七八九]{1,2})(?![十百千万点个人名只件元折倍米吨])"
_NUMBER_WORDS = re.compile(
    rf"(?P<hundredths>百分之)(?P<percent>{_NUMERAL}++{_DECIMALS})"
    rf"|(?:(?P<whole>{_NUMERAL}++)又)?(?P<denominator>{_NUMERAL}++)分之(?P<numerator>{_NUMERAL}++)"
    rf"|(?P<tenths>[一二三四五六七八九]{_POINT}?[一二三四五六七八九]?|两(?=成))(?:折|{_TENTHS}(?:{_AFTER_TENTH})?)"
    r"|(?<=[0-9])(?P<myriad>百(?![分货])|千(?![克米瓦卡分])|[万亿])"
    r"|(?<![上下前后两大多])(?<![0-9]成)(?P<half>一?半)(?![径圆球价轴])"
    rf"|(?P<cardinal>{_NUMERAL}++{_DECIMALS})(?!分之)(?P<and_a_half>个半(?=小时|钟头|月|星期|礼拜|学期|世纪))?"
)
_ORDINAL = re.compile("(?:第|周|星期|礼拜|初|高|[几数])$")
# What a single numeral counts: things, containers, events, time, money, measures. Those that are also parts of other
# words count only as units, which leaves out 三角形, 四年级, 三年二班, 三位数, 十分 (very) and 四周 (all around).
_COUNTED = re.compile(
    "[个名只条根张本件块支枝把棵颗粒朵头匹辆架艘台套双对组层楼间座幅篇页行排份节门科道段口户人顶盏副封首株枚片扇栋幢册滴"
    "瓣截股团句笔尾丛束串群窝处格款柄床旁侧]"
    "|[包袋箱盒桶瓶罐碗盘碟杯壶篮筐篓笼缸锅勺匙盆坛筒听兜堆批捆卷扎沓叠摞桌担]"
    "|[次遍场趟回顿圈步下届集章]|题(?![目材型])|局(?!长)|轮(?![车船胎])"
    "|[天秒夜]|年(?!级|[(]?[0-9一二三四五六七八九十]{1,2}[)]?班)|(?<!四)周(?![围长边])|周(?=[后内前共]|时间|一共|完成)"
    "|岁|晚(?!上)|小时|分(?=[钟钱]|[，。．,.])|刻(?=钟)|点(?!整|钟)|星期|礼拜|学期|课时|世纪"
    "|[元倍]|美元|欧元|英镑|角(?![形钢度尺])|毛(?=钱)"
    "|[吨斤升亩克米丈尺寸伏瓦]|平方|立方|平米|厘米|分米|毫米|公分|毫克|公斤|公里|公顷|毫升|英里|英尺|英寸|海里|里(?=[路地])"
    "|千[克米瓦卡]|度(?!数)|G(?![A-Za-z])"
    "|位(?![数小上的间和与是])|部(?![分门队位])|面(?=[红彩小国锦队旗镜鼓墙])|列(?!火|客|货|快|慢|动|车)|级(?=台阶|楼梯)"
    "|站(?=路)|板(?![块凳])|发(?=[子炮])|半(?=[，。．,.后]|$)"
)
# Before these, 两 means a pair just mentioned (甲、乙两车), but a larger number is an amount: 五车沙子.
_COUNTED_BEYOND_A_PAIR = re.compile("车(?![间站道])|船|种|家|队(?![员长])")
# Between two numerals: 三加二, 十减八, 3乘以二.
_CALCULATES, _OPERAND = "(?:加上?|减去?|乘以?|除以)", "[0-9零〇一二两三四五六七八九十百千万亿半]"
_BEFORE_OPERAND, _AFTER_OPERAND = re.compile(f"{_OPERAND}{_CALCULATES}$"), re.compile(f"{_CALCULATES}{_OPERAND}")
#: After digits: 8折 and 85折 are 0.8 and 0.85 of the price, 3成 is 0.3. But what is folded (折叠) is no price.
AFTER_TENTHS = re.compile(f"[ ]?(?:折(?![叠成合线扇返纸])|{_TENTHS}(?:{_AFTER_TENTH})?)")
#: A longer numeral is a list of digits, not an amount.
_LONGEST = 24


def find_chinese(text: str, format: NumberFormat) -> Iterator[FoundNumber]:
    """The numbers in Chinese numerals, in order.

    >>> text = "二十三个梨，三分之二，半小时，百分之五，打八折，第三天，甲乙两地，半径"
    >>> [str(number.value) for number in find_chinese(text, NumberFormat())]
    ['23', '2/3', '1/2', '1/20', '4/5']
    """
    for match in _NUMBER_WORDS.finditer(text):
        start, end = match.span()
        value: Fraction | None
        if match["hundredths"]:
            value = Fraction(100) if match["percent"] == "百" else _cardinal(match["percent"])
            if value is not None:
                yield format.percentage(value, match.span("percent"), match.span())
            continue
        if match["denominator"]:
            value = fraction_value(match)
        elif match["tenths"]:
            tenths = match["tenths"].replace(_POINT, "")  # 八折 is 0.8 of the price, 七五折 is 0.75
            value = tenths_value("".join(str(_DIGITS[digit]) for digit in tenths), match)
        elif match["myriad"]:
            value = Fraction(_LARGE_UNITS[match["myriad"]])
        elif match["half"]:
            value = Fraction(1, 2)
        elif match["and_a_half"]:
            value = _cardinal(match["cardinal"])
            value = None if value is None else value + Fraction(1, 2)
        else:
            value = _cardinal(match["cardinal"]) if _is_amount(text, match) else None
        if value is not None:
            yield FoundNumber(value, start, end, "word")


def tenths_value(digits: str, match: re.Match[str]) -> Fraction:
    """The share that 折 or 成 gives its ``digits``, with what ``match`` has after it: 85折, 三成半, 四成五."""
    if match["more"]:
        digits += "".join(str(_DIGITS[digit]) for digit in match["more"])
    return Fraction(int(digits), 10 ** len(digits)) + (Fraction(1, 20) if match["half_a_tenth"] else 0)


def _is_amount(text: str, match: re.Match[str]) -> bool:
    numeral, start, end = match["cardinal"], match.start(), match.end()
    if _ORDINAL.search(text, max(0, start - 2), start):
        return False
    if _AFTER_OPERAND.match(text, end) or _BEFORE_OPERAND.search(text, max(0, start - 3), start):
        return True
    if numeral in "一零〇":
        return False
    if len(numeral) > 1 or _COUNTED.match(text, end):
        return True
    return numeral not in "二两" and _COUNTED_BEYOND_A_PAIR.match(text, end) is not None


#: Fractions with Arabic digits are 8分之一, 5分之3 and 千分之2; those without are found above, 百分之3 is a percentage.
ARABIC_FRACTION = re.compile(
    rf"(?:(?P<whole>[0-9]{{1,9}}|{_NUMERAL}++)又)?(?<![0-9.])(?!百分之[0-9])(?P<denominator>[0-9]{{1,9}}|{_NUMERAL}++)分之"
    rf"(?P<numerator>[0-9]{{1,9}}(?![0-9.])|{_NUMERAL}++)"
)


def fraction_value(match: re.Match[str]) -> Fraction | None:
    """The value of a fraction's ``numerator`` and ``denominator``, and of the ``whole`` before them."""
    numerator = _cardinal(match["numerator"])
    denominator = _LARGE_UNITS.get(match["denominator"]) or _cardinal(match["denominator"])  # 千分之三
    whole = _cardinal(match["whole"]) if match["whole"] else Fraction(0)
    if numerator is None or not denominator or whole is None:
        return None
    return whole + numerator / denominator


def _cardinal(numeral: str) -> Fraction | None:
    """The value of a numeral, or None if the characters do not make one.

    >>> _cardinal("一百零五"), _cardinal("三百五"), _cardinal("三千万"), _cardinal("十二点五"), _cardinal("三五")
    (Fraction(105, 1), Fraction(350, 1), Fraction(30000000, 1), Fraction(25, 2), None)
    """
    if len(numeral) > _LONGEST:
        return None
    if numeral.isascii():
        return Fraction(numeral)
    for short, long in _TWENTIES.items():
        numeral = numeral.replace(short, long)
    numeral, _, decimals = numeral.partition(_POINT)
    if decimals:
        value = _cardinal(numeral)
        rest = sum(Fraction(_DIGITS[digit], 10**place) for place, digit in enumerate(decimals, start=1))
        return None if value is None else value + rest
    total = section = 0  # the section is what 万 or 亿 will multiply
    digit: int | None = None
    last_unit = 10_000
    for character in numeral:
        if character in _DIGITS:
            if digit:
                return None
            digit = _DIGITS[character]
        elif character in _UNITS:
            unit = _UNITS[character]
            if unit >= last_unit or digit == 0 or (digit is None and (unit != 10 or section)):
                return None
            section += (1 if digit is None else digit) * unit
            last_unit, digit = unit, None
        else:
            section += digit or 0
            if not section and not (total and character == "亿"):
                return None
            total = (total + section) * 10**8 if character == "亿" else total + section * 10**4
            section, last_unit, digit = 0, 10_000, None
    if digit and numeral[-2:-1] in _LARGE_UNITS:  # 三百五 is 三百五十
        digit *= _LARGE_UNITS[numeral[-2]] // 10
    return Fraction(total + section + (digit or 0))
