import { describe, expect, it } from 'vitest'
import { CONTACT_EMAIL_EDIT, buildFlowEdit, useDraftScenario } from '../../../../test/support/draft-scenario.ts'
import { HEADER, libraryFile, person } from '../../../toolsets/clients/tests/import-story.ts'

const scenario = useDraftScenario()
const query = async (text: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(text, values)).rows

const PAUSE = 7_340_054
const widgets = [
  { id: 'name', type: 'name' },
  { id: 'email', type: 'field', binding: '@participant.email', required: true },
]
const pages = [
  { code: 'you', title: 'You', widgets },
  { code: 'done', title: 'Done', widgets: [{ id: 'end', type: 'confirmation', body: '<p>Thank you</p>' }] },
]

/**
 * While the test holds the lock `PAUSE`, every insert of a participant waits after it has locked its contact. Sequences count the inserts
 * and the changes of the event's capacity, also those of transactions that PostgreSQL ended because of a deadlock and that were retried.
 */
async function pauseInserts() {
  await query('create sequence if not exists inserts')
  await query(`create or replace function pause_insert() returns trigger language plpgsql as $$ begin
    perform nextval('inserts'); perform pg_advisory_xact_lock_shared(${PAUSE}); return new; end $$`)
  await query('create or replace trigger paused before insert on participants for each row execute function pause_insert()')
  await query('create sequence if not exists sales')
  await query(
    `create or replace function count_sale() returns trigger language plpgsql as $$ begin perform nextval('sales'); return new; end $$`,
  )
  await query(
    `create or replace trigger counted before update on inventory for each row when (new.key = 'event') execute function count_sale()`,
  )
  await query(`select setval('inserts', 1, false), setval('sales', 1, false)`)
  const holder = await scenario.world.database.pool.connect()
  await holder.query(`select pg_advisory_lock(${PAUSE})`)
  return async () => {
    await holder.query(`select pg_advisory_unlock(${PAUSE})`)
    holder.release()
  }
}
const waiting = async () =>
  Number((await query(`select count(*) n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`))[0].n)
const attempts = async () => (await query(`select i.last_value::int as inserts, s.last_value::int as sales from inserts i, sales s`))[0]

/** Needs transactions that run in parallel, which the embedded database does not have. */
describe.skipIf(!process.env['TEST_DATABASE_URL'])('lock order of imports', () => {
  const prepare = async (rows: string[], header = HEADER) => {
    await scenario.set([CONTACT_EMAIL_EDIT, buildFlowEdit('attendee', pages)])
    const fileId = await libraryFile(scenario, [header, ...rows, ''].join('\n'), 'people.csv')
    const { setupId } = await scenario.call('setup_import_flow', { fileIds: [fileId], sourceSystem: 'old', save: true })
    const live = { setupId, mode: 'live', withPayments: true }
    await scenario.call('publish_event', { acceptWarnings: true })
    await scenario.call('update_event', { testMode: false })
    return live
  }
  const register = (email: string, lastName: string) =>
    scenario.call('add_participant', {
      flowSlug: 'attendee',
      data: { '@participant.firstName': 'Ada', '@participant.lastName': lastName, '@participant.email': email },
    })

  it.each([
    ['new people', HEADER, (n: number) => person(n, { on: '2025-03-04' })],
    ['new people with payments', `${HEADER},Amount paid`, (n: number) => `${person(n, { on: '2025-03-04' })},10.00`],
  ])(
    'locks capacity before participants and contacts, so that an import of %s and a registration never deadlock',
    async (_, header, row) => {
      const live = await prepare([row(1), row(2), row(3)], header)
      const { confirmToken } = await scenario.call('import_event', { ...live, dryRun: true })
      const resume = await pauseInserts()
      const imported = scenario.call('import_event', { ...live, confirmToken })
      await expect.poll(waiting).toBe(1)
      // The same address and first name are the same contact, and both take a place of the event.
      const registered = register('p1@example.org', 'Parallel')
      await expect.poll(waiting).toBe(2)
      await resume()
      expect(await imported).toMatchObject({ created: 3, status: 'done' })
      expect(await registered).toMatchObject({ status: 'new' })
      expect(await attempts()).toEqual({ inserts: 4, sales: 2 })
      const [{ sold }] = await query(`select sold from inventory where event_id = $1 and key = 'event'`, [scenario.event.eventId])
      expect(sold).toBe(4)
      await query('drop trigger paused on participants; drop trigger counted on inventory')
    },
  )

  it('detects a person who registers while the import runs, and asks for a new confirmation', async () => {
    const live = await prepare([person(1, { on: '2025-03-04' }), person(2, { on: '2025-03-04' })])
    const { confirmToken } = await scenario.call('import_event', { ...live, dryRun: true })
    const resume = await pauseInserts()
    const registered = register('p1@example.org', 'Person 1')
    await expect.poll(waiting).toBe(1)
    const imported = scenario.refused('import_event', { ...live, confirmToken })
    await expect.poll(waiting).toBe(2)
    await resume()
    expect(await registered).toMatchObject({ status: 'new' })
    // The import finds other people than the confirmed dry run, so it asks for a new confirmation.
    expect(await imported).toMatchObject({ code: 'precondition_failed', fix: { tool: 'import_event' } })
    const again = await scenario.call('import_event', { ...live, dryRun: true })
    expect(again).toMatchObject({ created: 1, duplicates: 1 })
    await query('drop trigger paused on participants; drop trigger counted on inventory')
  })
})
