import { describe, expect, it } from 'vitest'
import { findUnscopedQueries } from './query-scope.ts'
import { readSources } from './sources.ts'
import { readTableColumns } from './table-names.ts'

const tenantTables = new Set([...readTableColumns()].filter(([, columns]) => columns.includes('tenant_id')).map(([table]) => table))

/** Queries that read or write rows of several tenants on purpose, as `file: table`. */
const ACROSS_TENANTS = [
  'src/domains/reports/runs/expire.ts: report_runs',
  'src/domains/surveys/respond.ts: survey_responses',
  // Sign-in and OAuth: a user or grant is found by email address, session, token or link, before the tenant is known.
  'src/domains/access/oauth-grants.ts: oauth_grants',
  'src/domains/access/user-credentials.ts: users',
  'src/domains/access/user-profiles.ts: users',
  'src/domains/access/users.ts: users',
  'src/domains/oauth/tokens.ts: oauth_grants',
  'src/domains/sign-in/last-seen.ts: oauth_grants',
  'src/domains/sign-in/last-seen.ts: users',
  'src/domains/sign-in/own-account.ts: users',
  'src/domains/sign-in/passwords.ts: users',
  'src/domains/sign-in/totp.ts: users',
  'src/surfaces/web/sign-in/pages.tsx: users',

  // Cleanup jobs, recurring tasks and the worker, which run for the whole installation.
  'src/domains/access/oauth-clients.ts: oauth_grants',
  'src/domains/access/participant-sessions.ts: participant_sessions',
  'src/domains/codes/cleanup.ts: one_time_codes',
  'src/domains/codes/cleanup.ts: person_sessions',
  'src/domains/directories/lookups.ts: directory_lookups',
  'src/domains/entities/deletions.ts: deletions',
  'src/domains/files/cleanup.ts: file_uploads',
  'src/domains/files/cleanup.ts: files',
  'src/domains/exhibitors/booths/expired-holds.ts: booths',
  'src/domains/exhibitors/cleanup.ts: assignment_proposals',
  'src/domains/exhibitors/cleanup.ts: floor_plan_layouts',
  'src/domains/housing/cleanup.ts: reservations',
  'src/domains/payments/reconcile.ts: outside_calls',
  'src/domains/registration/due-emails.ts: due_registration_emails',
  'src/domains/registration/promotion/expire-holds.ts: holds',
  'src/domains/registration/promotion/expire-holds.ts: waitlist_entries',
  'src/domains/rfps/task.ts: rfps',
  'src/domains/signing/deadlines.ts: signature_envelopes',
  'src/domains/signing/docusign.ts: signature_envelopes',
  'src/domains/submissions/confirm.ts: submissions',
  'src/kernel/cleanup.ts: confirmations',
  'src/kernel/cleanup.ts: idempotency_keys',
  'src/surfaces/worker/send-emails.ts: messages',

  // Commands of operators: accounts, status, a new master key, backup and restore.
  'src/commands/restore.ts: events',
  'src/domains/access/api-accounts.ts: api_accounts',
  'src/domains/directories/credentials.ts: directory_credentials',
  'src/domains/directories/uploaded-lists.ts: directory_list_entries',
  'src/domains/files/file-hashes.ts: files',
  'src/domains/installation/checks.ts: messages',
  'src/domains/installation/checks.ts: outside_calls',
  'src/domains/tenancy/create.ts: clients',
]

describe('queries on tables whose rows belong to a tenant', () => {
  it('restricts every query to one tenant, except the queries that read several tenants by design', () => {
    expect(tenantTables.size).toBeGreaterThan(90)
    expect(findUnscopedQueries(readSources(), tenantTables).toSorted()).toEqual(ACROSS_TENANTS.toSorted())
  })
})

describe('findUnscopedQueries', () => {
  const path = 'src/domains/housing/blocks.ts'
  const find = (text: string, ...others: { path: string; text: string }[]) =>
    findUnscopedQueries([{ path, text }, ...others], new Set(['reservations', 'room_blocks'])).filter((one) => one.startsWith(path))

  it.each([
    ["await db.selectFrom('reservations').selectAll().where('id', '=', id).execute()"],
    [
      "await ctx.db\n    .selectFrom('reservations as r')\n    .select(['r.tenant_id', 'r.id'])\n    .where('r.id', '=', id)\n    .execute()",
    ],
    ["await ctx.db.updateTable('reservations').set({ status }).where('id', '=', id).execute()"],
    ["await ctx.db.deleteFrom('reservations').where('id', '=', id).execute()"],
    [
      "const id = newId()\nawait db.insertInto('x').values({ tenant_id })\nawait db.deleteFrom('reservations').where('id', '=', id).execute()",
    ],
    ["await connect(open(ctx)).selectFrom('reservations').execute()"],
    ['await sql`select id from reservations where id = ${id}`.execute(db)'],
    ['await sql`select tenant_id, id from reservations where id = ${id}`.execute(db)'],
    ['await sql`update reservations set status = ${status} where id = ${id}`.execute(db)'],
    ['await sql`delete from reservations where ${condition}`.execute(db)'],
    ['await sql`select 1 where exists (${sql`select from reservations where id = ${id}`})`.execute(db)'],
    ['await pool.query(`select id from reservations where id = $1`, [id])'],
    ['const unpaid = sql`exists (select from reservations r where r.id = o.reservation_id)`'],
  ])('reports a query without a tenant condition: %s', (text) => {
    expect(find(text)).toEqual([`${path}: reservations`])
  })

  it.each([
    ["await eventDb(ctx).selectFrom('reservations').selectAll().where('id', '=', id).execute()"],
    ["await tenantDb({ db, tenantId })\n    .updateTable('reservations')\n    .set({ status })\n    .execute()"],
    ["await eventDb(toScope(ctx)).deleteFrom('reservations').execute()"],
    ["const own = eventDb(ctx)\nawait own.selectFrom('reservations').execute()"],
    ["await db.selectFrom('reservations').selectAll().where('tenant_id', '=', tenantId).execute()"],
    ["eb.selectFrom('reservations as r').whereRef('r.tenant_id', '=', 'b.tenant_id').select('r.id')"],
    ['await sql`select id from reservations where tenant_id = ${tenantId} and id = ${id}`.execute(db)'],
    ['await pool.query(`select id from reservations where tenant_id = $1 and id = $2`, [tenantId, id])'],
    ['const at = sql`tenant_id = ${tenantId}`\nawait sql`delete from reservations where ${at} and id = ${id}`.execute(db)'],
    ['const unpaid = sql`exists (select from reservations r where r.tenant_id = o.tenant_id and r.id = o.reservation_id)`'],
    ['const listOf = (which: RawBuilder<unknown>) => sql`(select count(*) from reservations where ${which})`'],
    ["await db.insertInto('reservations').values({ ...row }).execute()"],
    ["await db.selectFrom('tenants').selectAll().execute()"],
    ['// await sql`delete from reservations`.execute(db)'],
  ])('does not report a query with a tenant condition: %s', (text) => {
    expect(find(text)).toEqual([])
  })

  it('accepts a tenant condition that is imported from another file', () => {
    const text = "import { isOwn } from './own.ts'\nawait sql`select id from reservations where ${isOwn(ctx)}`.execute(db)"
    expect(find(text)).toEqual([`${path}: reservations`])
    const own = 'export const isOwn = (ctx: Scope) => sql`tenant_id = ${ctx.tenantId}`\n'
    expect(find(text, { path: 'src/domains/housing/own.ts', text: own })).toEqual([])
  })
})
