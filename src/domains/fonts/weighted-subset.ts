/** An outline of a glyph as drawing commands with absolute coordinates. */
interface OutlinePath {
  commands: readonly { command: 'moveTo' | 'lineTo' | 'quadraticCurveTo' | 'closePath'; args: readonly number[] }[]
}

/** The part of fontkit's font subset that writes outlines, which its type declarations omit. */
interface OutlineSubset {
  glyphEncoder?: { encodeSimple: (path: OutlinePath) => Uint8Array }
  hmtx: { metrics: { bearing: number }[] }
  _addGlyph: (id: number) => number
}

const ON_CURVE = 1

/**
 * Makes the font files in documents contain the outlines of the chosen weight. fontkit's own encoder of outlines fails, and keeps the left
 * side bearings of the default weight, by which some viewers shift the letters.
 */
export function encodeGlyphsInFontWeight(subset: OutlineSubset): void {
  let left: number | null = null
  subset.glyphEncoder = {
    encodeSimple: (path) => {
      const encoded = encodeOutline(path)
      left = encoded.readInt16BE(2)
      return encoded
    },
  }
  const add = subset._addGlyph.bind(subset)
  subset._addGlyph = (id) => {
    left = null
    const added = add(id)
    if (left !== null) subset.hmtx.metrics.at(-1)!.bearing = left
    return added
  }
}

/** Writes an outline as an entry of the table `glyf` of TrueType. */
function encodeOutline({ commands }: OutlinePath): Buffer {
  const points: { x: number; y: number; flag: number }[] = []
  const contourEnds: number[] = []
  const endContour = () => {
    if (points.length > 0 && contourEnds.at(-1) !== points.length - 1) contourEnds.push(points.length - 1)
  }
  for (const { command, args } of commands) {
    if (command === 'closePath' || command === 'moveTo') endContour()
    for (let at = 0; at < args.length; at += 2) {
      const flag = command === 'quadraticCurveTo' && at === 0 ? 0 : ON_CURVE
      points.push({ x: Math.round(args[at]!), y: Math.round(args[at + 1]!), flag })
    }
  }
  endContour()
  const bounds = (axis: 'x' | 'y', choose: (a: number, b: number) => number) =>
    points.length === 0 ? 0 : points.map((point) => point[axis]).reduce((a, b) => choose(a, b))
  const header = [contourEnds.length, bounds('x', Math.min), bounds('y', Math.min), bounds('x', Math.max), bounds('y', Math.max)]
  const deltas = (axis: 'x' | 'y') => points.map((point, index) => point[axis] - (points[index - 1]?.[axis] ?? 0))
  const noInstructions = 0
  const entry = Buffer.concat([
    toInt16s([...header, ...contourEnds, noInstructions]),
    Buffer.from(points.map(({ flag }) => flag)),
    toInt16s([...deltas('x'), ...deltas('y')]),
  ])
  return Buffer.concat([entry, Buffer.alloc((4 - (entry.length % 4)) % 4)])
}

function toInt16s(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2)
  values.forEach((value, index) => bytes.writeInt16BE(value, index * 2))
  return bytes
}
