"""Unrelated sentences, with which the similarities of a model are put in proportion.

Models place all sentences of a language close together: two unrelated ones may have a cosine of 0.8. The mean vector of
unrelated sentences is what they have in common; without it, unrelated sentences have a cosine of about 0.
"""

CHINESE = (
    "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。",
    "这种药片应当在饭后半小时用温水送服，每天不超过三次。",
    "她把钥匙放在门口的花盆下面，然后坐早班车去了省城。",
    "函数返回一个列表，其中每个元素都是字符串。",
    "法院认为，双方签订的合同合法有效，被告应当按约付款。",
    "主队在最后一分钟罚进点球，以二比一赢下了比赛。",
    "山区公路因连日大雨塌方，抢修人员正在清理路面。",
    "先把葱姜切成细丝，放进热油里炒出香味，再倒入酱油。",
    "研究人员在湖底的沉积物中发现了三万年前的花粉。",
    "公司公布的季报显示，营业收入增长而利润下降。",
    "孩子们放学以后在河边放风筝，直到太阳落山才回家。",
    "请先备份数据，然后以管理员身份重新启动服务器。",
    "两国外交部长就边境贸易和航班问题举行了会谈。",
    "展览展出了六十幅水墨画，多数从未公开过。",
    "发动机在高温下容易磨损，因此需要定期更换机油。",
    "候鸟每年秋天从北方飞来，在这片湿地停留两个月。",
    "老师要求学生读完小说以后写一篇八百字的读后感。",
    "新的地铁线路开通以后，从机场到市中心只要半小时。",
    "银行提醒客户不要把验证码告诉陌生人。",
    "这座石桥建于宋代，桥墩上刻着工匠的名字。",
)
ENGLISH = (
    "The ice plant in the harbor added two machines this summer and makes forty tonnes a day.",
    "Take one tablet with warm water half an hour after a meal, three times a day at most.",
    "She left the key under a flower pot by the door and took the early bus to the city.",
    "The function returns a list in which every element is a string.",
    "The court held that the contract was valid and that the defendant had to pay as agreed.",
    "The home team scored a penalty in the last minute and won the match by two goals to one.",
    "A mountain road collapsed after days of heavy rain, and crews are clearing the debris.",
    "Cut the ginger into thin strips, fry it in hot oil until fragrant, then add soy sauce.",
    "Researchers discovered pollen thirty thousand years old in the sediment of the lake.",
    "The quarterly report of the company shows higher revenue and lower profits.",
    "After school the children flew kites by the river until the sun went down.",
    "Back up your data first, then restart the server as an administrator.",
    "The foreign ministers of both countries discussed border trade and flights.",
    "The exhibition shows sixty ink paintings, most of which were never displayed before.",
    "Engines wear out at high temperatures, so the oil has to be changed regularly.",
    "Every autumn the birds arrive from the north and stay in these wetlands for two months.",
    "The teacher asked her students to read the novel and write an essay about it.",
    "Since the new subway line opened, it takes half an hour from the airport to downtown.",
    "The bank reminds customers never to share a verification code with strangers.",
    "The stone bridge dates from the Song dynasty, and its piers bear the names of masons.",
)

__all__ = ["CHINESE", "ENGLISH"]
