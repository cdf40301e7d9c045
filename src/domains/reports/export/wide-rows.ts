import { streamQuery } from '../../figures/query/run-query.ts'
import type { QuerySnapshot } from '../../figures/query/snapshot.ts'
import type { ReportRow } from '../../figures/report-table.ts'

/** The maximum number of fields in a query. */
const FIELDS_PER_QUERY = 40

/**
 * Reads all rows of an entity with any number of fields, sorted by id. Entities with many fields are read by several queries in one
 * database snapshot, which return the rows in the same order.
 */
export async function* streamWideRows(
  snapshot: QuerySnapshot,
  { entity, fields, includeTestData }: { entity: string; fields: readonly string[]; includeTestData: boolean },
): AsyncGenerator<ReportRow> {
  const parts: AsyncIterator<ReportRow>[] = []
  for (let at = 0; at < Math.max(1, fields.length); at += FIELDS_PER_QUERY) {
    const { rows } = await streamQuery(snapshot, { entity, fields: fields.slice(at, at + FIELDS_PER_QUERY), includeTestData })
    parts.push(rows[Symbol.asyncIterator]())
  }
  for (;;) {
    const whole: ReportRow = {}
    for (const part of parts) {
      const { done, value } = await part.next()
      if (done) return
      if (whole['id'] !== undefined && whole['id'] !== value['id']) throw new Error(`rows of ${entity} are out of order`)
      Object.assign(whole, value)
    }
    yield whole
  }
}
