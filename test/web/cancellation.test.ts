import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bookSlot } from '../../src/domains/exhibitors/book-slot.ts'
import { createExhibitorFixtures } from '../support/companies.ts'
import { createHotelAt, listNightCounts, buildRoomAnswers, inEventTransaction } from '../support/hotels.ts'
import { eventHomePath, signInVisitor } from '../support/own-pages.ts'
import { createSessionAt, programSections } from '../support/programs.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'

const program = programSections()
const [flow] = program.flows

/** Everything that a registration can include: guests, sessions, a room, appointments, a waiting list entry. */
const SECTIONS = {
  ...program,
  products: [
    ...WORKED_EXAMPLE.products,
    { code: 'plus-one', name: 'Plus one', category: 'guest', taxCode: 'vat-10', prices: [{ amount: '120.00' }] },
  ],
  housing: { enabled: true, seeAvailability: 'exact' },
  flows: [
    {
      ...flow!,
      guests: { enabled: true, max: 2, types: [{ code: 'adult', name: 'Adult', productCode: 'plus-one' }] },
      pages: [
        { ...flow!.pages[0]!, widgets: [...flow!.pages[0]!.widgets, { id: 'with', type: 'guests' }] },
        ...flow!.pages.slice(1, -1),
        { code: 'rooms', title: 'Rooms', widgets: [{ id: 'room', type: 'housing' }] },
        ...flow!.pages.slice(-1),
      ],
    },
  ],
}

let scenario: SalesScenario
let served: Served
let hotelId: string

