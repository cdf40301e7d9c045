import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BadgeScanResult, scanBadge, type BadgeScanServices } from '../../src/domains/exhibitors/scan.ts'
import { Secret } from '../../src/kernel/secrets.ts'
import { ANA_BADGE, openShowFloor, type ShowFloor } from '../support/lead-requests.ts'
import { soakRounds } from '../support/soak.ts'
import { openTwoServers } from '../support/two-servers.ts'
import { newWorld, type World } from '../support/world.ts'

const postgres = process.env['TEST_DATABASE_URL'] !== undefined
const soaking = soakRounds(1) > 1
const CONCURRENT_SCANS = 100
const COMPANIES = soaking ? 200 : postgres ? 40 : 10
const ATTENDEES = soaking ? 50 : 10

describe('concurrent lead scans', () => {
  let world: World
  let floor: ShowFloor
  let servers: BadgeScanServices[]

  beforeAll(async () => {
    world = await newWorld()
    floor = await openShowFloor(world)
    servers = (await openTwoServers(world)).map(({ services }) => services)
  })
  afterAll(() => world.end())

  const scan = (server: number, company: { code: string }, badge: string): Promise<BadgeScanResult> => {
    const { activationCode, badgeId, ...place } = floor.leadRequest(company, badge)
    const address = `10.0.0.${server}`
    return scanBadge(servers[server % servers.length]!, { ...place, activationCode: new Secret(activationCode), badge: badgeId, address })
  }
  const row = async <T>(query: string, ...values: unknown[]) => (await world.database.pool.query<T & object>(query, values)).rows[0]!

  it(`creates one lead with ${CONCURRENT_SCANS} captures for one attendee and company, and returns another count each time`, async () => {
    const company = await floor.createLicensedCompany()
    const scanned = await Promise.all(Array.from({ length: CONCURRENT_SCANS }, (_, i) => scan(i, company, ANA_BADGE)))
    const leads = scanned.map((one) => (one.kind === 'lead' ? one.lead : null)!)
    expect(leads.map(({ captures }) => captures).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: CONCURRENT_SCANS }, (_, i) => i + 1),
    )
    expect(new Set(leads.map(({ leadId }) => leadId)).size).toBe(1)
    const lead = await row<{ n: number; captures: number; first: Date; last: Date }>(
      'select count(*)::int as n, max(captures) as captures, min(first_captured_at) as first, max(last_captured_at) as last from leads where company_id = $1',
      company.id,
    )
    const kept = await row<{ n: number; stamped: number; first: Date; last: Date }>(
      'select count(*)::int as n, count(at)::int as stamped, min(at) as first, max(at) as last from lead_captures where company_id = $1',
      company.id,
    )
    expect([lead.n, lead.captures, kept.n, kept.stamped]).toEqual([1, CONCURRENT_SCANS, CONCURRENT_SCANS, CONCURRENT_SCANS])
    expect([lead.first, lead.last]).toEqual([kept.first, kept.last])
    const bounds = (pick: 'firstCapturedAt' | 'lastCapturedAt') => leads.map((one) => one[pick].getTime())
    expect(Math.min(...bounds('firstCapturedAt'))).toBe(kept.first.getTime())
    expect(Math.max(...bounds('lastCapturedAt'))).toBe(kept.last.getTime())
  })

  it(`creates one lead for each pair of ${ATTENDEES} attendees and ${COMPANIES} companies and loses or duplicates none`, async () => {
    const companies = []
    for (let i = 0; i < COMPANIES; i++) companies.push(await floor.createLicensedCompany())
    const badges = Array.from({ length: ATTENDEES }, (_, i) => `badge-${i}`)
    for (const badge_id of badges) await floor.people.person({ badge_id })
    // All companies concurrently, each with two scanners for the same attendees, so that the second scan of each pair finds the lead of
    // the first.
    const scanned = await Promise.all(
      [...companies, ...companies].map(async (company, i) => {
        const own: BadgeScanResult[] = []
        for (const badge of badges) own.push(await scan(i, company, badge))
        return own
      }),
    ).then((all) => all.flat())
    expect(scanned.filter(({ kind }) => kind === 'lead')).toHaveLength(2 * COMPANIES * ATTENDEES)
    const ids = companies.map(({ id }) => id)
    expect(
      await row(
        `select count(*)::int as leads, sum(captures)::int as captures, min(captures) as least, max(captures) as most from leads where company_id = any($1)`,
        ids,
      ),
    ).toEqual({ leads: COMPANIES * ATTENDEES, captures: 2 * COMPANIES * ATTENDEES, least: 2, most: 2 })
    expect(await row('select count(*)::int as n from lead_captures where company_id = any($1)', ids)).toEqual({
      n: 2 * COMPANIES * ATTENDEES,
    })
  })

  it('loses no scan while new versions of the event are published', async () => {
    const company = await floor.createLicensedCompany()
    const publishing = (async () => {
      for (const delimiter of ['^', '~', '|']) await floor.exhibitors.publish({ badge: { delimiter } } as never)
    })()
    const scanned = await Promise.all(Array.from({ length: 40 }, (_, i) => scan(i, company, ANA_BADGE)))
    await publishing
    expect(scanned.map(({ kind }) => kind)).toEqual(Array.from({ length: 40 }, () => 'lead'))
    expect(await row('select captures from leads where company_id = $1', company.id)).toEqual({ captures: 40 })
  })

  it('rejects requests of one IP address after exactly thirty wrong activation codes', async () => {
    const company = await floor.createLicensedCompany()
    const guess = { code: 'AAAA-AAAA-AAAA-AAAA' }
    const scanned: BadgeScanResult[] = []
    // Sequentially, because requests that started before the thirtieth failure is counted are still allowed.
    for (let i = 0; i < 35; i++) scanned.push(await scan(250, guess, ANA_BADGE))
    expect(scanned.filter(({ kind }) => kind === 'refused')).toHaveLength(30)
    expect(scanned.filter(({ kind }) => kind === 'tooMany')).toHaveLength(5)
    expect((await scan(250, company, ANA_BADGE)).kind).toBe('lead')
  })

  it('limits scans with one activation code to exactly 600 a minute across several servers', async () => {
    await world.clock.stopAt('2027-03-01T12:00:00Z')
    const company = await floor.createLicensedCompany()
    await scan(0, company, '0')
    await world.database.pool.query(
      `update rate_windows set count = 550 where key like 'lead-code:%' and window_start = '2027-03-01T12:00:00Z'`,
    )
    const scanned = await Promise.all(Array.from({ length: 100 }, (_, i) => scan(i, company, ANA_BADGE)))
    expect(scanned.filter(({ kind }) => kind === 'lead')).toHaveLength(50)
    expect(scanned.filter(({ kind }) => kind === 'tooMany')).toHaveLength(50)
    expect(await row('select captures from leads where company_id = $1', company.id)).toEqual({ captures: 50 })
    await world.clock.reset()
  })
})
