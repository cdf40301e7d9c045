import { describe, expect, it } from 'vitest'
import { STATE_MACHINES } from '../../src/domains/state-tables.ts'
import { readSources } from './sources.ts'
import { findStatusWrites, type StatusColumns } from './status-writes.ts'

const columns: StatusColumns = new Map(
  Object.entries(Object.groupBy(STATE_MACHINES, ({ column }) => column.split('.')[0]!)).map(([table, machines]) => [
    table,
    machines!.map(({ column }) => column.split('.')[1]!),
  ]),
)

/** Updates that cannot go through `changeRecordState` or `changeStateOfRows`. Each takes its states from the table of states. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  'the update changes further columns at the revision that was read, and is checked by checkStateChange': [
    'src/domains/groups/send-invites.ts: group_invites.status',
    'src/domains/housing/reservations.ts: reservations.guarantee_status',
    'src/domains/housing/reservations.ts: reservations.status',
    'src/domains/imports/setups.ts: import_setups.status',
    'src/domains/payments/charges.ts: charges.status',
    'src/domains/registration/participant-rows.ts: participants.status',
    'src/domains/reports/designed/deliveries/save.ts: report_deliveries.state',
  ],
  'one statement inserts the row, or changes its state if it exists': [
    'src/domains/exhibitors/devices/capture-statements.ts: leads.status',
    'src/domains/exhibitors/leads.ts: leads.status',
    'src/domains/exhibitors/scan-statement.ts: leads.status',
    'src/domains/registration/invitations/invite-list.ts: invite_list_entries.status',
    'src/domains/sessions/enrol.ts: session_enrolments.status',
    'src/domains/supplier-contracts/write.ts: contract_clauses.state',
  ],
  'one statement moves many rows to different states': [
    'src/domains/exhibitors/company/merge-companies.ts: exhibitor_staff.status',
    'src/domains/registration/invitations/invites.ts: invite_list_entries.status',
    'src/domains/surveys/invites.ts: survey_invites.status',
  ],
  'the statement reaches rows of all tenants': [
    'src/domains/feedback/recurrences.ts: feedback.status',
    'src/domains/housing/guarantee-status.ts: reservations.guarantee_status',
    'src/domains/registration/promotion/expire-holds.ts: waitlist_entries.status',
    'src/kernel/external-call-lease.ts: outside_calls.status',
    'src/kernel/job-lease.ts: jobs.status',
    'src/surfaces/worker/send-emails.ts: messages.status',
  ],
  'one conditional statement per attempt, so that of concurrent workers one succeeds': [
    'src/domains/directories/circuit.ts: directory_connections.status',
    'src/domains/webhooks/disable.ts: webhook_endpoints.status',
    'src/domains/webhooks/save-attempt.ts: webhook_deliveries.status',
  ],
}

const sources = readSources()
const writes = findStatusWrites(sources, columns)
const name = ({ path, column }: { path: string; column: string }) => `${path}: ${column}`

describe('writes to status columns', () => {
  it('updates status columns only by changeRecordState, changeStateOfRows, record edits and the listed SQL statements', () => {
    expect([...new Set(writes.map(name))].toSorted()).toEqual(Object.values(EXCEPTIONS).flat().toSorted())
  })

  it('takes the new status from the state table in every listed SQL statement', () => {
    const quoted = writes.filter(
      ({ column, set }) =>
        new RegExp(`\\b${column.split('.')[1]}(?:\\s*=|:)\\s*'\\w`).test(set) || /\bstatus = case [^,]*\bthen '\w/.test(set),
    )
    expect(quoted.map(name)).toEqual([])
    const files = new Map(sources.map(({ path, text }) => [path, text]))
    expect(writes.filter(({ path }) => !/\b(?:[A-Z_]+_STATES|RESTORED_LEAD_STATUS)\b/.test(files.get(path)!)).map(name)).toEqual([])
  })

  it('declares a state table in every record definition whose database table has a status column', () => {
    const records = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/defineRecord\(\{\s*table: '(\w+)'[^]*?\n {2}fields: /g)].map(([declaration, table]) => ({
        path,
        table: table!,
        declaration,
      })),
    )
    expect(records.length).toBeGreaterThan(10)
    const missing = records.filter(({ table, declaration }) => columns.has(table) && !/\n {2}states: \w/.test(declaration))
    expect(missing.map(({ path, table }) => `${path}: ${table}`)).toEqual([])
  })
})

describe('findStatusWrites', () => {
  const path = 'src/domains/visas/grant.ts'
  const planted: StatusColumns = new Map([['visas', ['status']]])
  const find = (text: string) => findStatusWrites([{ path, text }], planted).map(name)

  it.each([
    ["await db.updateTable('visas').set({ status: 'granted' }).where('id', '=', id).execute()"],
    ["await eventDb(ctx)\n  .updateTable('visas')\n  .where('id', '=', id)\n  .set({ note, status })\n  .execute()"],
    ["const columns = { note, status: 'granted' }\nawait eventDb(ctx).updateTable('visas').set({ ...columns }).execute()"],
    ["const save = (columns: Updateable<Tables['visas']>) =>\n  eventDb(ctx).updateTable('visas').set(columns).execute()"],
    ["await db.insertInto('visas').values(row).onConflict((c) => c.column('id').doUpdateSet({ status })).execute()"],
    ["await sql`update visas set status = 'granted' where id = ${id}`.execute(db)"],
    [
      'await sql`update visas v set note = ${note}, status = case when ${is} then ${to} else v.status end from others o where v.id = o.id`.execute(db)',
    ],
    ['await sql`insert into visas (id) values (${id}) on conflict (id) do update set status = excluded.status`.execute(db)'],
  ])('reports an update of a status column: %s', (text) => {
    expect(find(text)).toEqual(['src/domains/visas/grant.ts: visas.status'])
  })

  it.each([
    ["await changeRecordState(ctx, VISA_STATES, visa, 'granted')"],
    ["await changeStateOfRows(eventDb(ctx), VISA_STATES, 'granted').set({ note }).where('id', '=', id).execute()"],
    ["await eventDb(ctx).updateTable('visas').set({ note }).where('status', '=', 'asked').execute()"],
    ["const save = (columns: Omit<Updateable<Tables['visas']>, 'status'>) =>\n  eventDb(ctx).updateTable('visas').set(columns).execute()"],
    ["await sql`update visas set note = case when status = 'asked' then ${note} end where status = 'asked'`.execute(db)"],
    ["await eventDb(ctx).updateTable('passports').set({ status }).execute()"],
  ])('does not report as an update of a status column: %s', (text) => {
    expect(find(text)).toEqual([])
  })
})
