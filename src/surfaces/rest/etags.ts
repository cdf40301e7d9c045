import { createHash } from 'node:crypto'
import type { EntityKeyRow } from '../../domains/entities/statements.ts'

/** The version of the JSON representation. Increase it when the representation changes, so that cached responses become invalid. */
const REPRESENTATION = 1

interface Representation {
  includeTestData: boolean
  sensitiveData: boolean
}

const digest = (parts: unknown, length: number) => createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, length)

export const computeRecordEtag = (
  { revision, version }: Pick<EntityKeyRow, 'revision' | 'version'>,
  { includeTestData, sensitiveData }: Representation,
): string => `W/"${revision}-${digest([REPRESENTATION, includeTestData, sensitiveData, version], 8)}"`

/** The ETag of a list page. It covers the request and every record on the page, so that it changes if a record is added or removed. */
export const computePageEtag = (asked: unknown, manner: Representation, rows: readonly EntityKeyRow[], hasMore: boolean): string => {
  const latest = rows.at(-1)?.updatedAt.toISOString() ?? null
  const each = rows.map(({ id, revision, version }) => [id, revision, version])
  return `W/"${digest([REPRESENTATION, asked, manner, latest, rows.length, each, hasMore], 32)}"`
}

export const computeTextEtag = (text: string): string => `W/"${digest(text, 32)}"`
