import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type McpEndpointKind, getMcpEndpointKind, describeIdSource, ID_KINDS, type IdKindName } from '../../src/kernel/id-kinds.ts'
import { findArgumentShape, type InputShape } from '../../src/kernel/input-shape.ts'
import type { Tool } from '../../src/kernel/tool.ts'
import { FEEDBACK_TOOLS } from '../../src/feedback-tools/index.ts'
import { PARTICIPANT_TOOLS } from '../../src/participant-tools/index.ts'
import { newWorld, type World } from '../support/world.ts'
import { type Arguments, getExamples } from './examples.ts'
import { type IdArgument, listIdArguments } from './id-arguments.ts'
import { PRODUCT_TOOLS } from './registry.ts'
import { createStage, type Stage } from './stage.ts'

const SERVED: Record<McpEndpointKind, readonly Tool[]> = {
  organizer: PRODUCT_TOOLS,
  participant: PARTICIPANT_TOOLS,
  operator: FEEDBACK_TOOLS,
}
const ALL_TOOLS = Object.values(SERVED).flat()

/** Names of tools in a text. */
const toolNamesIn = (text: string) => ALL_TOOLS.map(({ name }) => name).filter((name) => new RegExp(`\\b${name}\\b`).test(text))

const shapeOf = (tool: Tool, { path }: IdArgument): InputShape =>
  findArgumentShape(
    tool.shape,
    path.map((key) => (key === '*' ? 0 : key)),
  )!

const idArguments = ALL_TOOLS.flatMap((tool) => listIdArguments(tool).map((argument) => ({ tool, argument })))

describe('sources of ids and codes', () => {
  it('declares for every id argument where the caller finds such ids', () => {
    expect(idArguments.length).toBeGreaterThan(40)
    const missing = idArguments.filter(({ tool, argument }) => {
      const { kind } = shapeOf(tool, argument)
      return kind === undefined || describeIdSource(argument.path.at(-1)!, kind, getMcpEndpointKind(tool.scope)) === null
    })
    expect(missing.map(({ tool, argument }) => `${tool.name} ${argument.path.join('/')}`)).toEqual([])
  })

  it('names at least one tool or another source for ids of each kind, and only tools of the same endpoint', () => {
    for (const endpoint of ['organizer', 'participant', 'operator'] as const) {
      const served = new Set(SERVED[endpoint].map(({ name }) => name))
      const sources = [
        ...Object.keys(ID_KINDS).map((kind) => describeIdSource('', kind as IdKindName, endpoint)),
        ...SERVED[endpoint]
          .flatMap((tool) => Object.keys(tool.input.shape))
          .map((argument) => describeIdSource(argument, undefined, endpoint)),
      ].filter((source) => source !== null)
      for (const source of sources) {
        const named = toolNamesIn(source)
        expect([source, named.filter((name) => !served.has(name))]).toEqual([source, []])
        expect(named.length > 0 || source.startsWith('no tool lists')).toBe(true)
      }
    }
  })
})

