import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rehearseFlowJob } from '../../src/domains/rehearsals/rehearse.ts'
import type { Job } from '../../src/kernel/jobs.ts'
import { DEFAULT_MAX_RESULT_BYTES } from '../../src/kernel/bytes.ts'
import { createJobRunner } from '../../src/surfaces/worker/run-jobs.ts'
import { PARTICIPANT_TOOLS } from '../../src/participant-tools/index.ts'
import type { Tool } from '../../src/kernel/tool.ts'
import { ALL_TOOLSETS } from '../../src/toolsets/index.ts'
import { countAnswerBytes, type LargeEvent, openLargeEvent } from '../support/large-event.ts'
import { RESPONSE_A, createSourcingFixtures } from '../support/sourcing.ts'
import type { ToolAnswer } from '../support/world.ts'

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
  const rows = createSourcingFixtures(world, place)
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

/** Reads all pages of a list, and returns their rows. */
async function walk(read: (cursor: Arguments) => Promise<any>, rowsOf: (page: any) => any[]): Promise<any[]> {
  const rows: any[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page = await read(cursor === '' ? {} : { cursor })
    rows.push(...rowsOf(page))
    cursor = page.nextCursor
  }
  return rows
}

/** Fields whose null is a value of its own: figures that cannot be calculated, no limit, the last page, and those that are specified so. */
const MEANINGFUL_NULLS = new Set(
  `fill medianSeconds p90Seconds percent showRate spearman distanceKm stars basedOnVersion restoredFrom
   capacity available maxMembers nextCursor source series client event visibleForTags descriptor`.split(/\s+/),
)

/** The paths of all null fields in an answer, without the positions in lists. */
const listEmptyFields = (value: unknown, path = ''): string[] =>
  value === null
    ? [path]
    : typeof value !== 'object'
      ? []
      : Object.entries(value).flatMap(([name, part]) =>
          listEmptyFields(part, Array.isArray(value) ? path : path === '' ? name : `${path}.${name}`),
        )

const isMeasured = ({ name, effect }: Pick<Tool, 'name' | 'effect'>) => effect === 'read' && !WITHOUT_RECORDS.has(name)

