"""Attribution of first publication: labeled simulated propagation, worse habits, and real reprints between sites."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from benchmarks.plot import Series, line_chart
from benchmarks.questions import Answer, Settings, say
from benchmarks.reprints import judge_reprints
from whorl.attribution.weights import Weights
from whorl.evaluation.attribution.habits import HABITS
from whorl.evaluation.attribution.propagation import simulate
from whorl.evaluation.attribution.scores import choices, fit, score, signs


def ask(settings: Settings) -> Answer:
    """Score the default weights on clusters that they were not fitted to, and fit them again."""
    habits = {"usual": HABITS} | {name: replace(HABITS, **changes) for name, changes in settings["habits"].items()}
    rows = []
    for name, habit in habits.items():
        say(f"attribution: {name} habits")
        rows.append({"habits": name} | asdict(score(simulate(settings["clusters"], settings["unseen"], habit))))
    say("attribution: fitting")
    fitted_to = simulate(settings["fitted_to"], settings["seed"])
    fitted = fit(choices(fitted_to), signs(fitted_to), start=Weights())
    moved = max(abs(value - Weights().origin[name]) for name, value in fitted.origin.items())
    reprints = judge_reprints()
    origin = f"simulated: {settings['clusters']:,} clusters of seed {settings['unseen']}, weights fitted to another"
    data = [origin, *([reprints["origin"]] if reprints else [])]
    return {"data": data, "rows": rows, "moved": moved, "weights": fitted.to_dict(), "reprints": reprints}


def table(answer: Answer) -> str:
    """Return the answer as Markdown: the weights, simple rules, and the real reprints."""
    parts = [_reached(answer["rows"]), _rules(answer["rows"])]
    if reprints := answer["reprints"]:
        read, blind = reprints["read"], reprints["blind"]
        alone, earliest = reprints["alone"], reprints["earliest"]
        parts.append(
            f"Of {reprints['pairs']:,} pairs of real articles on different sites that share 60% of one of them, "
            f"{reprints['named']:,} name one of the two as the source. With these lines read, {read['right']:,} are "
            f"determined as they say, {read['wrong']:,} otherwise. Without them {blind['right']:,} are determined as "
            f"they say, {blind['wrong']:,} otherwise, and {blind['undetermined']:,} left undetermined; without the "
            f"habits of the two sites in other clusters {alone['right']:,}, {alone['wrong']:,} and "
            f"{alone['undetermined']:,}. The earliest claimed date agrees with {earliest['right']:,} and "
            f"disagrees with {earliest['wrong']:,}."
        )
    parts.append(
        "Evidence exists where a member names or points to a source that can be resolved, or the first member was seen "
        "more than an update cycle before all others; of an original that is not among the members, where it is named. "
        f"Fitted again from the usual weights, no weight moves by more than {answer['moved']:.2f}."
    )
    return "\n\n".join(parts)


def figure(answer: Answer) -> str:
    """Draw the calibration: how often answers of a probability are right."""
    bins = answer["rows"][0]["bins"]
    claimed = [100 * bin_["said"] for bin_ in bins]
    series = [Series("right", [100 * bin_["right"] for bin_ in bins]), Series("as said", claimed)]
    title = "Who was first: answers that are right, of a hundred of one probability"
    return line_chart(title, "probability that was said, in hundredths", claimed, series, is_logarithmic=False)


def _reached(rows: list[dict[str, Any]]) -> str:
    head = (
        "| habits of sites | top-1, all | top-1 where evidence exists | determined | of these right "
        "| calibration error | self-syndication told from copying | its precision | its recall |"
    )
    lines = [head, f"|---|{'--:|' * 8}"]
    names = ("top1", "top1_with_evidence", "determined", "top1_determined", "calibration_error")
    names += ("syndication", "syndication_precision", "syndication_recall")
    lines += (f"| {row['habits']} | {' | '.join(f'{row[name]:.3f}' for name in names)} |" for row in rows)
    return "\n".join(lines)


def _rules(rows: list[dict[str, Any]]) -> str:
    rules = list(rows[0]["baselines"])
    lines = [f"| the original is a member | whorl | {' | '.join(rules)} |", f"|---|{'--:|' * (len(rules) + 1)}"]
    for row in rows:
        reached = [row["top1_present"], *row["baselines"].values()]
        lines.append(f"| {row['habits']} | {' | '.join(f'{share:.3f}' for share in reached)} |")
    return "\n".join(lines)
