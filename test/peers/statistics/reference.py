"""What scipy and statsmodels make of the same cases: reads a list of them from standard input, writes one list of numbers for each."""
import json
import sys

import numpy as np
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.proportion import proportion_confint


def share(case):
    low, high = proportion_confint(case["successes"], case["n"], alpha=2 * case["tail"], method="beta")
    return [0.0 if np.isnan(low) else low, 1.0 if np.isnan(high) else high]


def pseudo_values(values, tail):
    """Student's interval of the values and one more at either end, by scipy"""
    more = np.append(values, [0.0, 1.0])
    return stats.t.interval(1 - 2 * tail, len(more) - 1, loc=more.mean(), scale=stats.sem(more))


def korn_graubard(values, tail):
    mean, error = values.mean(), stats.sem(values)
    alike = mean * (1 - mean) / error**2 if error > 0 else len(values)
    n = max(1, alike) * (stats.norm.ppf(1 - tail) / stats.t.ppf(1 - tail, len(values) - 1)) ** 2
    s = mean * n
    return (stats.beta.ppf(tail, s, n - s + 1) if s > 0 else 0.0), (stats.beta.ppf(1 - tail, s + 1, n - s) if s < n else 1.0)


def scores(case):
    values, tail = np.array(case["values"]), case["tail"]
    student, alike = pseudo_values(values, tail), korn_graubard(values, tail)
    return [max(0.0, min(values.mean(), student[0], alike[0])), min(1.0, max(values.mean(), student[1], alike[1]))]


def groups(case):
    """mean and its standard error between groups, by a regression on nothing but a constant"""
    values = np.concatenate([[1.0] * group["sum"] + [0.0] * (group["n"] - group["sum"]) for group in case["groups"]])
    names = np.concatenate([[at] * group["n"] for at, group in enumerate(case["groups"])])
    fitted = sm.OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds={"groups": names, "use_correction": True})
    return [fitted.params[0], fitted.bse[0]]


def percentile(case):
    """the two order statistics between which the percentile lies, as ranks from 1; 0 where there is none"""
    n, share_below, tail = case["n"], case["percent"] / 100, case["tail"]
    below = stats.binom.cdf(np.arange(n + 1), n, share_below)
    low = max([rank for rank in range(1, n + 1) if below[rank - 1] <= tail], default=0)
    high = min([rank for rank in range(1, n + 1) if 1 - below[rank - 1] <= tail], default=0)
    return [low, high] if low > 0 and high > 0 else [0, 0]


def student(case):
    return [stats.t.ppf(case["probability"], case["degrees"])]


def beta(case):
    return [stats.beta.ppf(case["probability"], case["a"], case["b"])]


kinds = {"share": share, "scores": scores, "groups": groups, "percentile": percentile, "student": student, "beta": beta}
json.dump([[float(number) for number in kinds[case["kind"]](case)] for case in json.load(sys.stdin)], sys.stdout)
