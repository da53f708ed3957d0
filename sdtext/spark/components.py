"""Connected components of links in Spark: rounds of large stars and small stars.

R. Kiveris and others, "Connected Components in MapReduce and Beyond" (2014). Each round is written
to the work folder. Few links are connected by one task.
"""

from __future__ import annotations

from functools import partial
from itertools import count

import numpy as np
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 (as all know it)

from sdtext.kernels.arrays.connected_components import connected
from sdtext.spark.stages import Batches, Work, arrow, columns_of, content_of

FEW = 1 << 22
"""So many links one task works on, in some 300 MB."""
_ROOTS = "number long, root long"


def components(work: Work, links: DataFrame, few: int = FEW) -> DataFrame:
    """`number` and `root`, the least number that it is connected with, of all linked documents."""
    links, mark = links.select("left", "right"), None
    if links.count() <= few:
        return work.stage("components", lambda: links.repartition(1).mapInArrow(_connect, _ROOTS))
    for number in count(1):
        stars = _small_stars(_large_stars(links))
        links = work.stage(f"components-{number}", partial(DataFrame.distinct, stars))
        if mark == (mark := content_of(links, "left", "right")):
            break
    own = links.select("right", F.col("right").alias("root")).distinct()
    return links.union(own).toDF("number", "root")


def _large_stars(links: DataFrame) -> DataFrame:
    """Each greater neighbour of a document, linked to the least one of all and itself."""
    both = links.union(links.select("right", "left"))
    least = both.groupBy("left").agg(F.least("left", F.min("right")).alias("least"))
    greater = both.where("right > left").join(least, "left")
    return greater.select(F.col("right").alias("left"), F.col("least").alias("right")).distinct()


def _small_stars(links: DataFrame) -> DataFrame:
    """Each document and its lesser neighbours, linked to the least of these."""
    down = links.select(F.greatest("left", "right"), F.least("left", "right")).toDF("left", "right")
    least = down.where("left != right").groupBy("left").agg(F.min("right").alias("least"))
    lesser = down.join(least, "left").select("right", "least").union(least)
    return lesser.toDF("left", "right").where("left != right")


def _connect(batches: Batches) -> Batches:
    if columns := columns_of(batches):
        numbers, ends = np.unique(np.concatenate(columns), return_inverse=True)
        yield arrow(_ROOTS, numbers, numbers[connected(len(numbers), *ends.reshape(2, -1))])
