import { describe, expect, it } from 'vitest'
import { runStandardReport } from '../../../../../test/support/standard-reports.ts'
import { deskScenario } from '../../../../toolsets/registration/tests/desk.ts'
import { STANDARD_REPORTS } from '../index.ts'

const desk = deskScenario()

/** Values of the required parameters, by report code. */
const VALUES: Record<string, Record<string, string>> = {
  'flow-funnel': { flowSlug: 'attendee' },
  'rooming-list': { hotelCode: 'grand' },
}

/** Codes of reports that need a second event or a configured survey. */
const NEEDS_MORE = ['registration-pace', 'survey-summary']

describe('STANDARD_REPORTS', () => {
  it('contains the 40 standard reports of the specification', () => {
    expect(STANDARD_REPORTS.size).toBe(40)
  })

  it('runs every standard report at an event with and without registrations, with totals that equal the metrics', async () => {
    for (const filled of [false, true]) {
      if (filled) {
        const anna = await desk.person({ first_name: 'Anna', last_name: 'Berg', flow_slug: 'attendee', dietary: 'vegan' })
        await desk.buys(anna, [{ product: 'pass', net: 63750, tax: 12750 }])
        await desk.person({ status: 'incomplete', flow_slug: 'attendee' })
        await desk.person({ status: 'cancelled', flow_slug: 'speaker' })
        await desk.person({ is_test_data: true })
      }
      for (const [code] of STANDARD_REPORTS) {
        if (NEEDS_MORE.includes(code)) continue
        const { tables } = await runStandardReport(desk.world, desk.event, code, { values: VALUES[code] ?? {}, includeTestData: true })
        const failed = tables.flatMap(({ checks }) => checks.filter(({ ok }) => !ok))
        expect({ code, failed }).toEqual({ code, failed: [] })
      }
    }
  })
})
