export type DrawingPoint = readonly [x: number, y: number]

/** A drawing in pixels from the upper left corner. Pages show its SVG, assistants get that SVG rendered as PNG. */
export interface Drawing {
  width: number
  height: number
  /** Text alternative for the picture. */
  title: string
  description: string
  shapes: readonly DrawingShape[]
}

export type DrawingShape =
  | {
      kind: 'area'
      points: readonly DrawingPoint[]
      fill: string
      edge: string
      edgeWidth: number
      pattern?: 'hatch' | 'cross'
      dashed?: boolean
    }
  | { kind: 'line'; points: readonly DrawingPoint[]; edge: string; edgeWidth: number }
  | { kind: 'dot'; at: DrawingPoint; radius: number; fill: string; edge?: string; dashed?: boolean }
  | { kind: 'text'; at: DrawingPoint; text: string; size: number; fill: string; anchor?: 'start' | 'middle' }
  | { kind: 'link'; href: string; label: string; isCurrent: boolean; shapes: readonly DrawingShape[] }

/** Minimum legible text size, in pixels. */
export const MIN_TEXT_SIZE = 7

/** Returns the heat map colour of a value from 0 to 1: from pale yellow to orange, on which numbers stay readable. */
export function computeHeatMapColour(value: number): string {
  const share = Math.max(0, Math.min(1, value))
  const [from, until] = [
    [254, 249, 195],
    [249, 115, 22],
  ] as const
  return `#${from
    .map((part, i) =>
      Math.round(part + (until[i]! - part) * share)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`
}
