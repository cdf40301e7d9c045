import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DemoScenario, openDemoScenario, SUMMIT_CODES } from '../../scripts/docs/demo-scenario.ts'
import { listUnequalFigures } from '../support/equal-figures.ts'
import { compareRows } from '../support/equal-rows.ts'

const { eventCode } = SUMMIT_CODES

describe('figures that several tools show, at an event with rows of every kind', () => {
  let demo: DemoScenario
  beforeAll(async () => {
    demo = await openDemoScenario()
  })
  afterAll(() => demo.end())

  const call = (tool: string, args: object) => demo.call(tool, { eventCode, ...args })
  const where = { account: (tool: string, args: object) => demo.call(tool, { ...args }), eventCode }

  it('returns figures in every tool equal to the metrics, at an event with rows of every kind', async () => {
    expect(await listUnequalFigures(call)).toEqual([])
  })

  it('returns equal figures in all lists, summaries and reports, at an event with rows of every kind', async () => {
    const { differences, compared } = await compareRows(call, where)
    expect(differences).toEqual([])
    expect(Object.entries(compared).filter(([, figures]) => figures === 0)).toEqual([])
    expect(Object.values(compared).reduce((sum, figures) => sum + figures, 0)).toBeGreaterThan(300)
  })

  it('returns totals equal to the metrics in every standard report, at an event with rows of every kind', async () => {
    const { reports } = await call('list_reports', { kind: 'standard', limit: 100 })
    expect(reports).toHaveLength(40)
    const failed: string[] = []
    let checked = 0
    for (const { code, parameters } of reports) {
      if (['registration-pace', 'flow-funnel', 'rooming-list', 'survey-summary'].includes(code)) expect(parameters).not.toEqual([])
      else {
        const { checks } = await call('run_report', { report: code, limit: 1 })
        checked += checks.length
        failed.push(...checks.filter(({ ok }: any) => !ok).map(({ name }: any) => `${code}: ${name}`))
      }
    }
    expect(failed).toEqual([])
    expect(checked).toBeGreaterThan(40)
  })

  it('control: detects a list that shows another value than the other tools', async () => {
    const wrong = async (tool: string, args: object) => {
      const result = await call(tool, args)
      return tool === 'list_submissions' ? { ...result, counts: { ...result.counts, submitted: 99 } } : result
    }
    const { differences } = await compareRows(wrong, where)
    expect(differences).toEqual([expect.stringMatching(/^submissions by status, submitted.count: list_submissions 99, query_data \d+$/)])
  })
})
