import { recordChange } from '../../kernel/audit.ts'
import { tryPart } from '../../kernel/savepoint.ts'
import { cancelRooms } from '../housing/release.ts'
import { type Reserved, reserveStay } from '../housing/reserve.ts'
import type { NewLine } from '../orders/lines.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import type { ReservationRow } from '../housing/tables.ts'
import { type Answers, answersOf, columnsOf } from './answers.ts'
import { billToOf } from './bill.ts'
import type { MoneyDone } from './change-products.ts'
import { claim, type Sale } from './claim.ts'
import { nameOf, type ParticipantRow } from './participant-shape.ts'
import { getParticipant, updateParticipant } from './people.ts'
import type { AtEvent, Scene } from './scene.ts'

interface Rooming {
  scene: Scene
  flow: Flow
  answers: Answers
  /** With those that the flow gives: blocks are set aside for tags too. */
  tags: readonly string[]
  source: ParticipantRow['source']
  overrideClosed?: boolean | undefined
  /** Whether a room that is gone is left out and told, as for somebody who comes back. */
  dropFull?: boolean | undefined
}

export interface RoomTaken {
  stay: Reserved | null
  /** The room's number and deposit, to be claimed with the rest; a deposit is the guest's own, whoever pays for them. */
  sales: Sale[]
  dropped: string[]
}

/** The room that somebody answered for, as a part of their registration: both or neither. */
export async function takeRoom(ctx: AtEvent, row: ParticipantRow, { scene, flow, answers, tags, ...rooming }: Rooming): Promise<RoomTaken> {
  const run = () =>
    reserveStay(ctx, {
      scene,
      answers,
      guest: { id: row.id, name: nameOf(row), groupId: row.group_id, tags },
      source: rooming.source,
      widget: housingIn(flow),
      overrideClosed: rooming.overrideClosed ?? false,
    })
  const tried = rooming.dropFull ? await tryPart(ctx, run) : { done: await run() }
  if (tried.refused) return { stay: null, sales: [], dropped: ['housing'] }
  const { done: stay } = tried
  const { reservation, deposit } = stay
  if (!reservation) return { stay, sales: [], dropped: [] }
  return { stay, sales: [roomSale(row, answers, { reservation, deposit })], dropped: [] }
}

/** A room with its number, and its deposit where there is one. */
export const roomSale = (
  row: Pick<ParticipantRow, 'id'>,
  answers: Answers,
  { reservation, deposit }: { reservation: ReservationRow; deposit: NewLine | null },
): Sale => ({
  owner: { participantId: row.id },
  billTo: billToOf(answers),
  discountCode: null,
  lines: deposit ? [deposit] : [],
  reservations: [reservation.id],
  people: [row.id],
})

export const housingIn = (flow: Flow) => flow.pages.flatMap((page) => page.widgets).find((widget) => widget.type === 'housing') ?? null

/** Whether an edit says anything about rooms. */
export const touchesRooms = (given: Answers) => Object.keys(given).some((binding) => binding.startsWith('@housing.'))

/** Makes the room of somebody who has registered what their answers say now: another one, or none. */
export async function changeRoom(ctx: AtEvent, row: ParticipantRow, rooming: Rooming): Promise<MoneyDone> {
  const { scene, answers } = rooming
  if (answers['@housing.hotelId'] == null && answers['@housing.shareWith'] == null) {
    return { creditNote: await cancelRooms(ctx, scene, row.id, 'room given up'), invoice: null }
  }
  const { sales } = await takeRoom(ctx, row, rooming)
  const [claimed] = await claim(ctx, scene, sales)
  return { creditNote: null, invoice: claimed?.invoice ?? null }
}

/** What somebody's room is now, as they would have answered it. */
export const answersOfStay = (room: ReservationRow): Record<string, unknown> => ({
  '@housing.hotelId': room.hotel_id,
  '@housing.roomTypeCode': room.room_type_code,
  '@housing.checkIn': room.check_in,
  '@housing.checkOut': room.check_out,
  '@housing.occupants': room.occupants,
  '@housing.bedType': room.bed_type,
  '@housing.smoking': room.smoking,
  '@housing.requests': room.requests,
  '@housing.loyaltyNumber': room.loyalty_number,
  '@housing.shareWith': room.share_with,
  '@housing.waitlist': null,
})

/** Writes down what somebody's room is now, so that it is what their answers say. */
export async function keepRoomAnswers(ctx: AtEvent, participantId: string, rooms: Answers): Promise<void> {
  const row = await getParticipant(ctx, participantId)
  const stored = answersOf(row)
  const others = Object.entries(stored).filter(([binding]) => !binding.startsWith('@housing.'))
  const updated = await updateParticipant(ctx, row, columnsOf({ ...Object.fromEntries(others), ...rooms }))
  recordChange(ctx, { kind: 'participant', id: row.id, before: stored, after: answersOf(updated) })
}
