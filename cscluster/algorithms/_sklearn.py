"""The base classes of scikit-learn; the stub file beside this one gives them types."""

from sklearn.base import (  # noqa: F401
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
