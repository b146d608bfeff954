"""Lines in a picture, as SVG."""

WIDTH, HEIGHT, LEFT, LOW = 800, 400, 70, 40
COLOURS = ["#1f5fa8", "#c0392b", "#2e7d32", "#8e44ad", "#b8860b", "#555"]


def draw(path, series, across, up):
    """SERIES: {label: [(x, y), ...]}; ACROSS and UP: what x and y are."""
    most = max(p[0] for pts in series.values() for p in pts)
    best = max(p[1] for pts in series.values() for p in pts) * 1.1 or 1

    def at(x, y):
        return (LEFT + x / most * (WIDTH - LEFT - 20),
                HEIGHT - LOW - y / best * (HEIGHT - LOW - 20))

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
           f'height="{HEIGHT}" font-family="sans-serif" font-size="12">',
           '<rect width="100%" height="100%" fill="white"/>']
    for i in range(6):
        x, y = at(0, best / 5 * i)
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - 20}" y1="{y:.0f}" '
                   f'y2="{y:.0f}" stroke="#ddd"/><text x="{LEFT - 6}" '
                   f'y="{y + 4:.0f}" text-anchor="end">{best / 5 * i:.0f}'
                   '</text>')
        x, y = at(most / 5 * i, 0)
        out.append(f'<text x="{x:.0f}" y="{HEIGHT - LOW + 18}" '
                   f'text-anchor="middle">{most / 5 * i:.0f}</text>')
    for n, (label, pts) in enumerate(series.items()):
        line = " ".join("%.1f,%.1f" % at(*p[:2]) for p in pts)
        colour = COLOURS[n % len(COLOURS)]
        out.append(f'<polyline points="{line}" fill="none" '
                   f'stroke="{colour}" stroke-width="1.5"/><text '
                   f'x="{WIDTH - 30}" y="{20 + 16 * n}" text-anchor="end" '
                   f'fill="{colour}">{label}</text>')
    out.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 6}" '
               f'text-anchor="middle">{across}</text>'
               f'<text transform="translate(14 {HEIGHT / 2}) rotate(-90)" '
               f'text-anchor="middle">{up}</text></svg>')
    with open(path, "w") as f:
        f.write("\n".join(out) + "\n")
