"""What scipy and statsmodels make of the same cases: reads a list of them from standard input, writes one list of numbers for each."""
import json
import sys

import numpy as np
import statsmodels.api as sm
from scipy import optimize, stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import NormalIndPower, normal_sample_size_one_tail
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


def tango_score(case):
    """the score of a difference with the constrained likelihood maximised numerically, where the closed form is used elsewhere"""
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

    return score


def tango(case):
    score = tango_score(case)
    z = stats.norm.ppf(1 - case["tail"])
    return [optimize.brentq(lambda d: score(d) - side * z, -1 + 1e-9, 1 - 1e-9, xtol=1e-12) for side in (1, -1)]


def bonett_price_error(case):
    fell, rose = (case["down"] + 1) / (case["n"] + 2), (case["up"] + 1) / (case["n"] + 2)
    return rose - fell, np.sqrt((rose + fell - (rose - fell) ** 2) / (case["n"] + 2))


def bonett_price(case):
    low, high = stats.norm.interval(1 - 2 * case["tail"], *bonett_price_error(case))
    return [max(-1.0, low), min(1.0, high)]


def counted_p(case):
    """one-sided, of 'at most this difference': the larger of the two tests"""
    centre, error = bonett_price_error(case)
    wald = stats.norm.sf((centre - case["value"]) / error)
    return [max(wald, stats.norm.sf(tango_score(case)(case["value"])))]


def measured_p(case):
    """Student's one-sided test of the differences, on a scale with ends with one more at either of them"""
    most = [] if case["most"] is None else [case["most"], -case["most"]]
    return [stats.ttest_1samp(np.append(case["values"], most), case["value"], alternative="greater").pvalue]


def unbounded(case):
    values = np.array(case["values"])
    return stats.t.interval(1 - 2 * case["tail"], len(values) - 1, loc=values.mean(), scale=stats.sem(values))


def paired(case):
    """of right-or-wrong items: both one-sided exact tests, McNemar's from their tables, and how alike the runs are"""
    before, after = np.array(case["before"]), np.array(case["after"])
    fell, rose = int((before > after).sum()), int((before < after).sum())
    both = mcnemar([[0, fell], [rose, 0]], exact=True).pvalue
    sides = [stats.binomtest(count, fell + rose, 0.5, alternative="greater").pvalue if fell + rose > 0 else 1.0 for count in (fell, rose)]
    return [*sides, both, stats.pearsonr(before, after).statistic]


def spread(case):
    """of scores: variance of a difference, and how alike the runs are"""
    before, after = np.array(case["before"]), np.array(case["after"])
    return [np.var(after - before, ddof=1), stats.pearsonr(before, after).statistic]


def signs(case):
    """the sign test of many differences, drawn anew, and where sums are as good as normal"""
    values = np.array(case["values"])
    if case["clusters"] is not None:
        values = np.bincount(case["clusters"], weights=values)
    if len(values) > 50_000:
        return [stats.norm.cdf(values.sum() / np.sqrt((values**2).sum()))]
    found = stats.permutation_test((values,), np.sum, permutation_type="samples", alternative="less", n_resamples=200_000, batch=2_000, rng=np.random.default_rng(7))
    return [found.pvalue]


def sizes(case):
    """items needed to see a loss with a chance of 80 %, and the chance to see the least loss that so many items are said to show"""
    error = np.sqrt(case["variance"] * case["inflation"])
    needed = normal_sample_size_one_tail(case["distance"], 0.8, case["alpha"], std_null=error)
    power = NormalIndPower(ddof=0).power(case["least"] / error, case["n"], case["alpha"], ratio=0, alternative="larger")
    return [np.ceil(needed - 1e-9), power]


def threshold(case):
    """the exact test of a share against a threshold, with its one-sided limits"""
    low, high = share({**case, "tail": case["alpha"]})
    side = "greater" if case["lower"] else "less"
    return [low, high, stats.binomtest(case["successes"], case["n"], case["threshold"], alternative=side).pvalue]


def fraction(case):
    """what is missing of the share of the baseline that must be kept, with its one-sided limits and test"""
    before, after, kept = np.array(case["before"]), np.array(case["after"]), 1 - case["share"]
    most = max(1.0, kept)
    bare = kept * before - after
    losses = np.append(bare, [most, -most])

    def limits(tail):
        # Johnson 1978: in the middle of the distribution, and where the limit lies
        lean = stats.moment(bare, 3) / (6 * np.var(bare) * len(bare))
        shifts = [lean, lean * (1 + 2 * stats.norm.ppf(tail) ** 2)]
        low, high = stats.t.interval(1 - 2 * tail, len(losses) - 1, loc=losses.mean(), scale=stats.sem(losses))
        return low + min(shifts), high + max(shifts)

    low, high = limits(case["alpha"])
    beyond = lambda tail: limits(tail)[0]
    if beyond(0.4999999) <= 0:
        p = 1
    else:
        p = 1e-12 if beyond(1e-12) > 0 else optimize.brentq(beyond, 1e-12, 0.4999999, xtol=1e-15)
    return [max(-most, low), min(most, high), p]


def percentile_difference(case):
    """both percentiles by numpy, and the exact bootstrap chances that their difference lies below and above the limits"""
    runs = [np.sort(case["before"]), np.sort(case["after"])]
    found = [np.percentile(run, case["percent"], method="inverted_cdf") for run in runs]

    def chances(run):
        rank, n = int(np.ceil(case["percent"] / 100 * len(run))), len(run)
        return np.diff(stats.binom.sf(rank - 1, n, np.arange(n + 1) / n))

    joint = np.outer(chances(runs[0]), chances(runs[1]))
    apart = runs[1][None, :] - runs[0][:, None]
    low, high = case["limits"]
    # of 10,000 draws: four standard errors
    slack = 4 * np.sqrt(case["tail"] * (1 - case["tail"]) / 10_000)
    beyond = [joint[apart < low].sum(), joint[apart > high].sum()]
    least = [joint[apart <= low].sum(), joint[apart >= high].sum()]
    fits = all(one <= case["tail"] + slack for one in beyond) and all(one >= case["tail"] - slack for one in least)
    return [*found, 1.0 if fits else 0.0]


def job_bounds(case):
    """of a job: distances of its benchmarks' exact one-sided limits added like standard errors, and no narrower than those of alike items"""
    weights = np.array([part["weight"] for part in case["parts"]]) / sum(part["weight"] for part in case["parts"])
    values = np.array([part["successes"] / part["n"] for part in case["parts"]])
    ends = np.array([share({**part, "tail": 0.05}) for part in case["parts"]])
    score = (weights * values).sum()
    below, above = (np.sqrt(((weights * (values - ends[:, at])) ** 2).sum()) for at in (0, 1))
    variance = (weights**2 * values * (1 - values) / [part["n"] for part in case["parts"]]).sum()
    n = score * (1 - score) / variance
    alike = proportion_confint(score * n, n, alpha=0.1, method="beta")
    return [score, max(0.0, min(score - below, alike[0])), min(1.0, max(score + above, alike[1]))]


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
kinds |= {"counted_p": counted_p, "measured_p": measured_p, "unbounded": unbounded, "paired": paired, "spread": spread, "signs": signs, "sizes": sizes}
kinds |= {"threshold": threshold, "fraction": fraction, "percentile_difference": percentile_difference, "job_bounds": job_bounds}
json.dump([[float(number) for number in kinds[case["kind"]](case)] for case in json.load(sys.stdin)], sys.stdout)
