import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runStandardReport } from '../../../../../test/support/standard-reports.ts'
import { openWholeEvent, type WholeEvent } from '../../../../../test/support/whole-event.ts'
import { STANDARD_REPORTS } from '../index.ts'

let whole: WholeEvent
beforeAll(async () => {
  whole = await openWholeEvent()
})
afterAll(async () => {
  await whole.served.close()
  await whole.sales.world.end()
})

const VALUES: Record<string, Record<string, string>> = {
  'flow-funnel': { flowSlug: 'attendee' },
  'rooming-list': { hotelCode: 'grand' },
}

/** Reports that need another event or a configured survey. */
const NEEDS_MORE = ['registration-pace', 'survey-summary']

describe('standard reports at an event with records of every kind', () => {
  it('holds every tie and has rows in the reports of every area', async () => {
    const rowsOf: Record<string, number> = {}
    for (const [code, { note }] of STANDARD_REPORTS) {
      if (NEEDS_MORE.includes(code) || note !== undefined) continue
      const { tables } = await runStandardReport(whole.sales.world, whole.sales.event, code, { values: VALUES[code] ?? {} })
      expect(
        tables.flatMap(({ checks }) => checks.filter(({ ok }) => !ok)),
        code,
      ).toEqual([])
      rowsOf[code] = tables[0]!.rows.length
    }
    for (const code of [
      'participant-list',
      'group-roster',
      'revenue-by-product',
      'housing-pickup',
      'exhibitor-list',
      'booth-sales',
      'appointments',
      'speakers-and-submissions',
      'audit-log',
    ])
      expect(rowsOf[code], code).toBeGreaterThan(0)
  })
})
