// Takes away what browsers of the beginning of 2022 do not have.
for (const [owner, names] of [
    [Object, ["groupBy"]], [Map, ["groupBy"]],
    [Promise, ["withResolvers", "try"]], [Array, ["fromAsync"]], [RegExp, ["escape"]],
    [Array.prototype, ["toSorted", "toReversed", "toSpliced", "with", "findLast", "findLastIndex"]],
    [Set.prototype, ["union", "intersection", "difference", "isSubsetOf"]],
    [Iterator.prototype, ["map", "filter", "flatMap", "toArray", "some", "every", "find"]],
    [String.prototype, ["isWellFormed", "toWellFormed"]],
    [URL, ["canParse", "parse"]], [Element.prototype, ["checkVisibility", "setHTMLUnsafe"]],
    [window, ["Iterator", "DecompressionStream", "Highlight"]],
]) for (const name of names) delete owner[name];
