import { describe, expect, it } from 'vitest'
import { roomsStory } from '../../../domains/housing/tests/rooms-scenario.ts'
import { checkIntegrity } from '../../../domains/orders/integrity/check.ts'
import { ROOM_CHECKS } from '../../../domains/orders/integrity/rooms.ts'
import { roomAnswer } from '../../../../test/support/hotels.ts'

const { story, newHotel, king, nights, register } = roomsStory()

const [FROM, UNTIL] = ['2026-09-01', '2026-09-04']
const query = async <T extends object>(text: string, values: unknown[] = []) =>
  (await story.world.database.pool.query<T>(text, values)).rows

/** The rules of rooms. Copied people are not counted in the capacity of the event. */
const checkRooms = async () => {
  const { tenantId, eventId } = story.event
  const found = await checkIntegrity(story.world.database.read, tenantId, eventId, ROOM_CHECKS)
  expect(found.filter(({ ok }) => !ok)).toEqual([])
}

/** The columns of a table that can be written, for a statement that copies rows. */
async function listColumns(table: string): Promise<string[]> {
  const rows = await query<{ name: string }>(
    `select column_name as name from information_schema.columns where table_name = $1 and table_schema = current_schema()
     and is_generated = 'NEVER' and is_identity = 'NO' order by ordinal_position`,
    [table],
  )
  return rows.map(({ name }) => name)
}

/** A statement that copies the rows of a table once for each number up to `copies`, with some columns calculated from the number `n`. */
async function copyStatement(table: string, where: string, copies: number, changed: Record<string, string>): Promise<string> {
  const columns = await listColumns(table)
  return `insert into ${table} (${columns.join(', ')})
    select ${columns.map((name) => changed[name] ?? `t.${name}`).join(', ')} from ${table} t, generate_series(1, ${copies}) n where ${where}`
}

/** Books a stay of three nights, and as many copies of it as other guests would have. */
async function bookMany(hotelId: string, stays: number): Promise<void> {
  const { participant } = await register(roomAnswer(hotelId, FROM, UNTIL))
  const own = `participant_id = '${participant.id}'`
  const id = (column: string) => `lpad(to_hex(n), 6, '0') || substr(t.${column}, 7)`
  const copies = stays - 1
  const statements = [
    await copyStatement('participants', `t.id = '${participant.id}'`, copies, {
      id: id('id'),
      email: `'guest-' || n || '-' || t.email`,
      last_name: `t.last_name || ' ' || n`,
      confirmation_number: `'TEST' || lpad(n::text, 6, '0')`,
      badge_id: id('badge_id'),
      order_id: 'null',
    }),
    await copyStatement('reservations', own, copies, {
      id: id('id'),
      participant_id: id('participant_id'),
      ack_number: `t.ack_number || '-' || n`,
      guests: `jsonb_build_array(jsonb_build_object('participantId', ${id('participant_id')}, 'name', 'Guest ' || n))`,
    }),
    await copyStatement('reservation_nights', own, copies, { reservation_id: id('reservation_id'), participant_id: id('participant_id') }),
    `update room_nights set booked = booked + ${copies} where hotel_id = '${hotelId}'`,
  ]
  await story.world.database.pool.query(`begin; ${statements.join('; ')}; commit`)
}

describe('many stays', () => {
  it('are moved in parts, and those that do not fit are reported', async () => {
    const from = await newHotel({ roomTypes: king(60) })
    const span = (day: string, until: string, rooms: number) => ({ from: day, until, rooms, single: 18900, double: 21900 })
    const spans = [span(FROM, '2026-09-02', 60), span('2026-09-02', '2026-09-03', 55), span('2026-09-03', UNTIL, 60)]
    const to = await newHotel({ name: 'Other', roomTypes: king(0, { nights: spans }) })
    await bookMany(from, 60)
    await checkRooms()
    const move = (more: object = {}) =>
      story.call('move_hotel_reservations', { from: { hotelId: from }, to: { hotelId: to }, reason: 'The hotel closes', ...more })
    expect((await move({ count: 30 })).moved).toHaveLength(30)
    const { moved, notMoved } = await move()
    expect([moved.length, notMoved.map(({ reason }: { reason: string }) => reason)]).toEqual([25, Array(5).fill('no_rooms')])
    expect((await nights(to)).map(([, , , booked]) => booked)).toEqual([55, 55, 55])
    expect((await nights(from)).map(([, , , booked]) => booked)).toEqual([5, 5, 5])
    expect(await story.queryNumber(`select count(*)::int as figure from messages where email_code = 'housing.confirmed'`)).toBe(55)
    await checkRooms()
  })
})
