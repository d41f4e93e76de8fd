"""What a clustering is about: numbers, rules in words, typical and doubtful rows of each cluster."""

from mmc.profiling._profile import profile, profile_dataset
from mmc.profiling._result import ClusterProfile, Profile
from mmc.profiling._rules import Condition, Rule

__all__ = ["ClusterProfile", "Condition", "Profile", "Rule", "profile", "profile_dataset"]