describe('answers of tools at a large event', () => {
  it('returns at most 25,000 bytes per answer at a large event', async () => {
    const scopes: Record<string, Arguments> = {
      event: { eventCode: event.event.eventCode },
      client: { clientCode: event.event.clientCode },
    }
    const sizes: { name: string; bytes: number }[] = []
    const empty = new Set<string>()
    const measure = (name: string, answer: ToolAnswer) => {
      expect([name, answer.isError ? answer.content[0]!.text : null]).toEqual([name, null])
      sizes.push({ name, bytes: countAnswerBytes(answer) })
      for (const field of listEmptyFields(answer.structuredContent)) empty.add(`${name} ${field}`)
    }
    for (const { name, scope } of ALL_TOOLSETS.flatMap(({ tools }) => tools).filter(isMeasured))
      measure(name, await event.olga.answer(name, { ...scopes[scope], ...REQUIRED[name], ...(ABOUT_RFP.has(name) ? { rfpId } : {}) }))
    for (const { name } of PARTICIPANT_TOOLS.filter(isMeasured)) measure(name, await event.person.answer(name))
    const sorted = sizes.toSorted((a, b) => b.bytes - a.bytes)
    console.log(`Bytes of default answers: ${sorted.map(({ name, bytes }) => `${name} ${bytes}`).join(', ')}`)
    expect(sorted.filter(({ bytes }) => bytes > DEFAULT_MAX_RESULT_BYTES)).toEqual([])
    // In the specification of a chart, null turns a part of the chart off.
    const ours = [...empty].filter((field) => !field.includes(' vegaLite.'))
    expect(ours.filter((field) => !MEANINGFUL_NULLS.has(field.split(/[ .]/).at(-1)!))).toEqual([])
  }, 120_000)

  it('splits long answers into pages that together contain all records', async () => {
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

  it('lists all countries at most once per answer, and describes each registration flow in full on request', async () => {
    const flows = await event.person.call('agent_list_flows')
    const left = flows.flows.filter(({ descriptor }: any) => descriptor === null).map(({ slug }: any) => slug)
    expect(flows.note).toContain(`The fields of ${left.join(', ')} are left out`)
    const { fields } = await event.person.call('list_data_fields', { flowSlug: left[0] })
    const lists = fields.filter(({ choices }: any) => choices?.length === 250)
    expect(lists.length).toBeLessThanOrEqual(1)
    expect(fields.some(({ binding }: any) => binding === '@participant.country')).toBe(true)
  })
})

/** A draft that differs from the live version in every product, and whose flow has many findings. */
async function makeLargeDraft({ callConfirmed }: LargeEvent): Promise<void> {
  const products = Array.from({ length: CHANGED_PRODUCTS }, (_, n) => ({
    code: `product-${n}`,
    name: `Workshop ${n}: practice of large events`,
    category: 'session',
    prices: [{ amount: `${n + 1}.00` }],
    requires: [`missing-${n}`],
  }))
  const widgets = Array.from({ length: 100 }, (_, n) => ({
    id: `q${n}`,
    type: 'field',
    binding: `@custom.question-${n % 40}`,
    required: true,
    showWhen: { all: ['a', 'b'].map((value) => ({ binding: '@participant.company', op: 'equals', value })) },
  }))
  const set = (path: string, value: unknown) => ({ op: 'set', path, valueJson: JSON.stringify(value) })
  await callConfirmed('config_set', {
    operations: [set('/products', products), set('/flows/press/pages', [{ code: 'you', title: 'You', widgets }])],
  })
}

const CHANGED_PRODUCTS = 400
const REHEARSED_PEOPLE = 25

/** Runs a rehearsal, whose result describes every test participant. */
async function rehearse({ world, event: { tenantId }, call }: LargeEvent): Promise<void> {
  const { jobId } = await call('rehearse_flow', { flowSlug: 'attendee', source: 'live', maxPeople: REHEARSED_PEOPLE, negative: false })
  await createJobRunner(world.services)(rehearseFlowJob as Job, { tenantId, jobId })
}

/** What a tool with the actions list and get needs to read one record. */
const GET_ARGUMENTS: Record<string, (listed: any) => Arguments> = {
  manage_company: ({ companies }) => ({ companyId: companies[0].companyId ?? companies[0].id }),
}

describe('answers about a large draft and the rehearsal of a flow', () => {
  beforeAll(async () => {
    await rehearse(event)
    await makeLargeDraft(event)
  }, 240_000)

  it('returns at most 25,000 bytes about a large draft, its issues and review findings, and the rehearsal of a flow', async () => {
    const sizes: [string, number][] = []
    for (const [name, args] of [
      ['diff_versions', {}],
      ['diff_versions', { format: 'text' }],
      ['validate_schema', {}],
      ['review_flow', {}],
      ['review_flow', { flowSlug: 'press' }],
      ['get_flow_rehearsal', {}],
      ['get_flow_rehearsal', { people: 'all' }],
      ['config_explore', {}],
      ['config_explore', { path: '/products' }],
      ['config_explore', { path: '/products', depth: 0 }],
      ['config_explore', { path: '/flows/press/pages', depth: 4 }],
      ['describe_participant_flow', { flowSlug: 'press', draft: true }],
      ['config_set', { operations: [{ op: 'set', path: '/details/summary', valueJson: '"Summary"' }] }],
    ] as const) {
      const answer = await event.olga.answer(name, { eventCode: event.event.eventCode, ...args })
      expect([name, answer.isError ? answer.content[0]!.text : null]).toEqual([name, null])
      sizes.push([`${name} ${JSON.stringify(args)}`, countAnswerBytes(answer)])
    }
    console.log(`Bytes of answers about the draft: ${sizes.map(([name, bytes]) => `${name} ${bytes}`).join(', ')}`)
    expect(sizes.filter(([, bytes]) => bytes > DEFAULT_MAX_RESULT_BYTES)).toEqual([])
  }, 120_000)

  it('returns at most 25,000 bytes for the actions list and get of every tool', async () => {
    const sizes: [string, number][] = []
    for (const { name, wire } of ALL_TOOLSETS.flatMap(({ tools }) => tools).filter((tool) => tool.name.startsWith('manage_'))) {
      const actions = (wire.inputSchema.properties?.['action'] as { enum?: string[] } | undefined)?.enum ?? []
      const ask = (action: string, args: Arguments = {}) => event.olga.answer(name, { eventCode: event.event.eventCode, action, ...args })
      const listed = actions.includes('list') ? await ask('list') : null
      const getArguments = actions.includes('get') ? GET_ARGUMENTS[name]?.(listed?.structuredContent) : undefined
      const got = getArguments ? await ask('get', getArguments) : null
      for (const [action, answer] of [
        ['list', listed],
        ['get', got],
      ] as const) {
        if (!answer) continue
        expect([name, action, answer.isError ? answer.content[0]!.text : null]).toEqual([name, action, null])
        sizes.push([`${name} ${action}`, countAnswerBytes(answer)])
      }
    }
    console.log(`Bytes of actions: ${sizes.map(([name, bytes]) => `${name} ${bytes}`).join(', ')}`)
    expect(sizes.length).toBeGreaterThanOrEqual(4)
    expect(sizes.filter(([, bytes]) => bytes > DEFAULT_MAX_RESULT_BYTES)).toEqual([])
  }, 120_000)

  it('returns every change, issue and test participant if all pages of the answers are read', async () => {
    const { summary } = await event.call('diff_versions')
    const changes = await walk(
      (cursor) => event.call('diff_versions', cursor),
      (page) => page.changes,
    )
    expect([changes.length, new Set(changes.map(({ path }) => path)).size]).toEqual([summary.total, summary.total])
    const { counts } = await event.call('validate_schema')
    const issues = await walk(
      (cursor) => event.call('validate_schema', cursor),
      (page) => page.issues,
    )
    expect(issues.length).toBe(counts.structure + counts.reference + counts.orphan + counts.warning)
    expect(counts.reference).toBeGreaterThanOrEqual(CHANGED_PRODUCTS)
    const { progress, coverage } = await event.call('get_flow_rehearsal', { people: 'none' })
    const people = await walk(
      (cursor) => event.call('get_flow_rehearsal', { people: 'all', ...cursor }),
      (page) => page.people,
    )
    expect(people.map(({ index }) => index)).toEqual(Array.from({ length: progress.done }, (_, index) => index))
    expect(coverage.unreached.length).toBe(coverage.branches - coverage.reached)
  }, 120_000)

  it('refuses a page cursor if the draft was changed since the cursor was issued', async () => {
    const { nextCursor } = await event.call('diff_versions', { limit: 1 })
    await event.call('config_set', { operations: [{ op: 'set', path: '/details/summary', valueJson: '"Another summary"' }] })
    const refusal = await event.refused('diff_versions', { limit: 1, cursor: nextCursor })
    expect(JSON.stringify(refusal)).toContain('earlier revision of the draft')
  })

  it('returns a form page that a long flow omits if it is requested by code, and all review findings on request', async () => {
    const whole = await event.call('describe_participant_flow', { flowSlug: 'press', draft: true })
    expect(whole.note).toContain('page: <code>')
    const left = whole.pages.find(({ widgets }: any) => widgets.length === 0) ?? whole.pages[0]
    const { pages } = await event.call('describe_participant_flow', { flowSlug: 'press', draft: true, page: left.code })
    expect([pages.length, pages[0].widgets.length]).toEqual([1, 100])
    const { flows: first } = await event.call('review_flow', { flowSlug: 'press' })
    const { flows } = await event.call('review_flow', { flowSlug: 'press', levels: ['error', 'warning', 'info'] })
    expect(flows[0].findings.length).toBeGreaterThanOrEqual(first[0].findings.length)
  })
})
