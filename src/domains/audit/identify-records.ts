import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { isId } from '../../kernel/ids.ts'

/** Tables of an event whose record ids callers see, each with the noun for its records. */
const EVENT_TABLES = {
  participants: 'a participant',
  managed_groups: 'a group',
  orders: 'an order',
  invoices: 'an invoice',
  payments: 'a payment',
  refunds: 'a refund',
  waitlist_entries: 'a waiting list entry',
  config_versions: 'a version',
  directory_connections: 'a directory connection',
  rehearsals: 'a rehearsal',
  test_runs: 'a run of test registrations',
  import_setups: 'an import setup',
  import_runs: 'an import run',
  tax_assessments: 'a tax assessment',
  event_hotels: 'a hotel',
  reservations: 'a room reservation',
  companies: 'an exhibitor',
  booths: 'a booth',
  floor_plans: 'a floor plan',
  offerings: 'a time slot of an exhibitor',
  appointments: 'an appointment',
  sessions: 'a session',
  speakers: 'a speaker',
  submissions: 'a submission',
  memories: 'a memory',
  messages: 'an email',
} as const

/**
 * SQL conditions of the records that a participant can see: exhibitors and their slots, and the participant's own registrations and
 * appointments.
 */
const OWN_CONDITIONS: Partial<Record<keyof typeof EVENT_TABLES, 'all' | readonly string[]>> = {
  companies: 'all',
  offerings: 'all',
  participants: ['id'],
  appointments: ['participant_id', 'with_participant_id'],
}

interface Viewer {
  tenantId: number
  eventId: string
  /** Set if the caller is a participant: only exhibitors, and records of the participants with these ids, are found. */
  participantIds?: readonly string[]
}

const MAX_IDS = 20

/**
 * Finds the kind of record that an id belongs to, so that an error can name it. Only records of the caller's event are read: an id of
 * another event counts as unknown.
 */
export async function findKindsOfRecordIds(
  db: Db,
  { tenantId, eventId, participantIds }: Viewer,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set(ids.filter(isId))].slice(0, MAX_IDS)
  if (wanted.length === 0) return new Map()
  const parts = Object.entries(EVENT_TABLES).flatMap(([table, noun]) => {
    const visible = participantIds === undefined ? 'all' : OWN_CONDITIONS[table as keyof typeof EVENT_TABLES]
    if (visible === undefined) return []
    const own =
      visible === 'all'
        ? sql``
        : sql`and (${sql.join(
            visible.map((column) => sql`${sql.ref(`r.${column}`)} = any(${participantIds})`),
            sql` or `,
          )})`
    return [
      sql`select r.id, ${sql.lit(noun)} as noun from ${sql.table(table)} r where r.tenant_id = ${tenantId} and r.event_id = ${eventId}
        and r.id = any(${wanted}) ${own}`,
    ]
  })
  const { rows } = await sql<{ id: string; noun: string }>`${sql.join(parts, sql` union all `)}`.execute(db)
  return new Map(rows.map(({ id, noun }) => [id, noun]))
}
