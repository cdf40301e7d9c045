import type { Point, Polygon } from '../floor/plan-shapes.ts'
import type { RecognizedObjectKind } from './dictionary.ts'

/** Weight of each kind of evidence for a recognized object. Its confidence is 1 − Π(1 − weight). */
const WEIGHTS = {
  layer: 0.9,
  label_inside: 0.85,
  label_near: 0.7,
  pictogram: 0.75,
  lattice: 0.5,
  door: 0.6,
  number: 0.85,
  largest_face: 0.8,
} as const

const MIN_CONFIDENCE = 0.4
/** Maximum distance, in metres, within which recognized objects of the same kind count as one. */
const JOIN_METRES = 1

interface Clue {
  kind: RecognizedObjectKind
  weight: keyof typeof WEIGHTS
  point: Point
  polygon?: Polygon
  label: string
  doorWidth?: number
}

interface Joined extends Omit<Clue, 'weight'> {
  confidence: number
  evidence: string[]
}

export type ObjectEvidenceStore = ReturnType<typeof createObjectEvidenceStore>

/** Collects evidence of objects on a floor plan, and joins evidence of the same object. */
export function createObjectEvidenceStore() {
  const clues: Clue[] = []
  return {
    add: (clue: Clue): void => {
      clues.push(clue)
    },
    join: (): Joined[] =>
      groupClues(clues)
        .map(toJoined)
        .filter(({ confidence }) => confidence >= MIN_CONFIDENCE),
  }
}

function groupClues(clues: readonly Clue[]): Clue[][] {
  const groups: Clue[][] = []
  const cells = new Map<string, Clue[][]>()
  for (const clue of clues) {
    const [cx, cy] = clue.point.map((value) => Math.floor(value / JOIN_METRES)) as [number, number]
    const near = [-1, 0, 1].flatMap((dx) => [-1, 0, 1].flatMap((dy) => cells.get(`${clue.kind} ${cx + dx} ${cy + dy}`) ?? []))
    const group = near.find((others) => others.some((other) => isSame(other, clue)))
    if (group) group.push(clue)
    else {
      const started = [clue]
      groups.push(started)
      const key = `${clue.kind} ${cx} ${cy}`
      cells.set(key, [...(cells.get(key) ?? []), started])
    }
  }
  return groups
}

/**
 * Whether two pieces of evidence are about the same object: they have the same kind and nearly the same position. Booths with different
 * numbers are never the same object.
 */
const isSame = (one: Clue, other: Clue) =>
  one.kind === other.kind &&
  Math.hypot(one.point[0] - other.point[0], one.point[1] - other.point[1]) <= JOIN_METRES &&
  !(one.kind === 'booth' && one.label !== '' && other.label !== '' && one.label !== other.label)

function toJoined(group: readonly Clue[]): Joined {
  const evidence = [...new Set(group.map(({ weight }) => weight))]
  const doubt = evidence.reduce((product, weight) => product * (1 - WEIGHTS[weight]), 1)
  const [first] = group
  const polygon = group.find((clue) => clue.polygon)?.polygon
  const widths = group.flatMap(({ doorWidth }) => doorWidth ?? [])
  return {
    kind: first!.kind,
    label: group.find(({ label }) => label !== '')?.label ?? '',
    // The position of a double door is the middle between its two leaves.
    point: widths.length > 1 ? meanOf(group.filter(({ doorWidth }) => doorWidth !== undefined).map(({ point }) => point)) : first!.point,
    ...(polygon ? { polygon } : {}),
    ...(widths.length > 0 ? { doorWidth: widths.reduce((sum, width) => sum + width, 0) } : {}),
    confidence: Math.round((1 - doubt) * 10_000) / 10_000,
    evidence,
  }
}

const meanOf = (points: readonly Point[]): Point => [
  points.reduce((sum, [x]) => sum + x, 0) / points.length,
  points.reduce((sum, [, y]) => sum + y, 0) / points.length,
]
