"""Ways to damage a file: as a disk, an editor or an attacker would."""

import copy
import re

import yaml

NUMBERS = [
    b"0", b"-1", b"1e400", b"-1e400", b"1e-400", b"nan", b"inf", b"-inf", b"0x10", b"1_000", b"1,5", b"007",
    b"2147483648", b"9223372036854775808", b"1" + b"0" * 30, b"9" * 5000, b"1.5.5", b"--3", b"\xd9\xa3",
    "²".encode(), b"0x" + b"F" * 5000, b"0b" + b"1" * 400, b"59:" * 3000 + b"1", b"10000000000", b"-5", b"1000000000000",
]  # fmt: skip
HOSTILE = (
    "\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2028\u2029\x00\x1b\x07\x7f\x9b\t \",;'=+-@\u202e\ufeff²\U0001f600"
)
"""Letters that break lines, end cells, start formulas or move the cursor."""
JUNK = [
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\r\n\r\n", b"\t", b'"', b"'", b",", b";", b":", b"{", b"}",
    b"[", b"]", b"\\", b"\xed\xa0\x80", b"\xf0\x9f\x98\x80", b"=1+1", b"../../", b"#", b"%", b"@", b"?", b"*a", b"&a",
    b"{" * 3000, b"[" * 3000, b"a" * 70000, b"\n" * 500, b"\n---\n", b"<<: ", b"!!binary ", b"!!python/name:os.system ",
    b"!!timestamp ", b"'" + b" " * 40_000, b"\\'" * 20_000, *(letter.encode() for letter in HOSTILE), HOSTILE.encode(),
]  # fmt: skip
VALUES = [
    None, True, False, 0, -1, 1, 2, 7, 10**9, 10**30, -(10**30), 0.5, -0.0, 1e-300, 1e300, float("inf"), float("nan"),
    "", " ", "x", "iris", "kmeans", "rca", "none", "heldout", "oracle:acc", "oracle:", "1", "1:5:1", "1:5:0", "1:1e9:x1.0001",
    "../../etc/passwd", "/", ".", "~", "results", "mine.py:", ":", "os:system", "data.csv", "links.csv", "no.csv", "openml:",
    "a" * 5000, "²", HOSTILE, "\u202e", "naïve\n=1", "@unseen", "acc@", "acc@unseen", "2 GB", "1e3MB", "0B",
    [], [[]], [None], [1, "a", {}], {}, {"": 1}, {"name": {}}, {"kind": []}, {1: 2}, {"base": "iris"}, {"generator": "blobs"},
    {"pca": {}}, {"pca": {"n": -1}}, ["standardize", {"pca": {"n": 0.5}}], list(range(300)),
]  # fmt: skip


def damaged(content, rng):
    """Return bytes with one to three damages."""
    for _ in range(rng.choice([1, 1, 2, 3])):
        content = rng.choice(DAMAGES)(content, rng)
    return content


def _cut(content, rng):
    a, b = sorted(rng.randrange(len(content) + 1) for _ in range(2))
    return a, min(b, a + rng.choice([1, 5, 50, 10**9]))


def _flip(content, rng):
    if not content:
        return content
    changed = bytearray(content)
    for _ in range(rng.choice([1, 1, 4, 30])):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _truncate(content, rng):
    return content[: rng.randrange(len(content) + 1)]


def _drop(content, rng):
    a, b = _cut(content, rng)
    return content[:a] + content[b:]


def _double(content, rng):
    a, b = _cut(content, rng)
    return content[:b] + content[a:b] * rng.choice([1, 1, 3, 200]) + content[b:]


def _insert(content, rng):
    place = rng.randrange(len(content) + 1)
    return content[:place] + rng.choice(JUNK + NUMBERS) + content[place:]


def _swap_tokens(content, rng):
    tokens = re.split(rb"([\s,;:\[\]{}@]+)", content)
    if len(tokens) < 3:
        return content
    a, b = rng.randrange(len(tokens)), rng.randrange(len(tokens))
    tokens[a], tokens[b] = tokens[b], tokens[a]
    return b"".join(tokens)


def _other_number(content, rng):
    found = list(re.finditer(rb"\d+(\.\d+)?", content))
    if not found:
        return content
    place = rng.choice(found)
    return content[: place.start()] + rng.choice(NUMBERS) + content[place.end() :]


def _swap_lines(content, rng):
    lines = content.split(b"\n")
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return b"\n".join(lines)


