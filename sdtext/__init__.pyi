from ._version import __version__
from .analysis.tokenizer_chain import Chain
from .collections.add import AddedDocuments
from .collections.collection import (
    Collection,
    create,
    open,  # noqa: A004 (as `gzip.open`)
)
from .collections.wordless_fingerprints import sketch
from .decontamination.decontaminate import Decontamination, decontaminate
from .decontamination.find_items import ItemMatch
from .deduplication.deduplicate import deduplicate, restore
from .deduplication.repeated_passages.removed_passages import RemovedPassage
from .deduplication.rules_and_removals import Deduplication, DuplicateCluster, RemovedDocument
from .errors import (
    FormatError,
    MismatchError,
    OptionError,
    OutputError,
    SdtextError,
    TextlessError,
    UnreadableError,
)
from .evaluation.calibrate import Calibrated, calibrate
from .evaluation.evaluate_pan_folders import EvaluationRow, evaluate
from .experiment.mangled_copies import MangledCopy, mangle
from .experiment.plan import ExperimentPlan, load_plan
from .experiment.run_experiment import ExperimentResult, run_experiment
from .file_diagnosis import examine
from .fingerprinting.build_dictionary import create_dictionary
from .fingerprinting.disclosure_profiles import PROFILES, Disclosure, Provenance, load_disclosure
from .fingerprinting.fingerprint_documents import fingerprint
from .fingerprinting.load_and_save import embedded_dictionaries, load, save
from .model import Evidence, Fingerprint, PartSpec, Passage, Span, Vector
from .model.calibration import Calibration
from .model.dictionary import Dictionary
from .parts.bundled_dictionaries_and_recipes import BundledRecipe, list_recipes
from .parts.fingerprints.compressed_tokens import Digest
from .parts.load_recipe import load_recipe
from .parts.registry import PartDescription, list_parts
from .reading.options import Reading
from .reading.parallel_run import Amount, Run
from .reading.read_document import read, units
from .reuse import find_reuse, with_texts
from .reuse.window_pair_search import WindowPair, WindowPairs, window_pairs
from .search.compare import Comparison, compare
from .search.results import Found, Hits, Pair, Pairs
from .search.score import score, similarity
from .sharing.keyed_dictionaries import key_dictionary, new_dictionary_key
from .sharing.self_test import VectorResult, self_test
from .sharing.signatures import Signature, new_signing_key, sign, verify
from .text.document import Document

__all__ = [
    "PROFILES",
    "AddedDocuments",
    "Amount",
    "BundledRecipe",
    "Calibrated",
    "Calibration",
    "Chain",
    "Collection",
    "Comparison",
    "Decontamination",
    "Deduplication",
    "Dictionary",
    "Digest",
    "Disclosure",
    "Document",
    "DuplicateCluster",
    "EvaluationRow",
    "Evidence",
    "ExperimentPlan",
    "ExperimentResult",
    "Fingerprint",
    "FormatError",
    "Found",
    "Hits",
    "ItemMatch",
    "MangledCopy",
    "MismatchError",
    "OptionError",
    "OutputError",
    "Pair",
    "Pairs",
    "PartDescription",
    "PartSpec",
    "Passage",
    "Provenance",
    "Reading",
    "RemovedDocument",
    "RemovedPassage",
    "Run",
    "SdtextError",
    "Signature",
    "Span",
    "TextlessError",
    "UnreadableError",
    "Vector",
    "VectorResult",
    "WindowPair",
    "WindowPairs",
    "__version__",
    "calibrate",
    "compare",
    "create",
    "create_dictionary",
    "decontaminate",
    "deduplicate",
    "embedded_dictionaries",
    "evaluate",
    "examine",
    "find_reuse",
    "fingerprint",
    "key_dictionary",
    "list_parts",
    "list_recipes",
    "load",
    "load_disclosure",
    "load_plan",
    "load_recipe",
    "mangle",
    "new_dictionary_key",
    "new_signing_key",
    "open",
    "read",
    "restore",
    "run_experiment",
    "save",
    "score",
    "self_test",
    "sign",
    "similarity",
    "sketch",
    "units",
    "verify",
    "window_pairs",
    "with_texts",
]
