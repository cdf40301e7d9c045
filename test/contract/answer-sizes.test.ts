import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PARTICIPANT_TOOLS } from '../../src/participant-tools/index.ts'
import type { Tool } from '../../src/kernel/tool.ts'
import { TOOLSETS_IN_ORDER } from '../../src/toolsets/index.ts'
import { type LargeEvent, openLargeEvent } from '../support/large-event.ts'
import { RESPONSE_A, sourcingAt } from '../support/sourcing.ts'
import type { ToolAnswer } from '../support/world.ts'

/** A larger answer would fill too much of an assistant's context. */
const MAX_DEFAULT_BYTES = 25_000

type Arguments = Record<string, unknown>

/** Arguments that a tool requires. Everything else has its default. */
const REQUIRED: Record<string, Arguments> = {
  get_flow_summary: { flowSlug: 'attendee' },
  describe_participant_flow: { flowSlug: 'attendee' },
  get_participant: { participantId: 'kimberley.participant.7@example.org' },
  config_find: { text: 'question' },
  get_booth: { number: 'A1' },
  find_hotel: { search: 'hotel' },
  search_memories: { query: 'caterer' },
  query_data: { entity: 'participant', fields: ['lastName', 'firstName', 'email', 'company', 'status', 'completedAt'] },
  plot_data: { entity: 'participant', groupBy: ['status'], chart: 'bar' },
  get_report: { report: 'participant-list' },
  get_report_fields: { report: 'participant-list' },
  query_across_events: { entity: 'participant', fields: ['lastName', 'firstName', 'email', 'company', 'status'] },
}

/** Tools about records that this event does not have. */
const WITHOUT_RECORDS = new Set([
  'get_audience_profile',
  'get_survey_responses_data',
  'describe_directory_connection',
  'get_flow_rehearsal',
  'get_floor_plan_scan',
  'analyze_growth',
  'get_submission',
  'get_block_request',
  'get_catalog_hotel',
])

/** Tools that require an RFP. */
const ABOUT_RFP = new Set(['list_rfp_responses', 'compare_responses', 'summarize_comparison'])

/** The most suppliers that are usually asked for one event. */
const BIDDERS = 12

/** An RFP whose suppliers have all responded. */
async function addRfp({ world, event: place }: LargeEvent): Promise<string> {
  const rows = sourcingAt(world, place)
  const id = await rows.rfp(await rows.brief(), { dueInDays: -1 })
  for (let i = 0; i < BIDDERS; i++) await rows.response(await rows.recipient(id, await rows.supplier(`Congress Hotel ${i}`)), RESPONSE_A)
  return id
}

let event: LargeEvent
let rfpId: string
beforeAll(async () => {
  event = await openLargeEvent()
  rfpId = await addRfp(event)
}, 240_000)
afterAll(() => event.world.end())

/** Counts the bytes of the answer's text, which the assistant reads. `structuredContent` is the same JSON. */
const bytesOf = ({ content }: ToolAnswer) => content.reduce((bytes, { text = '' }) => bytes + Buffer.byteLength(text), 0)

const isMeasured = ({ name, effect }: Pick<Tool, 'name' | 'effect'>) => effect === 'read' && !WITHOUT_RECORDS.has(name)

describe('default answers at a large event', () => {
  it('returns at most 25,000 bytes per answer at a large event', async () => {
    const scopes: Record<string, Arguments> = {
      event: { eventCode: event.event.eventCode },
      client: { clientCode: event.event.clientCode },
    }
    const sizes: { name: string; bytes: number }[] = []
    const measure = (name: string, answer: ToolAnswer) => {
      expect([name, answer.isError ? answer.content[0]!.text : null]).toEqual([name, null])
      sizes.push({ name, bytes: bytesOf(answer) })
    }
    for (const { name, scope } of TOOLSETS_IN_ORDER.flatMap(({ tools }) => tools).filter(isMeasured))
      measure(name, await event.olga.answer(name, { ...scopes[scope], ...REQUIRED[name], ...(ABOUT_RFP.has(name) ? { rfpId } : {}) }))
    for (const { name } of PARTICIPANT_TOOLS.filter(isMeasured)) measure(name, await event.person.answer(name))
    const sorted = sizes.toSorted((a, b) => b.bytes - a.bytes)
    console.log(`Bytes of default answers: ${sorted.map(({ name, bytes }) => `${name} ${bytes}`).join(', ')}`)
    expect(sorted.filter(({ bytes }) => bytes > MAX_DEFAULT_BYTES)).toEqual([])
  }, 120_000)

  it('splits long answers into pages that together contain everything', async () => {
    const walk = async (read: (cursor: Arguments) => Promise<any>, rowsOf: (page: any) => any[]) => {
      const rows: any[] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const page = await read(cursor === '' ? {} : { cursor })
        rows.push(...rowsOf(page))
        cursor = page.nextCursor
      }
      return rows
    }
    const companies = await walk(
      (cursor) => event.person.call('list_exhibitor_availability', cursor),
      (page) => page.companies,
    )
    expect(new Set(companies.map(({ companyId }) => companyId)).size).toBe(60)
    expect(companies[0]).toMatchObject({ slots: { length: 6 }, moreSlots: 58 })
    const { companies: one, note } = await event.person.call('list_exhibitor_availability', { companyId: companies[0].companyId })
    expect([one[0].slots.length, one[0].moreSlots, note]).toEqual([64, undefined, undefined])

    const tools = { tool: 'add_participant' }
    const entries = await walk(
      (cursor) => event.call('audit_event', { ...tools, ...cursor }),
      (page) => page.entries,
    )
    expect(new Set(entries.map(({ target }) => target.id)).size).toBe(27)
    const large = await event.call('audit_event', { ...tools, limit: 27 })
    expect([large.entries.length, large.nextCursor]).toEqual([27, null])
  }, 120_000)

  it('lists all countries at most once, and describes each flow in full on request', async () => {
    const flows = await event.person.call('agent_list_flows')
    const left = flows.flows.filter(({ descriptor }: any) => descriptor === null).map(({ slug }: any) => slug)
    expect(flows.note).toContain(`The fields of ${left.join(', ')} are left out`)
    const { fields } = await event.person.call('list_data_fields', { flowSlug: left[0] })
    const lists = fields.filter(({ choices }: any) => choices?.length === 250)
    expect(lists.length).toBeLessThanOrEqual(1)
    expect(fields.some(({ binding }: any) => binding === '@participant.country')).toBe(true)
  })
})