DAMAGES = [_flip, _truncate, _drop, _double, _insert, _swap_tokens, _other_number, _swap_lines]


def restructured(text, rng):
    """Return YAML whose values, keys or branches were exchanged, and that may use what YAML offers."""
    tree = yaml.safe_load(text)
    for _ in range(rng.choice([1, 1, 2, 4])):
        rng.choice([_replace, _replace, _remove, _rename, _move, _nest])(tree, rng)
    written = yaml.safe_dump(
        tree, sort_keys=rng.random() < 0.5, default_flow_style=rng.choice([None, True, False])
    )
    return rng.choice([_plain, _plain, _plain, _anchored, _merged, _tagged, _deep, _circular])(written, rng)  # fmt: skip


def _places(tree):
    """Return every (container, key) of a tree."""
    found, left = [], [tree]
    while left:
        node = left.pop()
        keys = list(node) if isinstance(node, dict) else range(len(node))
        for key in keys:
            found.append((node, key))
            if isinstance(node[key], (dict, list)):
                left.append(node[key])
    return found


def _replace(tree, rng):
    node, key = rng.choice(_places(tree) or [({}, 0)])
    node[key] = copy.deepcopy(rng.choice(VALUES))


def _remove(tree, rng):
    node, key = rng.choice(_places(tree) or [({0: 0}, 0)])
    del node[key]


def _rename(tree, rng):
    node, key = rng.choice(_places(tree) or [({0: 0}, 0)])
    if isinstance(node, dict):
        name = str(key)
        node[rng.choice([name[:-1], name + "s", name.upper(), "", 3, "label", "params", "kind"])] = node.pop(
            key
        )


def _move(tree, rng):
    places = _places(tree)
    if len(places) > 1:
        (a, i), (b, j) = rng.sample(places, 2)
        b[j] = copy.deepcopy(a[i])


def _nest(tree, rng):
    node, key = rng.choice(_places(tree) or [({0: 0}, 0)])
    node[key] = rng.choice([[node[key]], {"name": node[key]}, {"params": node[key]}, [node[key]] * 2])


def _plain(text, rng):
    return text


def _anchored(text, rng):
    layers = rng.choice([2, 8])
    return text + "".join(
        f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 9) if i else 'x'}]\n" for i in range(layers)
    )


def _merged(text, rng):
    return f"base: &b {{trials: 2}}\n<<: {rng.choice(['*b', '[*b, *b]', '3', '[3]', '{trials: 1}'])}\n{text}"


def _tagged(text, rng):
    tags = ["!!python/object/apply:os.mkdir ['owned']", "!!python/name:os.system x", "!!binary aGk=", "!!set {a, b}",
            "!!omap [a: 1]", "!!timestamp 2001-01-01", "!!timestamp foo", "2001-99-99", "!!int x", "!!float .", "!!bool 3", "!!null x",
            "!own x", "!!str [a]", "!!map [a]", "!!seq {a: b}", "!!merge x", "=", "0b12", "1:2:3"]  # fmt: skip
    key = rng.choice(["title", "trials", "seed", "extra", "paper", "name"])
    return f"{text}\n{key}: {rng.choice(tags)}\n"


def _deep(text, rng):
    depth = rng.choice([50, 500, 3000, 100_000])
    opening, closing = rng.choice([("[", "]"), ("{a: ", "}")])
    return f"{text}\nsweep: {opening * depth}{closing * depth}\n"


def setting(rng):
    """Return a change of an experiment as somebody might type it, or an attacker."""
    keys = [
        "trials",
        "algorithms",
        "kmeans",
        "params",
        "datasets",
        "0",
        "²",
        "9" * 5000,
        "name",
        "",
        "x",
        "constraints",
    ]
    path = ".".join(rng.choice(keys) for _ in range(rng.choice([1, 2, 3, 4])))
    values = [
        *map(str, VALUES),
        *(number.decode() for number in NUMBERS),
        "[" * 100_000,
        "!!timestamp foo",
        "&a [*a]",
    ]
    return path + rng.choice(["=", "=", "=", ""]) + rng.choice(values)


def name(rng):
    """Return a name from a hostile alphabet; it is never empty."""
    letters = HOSTILE + "ab01"
    return "x" * (rng.random() < 0.5) + "".join(rng.choices(letters, k=rng.choice([1, 2, 3, 8]))) or "x"


def _circular(text, rng):
    return text + rng.choice(["sweep: &s {a: *s}\n", "title: &t [*t]\n", "paper: &p\n  *p : 1\n"])
