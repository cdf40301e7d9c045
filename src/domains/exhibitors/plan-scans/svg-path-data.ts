import type { Point } from '../floor/plan-shapes.ts'

/** A segment of a path. A cubic curve has two control points and an end point, a line only an end point. */
export type SvgPathSegment =
  | { kind: 'line'; end: Point }
  | { kind: 'cubic'; one: Point; two: Point; end: Point }
  | { kind: 'arc'; radii: Point; turn: number; large: boolean; clockwise: boolean; end: Point }

export interface SvgSubPath {
  start: Point
  parts: SvgPathSegment[]
  closed: boolean
}

const ARGUMENTS: Record<string, number> = { M: 2, L: 2, H: 1, V: 1, C: 6, S: 4, Q: 4, T: 2, A: 7, Z: 0 }
const TOKEN = /([MLHVCSQTAZmlhvcsqtaz])|([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)/g

interface PathState {
  paths: SvgSubPath[]
  at: Point
  /** The last control point, which the commands S and T mirror. */
  control: Point | null
}

/** Parses the `d` attribute of a path. Numbers without a command are ignored. */
export function parsePathData(data: string): SvgSubPath[] {
  const state: PathState = { paths: [], at: [0, 0], control: null }
  for (const { command, values } of listCommands(data)) {
    const count = ARGUMENTS[command.toUpperCase()]!
    if (count === 0) closePath(state)
    for (let at = 0; count > 0 && at + count <= values.length; at += count)
      // Further pairs of coordinates after a move command are end points of lines.
      drawPart(state, at > 0 && command === 'M' ? 'L' : at > 0 && command === 'm' ? 'l' : command, values.slice(at, at + count))
  }
  return state.paths
}

/** Splits path data into commands. The flags of an arc may be written without a separator, so its arguments are read one by one. */
function listCommands(data: string): { command: string; values: number[] }[] {
  const commands: { command: string; values: number[] }[] = []
  TOKEN.lastIndex = 0
  for (let token = TOKEN.exec(data); token; token = TOKEN.exec(data)) {
    if (token[1]) {
      commands.push({ command: token[1], values: [] })
      continue
    }
    const current = commands.at(-1)
    if (!current) return []
    const isFlag = current.command.toUpperCase() === 'A' && [3, 4].includes(current.values.length % 7)
    if (isFlag && token[2]!.length > 1 && /^[01]/.test(token[2]!)) TOKEN.lastIndex -= token[2]!.length - 1
    current.values.push(Number(isFlag ? token[2]![0] : token[2]))
  }
  return commands
}

function closePath(state: PathState): void {
  const path = state.paths.at(-1)
  if (!path) return
  path.closed = true
  state.at = path.start
  state.control = null
}

function drawPart(state: PathState, command: string, values: readonly number[]): void {
  const origin: Point = command === command.toLowerCase() ? state.at : [0, 0]
  const kind = command.toUpperCase()
  if (kind === 'M') {
    state.at = [values[0]! + origin[0], values[1]! + origin[1]]
    state.control = null
    state.paths.push({ start: state.at, parts: [], closed: false })
    return
  }
  const last = state.paths.at(-1)
  if (!last) return
  const part = toPart(state, kind, values, origin)
  if (last.closed) state.paths.push({ start: state.at, parts: [], closed: false })
  state.paths.at(-1)!.parts.push(part)
  state.at = part.end
}

function toPart(state: PathState, kind: string, values: readonly number[], [ox, oy]: Point): SvgPathSegment {
  const point = (i: number): Point => [values[i]! + ox, values[i + 1]! + oy]
  const { at, control } = state
  const mirrored: Point = control ? [2 * at[0] - control[0], 2 * at[1] - control[1]] : at
  state.control = null
  switch (kind) {
    case 'L':
      return { kind: 'line', end: point(0) }
    case 'H':
      return { kind: 'line', end: [values[0]! + ox, at[1]] }
    case 'V':
      return { kind: 'line', end: [at[0], values[0]! + oy] }
    case 'C':
      state.control = point(2)
      return { kind: 'cubic', one: point(0), two: point(2), end: point(4) }
    case 'S':
      state.control = point(0)
      return { kind: 'cubic', one: mirrored, two: point(0), end: point(2) }
    case 'Q':
      return toCubic(state, point(0), point(2))
    case 'T':
      return toCubic(state, mirrored, point(0))
    default: {
      const [rx, ry, degrees, large, clockwise] = values
      const radii: Point = [Math.abs(rx!), Math.abs(ry!)]
      return { kind: 'arc', radii, turn: (degrees! * Math.PI) / 180, large: large === 1, clockwise: clockwise === 1, end: point(5) }
    }
  }
}

/** Converts a quadratic Bézier curve to a cubic one. */
function toCubic(state: PathState, control: Point, end: Point): SvgPathSegment {
  state.control = control
  const blend = (from: Point): Point => [from[0] + (2 / 3) * (control[0] - from[0]), from[1] + (2 / 3) * (control[1] - from[1])]
  return { kind: 'cubic', one: blend(state.at), two: blend(end), end }
}

/** Returns the points of an elliptical arc after its start (SVG 1.1, appendix F.6). */
export function listEllipsePoints(start: Point, part: Extract<SvgPathSegment, { kind: 'arc' }>, steps: number): Point[] {
  const [x1, y1] = start
  const [x2, y2] = part.end
  let [rx, ry] = part.radii
  if (rx === 0 || ry === 0 || (x1 === x2 && y1 === y2)) return [part.end]
  const [cos, sin] = [Math.cos(part.turn), Math.sin(part.turn)]
  const [hx, hy] = [(x1 - x2) / 2, (y1 - y2) / 2]
  const [px, py] = [cos * hx + sin * hy, cos * hy - sin * hx]
  const lack = (px * px) / (rx * rx) + (py * py) / (ry * ry)
  if (lack > 1) [rx, ry] = [rx * Math.sqrt(lack), ry * Math.sqrt(lack)]
  const spread = rx * rx * py * py + ry * ry * px * px
  const factor = (part.large === part.clockwise ? -1 : 1) * Math.sqrt(Math.max(0, (rx * rx * ry * ry - spread) / spread))
  const [qx, qy] = [(factor * rx * py) / ry, (-factor * ry * px) / rx]
  const centre: Point = [cos * qx - sin * qy + (x1 + x2) / 2, sin * qx + cos * qy + (y1 + y2) / 2]
  const from = Math.atan2((py - qy) / ry, (px - qx) / rx)
  let sweep = Math.atan2((-py - qy) / ry, (-px - qx) / rx) - from
  if (part.clockwise && sweep < 0) sweep += 2 * Math.PI
  if (!part.clockwise && sweep > 0) sweep -= 2 * Math.PI
  return Array.from({ length: steps }, (_, i): Point => {
    if (i === steps - 1) return part.end
    const angle = from + (sweep * (i + 1)) / steps
    const [ex, ey] = [rx * Math.cos(angle), ry * Math.sin(angle)]
    return [cos * ex - sin * ey + centre[0], sin * ex + cos * ey + centre[1]]
  })
}
