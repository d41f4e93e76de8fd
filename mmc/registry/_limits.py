"""Limits on the number of points in the app, which may depend on the parameters of an algorithm."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

#: Maximum number of points in the app, whatever the algorithm.
MOST_SAMPLES = 100_000


class Limit(NamedTuple):
    """A number of points that depends on parameters.

    Attributes
    ----------
    n_samples : callable
        Maps the values of all parameters to the maximum number of points.
    parameters : tuple of str
        Parameters on which it depends.
    remedy : str
        For which of their values there may be more points, as what follows “It takes”.
    """

    n_samples: Callable[[Mapping[str, Any]], int]
    parameters: tuple[str, ...]
    remedy: str

    def within(self, estimator: str) -> Limit:
        """Return the same limit for an algorithm that has these parameters within one of its own.

        Parameters
        ----------
        estimator : str
            Name of the parameter that is an estimator.

        Returns
        -------
        Limit
        """
        inner = {name: f"{estimator}__{name}" for name in self.parameters}
        return Limit(
            lambda values: self.n_samples({name: values[outer] for name, outer in inner.items()}),
            tuple(inner.values()),
            self.remedy,
        )


def raised(parameter: str, choices: tuple[str, ...], n_samples: int = MOST_SAMPLES) -> Limit:
    """Return a limit that is higher for some choices of one parameter.

    Parameters
    ----------
    parameter : str
        Name of the parameter.
    choices : tuple of str
        Its values with the higher limit.
    n_samples : int
        The higher limit.

    Returns
    -------
    Limit
    """

    def of(values: Mapping[str, Any]) -> int:
        return n_samples if values[parameter] in choices else 0

    return Limit(of, (parameter,), f"{n_samples:,} with {parameter}={' or '.join(choices)}")


class Bound(NamedTuple):
    """The maximum number of points for an algorithm with its parameters.

    Attributes
    ----------
    algorithm : str
        Name of the algorithm.
    n_samples : int
        The maximum.
    setting : str
        Parameters for which it holds, such as “ with kernel=rbf”; empty if it holds for all.
    remedy : str
        For which parameters there may be more points, in a sentence; empty if for none.
    others : tuple of (str, int)
        Other algorithms and their maximum with the usual parameters.
    """

    algorithm: str
    n_samples: int
    setting: str
    remedy: str
    others: tuple[tuple[str, int], ...]

    @property
    def sentence(self) -> str:
        """The limit in one sentence."""
        return f"{self.algorithm} takes at most {self.n_samples:,} points here{self.setting}."

    def check(self, n_samples: int) -> None:
        """Refuse too many points.

        Parameters
        ----------
        n_samples : int
            Number of points.

        Raises
        ------
        ValueError
            If there are more than the maximum; the message names the limit, for which parameters it holds,
            and what takes more.
        """
        if refusal := self.refusal(n_samples):
            able = [name for name, most in self.others if most >= n_samples]
            sentences = [
                refusal,
                self.remedy,
                f"Of the others {', '.join(able)} can, as they usually are." if able else "",
                "Or take a sample of the points, or the command line, which has no such limit: "
                "python -m mmc cluster.",
            ]
            raise ValueError(" ".join(filter(None, sentences)))

    def refusal(self, n_samples: int) -> str:
        """Return a sentence that refuses too many points; empty if there are not too many.

        Parameters
        ----------
        n_samples : int
            Number of points.

        Returns
        -------
        str
        """
        if n_samples <= self.n_samples:
            return ""
        return (
            f"{n_samples:,} points are more than the {self.n_samples:,} that {self.algorithm} takes "
            f"here{self.setting}."
        )
