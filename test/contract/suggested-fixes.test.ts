import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PARTICIPANT_TOOLS } from '../../src/participant-tools/index.ts'
import { readSources } from '../architecture/sources.ts'
import { createExhibitorFixtures } from '../support/companies.ts'
import { hallSvg } from '../support/floor-drawings.ts'
import { createDrawingFixtures } from '../support/stored-drawings.ts'
import { EXAMPLE_NEED, createSourcingFixtures } from '../support/sourcing.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../support/world.ts'

let world: World
let event: EventHandle
let other: EventHandle
let olga: OrganizerHandle

beforeAll(async () => {
  world = await newWorld()
  const acme = await world.client({ code: 'acme' })
  const twin = await world.client({ code: 'twin' })
  event = await world.event({ at: acme, code: 'summit', status: 'draft' })
  other = await world.event({ at: twin, code: 'source', status: 'draft' })
  await world.event({ at: acme, code: 'source', status: 'draft' })
  const asleep = await world.client({ code: 'asleep', active: false })
  olga = await world.organizer({ at: [acme, twin, asleep] })
  const at = { eventCode: event.eventCode }
  const set = (operations: object[]) => olga.call('config_set', { ...at, operations })
  await set([
    { op: 'set', path: '/details/contactEmail', valueJson: '"team@example.org"' },
    { op: 'insert', path: '/tags/gone', valueJson: '{"name":"Gone"}' },
  ])
  await olga.call('publish_event', at)
  await set([{ op: 'remove', path: '/tags/gone' }])
  await olga.call('update_client', { clientCode: acme.clientCode, establishedIn: 'DE' })
  await olga.call('configure_event', {
    ...at,
    sections: { details: { venue: { name: 'Hall', city: 'Berlin', country: 'DE' } }, flows: [FLOW] },
  })
  await world.event({ at: acme, code: 'unpublished', status: 'draft' })
  await olga.call('configure_event', { eventCode: 'unpublished', sections: { details: { contactEmail: 'team@example.org' } } })
  await olga.call('update_event', { eventCode: 'unpublished', testMode: false })
  const tags = Array.from({ length: 30 }, (_, i) => ({ op: 'insert', path: `/tags/t${i}`, valueJson: '{"name":"T"}' }))
  await set(tags)
  for (let i = 0; i < 10; i++) {
    await olga.call('create_directory_connection', { ...at, name: `c${i}`, preset: 'generic-rest', baseUrl: 'https://crm.example' })
  }
  await olga.call('configure_directory_connection', { ...at, connection: 'c0', enabled: false })
})
afterAll(() => world.end())

const FLOW = {
  slug: 'attendee',
  name: 'Registration',
  pages: [
    {
      code: 'you',
      widgets: [
        { id: 'name', type: 'name' },
        { id: 'email', type: 'field', binding: '@participant.email', required: true },
      ],
    },
    { code: 'end', widgets: [{ id: 'end', type: 'confirmation', body: '<p>Thank you</p>' }] },
  ],
}

type RefusedCall = readonly [what: string, tool: string, args: object | (() => object) | (() => Promise<object>)]

const here = () => ({ eventCode: event.eventCode })
const setting = (...paths: string[]) => ({
  ...here(),
  operations: paths.map((path) =>
    path.startsWith('+') ? { op: 'insert', path: path.slice(1), valueJson: '{"name":"X"}' } : { op: 'remove', path },
  ),
})

