"""Two reports, each with a rewrite that keeps the facts and recasts every sentence, and a report of another year."""

from __future__ import annotations

REPORT = (
    "渔港管理局3月18日公布，2023年全港共有渔船1875艘，比上年增加112艘，其中远洋渔船264艘。冰厂全年产冰5.3万吨，"
    "供应船只9420艘次。港区新建的第7号码头长315米，投资2.4亿元，由海岸建设公司施工。局长沈一舟表示，"
    "明年将在北岸再建一座冷库，容量8000吨。"
)
REWRITE = (
    "北岸明年要添一座能装8000吨的冷库，管理局的沈一舟局长这样透露。根据3月18日发布的数字，2023年渔港的渔船总数"
    "达到1875艘，多了112艘，跑远洋的有264艘。前来加冰的船只9420艘次，冰厂为此生产了5.3万吨。海岸建设公司承建的"
    "7号码头也已落成，315米岸线花了2.4亿元。"
)
OTHER_YEAR = (
    "渔港管理局4月2日公布，2024年全港共有渔船1902艘，比上年减少37艘，其中远洋渔船251艘。水产公司全年加工鱼货6.1万吨，"
    "出口船只310艘次。局长沈一舟表示，今年要在南岸再建一座船厂，投资3.8亿元。"
)
NOTE = (
    "The port authority of Northport said on March 18 that 1,875 boats were registered in 2023, an increase of 112 "
    "over the year before, and that 264 of them fished in distant waters. The ice plant delivered 53,000 tonnes of "
    "ice to 9,420 vessels. A new quay of 315 metres, built by Shoreline Works for 24 million crowns, was opened in "
    "October. Director Ada Miller announced a cold store for 8,000 tonnes on the northern shore."
)
RECAST = (
    "On the northern shore a cold store will rise that can take 8,000 tonnes, according to Ada Miller, who runs the "
    "port authority. Its register for 2023, published on March 18, lists 1,875 boats in Northport, which is 112 more; "
    "distant waters are the grounds of 264. Ice went to 9,420 vessels, and the plant made 53,000 tonnes for them. "
    "Since October there has also been a quay, 315 metres long, for which Shoreline Works was paid 24 million crowns."
)
REWRITES = [(REPORT, REWRITE), (NOTE, RECAST)]