beforeAll(async () => {
  scenario = await openSalesScenario(SECTIONS, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(scenario.world)
  hotelId = await createHotelAt(scenario.world, scenario.event)
})
afterAll(() => scenario.world.end())

const mine = (path = '') => `${eventHomePath(scenario.event)}/registration${path}`
const unfolded = (ics: string) => ics.replaceAll('\r\n ', '')

/** The entries of a calendar by title, each with its sequence number and status. */
const entriesIn = (ics: string) =>
  new Map(
    unfolded(ics)
      .split('BEGIN:VEVENT')
      .slice(1)
      .map((entry) => {
        const of = (key: string) => new RegExp(`^${key}[;:].*?([^:\r\n]*)\r?$`, 'm').exec(entry)?.[1] ?? ''
        return [of('SUMMARY'), { uid: of('UID'), sequence: Number(of('SEQUENCE')), status: of('STATUS'), place: of('LOCATION') }]
      }),
  )

let made = 0
async function registerWithEverything() {
  const exhibitors = createExhibitorFixtures(scenario.world, scenario.event)
  const { id: companyId } = await exhibitors.company({ name: `Pumps & Pipes ${++made}` })
  const talk = await createSessionAt(scenario.world, scenario.event, { title: 'Opening' })
  const full = await createSessionAt(scenario.world, scenario.event, { title: 'Full house', from: '2026-09-02T10:00', capacity: 0 })
  const { participant } = await scenario.register(
    { pass: 1 },
    {
      joinWaitlist: true,
      data: {
        ...buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03'),
        [`@session.${talk}`]: true,
        [`@session.${full}`]: true,
        '@guest.1.firstName': 'Gina',
        '@guest.1.lastName': 'Guest',
        '@guest.1.type': 'adult',
      },
    },
  )
  const slot = (startsAt: string, endsAt: string, more: object = {}) => exhibitors.offerSlot({ companyId }, { startsAt, endsAt, ...more })
  const [agreed, asked] = [
    await slot('2026-09-01T12:00:00Z', '2026-09-01T12:20:00Z', { location: 'Booth 12' }),
    await slot('2026-09-01T13:00:00Z', '2026-09-01T13:20:00Z', { approval: 'manual' }),
  ]
  for (const slotId of [agreed, asked])
    await inEventTransaction(scenario.world, scenario.event, (ctx) =>
      bookSlot(ctx, { participantId: participant.id, slotId, message: undefined }),
    )
  return { participant, exhibitors, who: await signInVisitor(scenario.world, served, scenario.event, participant.email) }
}

describe('cancelling a registration', () => {
  it('lists the guests, sessions, rooms and appointments that a cancellation also cancels, and cancels exactly those', async () => {
    const { participant, who } = await registerWithEverything()
    expect((await who.get(mine())).text).toContain('Your appointments')
    const asked = await who.get(mine('/cancel'))
    expect(asked.status).toBe(200)
    for (const expected of [
      'Also cancelled',
      'Your guests Gina Guest',
      'Your sessions Opening, ',
      'My hotel room Grand, King room, ',
      'Your appointments Pumps & Pipes 1, Tuesday, 1 September 2026 at 14:00',
      'Pumps & Pipes 1, Tuesday, 1 September 2026 at 15:00',
      'On the waiting list Full house',
    ])
      expect(asked.text).toContain(expected)
    // Opening the confirmation page does not cancel the room.
    expect((await listNightCounts(scenario.world, hotelId)).map(([, , , booked]) => booked)).toEqual([1, 1, 0])
    const before = entriesIn((await who.get(mine('/calendar.ics'))).html)
    await who.post(mine('/cancel'), { agree: 'on' })
    expect((await listNightCounts(scenario.world, hotelId)).map(([, , , booked]) => booked)).toEqual([0, 0, 0])
    const { rows } = await scenario.world.database.pool.query<{ kind: string; count: number }>(
      `select 'sessions' as kind, count(*)::int from session_enrolments where participant_id = $1 and status <> 'cancelled'
       union all select 'appointments', count(*)::int from appointments where participant_id = $1 and status <> 'cancelled'
       union all select 'guests', count(*)::int from participants where host_id = $1 and status <> 'cancelled'`,
      [participant.id],
    )
    expect(rows.map(({ count }) => count)).toEqual([0, 0, 0])
    // A calendar removes cancelled entries by UID, if their sequence number is higher.
    const after = entriesIn((await who.get(mine('/calendar.ics'))).html)
    expect(before.size).toBe(3)
    for (const [name, { uid, sequence }] of before) {
      expect(after.get(name)).toMatchObject({ uid, status: 'CANCELLED' })
      expect(after.get(name)!.sequence).toBeGreaterThan(sequence)
    }
    expect((await who.get(mine('/cancel'))).text).toContain('already cancelled')
  })

  it('omits sections without content from the cancellation page', async () => {
    const { participant } = await scenario.register({ pass: 1 })
    const who = await signInVisitor(scenario.world, served, scenario.event, participant.email)
    const { text } = await who.get(mine('/cancel'))
    for (const none of ['Also cancelled', 'Your appointments', 'My hotel room', 'On the waiting list']) expect(text).not.toContain(none)
    expect((await who.get(mine())).text).not.toContain('Your appointments')
  })
})

describe('calendar file of a registration', () => {
  it('lists appointments and sessions in the calendar with the same UIDs as their emails', async () => {
    const { participant, exhibitors, who } = await registerWithEverything()
    const entries = entriesIn((await who.get(mine('/calendar.ics'))).html)
    const meetings = [...entries].filter(([name]) => name.startsWith('Pumps'))
    // Two appointments at the same company have the same title, so the map contains the later one, which is only requested.
    expect(meetings.map(([, entry]) => entry.status)).toEqual(['TENTATIVE'])
    const emailed = (await exhibitors.listEmails()).filter(({ to, code }) => to === participant.email && code === 'appointment.booked')
    const all = unfolded((await who.get(mine('/calendar.ics'))).html)
    for (const { attached } of emailed) {
      const [uid, sequence] = [/UID:.*/, /SEQUENCE:.*/].map((line) => line.exec(unfolded(attached[0]!))![0].trim())
      expect(all).toContain(uid)
      expect(all).toMatch(new RegExp(`${uid}\\s+${sequence}`))
    }
    expect(emailed).toHaveLength(2)
    expect(all).toContain('LOCATION:Booth 12')
    // A session with only a waiting list entry is not in the calendar.
    expect([...entries.keys()].some((name) => name.includes('Full house'))).toBe(false)
    // Appointments of other participants are not included.
    const { participant: other } = await scenario.register({ pass: 1 })
    const stranger = await signInVisitor(scenario.world, served, scenario.event, other.email)
    expect((await stranger.get(mine('/calendar.ics'))).html).not.toContain('Pumps')
  })
})
