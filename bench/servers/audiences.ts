import { hashCanonicalJson } from '../../src/kernel/canonical.ts'
import { runProfileBuild } from '../../test/support/audience-people.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../../test/support/world.ts'
import { serveRequests } from '../child.ts'
import { LARGE_EVENT_PARTICIPANTS } from '../size.ts'
import { loadRegistrations } from '../support/many-registrations.ts'

const choices = Array.from({ length: 12 }, (_, n) => ({ code: `c${n}`, name: `Choice ${n}` }))
const DOCUMENT = {
  details: { name: 'Large', startsOn: '2027-05-11', endsOn: '2027-05-11' },
  customFields: [{ code: 'trade', name: 'Trade', responseType: 'choice', choices, personal: false }],
  flows: [{ slug: 'flow-0', name: 'Registration', pages: [{ code: 'all', widgets: [{ id: 'name', type: 'name' }] }] }],
}

interface LoadedEvent {
  world: World
  event: EventHandle
  admin: OrganizerHandle
}

let loaded: Promise<LoadedEvent> | null = null
const load = () => (loaded ??= loadEvent())

async function loadEvent(): Promise<LoadedEvent> {
  const world = await newWorld()
  const client = await world.client({ code: 'acme' })
  const event = await world.event({ at: client, code: 'large', startsOn: '2027-05-11' })
  const other = await world.event({ at: client, code: 'other' })
  const { pool } = world.database
  await pool.query(`insert into config_drafts (tenant_id, event_id, document, sha256) values ($1, $2, $3, $4)`, [
    event.tenantId,
    event.eventId,
    JSON.stringify(DOCUMENT),
    hashCanonicalJson(DOCUMENT).toString('hex'),
  ])
  // Order numbers have six digits, so no more participants can have an order.
  const ordering = Math.min(LARGE_EVENT_PARTICIPANTS, 999_999)
  await loadRegistrations(pool, {
    tenantId: event.tenantId,
    eventIds: [event.eventId, other.eventId],
    large: LARGE_EVENT_PARTICIPANTS,
    all: LARGE_EVENT_PARTICIPANTS,
    ordering,
    lines: 4,
    answers: true,
  })
  return { world, event, admin: await world.organizer({ at: client }) }
}

let builds = 0
/** Returns the milliseconds of one calculation. Each calculation uses other weights, because an unchanged one would be skipped. */
async function build(): Promise<number> {
  const { world, event, admin } = await load()
  const weights = { spend: 1 + (++builds % 400) / 100 }
  const { jobId } = await admin.call('rebuild_audience_profiles', { eventCode: event.eventCode, useFields: ['trade'], weights })
  const started = performance.now()
  await runProfileBuild(world, event, jobId)
  return performance.now() - started
}

async function describe(): Promise<{ people: number; patterns: number; k: number }> {
  const { world } = await load()
  const { rows } = await world.database.pool.query<{ people: number; patterns: number; k: number }>(
    'select population as people, patterns, k from audience_builds where served',
  )
  return rows[0]!
}

async function end(): Promise<void> {
  const { world } = await load()
  // Closing a test world scans all of its rows for leaked tokens, so the large tables are emptied first.
  await world.database.pool.query('truncate participants, orders, audience_members cascade')
  await world.end()
}

serveRequests({ build, describe, end })
