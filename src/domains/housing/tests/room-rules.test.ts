import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { buildRoomAnswers } from '../../../../test/support/hotels.ts'
import { checkIntegrity } from '../../orders/integrity/check.ts'
import { ROOM_INTEGRITY_CHECKS } from '../../orders/integrity/rooms.ts'
import { roomsStory } from './rooms-scenario.ts'

const { story, newHotel, king, register, sound } = roomsStory()
const [FROM, UNTIL] = ['2026-09-01', '2026-09-03']
const OTHER_ID = 'f'.repeat(24)
const WITHOUT_TRIGGERS = 'set local session_replication_role = replica'

const run = (statement: string) => story.world.database.pool.query<any>(statement)

/** Runs the statements in a transaction that is rolled back, and returns the rules that the sweep of rooms reports as broken. */
async function listBrokenRules(...statements: string[]): Promise<[id: string, samples: string[]][]> {
  const rollBack = new Error('rolled back')
  let broken: [string, string[]][] = []
  const work = story.world.database.transact(async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
    const found = await checkIntegrity(db, story.event.tenantId, story.event.eventId, ROOM_INTEGRITY_CHECKS)
    broken = found.filter(({ ok }) => !ok).map(({ id, samples }) => [id, samples])
    throw rollBack
  })
  await expect(work).rejects.toBe(rollBack)
  return broken
}

describe('rule H1: no night is sold beyond its contracted rooms', () => {
  let hotelId = ''
  const night = () => `where hotel_id = '${hotelId}' and night = '${FROM}'`
  beforeAll(async () => void (hotelId = await newHotel({ roomTypes: king(2) })))

  it.each(['returned', 'allocated', 'booked', 'held'])('refuses a negative number of %s rooms', async (counter) => {
    await expect(run(`update room_nights set ${counter} = -1 ${night()}`)).rejects.toThrow(`room_nights_${counter}_check`)
  })

  it('rejects more rooms in use than contracted, and reports such a night in the integrity check if the constraint is missing', async () => {
    await expect(run(`update room_nights set returned = 3 ${night()}`)).rejects.toThrow('room_nights_not_oversold')
    const broken = await listBrokenRules(
      'alter table room_nights drop constraint room_nights_not_oversold',
      `update room_nights set returned = 3 ${night()}`,
    )
    expect(broken).toEqual([['H1', [`night ${hotelId} king ${FROM}`]]])
    await sound()
  })
})

describe('rule H6: one waiting list entry per person, hotel and arrival, offered exactly while a room is held', () => {
  let [entryId, participantId] = ['', '']
  const copyEntry = () => `insert into hotel_waitlist_entries select (jsonb_populate_record(w, '{"id": "${OTHER_ID}"}')).*
    from hotel_waitlist_entries w where id = '${entryId}'`
  const offer = () => `update hotel_waitlist_entries set status = 'offered', offered_until = lanyard_now() where id = '${entryId}'`

  beforeAll(async () => {
    const hotelId = await newHotel({ name: 'Full', roomTypes: king(0) })
    const { participant } = await register(buildRoomAnswers(hotelId, FROM, UNTIL, { '@housing.waitlist': true }))
    participantId = participant.id
    entryId = (await run(`select id from hotel_waitlist_entries where participant_id = '${participantId}'`)).rows[0]!.id
  })

  it('rejects a second waiting list entry, and reports it in the integrity check if the index is missing', async () => {
    await expect(run(copyEntry())).rejects.toThrow('hotel_waitlist_entries_once')
    const broken = await listBrokenRules('drop index hotel_waitlist_entries_once', copyEntry())
    expect(broken).toEqual([['H6', [`participant ${participantId} ${FROM}`]]])
    await sound()
  })

  it('rejects a room offer without a held room, and reports it in the integrity check if triggers are disabled', async () => {
    await expect(run(offer())).rejects.toThrow('an offer and its hold go together')
    expect(await listBrokenRules(WITHOUT_TRIGGERS, offer())).toEqual([['H6', [`waitlist entry ${entryId}`]]])
    await sound()
  })
})

describe('rule H7: a block has at most one owner, and a group at most one block', () => {
  const codes = ['first', 'second']
  const blocks: string[] = []
  const linkTo = (block: string) => `update managed_groups set room_block_id = '${block}' where code = 'second'`

  beforeAll(async () => {
    const hotelId = await newHotel({ roomTypes: king(4) })
    for (const code of codes) {
      const admins: object[] = []
      await story.call('create_managed_group', { name: code, code, kind: 'other', payBy: 'members', flowSlug: 'attendee', admins })
      const rooms = [{ hotelId, roomTypeCode: 'king', from: FROM, until: UNTIL, rooms: 1 }]
      blocks.push((await story.call('assign_block_to_group', { groupCode: code, rooms })).block.id)
    }
  })

  it('refuses a room block of two groups, a group with two blocks, and a block whose owner is incomplete', async () => {
    await expect(run(linkTo(blocks[0]!))).rejects.toThrow('managed_groups_of_block')
    const giveTo = `update room_blocks b set owner_ref = o.owner_ref from room_blocks o where b.id = '${blocks[1]}' and o.id = '${blocks[0]}'`
    await expect(run(giveTo)).rejects.toThrow('room_blocks_of_group')
    await expect(run(`update room_blocks set owner_ref = null where id = '${blocks[0]}'`)).rejects.toThrow('room_blocks_owner')
    await sound()
  })

  it('reports in the integrity check a block and a group that do not reference each other', async () => {
    const broken = await listBrokenRules('drop index managed_groups_of_block', linkTo(blocks[0]!))
    expect(broken).toEqual([['H7', ['block second', 'group second']]])
    expect(await listBrokenRules(`update managed_groups set room_block_id = null where code = 'first'`)).toEqual([['H7', ['block first']]])
    await sound()
  })
})
