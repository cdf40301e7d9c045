import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { issueParticipantSession } from '../../src/domains/access/participant-sessions.ts'
import { newId } from '../../src/kernel/ids.ts'
import { type Exhibitors, createExhibitorFixtures } from '../support/companies.ts'
import { createApiAccountAt, personHandle, type PersonHandle } from '../support/participants.ts'
import { soakRounds } from '../support/soak.ts'
import { openTwoServers } from '../support/two-servers.ts'
import { type EventHandle, newWorld, type World } from '../support/world.ts'

const postgres = process.env['TEST_DATABASE_URL'] !== undefined
const soaking = soakRounds(1) > 1
const BOOKERS = postgres ? (soaking ? 500 : 200) : 40
const MAX_TRIES = 20
const TURNS = postgres ? (soaking ? 1000 : 200) : 40

describe('concurrent bookings of one appointment slot', () => {
  let world: World
  let event: EventHandle
  let exhibitors: Exhibitors
  let servers: World[]
  const people: PersonHandle[] = []

  beforeAll(async () => {
    world = await newWorld()
    await world.clock.stopAt('2027-05-01T08:00:00Z')
    event = await world.event({ startsOn: '2027-05-11' })
    await world.database.pool.query('update events set test_mode = false')
    exhibitors = createExhibitorFixtures(world, event)
    await exhibitors.publish({ exhibitorConfig: { meetingHours: [{ day: '2027-05-11', from: '09:00', until: '17:00' }] } })
    servers = await openTwoServers(world)
    const account = await createApiAccountAt(world, event)
    for (let i = 0; i < BOOKERS; i++) {
      const [id, email] = [newId(), `booker-${i}@example.org`]
      await world.database.pool.query(
        `insert into participants (tenant_id, event_id, id, status, completed_at, confirmation_number, first_name, last_name, email)
         values ($1, $2, $3, 'complete', lanyard_now(), $3, 'Petra', $4, $5)`,
        [event.tenantId, event.eventId, id, `Booker ${i}`, email],
      )
      const { token } = await issueParticipantSession(world.database.write, {
        tenantId: event.tenantId,
        accountId: account.accountId,
        eventId: event.eventId,
        email,
      })
      people.push(personHandle(servers[i % servers.length]!, { ...account, email, participantIds: [id], session: token.reveal() }))
    }
  })
  afterAll(() => world.end())

  /** Each test uses its own hour, because a participant with an appointment is busy at that time. */
  const freshSlot = async (hour: number) => {
    const { id } = await exhibitors.company()
    return { companyId: id, slotId: (await exhibitors.slots(id))[hour]!.id }
  }
  const live = (slotId: string) =>
    exhibitors.figure(`select count(*) as n from appointments where offering_id = '${slotId}' and status in ('pending', 'booked')`)
  const counted = (slotId: string) => exhibitors.figure(`select booked as n from offerings where id = '${slotId}'`)
  const listEmails = (slotId: string) =>
    exhibitors.figure(`select count(*) as n from messages where source_id in (select id from appointments where offering_id = '${slotId}')`)

  /** Books as a client does, which tries again if the event is too busy on a machine with other work. */
  const book = async (person: PersonHandle, slotId: string) => {
    for (let tries = 1; ; tries++) {
      const answer = await person.answer('book_exhibitor_appointment', { slotId })
      const error = answer._meta?.['lanyard/error'] as { code?: string } | undefined
      if (error?.code !== 'unavailable' || tries === MAX_TRIES) return answer
    }
  }

  it(`gives the slot to one of ${BOOKERS} participants, emails both sides once and returns “taken” to all other participants`, async () => {
    const { companyId, slotId } = await freshSlot(0)
    const answers = await Promise.all(people.map((person) => book(person, slotId)))
    const refused = answers.filter(({ isError }) => isError)
    expect(answers.length - refused.length).toBe(1)
    expect(refused).toHaveLength(BOOKERS - 1)
    for (const { _meta } of refused) {
      expect(_meta!['lanyard/error']).toMatchObject({
        code: 'conflict',
        message: expect.stringMatching(/^That slot was just taken — free next: /),
      })
    }
    expect([await live(slotId), await counted(slotId), await listEmails(slotId)]).toEqual([1, 1, 2])
    expect(await exhibitors.figure(`select count(*) as n from leads where company_id = '${companyId}'`)).toBe(1)
    expect(await exhibitors.figure(`select coalesce(sum(captures), 0) as n from leads where company_id = '${companyId}'`)).toBe(0)
  })

  it('returns one appointment to a participant who books many times concurrently', async () => {
    const { slotId } = await freshSlot(1)
    const answers = await Promise.all(Array.from({ length: 20 }, () => people[0]!.call('book_exhibitor_appointment', { slotId })))
    expect(new Set(answers.map(({ appointment }) => appointment.id)).size).toBe(1)
    expect([await live(slotId), await listEmails(slotId)]).toEqual([1, 2])
    await people[0]!.call('cancel_my_appointment', { appointmentId: answers[0].appointment.id })
  })

  it('gives all seats of a slot with many seats to concurrent bookers, and refuses a booking only once all seats are taken', async () => {
    const { slotId } = await freshSlot(5)
    const seats = BOOKERS / 2
    await world.database.pool.query('update offerings set capacity = $1 where id = $2', [seats, slotId])
    const bookers = people.slice(0, seats)
    const answers = await Promise.all(bookers.map((person) => book(person, slotId)))
    expect(answers.filter(({ isError }) => isError)).toEqual([])
    expect([await live(slotId), await counted(slotId)]).toEqual([seats, seats])
    expect(await people.at(-1)!.refused('book_exhibitor_appointment', { slotId })).toMatchObject({ code: 'conflict' })
    // A cancelled seat can be booked again by one of the others.
    await bookers[0]!.call('cancel_my_appointment', { appointmentId: answers[0]!.structuredContent.appointment.id })
    const again = await Promise.all(people.slice(-5).map((person) => book(person, slotId)))
    expect(again.filter(({ isError }) => !isError)).toHaveLength(1)
    expect(await live(slotId)).toBe(seats)
  })

  it('refuses an appointment with a staff member who has another one at that time', async () => {
    const { companyId, slotId } = await freshSlot(6)
    const [other, staffId] = [(await exhibitors.slots(companyId))[7]!.id, newId()]
    await world.database.pool.query(
      `insert into exhibitor_staff (tenant_id, event_id, id, company_id, is_test_data, name, role, email)
       values ($1, $2, $3, $4, false, 'Sam', 'staff', 'sam@example.org')`,
      [event.tenantId, event.eventId, staffId, companyId],
    )
    await world.database.pool.query(
      `update offerings set staff_id = $1, capacity = 3, starts_at = starts_at - case id when $3 then interval '10 minutes' else '0' end
       where id in ($2, $3)`,
      [staffId, slotId, other],
    )
    await people[0]!.call('book_exhibitor_appointment', { slotId })
    expect(await people[1]!.refused('book_exhibitor_appointment', { slotId: other })).toMatchObject({ code: 'conflict' })
    await people[1]!.call('book_exhibitor_appointment', { slotId })
  })

  it('never gives a participant two concurrent appointments', async () => {
    const slots = await Promise.all(Array.from({ length: 8 }, async () => (await freshSlot(2)).slotId))
    const [person] = people
    const answers = await Promise.all(slots.map((slotId) => book(person!, slotId)))
    expect(answers.filter(({ isError }) => !isError)).toHaveLength(1)
    for (const { isError, _meta } of answers) if (isError) expect(_meta!['lanyard/error']).toMatchObject({ code: 'conflict' })
  })

  it(`gives a slot to at most one holder at any time during ${TURNS} concurrent cancellations and bookings`, async () => {
    const { slotId } = await freshSlot(3)
    // A trigger records the number of holders after every change; a rollback also removes the record.
    await world.database.pool.query(`
      create table holders_seen (n integer);
      create function note_holders() returns trigger language plpgsql as $$
      begin
        insert into holders_seen select count(*) from appointments where offering_id = new.offering_id and status in ('pending', 'booked');
        return null;
      end $$;
      create trigger note_holders after insert or update on appointments for each row execute function note_holders()`)
    let [running, most, sampled] = [true, 0, 0]
    const watching = (async () => {
      while (running) {
        most = Math.max(most, await live(slotId))
        sampled++
      }
    })()
    let [booked, cancelled] = [0, 0]
    const bookers = people.slice(1, 1 + Math.min(people.length - 1, 50))
    await Promise.all(
      bookers.map(async (person) => {
        for (let turn = 0; turn < Math.ceil(TURNS / bookers.length); turn++) {
          const { isError, structuredContent, _meta } = await book(person, slotId)
          if (isError) {
            expect(_meta!['lanyard/error']).toMatchObject({ code: 'conflict' })
            continue
          }
          booked++
          await person.call('cancel_my_appointment', { appointmentId: structuredContent.appointment.id })
          cancelled++
        }
      }),
    )
    running = false
    await watching
    expect(booked).toBeGreaterThan(0)
    expect(cancelled).toBe(booked)
    expect(sampled).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(1)
    expect(await exhibitors.figure('select max(n) as n from holders_seen')).toBe(1)
    expect([await live(slotId), await counted(slotId)]).toEqual([0, 0])
    expect(await exhibitors.figure(`select count(*) as n from appointments where offering_id = '${slotId}'`)).toBe(booked)
    await world.database.pool.query('drop trigger note_holders on appointments')
  })

  it.runIf(postgres)(
    'gives an appointment slot to one participant by a row lock or by constraints alone, and to several without both',
    async () => {
      const { slotId } = await freshSlot(4)
      // Takes the first seat as the tool does, without the lock.
      const take = (personId: string) =>
        world.database.pool.query(
          `insert into appointments (tenant_id, event_id, id, offering_id, seat, kind, participant_id, company_id, is_test_data, starts_at, ends_at, status, booked_by)
         select o.tenant_id, o.event_id, $1, o.id, 1, 'exhibitor', $2, o.company_id, o.is_test_data, o.starts_at, o.ends_at, 'booked', 'test'
         from offerings o where o.id = $3 on conflict do nothing`,
          [newId(), personId, slotId],
        )
      const takeAll = () => Promise.allSettled(people.slice(0, 20).map(({ participantIds }) => take(participantIds[0]!)))
      await takeAll()
      expect(await live(slotId)).toBe(1)
      await world.database.pool.query(`
      drop index appointments_of_seat;
      alter table offerings drop constraint offerings_not_overbooked;
      alter table appointment_people drop constraint appointment_people_once`)
      const { slotId: locked } = await freshSlot(8)
      await Promise.all(people.map((person) => book(person, locked)))
      expect(await live(locked)).toBe(1)
      await takeAll()
      expect(await live(slotId)).toBeGreaterThan(1)
    },
  )
})
