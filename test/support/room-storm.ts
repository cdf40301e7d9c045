import { listStayNights } from '../../src/domains/housing/stay.ts'
import { DEADLOCK_MESSAGE } from '../../src/surfaces/mcp/caller-error.ts'
import type { ServedSale } from './served-sale.ts'

export type RandomInteger = (sides: number) => number

/** A seeded pseudo-random generator. */
export function createRandomIntegers(from: number): RandomInteger {
  let state = from >>> 0
  return (sides) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

interface Storm {
  sale: Pick<ServedSale, 'callUntilAnswered'>
  hotelIds: readonly string[]
  roomTypes: readonly string[]
  /** The first night of all hotels, and the day after the last night. */
  from: string
  until: string
  groupCode: string
  blockId: string
  /** The ids of the participants who make changes concurrently, one per caller. */
  people: readonly string[]
  seconds: number
  seed: number
}

/** How often each kind of change succeeded, and how often a call was refused with each code. */
export interface StormResult {
  done: Record<string, number>
  refused: Record<string, number>
  /** Refusals that no caller should get, which fail the test. */
  unexpected: string[]
}

const EXPECTED_REFUSALS = ['limit_exceeded', 'precondition_failed', 'conflict']
/** The message of a move whose random target is the hotel and room type of the booking itself. */
const SAME_PLACE = /is the same place as/
const REASON = 'Rooms are moved about'

/**
 * Whether a caller may get this refusal. A deadlock, which must not occur, has the same code as other conflicts and differs in its message.
 */
export const isExpectedRefusal = (code: string, message: string): boolean =>
  SAME_PLACE.test(message) || (EXPECTED_REFUSALS.includes(code) && !message.includes(DEADLOCK_MESSAGE))

/** Makes random bookings, changes, cancellations, moves, releases and contract amendments, with one concurrent caller per participant. */
export async function runRoomStorm(storm: Storm): Promise<StormResult> {
  const result: StormResult = { done: {}, refused: {}, unexpected: [] }
  const end = Date.now() + storm.seconds * 1000
  await Promise.all(
    storm.people.map(async (participantId, caller) => {
      const roll = createRandomIntegers(storm.seed + caller * 7919)
      while (Date.now() < end) {
        const [kind, tool, args] = chooseCall(storm, participantId, roll)
        const answer = await storm.sale.callUntilAnswered(tool, args)
        if (!answer.isError) {
          result.done[kind] = (result.done[kind] ?? 0) + 1
          continue
        }
        const code = String(answer._meta?.['lanyard/error']?.code)
        result.refused[`${kind}: ${code}`] = (result.refused[`${kind}: ${code}`] ?? 0) + 1
        if (!isExpectedRefusal(code, answer.content[0]?.text ?? ''))
          result.unexpected.push(`${tool} ${JSON.stringify(args)}: ${answer.content[0]?.text}`)
      }
    }),
  )
  return result
}

type Call = [kind: string, tool: string, args: Record<string, unknown>]

function chooseCall(storm: Storm, participantId: string, roll: RandomInteger): Call {
  const { from, until, groupCode, blockId } = storm
  const days = listStayNights(from, until)
  const pick = <T>(some: readonly T[]): T => some[roll(some.length)]!
  const first = roll(days.length)
  const nights = days.slice(first, first + 1 + roll(days.length - first))
  const place = () => ({ hotelId: pick(storm.hotelIds), roomTypeCode: pick(storm.roomTypes) })
  const pool = () => ({ ...place(), ...(roll(4) === 0 ? { blockId } : {}) })
  const dice = roll(100)
  if (dice < 58) {
    const { hotelId, roomTypeCode } = place()
    const data = {
      '@housing.hotelId': hotelId,
      '@housing.roomTypeCode': roomTypeCode,
      '@housing.checkIn': nights[0],
      '@housing.checkOut': [...days, until][days.indexOf(nights.at(-1)!) + 1],
    }
    return ['stay', 'edit_participant', { participantId, data }]
  }
  if (dice < 72) {
    const fields = ['hotelId', 'roomTypeCode', 'checkIn', 'checkOut'].map((name) => [`@housing.${name}`, null])
    return ['cancel', 'edit_participant', { participantId, data: Object.fromEntries(fields) }]
  }
  if (dice < 79) {
    const places = { from: { hotelId: pick(storm.hotelIds) }, to: pool() }
    return [
      'move',
      'move_hotel_reservations',
      { ...places, count: 1 + roll(4), order: pick(['newest', 'oldest']), reason: REASON, notify: false },
    ]
  }
  if (dice < 86)
    return ['inventory', 'move_hotel_inventory', { fromHotel: pool(), toHotel: pool(), nights, rooms: 1 + roll(2), reason: REASON }]
  if (dice < 92) return ['release', 'update_group_block', { blockId, set: [{ ...place(), nights, rooms: roll(5) }] }]
  if (dice < 97) {
    const { hotelId, roomTypeCode } = place()
    return ['amendment', 'amend_contract', { hotelId, nights: [{ roomTypeCode, nights, delta: pick([-2, -1, 1, 2]) }], reason: REASON }]
  }
  return dice < 98
    ? ['detach', 'update_group_block', { blockId, detach: true }]
    : ['assign', 'assign_block_to_group', { groupCode, blockId }]
}
