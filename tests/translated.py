"""A report, its translation, and a report of another year in the other language."""

from __future__ import annotations

REPORT = (
    "渔港管理局3月18日公布，2023年全港共有渔船1875艘，其中远洋渔船264艘。\n"
    "冰厂全年产冰5.3万吨，供应船只9420艘次。\n"
    "港区新建的第7号码头长315米，投资2.4亿元，由 Shoreline Works 施工。"
)
TRANSLATION = (
    "The port authority announced on March 18 that the harbor had 1,875 boats in 2023, 264 of them ocean-going.\n"
    "In that year the ice plant made 53,000 tonnes of ice for 9,420 vessels.\n"
    "The new quay No. 7 in the harbor is 315 metres long, cost 240 million yuan and was built by Shoreline Works."
)
OTHER_YEAR = (
    "The port authority announced on April 2 that the harbor had 1,902 boats in 2024, 251 of them ocean-going.\n"
    "In that year the fish factory processed 61,000 tonnes of fish and exported them on 310 vessels.\n"
    "A new shipyard on the southern shore will cost 380 million yuan and will be built by Seaside Works."
)
WITHOUT_FACTS = (
    "渔港的冰厂又开工了，船东们一早就赶来。\n制冰的机器换了新的，码头上也添了吊车。\n"
    "管理局说，冷库建好以后，渔船可以多停几天。"
)
ITS_TRANSLATION = (
    "The ice plant in the harbor is working again, and the boat owners came early.\n"
    "The ice machines were replaced, and the quay was given a crane.\n"
    "Once the cold store is built, says the port authority, fishing boats can stay for some days more."
)
TERMS = [
    ("冰厂", "ice plant"),
    ("船东", "boat owner"),
    ("机器", "machine"),
    ("码头", "quay"),
    ("吊车", "crane"),
    ("管理局", "port authority"),
    ("冷库", "cold store"),
    ("渔船", "fishing boat"),
]
