import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createRegistrationFixtures } from '../../../../test/support/registrations.ts'
import { runWithoutReportDbRole } from '../../../domains/figures/query/snapshot-role.ts'
import { deskScenario } from '../../registration/tests/desk.ts'

const desk = deskScenario()

const readAsReports = (statement: string, { eventId }: { eventId?: string | null } = {}) =>
  desk.world.database.snapshot(
    {
      tenantId: desk.event.tenantId,
      eventId: eventId === undefined ? desk.event.eventId : eventId,
      timeoutMs: 5000,
      within: desk.world.database.read,
    },
    async (db) => (await sql.raw<Record<string, unknown>>(statement).execute(db)).rows,
  )

describe('database role of reports', () => {
  it('reads with the report role only rows of one event, and with several events only rows of the tenant', async () => {
    await desk.person({ last_name: 'Here' })
    const other = await desk.world.event({ at: desk.event, code: 'other-2027' })
    await createRegistrationFixtures(desk.world, other).person({ last_name: 'There' })
    const foreign = await desk.world.event({ at: await desk.world.client({ tenant: 'abroad' }), code: 'foreign-2027' })
    await createRegistrationFixtures(desk.world, foreign).person({ last_name: 'Foreign' })
    const names = async (eventId?: string | null) =>
      (await readAsReports('select last_name from participants order by 1', eventId === undefined ? {} : { eventId })).map(
        (row) => row['last_name'],
      )
    expect(await names()).toEqual(['Here'])
    expect(await names(null)).toEqual(['Here', 'There'])
    expect(await readAsReports('select current_user as who')).toEqual([{ who: 'lanyard_reports' }])
    const { rows } = await desk.world.database.pool.query('select last_name from participants order by 1')
    expect(rows.map((row: any) => row.last_name)).toEqual(expect.arrayContaining(['Foreign', 'Here', 'There']))
  })

  it('returns to the report role after work that needs the rights of the server, also when that work fails', async () => {
    const { database } = desk.world
    const scope = { tenantId: desk.event.tenantId, eventId: desk.event.eventId, timeoutMs: 5000, within: database.read }
    const roles = await database.snapshot(scope, async (db) => {
      const readRole = async () => (await sql<{ who: string }>`select current_user as who`.execute(db)).rows[0]!.who
      const fail = async () => {
        throw new Error('This work fails.')
      }
      const within = await runWithoutReportDbRole({ db }, readRole)
      await runWithoutReportDbRole({ db }, fail).catch(() => {})
      return { within, after: await readRole() }
    })
    expect(roles).toEqual({ within: expect.not.stringMatching('lanyard_reports'), after: 'lanyard_reports' })
  })

  it.each([
    ['tokens', 'select * from api_tokens'],
    ['sessions', 'select * from browser_sessions'],
    ['cards', 'select * from saved_cards'],
    ['passwords', 'select * from users'],
    ['hashes of links', 'select token_hash from group_invites'],
    ['references of card payments', 'select provider_ref from payments'],
  ])('does not let the database role of reports read %s', async (_, statement) => {
    await expect(readAsReports(statement)).rejects.toThrow('permission denied')
  })

  it('refuses writes with the database role of reports, and keeps the database connection usable', async () => {
    await expect(readAsReports(`update participants set last_name = 'x'`)).rejects.toThrow(/permission denied|read-only/)
    await expect(readAsReports(`select 1 / 0`)).rejects.toThrow('division by zero')
    expect(await readAsReports('select 1 as one')).toEqual([{ one: 1 }])
  })
})