/** One refused call for every place in the sources where an error message suggests another tool call. */
const REFUSED_CALLS: readonly RefusedCall[] = [
  [
    'change of a locked brief',
    'update_brief',
    async () => {
      const { briefId } = await olga.call('start_or_advance_brief', { ...here(), answers: EXAMPLE_NEED })
      await olga.call('lock_brief', { ...here(), briefId })
      return { ...here(), briefId, answers: { attendees: 10 } }
    },
  ],
  ['unfinished brief', 'lock_brief', async () => ({ ...here(), briefId: (await olga.call('start_or_advance_brief', here())).briefId })],
  ['unknown RFP', 'distribute_rfp', () => ({ ...here(), rfpId: '0'.repeat(24), dryRun: true })],
  [
    'distribution of an RFP without recipients',
    'distribute_rfp',
    async () => {
      const rows = createSourcingFixtures(world, event)
      return { ...here(), rfpId: await rows.rfp(await rows.brief(), { status: 'draft' }), dryRun: true }
    },
  ],
  ['unknown client', 'list_events', { clientCode: 'nowhere' }],
  ['unknown client in a filter', 'list_my_events', { clientCode: 'nowhere' }],
  ['inactive client', 'list_events', { clientCode: 'asleep' }],
  ['unknown event', 'get_setup_tasks', { eventCode: 'nowhere' }],
  ['unknown floor plan', 'manage_floor_plans', () => ({ ...here(), action: 'get', floorPlanCode: 'nowhere' })],
  ['unknown source event', 'copy_event_config', () => ({ ...here(), fromEventCode: 'nowhere', sections: ['tags'] })],
  [
    'unknown item of an event whose code another client also uses',
    'copy_event_config',
    () => ({ ...here(), fromEventCode: 'source', fromClientCode: other.clientCode, items: [{ section: 'tags', code: 'nosuch' }] }),
  ],
  ['unknown path', 'config_explore', () => ({ ...here(), path: '/product/gala' })],
  ['path of a version that the draft no longer has', 'config_explore', () => ({ ...here(), source: '1', path: '/tags/gone/nam' })],
  [
    'path of the live configuration that the draft no longer has',
    'config_explore',
    () => ({ ...here(), source: 'live', path: '/tags/gone/nam' }),
  ],
  ['search below a path that the draft no longer has', 'config_find', () => ({ ...here(), source: '1', text: 'x', in: '/tags/gone/nam' })],
  [
    'comparison of a path that the draft no longer has',
    'diff_versions',
    () => ({ ...here(), from: 'draft', to: '1', path: '/tags/gone/nam' }),
  ],
  [
    'candidate path that the draft no longer has',
    'validate_schema',
    () => ({ ...here(), source: '1', path: '/tags/gone/nam', candidateJson: '1' }),
  ],
  ['edit of an unknown path', 'config_set', () => setting('/tags/nosuch')],
  ['edit below a value that the same call created', 'config_set', () => setting('+/tags/fresh', '/tags/fresh/nam')],
  ['unknown version', 'config_explore', () => ({ ...here(), source: '99' })],
  ['draft that cannot be published', 'publish_event', { eventCode: 'source', clientCode: 'twin' }],
  ['unknown connection', 'describe_directory_connection', () => ({ ...here(), connection: 'nosuch' })],
  [
    'eleventh connection',
    'create_directory_connection',
    () => ({ ...here(), name: 'x', preset: 'generic-rest', baseUrl: 'https://crm.example' }),
  ],
  ['test of a disabled connection', 'test_directory_connection', () => ({ ...here(), connection: 'c0', inputs: { email: 'a@b.example' } })],
  ['registration at an unpublished event', 'add_participant', { eventCode: 'unpublished', flowSlug: 'attendee', data: {} }],
  ['test participants without a form', 'create_test_registrations', { eventCode: 'unpublished', count: 1 }],
  [
    'recommendations of an assessment that still runs',
    'apply_tax_recommendations',
    async () => ({ ...here(), assessmentId: (await olga.call('start_tax_assessment', here())).assessmentId, all: true }),
  ],
  [
    'second concurrent test run',
    'rehearse_flow',
    async () => {
      await olga.call('rehearse_flow', { ...here(), flowSlug: 'attendee' })
      return { ...here(), flowSlug: 'attendee' }
    },
  ],
  [
    'import with open questions',
    'import_event',
    async () => {
      const { setupId } = await olga.call('setup_import_flow', { ...here(), text: 'foo,bar\n1,2\n', sourceSystem: 'old' })
      return { ...here(), setupId, mode: 'test' }
    },
  ],
  [
    'currency with other decimals while test orders exist',
    'update_event',
    async () => {
      const mix = { complete: 100, incomplete: 0, waitlisted: 0, cancelled: 0 }
      await olga.call('create_test_registrations', { ...here(), count: 1, mix })
      return { ...here(), currency: 'JPY' }
    },
  ],
  [
    'scan of a floor plan that is being read',
    'scan_floor_plan_pois',
    async () => {
      const call = { ...here(), floorPlanCode: await createDrawingFixtures(world, event).plan(hallSvg()) }
      await olga.call('scan_floor_plan_pois', call)
      return call
    },
  ],
  [
    'placement on a floor plan without an entrance',
    'analyze_placement',
    async () => {
      await createExhibitorFixtures(world, event).plan({ code: 'closed', pois: [] }, [], { published: false })
      return { ...here(), floorPlanCode: 'closed' }
    },
  ],
  [
    'second speaker with the same email address',
    'manage_speaker',
    async () => {
      const speaker = { ...here(), action: 'create', lastName: 'Lima', email: 'ana@example.org' }
      await olga.call('manage_speaker', { ...speaker, firstName: 'Ana' })
      return { ...speaker, firstName: 'Anna' }
    },
  ],
  [
    'hotel that is at the event already',
    'add_hotel_from_catalog',
    async () => {
      const hotel = {
        ...here(),
        name: 'Hotel Twice',
        address: { street: '1 Rue du Bac', postalCode: '75007', city: 'Paris', country: 'FR' },
      }
      await olga.call('add_hotel_from_catalog', hotel)
      return hotel
    },
  ],
  [
    'export while another is running',
    'export_event',
    async () => {
      await olga.call('export_event', here())
      return here()
    },
  ],
  ['call that needs a confirmation', 'reset_to_version', () => ({ ...here(), version: 1 })],
  ['call that is large enough to need a confirmation', 'config_set', () => setting(...Array.from({ length: 30 }, (_, i) => `/tags/t${i}`))],
]

describe('fixes that error messages suggest', () => {
  const offered = new Set<string>()

  it.each(REFUSED_CALLS)('accepts the fix that a refusal suggests: %s', async (_what, tool, args) => {
    const given: object = typeof args === 'function' ? await (args as () => Promise<object>)() : args
    const { fix } = await olga.refused(tool, given as Record<string, unknown>)
    expect(fix).toBeDefined()
    offered.add(fix!.tool)
    await olga.call(fix!.tool, fix!.arguments)
  })

  it('tests every tool that error messages suggest to organizers', () => {
    const named = readSources()
      .filter(({ path }) => !path.includes('/feedback/'))
      .flatMap(({ text }) => [...text.matchAll(/(?:fix: \{|_FIX: Fix = \{)\s*tool: '(\w+)'/g)].map(([, tool]) => tool!))
    expect(named.length).toBeGreaterThan(8)
    const toParticipants = new Set(PARTICIPANT_TOOLS.map(({ name }) => name))
    expect([...new Set(named)].filter((tool) => !offered.has(tool) && !toParticipants.has(tool))).toEqual([])
  })
})
