import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEventContextAt } from '../../../../test/support/at-event.ts'
import { BOOTH_SECTIONS, buildDoubleRow } from '../../../../test/support/booths.ts'
import { type Exhibitors, createExhibitorFixtures } from '../../../../test/support/companies.ts'
import { openSalesScenario, type SalesScenario } from '../../../../test/support/sales-scenario.ts'
import type { ClientHandle } from '../../../../test/support/world.ts'
import { endExpiredOffers } from '../../../domains/exhibitors/applications/offers.ts'
import { releaseExpiredHoldsOfCompany } from '../../../domains/exhibitors/booths/expired-holds.ts'
import { addPriorityPointsAdjustment } from '../../../domains/exhibitors/points/adjust.ts'
import { checkIntegrity } from '../../../domains/orders/integrity/check.ts'
import type { EventContext } from '../../../kernel/context.ts'

type Arguments = Record<string, unknown>

/** The priority point rules of § 4.5 of the specification; the scenario submits on 10 April. */
const POINTS = {
  rules: [
    { code: 'years', kind: 'yearsExhibited', points: 1 },
    { code: 'space', kind: 'modules', points: 5 },
    { code: 'early', kind: 'submission', points: 30, per: 1, from: '2026-04-07' },
    { code: 'sponsor', kind: 'amount', points: 1, per: 250 },
  ],
}
const SECTIONS = {
  ...BOOTH_SECTIONS,
  exhibitorConfig: {
    ...BOOTH_SECTIONS.exhibitorConfig,
    boothSizes: [
      ...BOOTH_SECTIONS.exhibitorConfig.boothSizes,
      { code: 'row', name: '9 x 3 m', width: 9, depth: 3, product: 'booth-large' },
    ],
    points: POINTS,
  },
}
const euros = (amount: string) => ({ amount, currency: 'EUR' })

let scenario: SalesScenario
let exhibitors: Exhibitors
const manage = (action: string, more: Arguments = {}) => scenario.call('manage_booth_application', { action, ...more })
const refused = async (action: string, more: Arguments = {}) => {
  const { code, message } = await scenario.refused('manage_booth_application', { action, ...more })
  return { code, message }
}
const list = (more: Arguments = {}) => scenario.call('list_booth_applications', more)
const change = <T>(run: (ctx: EventContext) => Promise<T>): Promise<T> =>
  scenario.world.database.transact(async (db) => run(await createEventContextAt(scenario.world, scenario.event, db)))
const boothStatus = async (number: string) =>
  (await scenario.call('list_booths', { search: number })).booths.find((booth: any) => booth.number === number).status
const orderLines = (companyId: string) =>
  exhibitors.figure(`select count(*)::int as n from order_lines l join orders o on o.tenant_id = l.tenant_id and o.event_id = l.event_id
    and o.id = l.order_id where o.company_id = '${companyId}'`)

/** Creates a company with an approved application. */
async function approved(name: string, wanted: Arguments = { sizes: ['small'] }) {
  const { id: companyId } = await exhibitors.company({
    name,
    contact: { name: 'Connie', email: `${name.toLowerCase().replaceAll(' ', '-')}@example.org` },
  })
  const { applications } = await manage('create', { companyId, wanted, submit: true })
  const { number } = applications[0]
  await manage('approve', { number })
  return { companyId, number: number as string }
}

beforeAll(async () => {
  scenario = await openSalesScenario(SECTIONS)
  exhibitors = createExhibitorFixtures(scenario.world, scenario.event)
  await exhibitors.plan({}, buildDoubleRow())
})
afterAll(() => scenario.world.end())

