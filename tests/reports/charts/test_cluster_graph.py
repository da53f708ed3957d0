"""The graph of clusters: the right components, each in its own room."""

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from sdtext.reports.charts import (
    MOST_DRAWN,
    Link,
    cluster_graph,
    groups_of,
)

from . import drawing_of

LINKS = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 40), st.integers(1, 99)).filter(
        lambda link: link[0] != link[1]
    ),
    max_size=60,
)
NAMES = [f"folder/{place}.txt" for place in range(41)]


def graph_of(links: list[Link], marked: int = -1) -> etree._Element:
    """The graph as SVG, with a marked document."""
    return drawing_of("clusters", cluster_graph(groups_of(links), NAMES, {marked}))


def components(links: list[tuple[int, int, int]]) -> set[frozenset[int]]:
    """Each set that grows from a document, by definition."""
    sets = [{left, right} for left, right, _ in links]
    while any(left & other and left != other for left in sets for other in sets):
        sets = [set().union(*(other for other in sets if left & other)) for left in sets]
    return {frozenset(members) for members in sets}


@given(LINKS)
def test_groups_are_the_connected_components(links: list[tuple[int, int, int]]) -> None:
    groups = groups_of(links)
    assert {frozenset(group.members) for group in groups} == components(links)
    assert sorted(link for group in groups for link in group.links) == sorted(links)
    sizes = [len(group.members) for group in groups]
    assert sizes == sorted(sizes, reverse=True)
    for group in groups:
        assert all({left, right} <= set(group.members) for left, right, _ in group.links)


@given(LINKS.filter(bool))
def test_every_document_is_drawn_once_inside_the_picture(
    links: list[tuple[int, int, int]],
) -> None:
    groups = groups_of(links)
    drawing = graph_of(links, 0)
    titles = [element.text for element in drawing.xpath("svg/g/title")]
    assert sorted(titles) == sorted(NAMES[place] for group in groups for place in group.members)
    for picture, group in zip(drawing.xpath("svg"), groups, strict=True):
        _, _, width, height = map(float, picture.get("viewBox", "").split())
        shapes = picture.xpath("g/circle | g/rect")
        points = [
            (float(item.get("cx") or item.get("x")), float(item.get("cy") or item.get("y")))
            for item in shapes
        ]
        assert all(0 <= x <= width and 0 <= y <= height for x, y in points)
        assert len(set(points)) == len(points) == len(group.members)
        assert len(picture.xpath("line")) == len(group.links)


def test_what_there_is_no_room_for_is_not_drawn() -> None:
    links = [(2 * place, 2 * place + 1, 50) for place in range(MOST_DRAWN)]
    names = [str(place) for place in range(2 * MOST_DRAWN)]
    drawn = cluster_graph(groups_of(links), names, ())
    assert sum(len(picture["nodes"]) for picture in drawn) == MOST_DRAWN
    star = groups_of([(0, place, 50) for place in range(1, MOST_DRAWN + 9)])
    others = groups_of(links[:2])
    assert cluster_graph([*star, *others], names, ()) == cluster_graph(others, names, ())
