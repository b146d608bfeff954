"""Compares string preparation with RFC 4518 written down in Python.

The tables are those of Unicode 3.2 (stringprep, unicodedata.ucd_3_2_0), so
only code points assigned there are sent; CHANGED lists those that later
versions treat otherwise, and why. Usage: rfc4518.py PROGRAM
"""
import itertools
import random
import stringprep
import subprocess
import sys
from unicodedata import ucd_3_2_0 as ucd

COUNT = 20000
SEED = 4518


def ranges(*pairs):
    return frozenset(itertools.chain.from_iterable(
        range(first, last + 1) for first, last in pairs))


CHANGED = (
    # capitals whose small letters were encoded later: they fold to them now
    ranges((0x4c0, 0x4c0), (0x10a0, 0x10c5), (0x2132, 0x2132),
           (0x2183, 0x2183)) |
    # decompositions that Unicode's Corrigendum 4 put right
    ranges((0x2f868, 0x2f868), (0x2f874, 0x2f874), (0x2f91f, 0x2f91f),
           (0x2f95f, 0x2f95f), (0x2f9bf, 0x2f9bf)))

TO_SPACE = ranges(
    (0x09, 0x0d), (0x85, 0x85), (0x20, 0x20), (0xa0, 0xa0), (0x1680, 0x1680),
    (0x2000, 0x200a), (0x2028, 0x2029), (0x202f, 0x202f), (0x205f, 0x205f),
    (0x3000, 0x3000))
TO_NOTHING = ranges(
    (0xad, 0xad), (0x1806, 0x1806), (0x34f, 0x34f), (0x180b, 0x180d),
    (0xfe00, 0xfe0f), (0xfffc, 0xfffc), (0x00, 0x08), (0x0e, 0x1f),
    (0x7f, 0x84), (0x86, 0x9f), (0x6dd, 0x6dd), (0x70f, 0x70f),
    (0x180e, 0x180e), (0x200c, 0x200f), (0x202a, 0x202e), (0x2060, 0x2063),
    (0x206a, 0x206f), (0xfeff, 0xfeff), (0xfff9, 0xfffb), (0x1d173, 0x1d17a),
    (0xe0001, 0xe0001), (0xe0020, 0xe007f), (0x200b, 0x200b))


def fold_char(c):
    """Table B.2; Python folds to letters that Unicode 3.2 has not."""
    folded = stringprep.map_table_b2(c)
    return c if any(map(stringprep.in_table_a1, folded)) else folded


def map_char(c, fold):
    """2.2"""
    if ord(c) in TO_SPACE:
        return ' '
    if ord(c) in TO_NOTHING:
        return ''
    return fold_char(c) if fold else c


def is_prohibited(c):
    """2.4"""
    return (stringprep.in_table_a1(c) or stringprep.in_table_c8(c) or
            stringprep.in_table_c3(c) or stringprep.in_table_c4(c) or
            stringprep.in_table_c5(c) or c == '\ufffd')


def spaces(s):
    """Runs of spaces and of everything else, (is_space, text)."""
    out = []
    for i, c in enumerate(s):
        is_space = c == ' ' and not ucd.category(s[i + 1:i + 2] or
                                                 'a').startswith('M')
        if out and out[-1][0] == is_space:
            out[-1] = (is_space, out[-1][1] + c)
        else:
            out.append((is_space, c))
    return out


def frame(s, part):
    """2.6.1"""
    runs = spaces(s)
    if not any(not is_space for is_space, _ in runs):
        return '  ' if part == 'w' else ' '
    head = ' ' if part in 'wi' or runs[0][0] else ''
    tail = ' ' if part in 'wn' or runs[-1][0] else ''
    if runs[0][0]:
        runs.pop(0)
    if runs[-1][0]:
        runs.pop()
    return head + ''.join('  ' if is_space else text
                          for is_space, text in runs) + tail


def prepare(s, fold, part):
    mapped = ''.join(map_char(c, fold) for c in s)
    normal = ucd.normalize('NFKC', mapped)
    if any(is_prohibited(c) for c in normal):
        return None
    return frame(normal, part)


def is_sent(code):
    c = chr(code)
    return not 0xd800 <= code <= 0xdfff and code not in CHANGED and (
        not stringprep.in_table_a1(c) or ucd.category(c) == 'Co')


def cases():
    codes = [code for code in range(0x110000) if is_sent(code)]
    plain = [code for code in codes if ucd.category(chr(code)) != 'Co']
    # of private use some stand for all
    for code in codes:
        if ucd.category(chr(code)) == 'Co' and code % 251:
            continue
        for fold in (True, False):
            yield chr(code), fold, 'w'
            yield 'a' + chr(code) + 'B', fold, 'w'
    rng = random.Random(SEED)
    short = [c for c in plain if c < 0x3100] + [0x20] * 2000 + \
        [0x301, 0xb4, 0x345, 0x3099, 0x1100, 0x1161, 0x11a8] * 100
    for _ in range(COUNT):
        pool = rng.choice((plain, short, short, short))
        s = ''.join(chr(rng.choice(pool))
                    for _ in range(rng.randint(0, 12)))
        yield s, rng.random() < 0.5, rng.choice('wian')


def main():
    sent = list(cases())
    text = ''.join('%s%s%s\n' % ('f' if fold else 'e', part,
                                 s.encode('utf-8').hex())
                   for s, fold, part in sent)
    got = subprocess.run([sys.argv[1]], input=text, capture_output=True,
                         check=True, text=True).stdout.split('\n')
    failed = 0
    for (s, fold, part), line in zip(sent, got):
        want = prepare(s, fold, part)
        hexed = '-' if want is None else want.encode('utf-8').hex()
        if line != hexed:
            failed += 1
            if failed <= 5000:
                print('%s fold=%s part=%s: got %s, want %s' % (
                    ascii(s), fold, part, line, hexed))
    print('%d strings compared, %d differ' % (len(sent), failed))
    return 1 if failed or len(got) != len(sent) + 1 else 0


sys.exit(main())
