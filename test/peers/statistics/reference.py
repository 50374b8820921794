"""What scipy and statsmodels make of the same cases: reads a list of them from standard input, writes one list of numbers for each."""
import json
import sys

import numpy as np
import statsmodels.api as sm
from scipy import optimize, stats
from statsmodels.stats.multitest import multipletests
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


def heads(case):
    return [stats.binomtest(case["k"], case["n"], 0.5, alternative="greater").pvalue]


def normal(case):
    return [stats.norm.ppf(case["probability"]), stats.norm.sf(case["z"]), stats.t.sf(case["z"], case["degrees"])]


def tango(case):
    """the score limits with the constrained likelihood maximised numerically, where the closed form is used elsewhere"""
    n, down, up = case["n"], case["down"], case["up"]

    def likeliest(difference):
        low, high = max(0.0, -difference), (1 - difference) / 2
        if high - low < 1e-13:
            return low
        def loss(fell):
            terms = [(up, fell + difference), (down, fell), (n - up - down, 1 - 2 * fell - difference)]
            return -sum(count * np.log(max(chance, 1e-300)) for count, chance in terms if count > 0)
        return optimize.minimize_scalar(loss, bounds=(low, high), method="bounded", options={"xatol": 1e-13}).x

    def score(difference):
        return (up - down - n * difference) / np.sqrt(n * (2 * likeliest(difference) + difference * (1 - difference)))

    z = stats.norm.ppf(1 - case["tail"])
    return [optimize.brentq(lambda d: score(d) - side * z, -1 + 1e-9, 1 - 1e-9, xtol=1e-12) for side in (1, -1)]


def bonett_price(case):
    fell, rose = (case["down"] + 1) / (case["n"] + 2), (case["up"] + 1) / (case["n"] + 2)
    low, high = stats.norm.interval(1 - 2 * case["tail"], rose - fell, np.sqrt((rose + fell - (rose - fell) ** 2) / (case["n"] + 2)))
    return [max(-1.0, low), min(1.0, high)]


def differences(case):
    """Student's interval of the differences with one more at either end; by a regression where they belong together"""
    values = np.append(case["values"], [1.0, -1.0])
    if case["clusters"] is None:
        low, high = stats.t.interval(1 - 2 * case["tail"], len(values) - 1, loc=values.mean(), scale=stats.sem(values))
        return [max(-1.0, low), min(1.0, high)]
    clusters = np.append(case["clusters"], [max(case["clusters"]) + 1, max(case["clusters"]) + 2])
    fitted = sm.OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": True})
    sizes = np.unique(case["clusters"], return_counts=True)[1]
    half = stats.t.ppf(1 - case["tail"], sizes.sum() ** 2 / (sizes**2).sum() - 1) * fitted.bse[0]
    return [max(-1.0, fitted.params[0] - half), min(1.0, fitted.params[0] + half)]


def holm(case):
    return multipletests(case["values"], method="holm")[1]


def flips(case):
    """the exact test of signs of few differences"""
    found = stats.permutation_test((np.array(case["values"]),), np.sum, permutation_type="samples", alternative="less", n_resamples=np.inf)
    return [found.pvalue]


def welch(case):
    a, b = np.array(case["first"]), np.array(case["second"])
    found = stats.ttest_ind(a, b, equal_var=False)
    low, high = found.confidence_interval(1 - 2 * case["tail"])
    return [a.mean() - b.mean(), found.df, low, high]


kinds = {"share": share, "scores": scores, "groups": groups, "percentile": percentile, "student": student, "beta": beta}
kinds |= {"heads": heads, "normal": normal, "tango": tango, "bonett_price": bonett_price, "differences": differences, "holm": holm, "flips": flips, "welch": welch}
json.dump([[float(number) for number in kinds[case["kind"]](case)] for case in json.load(sys.stdin)], sys.stdout)
