import { createHash } from 'node:crypto'
import type { ReportColumn, ReportRow } from '../../figures/report-table.ts'

/**
 * The start of the next page of a table: a row number, and hashes of the previous page's last rows to correct it after rows were added or
 * deleted.
 */
export interface PagePosition {
  offset: number
  /**
   * Two hashes for each of the last rows of the previous page, beginning with its last row: of all columns, and of the identifying columns.
   */
  anchors: string[]
}

/**
 * The number of rows at the end of a page that a cursor identifies. If the last row is deleted, the next page follows the row before it.
 */
const MAX_ANCHORS = 5
/** The number of hashes per row: of the whole row, and of its identifying columns. */
export const CURSOR_HASHES_PER_ROW = 2
/** The last row of the previous page is searched for within this many rows before and after its former position. */
export const MAX_ROW_SEARCH_DISTANCE = 20_000

/** Types of columns with computed values, which may change when other rows are added. They are not used to recognize a row. */
const FIGURE_TYPES = new Set<ReportColumn['type']>(['integer', 'decimal', 'percent', 'money'])

const toFingerprint = (values: unknown): string => createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 16)

type Fingerprints = (row: ReportRow) => [whole: string, identity: string]

function createFingerprints(columns: readonly ReportColumn[]): Fingerprints {
  const identifying = columns.filter(({ type }) => !FIGURE_TYPES.has(type))
  return (row) => [
    toFingerprint(columns.map(({ name }) => row[name])),
    toFingerprint(['identity', ...identifying.map(({ name }) => row[name])]),
  ]
}

/** Returns the start of the next page after a page that ends at `offset` with the given rows. */
export function toNextPagePosition(columns: readonly ReportColumn[], rows: readonly ReportRow[], offset: number): PagePosition {
  const fingerprints = createFingerprints(columns)
  return { offset, anchors: rows.slice(-MAX_ANCHORS).toReversed().flatMap(fingerprints) }
}

interface Candidate {
  start: number
  rows: ReportRow[]
}

/**
 * Collects the rows of one page while a table is read. The page begins after the last row of the previous page and not at a row number, so
 * rows that were added or removed in between cause neither repeated nor skipped rows.
 */
export function createPageRowCollector(columns: readonly ReportColumn[], { offset, anchors }: PagePosition, limit: number) {
  const fingerprints = createFingerprints(columns)
  const byOffset: Candidate = { start: offset, rows: [] }
  const found: (Candidate | undefined)[] = anchors.map(() => undefined)
  const distanceOf = (start: number) => Math.abs(start - offset)
  let count = 0
  return {
    add(row: ReportRow): void {
      if (count >= offset && byOffset.rows.length < limit) byOffset.rows.push(row)
      for (const candidate of found) if (candidate && candidate.rows.length < limit) candidate.rows.push(row)
      count++
      if (anchors.length === 0 || distanceOf(count) > MAX_ROW_SEARCH_DISTANCE) return
      const own = fingerprints(row)
      anchors.forEach((anchor, place) => {
        // Of several equal rows, the one closest to the former position is taken as the last row of the previous page.
        const start = count + Math.floor(place / CURSOR_HASHES_PER_ROW)
        const current = found[place]
        if (own.includes(anchor) && (!current || distanceOf(start) < distanceOf(current.start + Math.floor(place / CURSOR_HASHES_PER_ROW))))
          found[place] = { start: count, rows: [] }
      })
    },
    /** Returns the number of rows read so far. */
    count: () => count,
    /** Whether the last row of the previous page was found among the rows read so far. */
    isPlaced: () => anchors.length === 0 || found[0] !== undefined || found[1] !== undefined,
    page: (): Candidate => found.find((candidate) => candidate !== undefined) ?? byOffset,
  }
}
