import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { createApiAccount, issueApiToken } from './domains/access/api-accounts.ts'
import { toStorageKey } from './domains/files/keys.ts'
import { createAndLinkRoomBlock } from './domains/groups/room-blocks.ts'
import { addHotel } from './domains/housing/hotels.ts'
import { loadEventSnapshot } from './domains/registration/event-snapshot.ts'
import { setPassword } from './domains/sign-in/passwords.ts'
import { createClient, createTenant, deleteTenantRow } from './domains/tenancy/create.ts'
import { trackStoredFiles, seedBrand } from './demo/brand.ts'
import { connectAssistant, seedAdministrator, seedConsoleVisits, seedEventStaffMember, seedDemoTeam } from './demo/colleagues.ts'
import { seedEvents, SUMMIT_TIME_ZONE } from './demo/events.ts'
import { createDemoMessageReceiver } from './demo/integration.ts'
import { seedAssistantMemories } from './demo/memories.ts'
import type { DemoSummit } from './demo/registering.ts'
import { DEMO_CLIENT, type DemoTeamMember, DEMO_ORGANIZER, DEMO_TENANT, runDemoEventChange, type DemoSeedContext } from './demo/stage.ts'
import { seedDemoHistory } from './demo/history.ts'
import { withDemoHistoryClock, type DemoHistoryClock } from './demo/story-clock.ts'
import { seedExhibitors } from './demo/summit-exhibitors.ts'
import { buildSpeakerRoomBlock, SPEAKER_HOTEL_CODE, SUMMIT_HOTELS } from './demo/summit-hotels.ts'
import { seedRoomRequest } from './demo/summit-requests.ts'
import { seedAwards, seedRfps } from './demo/summit-sourcing.ts'
import { seedSessions } from './demo/summit-sessions.ts'
import type { Db } from './kernel/columns.ts'
import type { EventContext, EventSummaryRow } from './kernel/context.ts'
import type { Database, FileStore, PasswordHasher } from './kernel/ports.ts'
import { type DerivedKeys, Secret } from './kernel/secrets.ts'

export interface DemoCredentials {
  organizer: string
  password: Secret
  organizerToken: Secret
  apiToken: Secret
  /** The code with which the first exhibitor of the demo event activates lead scanners. */
  activationCode: Secret
  events: readonly string[]
}

export interface DemoDependencies {
  resource: string
  passwords: PasswordHasher
  keys: DerivedKeys
  files: FileStore
  /** True to replace existing demo data. */
  reset?: boolean
  /** False to create only the events, without team members and registrations. */
  people?: boolean
}

/**
 * The demo's history ends at this time at the latest, even if the demo is created later, because no rooms and booths can be booked
 * afterwards.
 */
const HISTORY_END_LIMIT = new Date('2027-04-09T16:00:00Z')

/** The number of days between the beginning of the demo's history and the demo's creation. */
const HISTORY_DAYS = 49

/** Creates a demo tenant with a client, several events, a team and six weeks of history, in one transaction. */
export async function seedDemo(database: Database, { reset = false, ...parts }: DemoDependencies): Promise<DemoCredentials> {
  const { files, removeStored } = trackStoredFiles(parts.files)
  if (reset) await removeFileContents(database, parts.files)
  try {
    return await database.transact(async (db) => {
      await removeStored()
      // PostgreSQL must use generic query plans here, because on small tables planning each statement takes longer than running it.
      await sql`set local plan_cache_mode = force_generic_plan`.execute(db)
      if (reset) await deleteDemoTenant(db)
      return seed(db, { ...parts, files })
    })
  } catch (error) {
    await removeStored()
    throw error
  }
}

async function seed(db: Db, { resource, passwords, keys, files, people = true }: DemoDependencies): Promise<DemoCredentials> {
  // The tenant is created first: a concurrent process waits for its row, so two never replace the function `lanyard_now` at the same time.
  const tenantId = await createTenant(db, { code: DEMO_TENANT, name: 'Demo' })
  const made = await withDemoHistoryClock(db, { timezone: SUMMIT_TIME_ZONE, latest: HISTORY_END_LIMIT }, async (time) => {
    await time.moveTo(time.daysBefore(HISTORY_DAYS, '09:00'))
    const stage = await createDemoClient({ db, files, keys, baseUrl: new URL(resource).origin, tenantId })
    const olga = await seedAdministrator(stage)
    await seedBrand(stage, olga)
    const { summit: event, codes } = await seedEvents(stage, olga)
    const { summit, companies, activationCode } = await seedSummit(stage, olga, event)
    const sourcing = await seedRfps(stage, olga, event, time)
    await createDemoMessageReceiver().deliverAll(stage)
    await seedAssistantMemories(stage, olga, event.id)
    if (people) await seedPeople({ stage, time, summit, companies, olga, sourcing }, { passwords, resource })
    return { tenantId: stage.tenantId, olga, codes, activationCode }
  })
  return { ...(await createCredentials(db, made, { resource, passwords })), activationCode: made.activationCode, events: made.codes }
}