describe('id of another kind of record', () => {
  let world: World
  let stage: Stage
  let groupId: string
  beforeAll(async () => {
    world = await newWorld()
    stage = await createStage(world, { tenant: 'demo', word: 'wombat' })
    const [create] = getExamples({ name: 'create_managed_group' })
    await stage.admin.call('create_managed_group', await create!(stage))
    const { rows } = await world.database.pool.query<{ id: string }>('select id from managed_groups where event_id = $1', [
      stage.home.eventId,
    ])
    groupId = rows[0]!.id
  })
  afterAll(() => world.end())

  /** The first example of the tool that uses this argument. */
  async function argumentsWith(tool: Tool, argument: IdArgument): Promise<Arguments | null> {
    for (const example of getExamples(tool)) {
      const args = await example(stage)
      if (argument.read(args) !== undefined) return args
    }
    return null
  }

  /** A record of another kind at the event that the example uses, which may be an event of its own. */
  async function otherRecordAt(args: Arguments, kind: IdKindName | undefined): Promise<[id: string, noun: string]> {
    const { eventCode } = args
    if (typeof eventCode !== 'string' || eventCode === stage.home.eventCode)
      return kind === 'participant' ? [groupId, 'a group'] : [stage.person.participantIds[0]!, 'a participant']
    const [table, noun] = kind === 'participant' ? ['sessions', 'a session'] : ['participants', 'a participant']
    const { rows } = await world.database.pool.query<{ id: string }>(
      `select r.id from ${table} r join events e on e.tenant_id = r.tenant_id and e.id = r.event_id
       where e.tenant_id = $1 and e.code = $2 order by r.id limit 1`,
      [stage.home.tenantId, eventCode],
    )
    return [rows[0]!.id, noun]
  }

  /** Filters return an empty list for an unknown id, and removing a person who is not on the staff changes nothing. */
  const LENIENT = new Set([
    'list_order_invoices companyId',
    'get_booth_map companyIds',
    'retrieve_memories ids',
    'remove_event_staff userId',
  ])

  it('names the kind of record that a wrong id belongs to, and the tools that list ids of the right kind', async () => {
    const problems: string[] = []
    for (const { tool, argument } of idArguments.filter(({ tool: { scope } }) => scope !== 'operator')) {
      const where = `${tool.name} ${argument.path.filter((key) => key !== '*').join('/')}`
      const { kind } = shapeOf(tool, argument)
      const endpoint = getMcpEndpointKind(tool.scope)
      // Participants see only their own records, so their wrong id is that of their own registration.
      if (LENIENT.has(where) || (endpoint === 'participant' && kind === 'participant')) continue
      const args = await argumentsWith(tool, argument)
      if (!args) continue
      const [given, noun] = await otherRecordAt(args, kind)
      const answer = await stage.callerOf(tool).answer(tool.name, argument.replace(args, given))
      const text = answer.content[0]!.text ?? ''
      const source = describeIdSource('', kind, endpoint)!
      const listed = toolNamesIn(source)
      if (!answer.isError) problems.push(`${where} accepts the id of ${noun}`)
      else if (!text.includes(`is the id of ${noun}`)) problems.push(`${where} does not name the kind: ${text}`)
      else if (listed.length === 0 ? !text.includes(source) : !listed.some((name) => text.includes(name)))
        problems.push(`${where} does not name its source: ${text}`)
    }
    expect(problems).toEqual([])
  })

  it('reports the id of a record of another event as unknown', async () => {
    const at = { eventCode: stage.sibling.eventCode }
    const { text } = await stage.admin.refused('get_participant', { ...at, participantId: groupId })
    expect(text).toContain(`No participant ${groupId} at this event`)
    expect(text).not.toContain('is the id of')
  })

  it('reports the id of another participant’s record as unknown to a participant', async () => {
    const text = (await stage.person.refused('cancel_my_appointment', { appointmentId: groupId })).text
    expect(text).not.toContain('is the id of')
  })

  it.each([
    ['get_participant', { participantId: 'R-000042' }, 'R-000042 is an order number', 'find_participants'],
    ['list_order_invoices', { invoiceNumber: 'R-000042' }, 'R-000042 is an order number', 'list_order_invoices'],
    ['list_order_invoices', { orderNumber: 'INV-2026-000007' }, 'INV-2026-000007 is an invoice number', 'list_order_invoices'],
    ['get_flow_rehearsal', { rehearsalId: 'ada@example.org' }, 'This is an email address', 'get_flow_rehearsal'],
    ['remove_event_staff', { userId: 'Tom Miller' }, 'This is a name', 'list_event_staff'],
    ['apply_tax_recommendations', { assessmentId: 'T-R-000001', all: true }, 'This is an order number', 'start_tax_assessment'],
  ])('recognizes the kind of record of an id by the prefix or format of the id: %s %j', async (tool, args, kind, source) => {
    const { text } = await stage.admin.refused(tool, { eventCode: stage.home.eventCode, ...args })
    expect(text).toContain(kind)
    expect(text).toContain(source)
  })
})
