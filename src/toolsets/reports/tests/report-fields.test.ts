import { describe, expect, it } from 'vitest'
import { deskScenario } from '../../registration/tests/desk.ts'

const desk = deskScenario()

/** All fields of an entity, page by page. */
async function listFields(call: (tool: string, args: object) => Promise<any>, entity: string) {
  const fields: any[] = []
  let cursor: string | null = null
  do {
    const page: any = await call('get_report_fields', { entity, limit: 100, ...(cursor ? { cursor } : {}) })
    fields.push(...page.fields)
    cursor = page.nextCursor
  } while (cursor)
  return fields
}

describe('get_report_fields', () => {
  it('lists the fields over two to-one relations that a table can show, each with its possible aggregates', async () => {
    const fields = await listFields(desk.call, 'orderLine')
    const field = (path: string) => fields.find((one) => one.path === path)
    expect(field('net')).toMatchObject({ label: 'Net', type: 'money', allowed: true, format: ['plain', 'grouped', 'percent'] })
    expect(field('net').aggregates).toContain('sum')
    expect(field('order.total').aggregates).not.toContain('sum')
    expect(field('order.participant.country')).toMatchObject({ label: 'Order: Participant: Country', class: 'personal' })
    expect(fields.every(({ path }) => path.split('.').length <= 3 || path.includes('.custom.') || path.includes('.sharing.'))).toBe(true)
    for (let from = 0; from < fields.length; from += 10)
      await desk.call('query_data', { entity: 'orderLine', fields: fields.slice(from, from + 10).map(({ path }) => path), limit: 1 })
  })

  it('marks the fields that the caller may not read and that queries refuse', async () => {
    const reader = await desk.world.organizer({ at: desk.event, role: 'marketer' })
    const call = (tool: string, args: object) => reader.call(tool, { eventCode: desk.event.eventCode, ...args })
    const fields = await listFields(call, 'order')
    const refused = fields.filter(({ allowed }) => !allowed)
    expect(refused.map(({ path }) => path)).toContain('participant.mobilePhone')
    expect(refused.map(({ path }) => path)).toContain('company.name')
    for (const { path, needs } of refused.slice(0, 20)) {
      const refusal = await reader.refused('query_data', { eventCode: desk.event.eventCode, entity: 'order', fields: [path] })
      expect(refusal).toMatchObject({ code: 'forbidden', message: expect.stringContaining(needs) })
    }
    const allowed = fields.filter((one) => one.allowed).map(({ path }) => path)
    for (let from = 0; from < allowed.length; from += 10)
      await call('query_data', { entity: 'order', fields: allowed.slice(from, from + 10), limit: 1 })
  })

  it('shows the columns of a standard report', async () => {
    const { fields, standardColumns, widgetTypes } = await desk.call('get_report_fields', {
      report: 'revenue-by-product',
      widgetType: 'table',
    })
    expect(fields.map(({ name }: any) => name)).toEqual(standardColumns)
    expect(widgetTypes).toEqual([{ type: 'table', properties: expect.arrayContaining(['query', 'columns']) }])
  })

  it('refuses the fields of an unknown report or entity, and a call that names both a report and an entity', async () => {
    expect(await desk.refused('get_report_fields', { entity: 'particpant' })).toMatchObject({ code: 'not_found' })
    expect(await desk.refused('get_report_fields', { report: 'revenue' })).toMatchObject({ code: 'not_found' })
    expect(await desk.refused('get_report_fields', { entity: 'order', report: 'tax-report' })).toMatchObject({ code: 'invalid_arguments' })
  })
})