async function createDemoClient(parts: Omit<DemoSeedContext, 'clientId'>): Promise<DemoSeedContext> {
  const clientId = await createClient(parts.db, {
    tenant_id: parts.tenantId,
    ...DEMO_CLIENT,
    default_currency: 'EUR',
    default_timezone: SUMMIT_TIME_ZONE,
    established_in: 'PT',
  })
  return { ...parts, clientId }
}

/** Creates the hotels, program and floor plan of the demo event. */
async function seedSummit(stage: DemoSeedContext, colleague: DemoTeamMember, event: EventSummaryRow) {
  const deed = { colleague, app: 'Claude' as const }
  const hotels = new Map<string, string>()
  for (const hotel of SUMMIT_HOTELS) {
    const add = async (ctx: EventContext) => {
      const id = await addHotel(ctx, hotel)
      if (hotel.code === SPEAKER_HOTEL_CODE) await createAndLinkRoomBlock(ctx, buildSpeakerRoomBlock(id))
      return id
    }
    hotels.set(hotel.code, await runDemoEventChange(stage, event, { ...deed, tool: 'add_hotel_from_catalog' }, add))
  }
  const { sessions, versionId } = await runDemoEventChange(stage, event, { ...deed, tool: 'import_sessions' }, async (ctx) => ({
    sessions: await seedSessions(ctx),
    versionId: (await loadEventSnapshot(ctx)).versionId,
  }))
  const exhibitors = await runDemoEventChange(stage, event, { ...deed, tool: 'import_companies' }, seedExhibitors)
  await runDemoEventChange(stage, event, { ...deed, tool: 'submit_block_request' }, (ctx) => seedRoomRequest(ctx, exhibitors.companies[0]!))
  const summit: DemoSummit = { event, versionId, hotels, sessions }
  return { summit, ...exhibitors }
}

interface DemoState {
  stage: DemoSeedContext
  time: DemoHistoryClock
  summit: DemoSummit
  companies: readonly string[]
  olga: DemoTeamMember
  sourcing: Awaited<ReturnType<typeof seedRfps>>
}

/** Creates the team, then the history as actions of the team and the participants. */
async function seedPeople(
  { stage, time, summit, companies, olga, sourcing }: DemoState,
  given: { passwords: PasswordHasher; resource: string },
): Promise<void> {
  await time.moveTo(time.daysBefore(HISTORY_DAYS - 2, '10:15'))
  const receiver = createDemoMessageReceiver()
  const team = await seedDemoTeam(stage, olga, given.passwords)
  await receiver.deliverAll(stage)
  await time.moveTo(time.daysBefore(HISTORY_DAYS - 3, '15:30'))
  await seedEventStaffMember(stage, team.beatriz, summit.event, given.passwords)
  await receiver.deliverAll(stage)
  await seedDemoHistory({ stage, time, team, summit, registered: new Map() }, companies, receiver)
  await seedConsoleVisits(stage, time, team)
  await time.moveTo(time.daysBefore(2, '14:00'))
  const assistant = { clientId: 'lanyard-demo-assistant', appName: 'Claude', resource: given.resource, lifetime: '1 hour' as const }
  await connectAssistant(stage, team.beatriz, assistant)
  await time.moveTo(time.minutesBefore(1))
  await seedAwards(stage, { beatriz: team.beatriz, olga }, summit.event, sourcing)
  await receiver.deliverAll(stage)
}

/** Creates the demo's password, assistant token and API token, which the caller prints once. */
async function createCredentials(
  db: Db,
  { tenantId, olga }: { tenantId: number; olga: DemoTeamMember },
  { resource, passwords }: { resource: string; passwords: PasswordHasher },
): Promise<Pick<DemoCredentials, 'organizer' | 'password' | 'organizerToken' | 'apiToken'>> {
  const password = `demo-${randomBytes(9).toString('base64url')}`
  await setPassword(db, { id: olga.userId, email: olga.email }, password, { passwords })
  // A lifetime of 30 days is safe: the token works only on this computer, and apps are disconnected after 30 days without use.
  const terminal = { clientId: 'lanyard-demo', appName: 'Demo terminal', resource, lifetime: '30 days' as const }
  const organizerToken = await connectAssistant({ db, tenantId }, olga, terminal)
  const accountId = await createApiAccount(db, {
    tenantId,
    name: 'Concierge by Acme',
    canActAsParticipantAgent: true,
    restAccess: true,
    allowedClients: [{ tenantCode: DEMO_TENANT, clientCode: DEMO_CLIENT.code }],
    allowedEvents: [],
  })
  const apiToken = await issueApiToken(db, { tenantId, accountId })
  return { organizer: DEMO_ORGANIZER, password: new Secret(password), organizerToken, apiToken }
}

