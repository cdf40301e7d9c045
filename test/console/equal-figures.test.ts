import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DemoScenario, openDemoScenario, SUMMIT_CODES } from '../../scripts/docs/demo-scenario.ts'
import { chooseFreeBaseUrl, serve } from '../support/server.ts'
import { plainText, type VisitedPage } from '../support/visitor.ts'
import { ConsoleBrowser } from './console-browser.ts'

const { clientCode, eventCode } = SUMMIT_CODES
const base = `/console/events/${clientCode}/${eventCode}`

let demo: DemoScenario
let olga: ConsoleBrowser

beforeAll(async () => {
  demo = await openDemoScenario()
  const served = await serve(demo.world, { port: Number(new URL(await chooseFreeBaseUrl()).port) })
  const { rows } = await demo.world.database.pool.query<{ userId: string }>(
    `select m.user_id as "userId" from memberships m join clients c on c.tenant_id = m.tenant_id and c.id = m.client_id
     where c.code = $1 and m.role = 'admin'`,
    [clientCode],
  )
  olga = await new ConsoleBrowser(served).enter(demo.world, rows[0]!)
})
afterAll(() => demo.end())

const query = async (args: object) => (await demo.call('query_data', { eventCode, ...args })).rows[0]

/** Reads the big number of a section and the text beside it, without thousands separators. */
function readFigure({ html }: VisitedPage, id: string): string {
  const [, number, note = ''] = new RegExp(`id="${id}"[\\s\\S]*?<strong>([\\s\\S]*?)</strong>(?:<span>([^<]*)</span>)?`).exec(html) ?? []
  return [number, note]
    .map((part) =>
      String(part)
        .replaceAll(/<[^>]*>/g, '')
        .replaceAll(/(?<=\d),(?=\d{3})/g, ''),
    )
    .join(' ')
}

describe('figures of console pages, at an event with rows of every kind', () => {
  it('shows figures on the event page that equal the metrics of query_data', async () => {
    const page = await olga.get(base)
    const figures = await query({ metrics: ['registrations.complete', 'registrations.total', 'money.paid'] })
    expect(page.status).toBe(200)
    expect(readFigure(page, 'figure-registered').split(' ')[0]).toBe(String(figures['registrations.complete']))
    expect(readFigure(page, 'figure-status').split(' ')[0]).toBe(String(figures['registrations.total']))
    expect(readFigure(page, 'figure-money')).toContain(figures['money.paid'].amount)
    expect(figures['registrations.complete']).toBeGreaterThan(0)
  })

  it('shows the same registrations by status and the same amounts on the event page as query_data', async () => {
    const { html } = await olga.get(base)
    const section = (id: string) =>
      plainText(html.slice(html.indexOf(`id="${id}"`), html.indexOf('</section>', html.indexOf(`id="${id}"`))))
    const numberAfter = (text: string, label: string) =>
      Number(new RegExp(`${label}\\D*?(-?[\\d,]+(?:\\.\\d+)?)`).exec(text)?.[1]?.replaceAll(',', '') ?? Number.NaN)
    const statuses = ['complete', 'incomplete', 'waitlisted', 'cancelled']
    const counts = await query({ metrics: statuses.map((status) => `registrations.${status}`) })
    for (const status of statuses) {
      const label = `${status.charAt(0).toUpperCase()}${status.slice(1)}`
      expect([status, numberAfter(section('figure-status'), label)]).toEqual([status, counts[`registrations.${status}`]])
    }
    const labels = { paid: 'Paid', owed: 'Open', refunded: 'Refunded', credited: 'Credited', invoiced: 'Invoiced' }
    const amounts = await query({ metrics: Object.keys(labels).map((name) => `money.${name}`) })
    for (const [name, label] of Object.entries(labels)) {
      const { amount } = amounts[`money.${name}`]
      // Amounts of 0 are left out of the legend, except for those of the bar.
      if (Number(amount) !== 0) expect([name, numberAfter(section('figure-money'), label)]).toEqual([name, Number(amount)])
    }
  })

  it('shows figures on the door page that equal the metrics of query_data', async () => {
    const { text, status } = await olga.get(`${base}/onsite`)
    expect(status).toBe(200)
    const figures = await query({ metrics: ['attendance.attended', 'attendance.expected'] })
    const [, attended, expected] = /Checked in\s+([\d,]+)\s*of ([\d,]+)/.exec(text)!
    expect([attended, expected].map((shown) => Number(shown!.replaceAll(',', '')))).toEqual([
      figures['attendance.attended'],
      figures['attendance.expected'],
    ])
    const { count } = await query({ entity: 'attendance', filter: { field: 'result', op: 'equals', value: 'refused' } })
    expect(Number(/Refused scans\s+([\d,]+)/.exec(text)![1]!.replaceAll(',', ''))).toBe(count)
  })

  it('shows figures on the money page that equal the metrics of query_data', async () => {
    const page = await olga.get(`${base}/money`)
    const figures = await query({ metrics: ['money.owed', 'money.overdue', 'money.received', 'money.invoiced'] })
    const amounts = (id: string) => readFigure(page, id).match(/-?\d+\.\d\d/g)
    expect(amounts('figure-open')).toEqual([figures['money.owed'].amount, figures['money.invoiced'].amount])
    expect(amounts('figure-overdue')).toEqual([figures['money.overdue'].amount])
    expect(amounts('figure-received')![0]).toBe(figures['money.received'].amount)
  })

  it('shows figures on the housing page that equal the metrics of query_data', async () => {
    const page = await olga.get(`${base}/housing`)
    const metrics = await query({ metrics: ['housing.pickup', 'housing.contracted', 'housing.pickupPercent'] })
    expect(readFigure(page, 'figure-0')).toBe(
      `${metrics['housing.pickup']} of ${metrics['housing.contracted']} room nights · ${metrics['housing.pickupPercent']}%`,
    )
    const { freeSell, held, returned } = await query({
      entity: 'roomNight',
      aggregates: ['sum(freeSell) as freeSell', 'sum(held) as held', 'sum(returned) as returned'],
    })
    expect(readFigure(page, 'figure-1')).toBe(`${freeSell} ${held} on hold, ${returned} returned`)
    const waiting = await query({ entity: 'hotelWaitlistEntry', filter: { field: 'status', op: 'in', value: ['waiting', 'offered'] } })
    expect(readFigure(page, 'figure-3').split(' ')[0]).toBe(String(waiting.count))
  })

  it('shows the same number of records above every list as query_data counts', async () => {
    const lists: [path: string, noun: string, query: object][] = [
      ['companies', 'exhibitor', { entity: 'company' }],
      ['groups', 'group', { entity: 'group' }],
      ['leads', 'lead', { entity: 'lead', filter: { field: 'status', op: 'equals', value: 'active' } }],
      ['program', 'proposal', { entity: 'submission' }],
      ['program/sessions', 'session', { entity: 'session' }],
      ['participants', 'participant', { entity: 'participant', filter: { field: 'status', op: 'notEquals', value: 'cancelled' } }],
    ]
    for (const [path, noun, counted] of lists) {
      const { text, status } = await olga.get(`${base}/${path}`)
      const { count } = await query(counted)
      expect([path, status, new RegExp(`(\\d+) ${noun}s?\\b`).exec(text)?.[1]]).toEqual([path, 200, String(count)])
      expect([path, count > 0]).toEqual([path, true])
    }
  })
})
