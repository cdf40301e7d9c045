import { recordChange } from '../../../kernel/audit.ts'
import { notFound } from '../../../kernel/errors.ts'
import { runInSavepoint } from '../../../kernel/savepoint.ts'
import { cancelAllRooms } from '../../housing/release.ts'
import { findHousingWidget } from '../../housing/room-answers.ts'
import { type ReservationResult, reserveStay } from '../../housing/reserve.ts'
import type { NewOrderLine } from '../../orders/lines.ts'
import type { Flow } from '../../configuration/schema/event-config.ts'
import type { ReservationRow } from '../../housing/tables.ts'
import { type Answers, readStoredAnswers } from '../answers.ts'
import { buildDefaultBillingAddress } from './billing.ts'
import type { IssuedInvoiceDocuments } from '../edit/change-products.ts'
import { recordSales, type PendingSale } from './record-sales.ts'
import { formatParticipantName, type ParticipantRow } from '../participant-shape.ts'
import { lockParticipants, updateParticipantAnswers } from '../participant-rows.ts'
import type { RegistrationContext, EventSnapshot } from '../event-snapshot.ts'

interface RoomRequest {
  snapshot: EventSnapshot
  flow: Flow
  answers: Answers
  /** The participant's tags, including tags of the flow, because room blocks can be reserved for tags. */
  tags: readonly string[]
  source: ParticipantRow['source']
  overrideClosed?: boolean | undefined
  /** Whether to continue without the room if none is available, for example when a cancelled registration is reinstated. */
  dropFull?: boolean | undefined
}

export interface RoomReservationResult {
  stay: ReservationResult | null
  /**
   * The sale with the reservation number and deposit. The deposit is always on the participant's own order, even if a group pays for the
   * products.
   */
  sales: PendingSale[]
  dropped: string[]
}

/** Reserves the room that the answers request, within the transaction of the registration. */
export async function reserveRoom(
  ctx: RegistrationContext,
  row: ParticipantRow,
  { snapshot, flow, answers, tags, ...rooming }: RoomRequest,
): Promise<RoomReservationResult> {
  const run = () =>
    reserveStay(ctx, {
      snapshot,
      answers,
      guest: { id: row.id, name: formatParticipantName(row), groupId: row.group_id, companyId: row.company_id, tags },
      source: rooming.source,
      widget: findHousingWidget(flow),
      overrideClosed: rooming.overrideClosed ?? false,
    })
  const tried = rooming.dropFull ? await runInSavepoint(ctx, run) : { done: await run() }
  if (tried.refused) return { stay: null, sales: [], dropped: ['housing'] }
  const { done: stay } = tried
  const { reservation, deposit } = stay
  if (!reservation) return { stay, sales: [], dropped: [] }
  return { stay, sales: [buildRoomSale(row, answers, { reservation, deposit })], dropped: [] }
}

export const buildRoomSale = (
  row: Pick<ParticipantRow, 'id'>,
  answers: Answers,
  { reservation, deposit }: { reservation: ReservationRow; deposit: NewOrderLine | null },
): PendingSale => ({
  owner: { participantId: row.id },
  billTo: buildDefaultBillingAddress(answers),
  discountCode: null,
  lines: deposit ? [deposit] : [],
  reservations: [reservation.id],
  people: [row.id],
})

/** Changes the room of a complete registration to match the answers: to another room, or to no room. */
export async function changeParticipantRoom(
  ctx: RegistrationContext,
  row: ParticipantRow,
  rooming: RoomRequest,
): Promise<IssuedInvoiceDocuments> {
  const { snapshot, answers } = rooming
  if (answers['@housing.hotelId'] == null && answers['@housing.shareWith'] == null) {
    return { creditNote: await cancelAllRooms(ctx, snapshot, row.id, 'room given up'), invoice: null }
  }
  const { stay, sales } = await reserveRoom(ctx, row, rooming)
  const [claimed] = await recordSales(ctx, snapshot, sales)
  return { creditNote: stay?.creditNote ?? null, invoice: claimed?.invoice ?? null }
}

/** Stores the participant's current room as answers to the room questions, so that answers and reservation agree. */
export const saveRoomAnswers = (ctx: RegistrationContext, participantId: string, rooms: Answers): Promise<void> =>
  saveRoomAnswersOfParticipants(ctx, new Map([[participantId, rooms]]))

/** Stores the current rooms of several participants as answers to the room questions. */
export async function saveRoomAnswersOfParticipants(ctx: RegistrationContext, roomsBy: ReadonlyMap<string, Answers>): Promise<void> {
  const people = await lockParticipants(ctx, [...roomsBy.keys()])
  const missing = [...roomsBy.keys()].find((id) => !people.some((row) => row.id === id))
  if (missing !== undefined) throw notFound(`No participant ${missing} here`)
  const changes = people.map((row) => ({ before: row, answers: replaceRoomAnswers(row.answers, roomsBy.get(row.id)!) }))
  for (const { before, after } of await updateParticipantAnswers(ctx, changes))
    recordChange(ctx, { kind: 'participant', id: before.id, before: readStoredAnswers(before), after: readStoredAnswers(after) })
}

/** Room answers are stored with the other answers that have no column of their own. Cleared answers are removed. */
const replaceRoomAnswers = (stored: Answers, rooms: Answers): Answers => ({
  ...Object.fromEntries(Object.entries(stored).filter(([binding]) => !binding.startsWith('@housing.'))),
  ...Object.fromEntries(Object.entries(rooms).filter(([, value]) => value !== null && value !== undefined)),
})