/** Deletes the file contents before the database rows that reference them, so that an interrupted reset can be repeated. */
async function removeFileContents({ write }: Database, files: FileStore): Promise<void> {
  const { rows } = await sql<{ tenantId: number; id: string }>`
    select f.tenant_id as "tenantId", f.id
    from (select tenant_id, id from files union all select tenant_id, id from file_uploads) f
    join tenants t on t.id = f.tenant_id where t.code = ${DEMO_TENANT}`.execute(write)
  for (const row of rows) await files.remove(toStorageKey(row))
}

/** Deletes everything that belongs to the demo tenant. The tables are in the order that their foreign keys require. */
export async function deleteDemoTenant(db: Db): Promise<void> {
  const tenant = await db.selectFrom('tenants').select('id').where('code', '=', DEMO_TENANT).executeTakeFirst()
  if (!tenant) return
  // The accounting ledger is append-only, except for a tenant that is removed completely.
  await sql`select set_config('lanyard.removed_tenant', ${String(tenant.id)}, true)`.execute(db)
  for (const table of TENANT_TABLES) await sql`delete from ${sql.table(table)} where tenant_id = ${tenant.id}`.execute(db)
  await deleteTenantRow(db, tenant.id)
}

const TENANT_TABLES = [
  'report_run_recipients',
  'report_runs',
  'report_deliveries',
  'reports',
  'survey_answers',
  'survey_responses',
  'survey_invites',
  'supplier_links',
  'signature_steps',
  'envelope_signers',
  'signature_envelopes',
  'milestones',
  'contract_counters',
  'contract_clauses',
  'contract_versions',
  'supplier_contracts',
  'awards',
  'response_scores',
  'rfp_responses',
  'rfp_answers',
  'rfp_questions',
  'rfp_recipients',
  'rfps',
  'scoring_rubrics',
  'suppliers',
  'brief_versions',
  'briefs',
  'webhook_attempts',
  'webhook_deliveries',
  'webhook_endpoints',
  'webhook_messages',
  'messages',
  'jobs',
  'confirmations',
  'idempotency_keys',
  'audit_entries',
  'api_tokens',
  'participant_sessions',
  'person_sessions',
  'one_time_codes',
  'api_accounts',
  'oauth_grants',
  'memories',
  'custom_instructions',
  'event_staff',
  'memberships',
  'users',
  'directory_list_entries',
  'directory_lookups',
  'directory_credentials',
  'directory_connections',
  'recommendation_profiles',
  'recommendation_postings',
  'recommendation_counts',
  'recommendation_work',
  'attendance_scans',
  'attendance_presence',
  'attendance_people',
  'attendance_counts',
  'attendance_figures',
  'badge_id_history',
  'door_devices',
  'session_enrolments',
  'submission_reviews',
  'submission_reviewers',
  'submission_speakers',
  'submissions',
  'session_speakers',
  'sessions',
  'speakers',
  'due_registration_emails',
  'registration_progress',
  'flow_visits',
  'invite_list_entries',
  'room_shares',
  'reservation_nights',
  'holds',
  'audience_members',
  'audience_vectors',
  'audience_profiles',
  'audience_builds',
  'lead_captures',
  'leads',
  'appointment_people',
  'appointments',
  'offerings',
  'lead_licences',
  'lead_devices',
  'exhibitor_staff',
  'assignment_proposals',
  'block_request_links',
  'block_request_amendments',
  'block_requests',
  'hotel_move_stays',
  'hotel_moves',
  'hotel_waitlist_fill_entries',
  'hotel_waitlist_fills',
  'hotel_links',
  'hotel_pickup_reports',
  'rooming_lists',
  'hotel_pci_overrides',
  'hotel_pci_records',
  'booth_applications',
  'booth_assignments',
  'booths',
  'floor_plan_layouts',
  'floor_plan_scans',
  'floor_plans',
  'company_competitors',
  'ledger_entries',
  'write_offs',
  'payment_reversals',
  'refunds',
  'card_notices',
  'outside_calls',
  'payments',
  'order_lines',
  'reservations',
  'hotel_waitlist_entries',
  'charges',
  'card_setups',
  'saved_cards',
  'waitlist_entries',
  'invoices',
  'orders',
  'group_invites',
  'group_admins',
  'participants',
  'contact_merges',
  'contact_pairs',
  'contact_emails',
  'contacts',
  // Deleting rows of the tables listed so far adds rows to `recommendation_changes`, so that table comes after them.
  'recommendation_changes',
  'companies',
  'organizations',
  'managed_groups',
  'block_nights',
  'room_blocks',
  'room_nights',
  'pickup_snapshots',
  'housing_final_pickups',
  'housing_addenda',
  'housing_contracts',
  'room_types',
  'event_hotels',
  'people_figures',
  'money_figures',
  'inventory',
  'number_series',
  'deletions',
  'files',
  'file_uploads',
  'events',
  'clients',
]
