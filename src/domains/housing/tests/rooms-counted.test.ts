import { beforeAll, describe, expect, it } from 'vitest'
import type { PooledConnection } from '../../../kernel/ports.ts'
import { buildRoomAnswers } from '../../../../test/support/hotels.ts'
import { roomsStory } from './rooms-scenario.ts'

const onPostgres = process.env.TEST_DATABASE_URL !== undefined
const { story: scenario, newHotel, king, nights, register } = roomsStory()

let hotelId: string
let reservationId: string

beforeAll(async () => {
  hotelId = await newHotel({ roomTypes: king(5) })
  const { participant } = await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03'))
  const { rows } = await scenario.world.database.pool.query<{ id: string }>('select id from reservations where participant_id = $1', [
    participant.id,
  ])
  reservationId = rows[0]!.id
})

/** The statements of a stay that grows by the night of 3 September. Each is one part of a complete change. */
const addNight = (on: PooledConnection) =>
  on.query(
    `insert into reservation_nights select (jsonb_populate_record(n, '{"night": "2026-09-03"}')).* from reservation_nights n
     where reservation_id = $1 and night = '2026-09-02'`,
    [reservationId],
  )
const countNight = (on: PooledConnection) =>
  on.query(`update room_nights set booked = booked + 1 where hotel_id = $1 and night = '2026-09-03'`, [hotelId])
const extendStay = (on: PooledConnection) => on.query(`update reservations set check_out = '2026-09-04' where id = $1`, [reservationId])
const changeOther = async (on: PooledConnection) => {
  await on.query(`update room_nights set rate_single = rate_single + 1 where hotel_id = $1`, [hotelId])
  await on.query(`update reservations set requests = 'Quiet room' where id = $1`, [reservationId])
}
/** As if so many places had been checked that no more are remembered. */
const checkMany = (on: PooledConnection) => on.query(`select set_config('lanyard.checked', repeat('|room|', 2000), true)`)
const inSavepoint = (change: (on: PooledConnection) => Promise<unknown>) => async (on: PooledConnection) => {
  await on.query('savepoint change')
  await change(on)
  await on.query('release savepoint change')
}

async function commit(...changes: ((on: PooledConnection) => Promise<unknown>)[]): Promise<void> {
  const connection = await scenario.world.database.pool.connect()
  try {
    await connection.query('begin')
    for (const change of changes) await change(connection)
    await connection.query('commit')
  } finally {
    connection.release()
  }
}

const undo = () =>
  commit(
    (on) => on.query(`delete from reservation_nights where reservation_id = $1 and night = '2026-09-03'`, [reservationId]),
    (on) => on.query(`update room_nights set booked = booked - 1 where hotel_id = $1 and night = '2026-09-03'`, [hotelId]),
    (on) => on.query(`update reservations set check_out = '2026-09-03' where id = $1`, [reservationId]),
  )
const booked = async () => (await nights(hotelId)).map(([, , , count]) => count)

const ROOMS = { constraint: 'room_nights_counted' }
const STAY = { constraint: 'reservations_whole' }

describe('rooms and stays at the end of a transaction', () => {
  it.each([
    ['a night without its counter', [addNight, extendStay], ROOMS],
    ['a counter without its night', [countNight], ROOMS],
    ['a night without its counter after other columns changed', [changeOther, addNight, extendStay], ROOMS],
    ['a night without its counter before other columns change', [addNight, extendStay, changeOther], ROOMS],
    ['a night without its counter after other columns changed in a savepoint', [inSavepoint(changeOther), addNight, extendStay], ROOMS],
    ['a night in a savepoint without its counter', [extendStay, inSavepoint(addNight)], ROOMS],
    ['a counted night outside its stay', [countNight, addNight], STAY],
    ['a counted night outside a stay of which other columns changed', [changeOther, countNight, addNight], STAY],
    ['a longer stay without its night', [extendStay], STAY],
    ['a night without its counter after many other checks', [checkMany, addNight, extendStay], ROOMS],
  ])('refuses a transaction that leaves %s', async (_, changes, error) => {
    await expect(commit(...changes)).rejects.toMatchObject(error)
    expect(await booked()).toEqual([1, 1, 0])
  })

  it.each([
    ['a night with its counter', [countNight, addNight, extendStay]],
    ['the same in another order', [extendStay, addNight, countNight]],
    ['the counter in a savepoint', [inSavepoint(countNight), addNight, extendStay]],
    ['night and stay in a savepoint', [countNight, inSavepoint(addNight), inSavepoint(extendStay)]],
  ])('accepts a transaction that writes %s', async (_, changes) => {
    await commit(...changes)
    expect(await booked()).toEqual([1, 1, 1])
    await undo()
  })

  it('checks a room counter against its reservations in each transaction, also right after a rejected one', async () => {
    await commit(countNight, addNight, extendStay)
    await expect(commit(countNight)).rejects.toMatchObject(ROOMS)
    await undo()
    await expect(commit(countNight)).rejects.toMatchObject(ROOMS)
    expect(await booked()).toEqual([1, 1, 0])
  })

  it('control: stores a booked night without its room counter if database triggers are disabled', async () => {
    await commit((on) => on.query('set local session_replication_role = replica'), addNight, extendStay)
    await commit(countNight)
    await undo()
    expect(await booked()).toEqual([1, 1, 0])
  })

  it.runIf(onPostgres)('refuses a booked night without its room counter, even if a later transaction changed the counter', async () => {
    const start = (on: PooledConnection) => on.query('select pg_current_xact_id()')
    const later = () => commit((on) => on.query('update room_nights set rate_single = rate_single + 1 where hotel_id = $1', [hotelId]))
    await expect(commit(start, later, addNight, extendStay)).rejects.toMatchObject(ROOMS)
  })
})

describe('the trigger that compares a waiting list entry with its hold', () => {
  it('finds the room hold of a waiting list entry with an index, so that a long list is not filled in quadratic time', async () => {
    const planOf = (on: PooledConnection) =>
      on.query<{ 'QUERY PLAN': string }>(
        `explain select from reservations s where s.tenant_id = 1 and s.event_id = 'a' and s.entry_id = 'b' and s.status = 'held'`,
      )
    const readCondition = async (on: PooledConnection) =>
      (await planOf(on)).rows.map((row) => row['QUERY PLAN']).find((line) => line.includes('Index Cond')) ?? ''
    const conditions: string[] = []
    await commit(
      (on) => on.query('set local enable_seqscan = off'),
      async (on) => conditions.push(await readCondition(on)),
      (on) => on.query('drop index reservations_of_entry'),
      async (on) => conditions.push(await readCondition(on)),
      (on) => on.query('rollback'),
    )
    expect(conditions.map((one) => one.includes('entry_id'))).toEqual([true, false])
  })
})