describe('priority points', () => {
  it("calculates 12 + 15 + 27 + 20 = 74 priority points in the specification's example, and adds manual adjustments", async () => {
    const at = {
      tenantId: scenario.event.tenantId,
      clientId: scenario.event.clientId,
      clientCode: scenario.event.clientCode,
    } as unknown as ClientHandle
    for (let year = 2014; year < 2026; year++) {
      const earlier = await scenario.world.event({ at, startsOn: `${year}-09-01`, endsOn: `${year}-09-02`, code: `show-${year}` })
      await createExhibitorFixtures(scenario.world, earlier).company({ name: 'Borealis', appointmentsEnabled: false })
    }
    const { id: companyId } = await exhibitors.company({ name: 'Borealis' })
    await scenario.world.database.pool.query(`update companies set sponsor_amount = 500000 where id = $1`, [companyId])
    const { applications } = await manage('create', { companyId, wanted: { sizes: ['row', 'small'] } })
    const { number } = applications[0]
    expect(applications[0]).toMatchObject({ status: 'draft', points: 47, wanted: { acceptOther: true } })
    expect(applications[0].pointsRank).toBeUndefined()
    await manage('submit', { number })
    const shown = await list({ applicationNumber: number })
    expect(shown.applications).toMatchObject([{ number, status: 'submitted', points: 74, pointsRank: 1 }])
    expect(shown.pointsBreakdown).toEqual([
      { rule: 'years', value: 12, points: 12 },
      { rule: 'space', value: 3, points: 15 },
      { rule: 'early', value: 3, points: 27 },
      { rule: 'sponsor', value: 5000, points: 20 },
    ])
    const { organization_id } = (
      await scenario.world.database.pool.query<{ organization_id: string }>('select organization_id from companies where id = $1', [
        companyId,
      ])
    ).rows[0]!
    await change((ctx) => addPriorityPointsAdjustment(ctx, { organizationId: organization_id, points: -4, reason: 'Left early' }))
    expect((await list({ applicationNumber: number })).applications[0].points).toBe(70)
    await manage('withdraw', { number })
    expect((await list({ applicationNumber: number })).applications[0]).toMatchObject({ status: 'withdrawn' })
  })

  it('ranks open booth applications by points, then by submission time, and filters by points, size, status and placement', async () => {
    const first = await approved('Ranked one', { sizes: ['large'] })
    const second = await approved('Ranked two')
    const mine = ({ applications }: any) =>
      applications.map(({ number }: any) => number).filter((one: string) => [first.number, second.number].includes(one))
    expect(mine(await list())).toEqual([first.number, second.number])
    expect(mine(await list({ sort: 'company', search: 'ranked' }))).toEqual([first.number, second.number])
    expect(mine(await list({ sizeCode: 'small', search: 'ranked' }))).toEqual([second.number])
    expect(mine(await list({ minPoints: 35 }))).toEqual([first.number])
    expect(mine(await list({ unplaced: true, status: ['approved'] }))).toHaveLength(2)
    expect(mine(await list({ unplaced: false }))).toEqual([])
    expect((await list({ limit: 1 })).nextCursor).toEqual(expect.any(String))
    const page = await list({ limit: 1, cursor: (await list({ limit: 1 })).nextCursor })
    expect(page.applications[0].number).not.toBe((await list({ limit: 1 })).applications[0].number)
    await manage('reject', { number: first.number, note: 'Too late' })
    expect(await list({ applicationNumber: first.number })).toMatchObject({
      decisionNote: 'Too late',
      applications: [{ status: 'rejected' }],
    })
    await manage('review', { number: first.number })
    for (const { number } of [first, second]) await manage('withdraw', { number })
    expect((await list()).counts.withdrawn).toBeGreaterThanOrEqual(2)
  })
})

