import { createHash } from 'node:crypto'
import type { KeyRow } from '../../domains/entities/statements.ts'

/** Goes up whenever records are told otherwise than before, so that nobody keeps the old form. */
const REPRESENTATION = 1

interface Manner {
  includeTestData: boolean
  sensitiveData: boolean
}

const digest = (parts: unknown, length: number) => createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, length)

export const recordTag = (
  { revision, version }: Pick<KeyRow, 'revision' | 'version'>,
  { includeTestData, sensitiveData }: Manner,
): string => `W/"${revision}-${digest([REPRESENTATION, includeTestData, sensitiveData, version], 8)}"`

/** Of what was asked for and of every record on the page: one that went changes it as one that came does. */
export const pageTag = (asked: unknown, manner: Manner, rows: readonly KeyRow[], hasMore: boolean): string => {
  const latest = rows.at(-1)?.updatedAt.toISOString() ?? null
  const each = rows.map(({ id, revision, version }) => [id, revision, version])
  return `W/"${digest([REPRESENTATION, asked, manner, latest, rows.length, each, hasMore], 32)}"`
}

export const textTag = (text: string): string => `W/"${digest(text, 32)}"`
