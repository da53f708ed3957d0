"""Links of documents in Spark, and their connected components: large stars and small stars.

R. Kiveris and others, "Connected Components in MapReduce and Beyond" (2014). Each round is written.
"""

from __future__ import annotations

from itertools import count

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 (as all know it)

from sdtext.deduplication.choice_in_parts import ROOTS, roots_of
from sdtext.spark.stages import Work, content_of

FEW = 1 << 22  # links that one task works on, in some 300 MB


def with_both(pairs: DataFrame, documents: DataFrame, *columns: str) -> DataFrame:
    """The pairs with columns of the documents on both sides, such as `left_name`."""
    for side in ("left", "right"):
        own = (F.col(name).alias(f"{side}_{name}") for name in columns)
        pairs = pairs.join(documents.select(F.col("number").alias(side), *own), side)
    return pairs


def components(work: Work, links: DataFrame, few: int = FEW) -> DataFrame:
    """`number` and `root`, the least number that it is connected with, of all linked documents."""
    links, content = links.select("left", "right"), None
    if links.count() <= few:
        return work.stage("components", links.groupBy().applyInArrow(roots_of, ROOTS))
    for number in count(1):
        # Large stars: each greater neighbour of a document, to the least one of all and itself.
        both = links.union(links.select("right", "left"))
        least = both.groupBy("left").agg(F.least("left", F.min("right")).alias("least"))
        greater = both.where("right > left").join(least, "left").select("right", "least").distinct()
        # Small stars: each document and its lesser neighbours, to the least of these.
        links = greater.toDF("left", "right")
        least = links.groupBy("left").agg(F.min("right").alias("least"))
        stars = links.join(least, "left").select("right", "least").union(least)
        stars = stars.toDF("left", "right").where("left != right").distinct()
        links, before = work.stage(f"components-{number}", stars), content
        content = links.agg(*content_of("left", "right")).collect()
        if content == before:
            break
    own = links.select("right", F.col("right").alias("root")).distinct()
    return links.union(own).toDF("number", "root")