describe('manage_booth_application', () => {
  it('allows only the declared status transitions of an application, and one open application per company', async () => {
    const { number, companyId } = await approved('Stateful')
    expect(await refused('cancel', { number, reason: 'x' })).toMatchObject({ code: 'precondition_failed' })
    expect(await refused('accept', { number })).toMatchObject({
      code: 'precondition_failed',
      message: expect.stringContaining('no open offer'),
    })
    await manage('waitlist', { number })
    expect(await refused('offer', { number, boothNumbers: ['105'] })).toMatchObject({ code: 'precondition_failed' })
    expect(await refused('create', { companyId, wanted: {}, submit: true })).toMatchObject({ code: 'conflict' })
    const more = await manage('create', { companyId, wanted: {}, submit: true, additional: true })
    expect(more.applications[0]).toMatchObject({ status: 'submitted', additional: true })
    await manage('withdraw', { number: more.applications[0].number })
    await manage('reject', { number })
    expect((await manage('review', { number })).applications[0].status).toBe('under_review')
    await manage('withdraw', { number })
    expect(await refused('approve', { number })).toMatchObject({
      code: 'precondition_failed',
      message: expect.stringContaining('nothing follows'),
    })
  })

  it('changes only the given preferences of a booth application, and rejects unknown booths, sizes and questions', async () => {
    const { number } = await approved('Careful', { sizes: ['small'], minArea: 9, boothNumbers: ['105'] })
    const { applications, changed } = await manage('update', {
      number,
      wanted: { zonesOnly: false, boothNumbers: ['106', '105'], clear: ['minArea'] },
    })
    expect(applications[0].wanted).toEqual({ sizes: ['small'], boothNumbers: ['106', '105'], acceptOther: true, zonesOnly: false })
    expect(changed.toSorted()).toEqual(['wanted.boothNumbers', 'wanted.minArea', 'wanted.zonesOnly'])
    expect((await manage('update', { number })).changed).toEqual([])
    expect(await refused('update', { number, ifRevision: 1, note: 'x' })).toMatchObject({ code: 'conflict' })
    expect((await refused('update', { number, wanted: { sizes: ['huge'] } })).message).toContain('huge is not a booth size')
    expect((await refused('update', { number, wanted: { boothNumbers: ['999'] } })).message).toContain('No booth 999')
    expect((await refused('update', { number, wanted: { minArea: 20, maxArea: 10 } })).message).toContain('minArea')
    expect((await refused('update', { number, answers: { shoe: 1 } })).message).toContain('not a question')
    await manage('withdraw', { number })
  })

  it('offers a booth for seven days with its price by email, and refuses booths that are too small or already held', async () => {
    const { number } = await approved('Offered', { sizes: ['small'], minArea: 18 })
    expect(await refused('offer', { number, boothNumbers: ['101'] })).toMatchObject({
      code: 'precondition_failed',
      message: expect.stringContaining('force'),
    })
    const { applications, queued } = await manage('offer', { number, boothNumbers: ['101'], force: true, notify: true })
    expect(queued).toBe(1)
    expect(applications[0]).toMatchObject({
      status: 'offered',
      offer: {
        boothNumbers: ['101'],
        amount: euros('1380.00'),
        price: { net: euros('1150.00'), tax: euros('230.00'), total: euros('1380.00') },
        until: '2026-04-17T22:00:00.000Z',
        sentAt: '2026-04-10T10:00:00.000Z',
      },
    })
    const email = (await exhibitors.listEmails()).at(-1)!
    expect(email).toMatchObject({ to: 'offered@example.org', subject: expect.stringContaining('booth 101') })
    expect(email.text).toMatch(/\/offer\/[0-9a-f]{24}-1-/)
    const other = await approved('Too late')
    expect(await refused('offer', { number: other.number, boothNumbers: ['101'] })).toMatchObject({
      message: 'Booth 101 is held for another company',
    })
    expect(await refused('reject', { number })).toMatchObject({ code: 'precondition_failed' })
    await manage('withdraw_offer', { number, reason: 'Mistake' })
    expect(await boothStatus('101')).toBe('available')
    const accepted = await manage('offer', { number: other.number, boothNumbers: ['101', '103'] })
    expect(accepted.applications[0].offer.amount).toEqual(euros('2580.00'))
    const { order } = await manage('accept', { number: other.number })
    expect(order).toMatchObject({ total: euros('2580.00'), lines: [{ quantity: 1 }, { quantity: 1 }, { quantity: 1 }] })
    expect(await manage('accept', { number: other.number })).toMatchObject({ changed: [], order: { total: euros('2580.00') } })
    expect(await orderLines(other.companyId)).toBe(3)
    const cancelled = await manage('cancel', { number: other.number, reason: 'Bankrupt' })
    expect(cancelled).toMatchObject({ applications: [{ status: 'cancelled', assigned: [] }], order: { total: euros('-2580.00') } })
    expect(await boothStatus('103')).toBe('available')
    await manage('withdraw', { number })
  })

  it('charges the offered booth price even if prices changed after the offer', async () => {
    const { number } = await approved('Agreed')
    await manage('offer', { number, boothNumbers: ['105'] })
    await scenario.world.database.pool.query(`update booths set price_override = 999900 where number = '105'`)
    expect((await manage('accept', { number })).order).toMatchObject({ total: euros('1200.00') })
    await scenario.world.database.pool.query(`update booths set price_override = null where number = '105'`)
    await manage('cancel', { number, reason: 'test' })
  })

  it('releases the booth and returns the application to approved when the background job ends an expired offer', async () => {
    const { number, companyId } = await approved('Slow')
    await manage('offer', { number, boothNumbers: ['107'], until: '2026-04-10T10:00:05.000Z' })
    await scenario.world.clock.stopAt('2026-04-10T10:00:06Z')
    expect(await refused('accept', { number })).toMatchObject({ code: 'precondition_failed', message: 'This offer ended on 2026-04-10' })
    await change((ctx) => releaseExpiredHoldsOfCompany(ctx, companyId, endExpiredOffers))
    await scenario.world.clock.stopAt('2026-04-10T10:00:00Z')
    expect((await list({ applicationNumber: number })).applications[0]).toMatchObject({ status: 'approved' })
    expect(await boothStatus('107')).toBe('available')
    expect((await manage('decline', { number })).changed).toEqual([])
    await manage('withdraw', { number })
  })

  it('refuses to save an offer whose booths are not held for its company', async () => {
    const { number, companyId } = await approved('Constraint')
    await manage('offer', { number, boothNumbers: ['107'] })
    const release = change(async (ctx) => {
      await ctx.db
        .updateTable('booths')
        .set({ status: 'available', held_for: null, held_until: null })
        .where('held_for', '=', companyId)
        .execute()
    })
    await expect(release).rejects.toThrow(/booths of an open offer/)
    await manage('decline', { number })
    await manage('withdraw', { number })
  })

  it('accepts a booth offer once for two concurrent calls', async () => {
    const { number, companyId } = await approved('Twice')
    await manage('offer', { number, boothNumbers: ['106'] })
    const answers = await Promise.all([0, 1, 2].map(() => manage('accept', { number })))
    expect(answers.map(({ changed }) => changed.length).toSorted((a, b) => a - b)).toEqual([0, 0, 2])
    expect(new Set(answers.map(({ order }) => JSON.stringify(order))).size).toBe(1)
    expect(await orderLines(companyId)).toBe(1)
    await manage('cancel', { number, reason: 'test' })
  })

  it('sends the email about assigned booths once, and again only after the booths of the application changed', async () => {
    const { number } = await approved('Informed')
    await manage('offer', { number, boothNumbers: ['106'] })
    await manage('accept', { number })
    expect(await manage('send_assignments', { applicationNumbers: [number], message: 'See you there' })).toMatchObject({
      queued: 1,
      skipped: [],
    })
    const email = (await exhibitors.listEmails()).at(-1)!
    expect(email).toMatchObject({ to: 'informed@example.org', code: 'booth.assigned', subject: expect.stringContaining('106') })
    expect(email.text).toContain('See you there')
    expect(await manage('send_assignments', { all: true })).toMatchObject({ queued: 0, skipped: [{ reason: 'already sent', count: 1 }] })
    await scenario.call('manage_booths', { action: 'move', fromNumber: '106', toNumber: '104' })
    expect(await manage('send_assignments', { all: true })).toMatchObject({ queued: 1 })
    expect((await exhibitors.listEmails()).at(-1)!.subject).toContain('104')
    expect((await refused('send_assignments')).message).toContain('applicationNumbers')
    await manage('cancel', { number, reason: 'test' })
  })

  it('requires exhibitors.write to manage applications, and email.send to make offers', async () => {
    const { number } = await approved('Guarded')
    const analyst = await scenario.world.organizer({
      role: 'analyst',
      at: { ...scenario.event, clientId: scenario.event.clientId } as never,
    })
    const call = (more: Arguments) => analyst.refused('manage_booth_application', { eventCode: scenario.event.eventCode, ...more })
    expect((await call({ action: 'approve', number })).message).toBe(
      'Forbidden — manage_booth_application requires the exhibitors.write permission',
    )
    await manage('withdraw', { number })
  })
})

