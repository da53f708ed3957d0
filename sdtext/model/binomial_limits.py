"""Exact confidence limits of a share, by Clopper and Pearson.

C. J. Clopper, E. S. Pearson: "The use of confidence or fiducial limits illustrated in the case of
the binomial", Biometrika 26, 1934. Trials that are not independent are replaced by the number of
independent ones that tell as much (E. L. Korn, B. I. Graubard: "Confidence intervals for
proportions with small expected number of positive counts estimated from survey data", Survey
Methodology 24, 1998).
"""

import math
from functools import lru_cache

CONFIDENCE = 0.95
"""The probability with which a share is below its limit, or within its interval."""

_ROUNDS = 60  # of a bisection: more than floats can tell


@lru_cache(1 << 12)
def upper_limit(successes: int, trials: int, confidence: float = CONFIDENCE) -> float:
    """The one-sided upper limit of a share, of which `successes` in `trials` were seen.

    With a greater share, so few are seen with a probability of at most 1 - `confidence`.

    >>> round(upper_limit(0, 500), 5), round(upper_limit(5, 1000), 5)
    (0.00597, 0.01048)
    """
    if successes >= trials:
        return 1.0
    low, high = successes / trials, 1.0
    for _ in range(_ROUNDS):
        share = (low + high) / 2
        if _at_most(successes, trials, share) > 1 - confidence:
            low = share
        else:
            high = share
    return high


def lower_limit(successes: int, trials: int, confidence: float = CONFIDENCE) -> float:
    """The one-sided lower limit of a share, of which `successes` in `trials` were seen.

    >>> round(lower_limit(500, 500), 5), lower_limit(0, 500)
    (0.99403, 0.0)
    """
    return 1.0 - upper_limit(trials - successes, trials, confidence) if successes else 0.0


def share_interval(successes: int, trials: int, independent: int) -> tuple[float, float]:
    """The two-sided 95 % interval of a share, where the trials tell as much as `independent` ones.

    The number of successes among these is rounded away from the middle, so that the interval is
    rather too wide than too narrow.

    >>> [round(end, 4) for end in share_interval(95, 100, 100)]
    [0.8872, 0.9836]
    >>> [round(end, 4) for end in share_interval(0, 10_000, 100)]
    [0.0, 0.0362]
    """
    if not trials or independent < 1:
        return 0.0, 1.0
    each_side = (1 + CONFIDENCE) / 2
    low = successes * independent // trials
    high = -(-successes * independent // trials)
    return lower_limit(low, independent, each_side), upper_limit(high, independent, each_side)


def _at_most(successes: int, trials: int, share: float) -> float:
    """The probability that at most `successes` of independent `trials` succeed.

    Terms are summed from the greatest one downwards; those that no float can tell are left out.
    """
    logarithm = (
        math.lgamma(trials + 1) - math.lgamma(successes + 1) - math.lgamma(trials - successes + 1)
    )
    logarithm += successes * math.log(share) + (trials - successes) * math.log1p(-share)
    term = total = math.exp(logarithm)
    for number in range(successes, 0, -1):
        term *= number / (trials - number + 1) * (1 - share) / share
        total += term
        if term < total * 1e-17:
            break
    return total
