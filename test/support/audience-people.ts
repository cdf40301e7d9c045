import { newId } from '../../src/kernel/ids.ts'
import { buildProfilesJob } from '../../src/domains/audiences/building/build-job.ts'
import type { Job } from '../../src/kernel/jobs.ts'
import { createJobRunner } from '../../src/surfaces/worker/run-jobs.ts'
import { WORKED_PATTERNS } from './audience-patterns.ts'
import type { EventHandle, World } from './world.ts'

/** Net amounts of orders in cents: nothing, and one amount in each third of the amounts that people of the worked example spend. */
const NETS = { zero: 0, low: 10_000, mid: 20_000, high: 30_000 }
const DAYS = { over90: 120, '31-90': 60, '8-30': 20, '0-7': 3 }
/** Countries that people come from: that of the event (France), one in the same region, and one elsewhere. */
const COUNTRIES = { home: 'FR', region: 'DE', abroad: 'US' }

export interface InsertedPerson {
  newness?: 'first' | 'returning'
  origin?: keyof typeof COUNTRIES | null
  leadTime?: keyof typeof DAYS
  spend?: keyof typeof NETS
  isTestData?: boolean
  tags?: readonly string[]
  jobTitle?: string
  answers?: Record<string, unknown>
  groupId?: string
  hostId?: string
}

let inserted = 0

/** Inserts complete registrations at an event in France, and an earlier event of the client that returning people attended. */
export async function insertPeople(world: World, event: EventHandle, people: readonly InsertedPerson[]): Promise<string[]> {
  const { pool } = world.database
  const { tenantId, eventId, clientId } = event
  await pool.query(`update events set country = 'FR' where tenant_id = $1 and id = $2`, [tenantId, eventId])
  const earlier = people.some(({ newness }) => newness === 'returning') ? await world.event({ at: event, startsOn: '2025-09-01' }) : null
  const ids: string[] = []
  for (const person of people) {
    const { newness = 'first', origin = 'home', leadTime = '8-30', spend = 'zero', isTestData = false } = person
    const [id, contactId, number] = [newId(), newId(), ++inserted]
    ids.push(id)
    if (!isTestData)
      await pool.query(`insert into contacts (tenant_id, client_id, id) values ($1, $2, $3)`, [tenantId, clientId, contactId])
    await pool.query(
      `insert into participants (tenant_id, event_id, id, status, is_test_data, first_name, last_name, email, flow_slug, country, contact_id, tags,
         job_title, custom_field_responses, group_id, host_id, confirmation_number, completed_at)
       select tenant_id, id, $3, 'complete', $4, 'Paula', $5, $6, 'attendee', $7, $8, $9, $10, $11, $12, $13, $14,
         (starts_on - $15::int + time '12:00') at time zone timezone
       from events where tenant_id = $1 and id = $2`,
      [
        tenantId,
        eventId,
        id,
        isTestData,
        `Profiled ${number}`,
        `profiled.${number}@example.org`,
        origin === null ? null : COUNTRIES[origin],
        isTestData ? null : contactId,
        person.tags ?? [],
        person.jobTitle ?? null,
        JSON.stringify(person.answers ?? {}),
        person.groupId ?? null,
        person.hostId ?? null,
        `AP${number}`,
        DAYS[leadTime],
      ],
    )
    if (newness === 'returning' && earlier)
      await pool.query(
        `insert into participants (tenant_id, event_id, id, status, first_name, last_name, email, contact_id, confirmation_number, completed_at)
         values ($1, $2, $3, 'complete', 'Paula', $4, $5, $6, $7, '2025-08-01T10:00Z')`,
        [tenantId, earlier.eventId, newId(), `Profiled ${number}`, `profiled.${number}@example.org`, contactId, `AP${number}`],
      )
    if (NETS[spend] > 0) await insertOrder(world, event, { participantId: id }, NETS[spend], isTestData)
  }
  return ids
}

/** Inserts an order with one line of the given net amount. */
export async function insertOrder(
  { database }: World,
  { tenantId, eventId }: EventHandle,
  owner: { participantId: string } | { groupId: string },
  net: number,
  isTestData = false,
  product = 'pass',
): Promise<void> {
  const [orderId, participantId, groupId] = [
    newId(),
    'participantId' in owner ? owner.participantId : null,
    'groupId' in owner ? owner.groupId : null,
  ]
  await database.pool.query(
    `insert into orders (tenant_id, event_id, id, number, participant_id, group_id, is_test_data, currency) values ($1, $2, $3, $4, $5, $6, $7, 'EUR')`,
    [tenantId, eventId, orderId, `AO-${++inserted}`, participantId, groupId, isTestData],
  )
  const invoiceId = newId()
  await database.pool.query(
    `insert into invoices (tenant_id, event_id, id, number, kind, order_id, is_test_data, due_on, bill_to, net, tax, total)
     values ($1, $2, $3, $4, 'invoice', $5, $6, '2027-01-31', '{}', $7, 0, $7)`,
    [tenantId, eventId, invoiceId, `AI-${inserted}`, orderId, isTestData, net],
  )
  await database.pool.query(
    `insert into order_lines (tenant_id, event_id, id, order_id, position, is_test_data, kind, product_code, description, quantity, unit_price,
       list_amount, discount, net, tax, total, participant_id, priced_at, invoice_id)
     values ($1, $2, $3, $4, 1, $5, 'sale', $6, 'Pass', 1, $7, $7, 0, $7, 0, $7, $8, lanyard_now(), $9)`,
    [tenantId, eventId, newId(), orderId, isTestData, product, net, participantId, invoiceId],
  )
}

/** The 50 people of the specification's example of audience profiles. */
export const WORKED_PEOPLE: readonly InsertedPerson[] = WORKED_PATTERNS.flatMap(([newness, origin, leadTime, spend, people]) =>
  Array.from({ length: people }, () => ({ newness, origin, leadTime, spend })),
)

/** Runs a queued build of audience profiles as the worker does. */
export const runProfileBuild = (world: World, { tenantId }: EventHandle, jobId: string): Promise<void> =>
  createJobRunner(world.services)(buildProfilesJob as Job, { tenantId, jobId })
