"""What the extractors of other frameworks read from replies: cases on standard input, for each whether it counts as the target, on standard output."""
import json
import re
import sys

framework, cases = sys.argv[1], json.load(sys.stdin)


def lm_eval():
    from lm_eval.filters.extraction import MultiChoiceRegexFilter, RegexFilter

    # the filters of gsm8k and of mmlu_flan_cot_zeroshot, "flexible-extract"
    number = RegexFilter(regex_pattern=r"(-?[$0-9.,]{2,})|(-?[0-9]+)", group_select=-1)
    choice = MultiChoiceRegexFilter(regex_pattern=r"(\([A-Z]\))", group_select=-1, ignore_case=True, ignore_punctuation=True)

    def plain(text):
        for pattern in [r",", r"\$", r"(?s).*#### ", r"\.$"]:
            text = re.sub(pattern, "", text)
        return text

    def right(cases):
        # all at once: each call of the choice filter makes a table of every punctuation mark
        replies, docs = [[case["reply"]] for case in cases], [{"choices": case["choices"]} for case in cases]
        numbers, choices = list(number.apply(replies, docs)), list(choice.apply(replies, docs))
        return [
            plain(one[0]) == case["target"] if case["kind"] == "number" else other[0] == f"({case['target']})"
            for case, one, other in zip(cases, numbers, choices)
        ]

    return right


def inspect():
    from types import SimpleNamespace

    from inspect_ai.scorer._common import match_str
    from inspect_ai.solver._multiple_choice import parse_answers
    from inspect_ai.solver._task_state import Choices

    def read(case):
        if case["kind"] == "number":
            return match_str(case["reply"], case["target"], location="end", numeric=True)[1]
        state = SimpleNamespace(output=SimpleNamespace(completion=case["reply"]), choices=Choices(case["choices"]))
        return parse_answers(state, False) == {case["target"]}

    return lambda cases: [read(case) for case in cases]


right = {"lm_eval": lm_eval, "inspect": inspect}[framework]()
json.dump([bool(one) for one in right(cases)], sys.stdout)