describe('propose_booth_assignments', () => {
  const propose = (more: Arguments = {}) => scenario.call('propose_booth_assignments', more)

  it('stores a proposal of booth assignments, returns the stored proposal, and applies it completely or not at all', async () => {
    const a = await approved('Alpha', { sizes: ['small'], boothNumbers: ['101', '103'] })
    const b = await approved('Beta', { sizes: ['small'], boothNumbers: ['101'] })
    const numbers = [a.number, b.number]
    const proposal = await propose({ applicationNumbers: numbers, weights: { quality: 0 } })
    expect(proposal).toMatchObject({
      status: 'done',
      method: 'points',
      assigned: [
        {
          application: a.number,
          company: 'Alpha',
          boothNumbers: ['101'],
          score: 550,
          rank: 1,
          reasons: [
            { part: 'size', points: 150 },
            { part: 'choice', points: 400 },
          ],
        },
        { application: b.number, score: 150 },
      ],
      unassigned: [],
      stats: { assigned: 2, firstChoicePercent: 50, net: 18, competitorViolations: 0, score: 700 },
    })
    const { proposalId } = proposal
    expect(await propose({ proposalId })).toEqual(proposal)
    const balanced = await propose({ applicationNumbers: numbers, method: 'balanced', weights: { quality: 0 } })
    expect(balanced).toMatchObject({ assigned: [{ boothNumbers: ['103'] }, { boothNumbers: ['101'] }], stats: { score: 1060 } })
    await scenario.world.database.pool.query(`update booths set note = 'Pillar' where number = '101'`)
    expect(await refused('apply_proposal', { proposalId, mode: 'offer' })).toEqual({
      code: 'conflict',
      message: 'Plan changed — propose again',
    })
    expect(await boothStatus('101')).toBe('available')
    const fresh = await propose({ applicationNumbers: numbers })
    const applied = await manage('apply_proposal', { proposalId: fresh.proposalId, mode: 'offer', notify: true })
    expect(applied).toMatchObject({ applied: 2, queued: 2, applications: [{ status: 'offered' }, { status: 'offered' }] })
    expect(await refused('apply_proposal', { proposalId: fresh.proposalId, mode: 'offer' })).toMatchObject({ code: 'precondition_failed' })
    await expect(propose({ applicationNumbers: numbers })).rejects.toThrow(/is not approved/)
    for (const number of numbers) await manage('decline', { number })
    const again = await propose({ applicationNumbers: numbers })
    const assigned = await manage('apply_proposal', { proposalId: again.proposalId, mode: 'assign' })
    expect(assigned).toMatchObject({
      applied: 2,
      applications: [{ status: 'accepted', assigned: [expect.any(String)] }, { status: 'accepted' }],
    })
    for (const number of numbers) await manage('cancel', { number, reason: 'test' })
  })

  it('proposes booths for competitors apart from each other, and refuses a proposal without applications', async () => {
    const [c, d] = [await approved('Gamma'), await approved('Delta')]
    await scenario.call('manage_company', { action: 'set_competitors', companyId: c.companyId, competitorIds: [d.companyId] })
    const proposal = await propose({ applicationNumbers: [c.number, d.number] })
    expect(proposal.stats.competitorViolations).toBe(0)
    for (const { number } of [c, d]) await manage('withdraw', { number })
    await expect(propose({ statuses: ['waitlisted'] })).rejects.toThrow(/No booth application is waitlisted/)
  })
})

it('passes all integrity checks of booths and orders after booth applications were approved, paid, moved and withdrawn', async () => {
  const checks = await checkIntegrity(scenario.world.database.read, scenario.event.tenantId, scenario.event.eventId)
  expect(checks.filter(({ ok }) => !ok)).toEqual([])
})
