import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { submitResponse } from '../../src/domains/bids/submit.ts'
import type { ResponseContent } from '../../src/domains/bids/tables.ts'
import { commitChange } from '../../src/kernel/commit-change.ts'
import { contextAt } from '../support/at-event.ts'
import { freeBaseUrl, serve, type Served } from '../support/server.ts'
import { RESPONSE_A, sourcingAt } from '../support/sourcing.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../support/world.ts'
import { ConsoleBrowser } from './console-browser.ts'

const RESPONSES = 100
/** Words and amounts that occur nowhere but in the responses. */
/** Ids contain digits too, so an amount counts only on its own. */
const CANARY = /canary|(?<![0-9a-f])7654[0-9]{2}(?![0-9a-f])|76,54[0-9]/i

const withCanaries = (n: number): ResponseContent => ({
  ...RESPONSE_A,
  rental: 76_540_000 + n,
  otherFees: [{ name: `Canary fee ${n}`, amount: 76_541_000 + n, mandatory: true }],
  concessions: [{ kind: 'other', value: 76_542, text: `Canary gift ${n}` }],
  answers: { wifi: `Canary answer ${n}` },
  note: `Canary note ${n}`,
})

let world: World
let event: EventHandle
let organizer: OrganizerHandle
let served: Served
let browser: ConsoleBrowser
let rfpId: string
let responseId: string

beforeAll(async () => {
  world = await newWorld({ baseUrl: await freeBaseUrl() })
  event = await world.event({ timezone: 'UTC' })
  organizer = await world.organizer({ at: event })
  served = await serve(world)
  browser = await new ConsoleBrowser(served).enter(world, organizer)
  const rows = sourcingAt(world, event)
  const criteria = [{ code: 'cost', name: 'Cost', weight: 100, scorer: 'formula' as const, formula: 'lowestCost' }]
  rfpId = await rows.rfp(await rows.brief(), {
    rubric: { name: 'Ours', criteria },
    questions: [{ code: 'wifi', text: 'Which Wi-Fi?', type: 'text', required: true }],
  })
  for (let n = 0; n < RESPONSES; n++) {
    const recipientId = await rows.recipient(rfpId, await rows.supplier(`Hotel ${n}`))
    const scope = { name: 'submit_response', clientId: event.clientId, eventId: event.eventId }
    const at = await contextAt(world, event)
    const row = await commitChange(
      world.database,
      scope,
      (db) => ({ ...at, db }),
      (ctx) => submitResponse(ctx, { recipientId, dateOption: 0, content: withCanaries(n), source: 'portal' }),
    )
    responseId = row.id
  }
})
afterAll(() => world.end())

/** Everything that the product shows an organizer, by where it was found. */
async function crawl(): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const codes = { clientCode: event.clientCode, eventCode: event.eventCode }
  const ids = { rfpId, responseId, responseIds: [responseId] }
  for (const tool of world.tools.values()) {
    if (tool.scope !== 'event' || !tool.ownArguments.every((name) => name !== 'confirmToken')) continue
    if (tool.effect !== 'read' && !tool.ownArguments.includes('rfpId')) continue
    const named = Object.fromEntries(Object.entries(ids).filter(([name]) => tool.ownArguments.includes(name)))
    const scores = tool.name === 'record_manual_scores' ? { scores: [{ responseId, criterion: 'cost', score: 3 }] } : {}
    const dryRun = tool.previews ? { dryRun: true } : {}
    const rounds = tool.name === 'list_rfp_responses' ? { allRounds: true } : {}
    for (const args of [named, { ...named, responseId: undefined, responseIds: undefined }])
      found.set(
        `${tool.name} ${Object.keys(args).join(' ')}`,
        JSON.stringify(
          await organizer.answer(tool.name, JSON.parse(JSON.stringify({ ...codes, ...args, ...scores, ...rounds, ...dryRun }))),
        ),
      )
  }
  const base = `/console/events/${event.clientCode}/${event.eventCode}`
  const pages = [`${base}/rfps`, `${base}/rfps/${rfpId}`, `${base}/rfps/${rfpId}/compare`, `${base}/rfps/${rfpId}/compare.xlsx`, base]
  for (const path of [...pages, `/console/audit`, `/console/clients/${event.clientCode}/audit`])
    found.set(path, (await browser.get(path)).html)
  const tables = ['audit_entries', 'webhook_messages', 'messages', 'jobs']
  for (const table of tables) {
    const { rows } = await world.database.pool.query(`select * from ${table}`)
    found.set(`table ${table}`, JSON.stringify(rows))
  }
  found.set('log', world.logged.join('\n'))
  return found
}

const hits = (found: Map<string, string>) => [...found].filter(([, text]) => CANARY.test(text)).map(([where]) => where)

describe('sealed responses', () => {
  it('show nothing of their content before the due time, and everything after it', async () => {
    const sealed = await crawl()
    expect(sealed.size).toBeGreaterThan(30)
    expect(hits(sealed)).toEqual([])
    const { responses, pending } = await organizer.call('list_rfp_responses', {
      clientCode: event.clientCode,
      eventCode: event.eventCode,
      rfpId,
      limit: 100,
    })
    expect(pending).toEqual([])
    for (const one of responses) expect(Object.keys(one).toSorted()).toEqual(['status', 'supplier'])
    await world.clock.advance('11 days')
    await world.renewTokens()
    browser = await new ConsoleBrowser(served).enter(world, organizer)
    const open = hits(await crawl())
    for (const where of ['list_rfp_responses rfpId responseId', 'compare_responses rfpId responseId responseIds']) {
      const [name] = where.split(' ')
      expect(open.some((one) => one.startsWith(name!))).toBe(true)
    }
    expect(open).toContain(`/console/events/${event.clientCode}/${event.eventCode}/rfps/${rfpId}/compare`)
    expect(open.filter((one) => one.startsWith('table') || one === 'log')).toEqual([])
  })
})
