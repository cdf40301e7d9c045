import type { AppError, FieldError } from '../../kernel/errors.ts'
import { toFieldError } from '../../kernel/field-reasons.ts'
import { runInSavepoint } from '../../kernel/savepoint.ts'
import type { ChosenRoom } from '../housing/chosen-room.ts'
import { releaseRoomHolds, holdRequestedRoom } from '../housing/hold.ts'
import { findSharedRoomHolder } from '../housing/shares.ts'
import { formatParticipantName } from '../registration/participant-shape.ts'
import { findHousingWidget } from '../housing/room-answers.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import type { CapacityHoldExpiry } from './hold.ts'
import type { RegistrationProgress } from './progress.ts'
import { toFieldErrorsOrRethrow } from './quote.ts'
import { NON_ANSWER_FORM_FIELDS } from './sent-page.ts'

type Answers = RegistrationProgress['answers']

const ROOM_PREFIX = '@housing.'

/** Returns the participant's answers about a hotel room, without answers to questions that are hidden now. */
export const pickVisibleRoomAnswers = ({ answers, walk }: Pick<RegistrationProgress, 'answers' | 'walk'>): Answers =>
  Object.fromEntries(Object.entries(answers).filter(([binding]) => binding.startsWith(ROOM_PREFIX) && walk.answer(binding) !== undefined))

/** Removes the room answers, such as dates, if the participant has searched for rooms but chosen none. */
export const removeUnfinishedRoomAnswers = (answers: Answers): Answers =>
  answers['@housing.hotelId'] == null
    ? Object.fromEntries(
        Object.entries(answers).filter(([binding]) => !binding.startsWith(ROOM_PREFIX) || binding === '@housing.shareWith'),
      )
    : answers

/** Whether dates were entered but no room is chosen yet. */
export const hasUnfinishedRoomChoice = (answers: Answers) =>
  answers['@housing.hotelId'] == null && (answers['@housing.checkIn'] != null || answers['@housing.checkOut'] != null)

/** Converts the participant to a hotel guest, with the tags that room blocks can be reserved for. */
export const toRoomGuest = ({ row, walk, group }: RegistrationProgress) => ({
  id: row.id,
  name: formatParticipantName(row),
  groupId: group?.id ?? row.group_id,
  companyId: row.company_id,
  tags: walk.tags,
})

/** Holds the chosen room and releases the one that was held before. If it is not available, returns errors and keeps the former hold. */
export async function holdRoom(
  ctx: RegistrationContext,
  progress: RegistrationProgress,
  { until, isCurrent }: CapacityHoldExpiry,
): Promise<readonly FieldError[]> {
  const { snapshot, flow, row, room } = progress
  const answers = pickVisibleRoomAnswers(progress)
  if (answers['@housing.hotelId'] == null) {
    if (room?.reservation) await releaseRoomHolds(ctx, row.id)
    const named = answers['@housing.shareWith']
    if (typeof named !== 'string') return []
    const checked = await runInSavepoint(ctx, () => findSharedRoomHolder(ctx, { guestId: row.id, isTest: snapshot.isTest, named }))
    return checked.refused ? [toFieldError(NON_ANSWER_FORM_FIELDS.sharedBy, 'error.holder')] : []
  }
  if (isCurrent && room?.reservation && isAsAnswered(room, answers)) return []
  const held = await runInSavepoint(ctx, () =>
    holdRequestedRoom(ctx, { snapshot, guest: toRoomGuest(progress), answers, source: row.source, widget: findHousingWidget(flow), until }),
  )
  return held.refused ? toRoomFieldErrors(held.refused) : []
}

/** Maps a failed reservation to field errors. */
export function toRoomFieldErrors(refused: AppError): readonly FieldError[] {
  if (refused.code === 'limit_exceeded') return [toFieldError('@housing.hotelId', 'error.roomGone')]
  return refused.details.fields ? toFieldErrorsOrRethrow(refused) : [toFieldError('@housing.hotelId', 'error.roomClosed')]
}

const isAsAnswered = ({ reservation }: ChosenRoom, answers: Answers) =>
  reservation !== null &&
  reservation.hotel_id === answers['@housing.hotelId'] &&
  reservation.room_type_code === answers['@housing.roomTypeCode'] &&
  reservation.check_in === answers['@housing.checkIn'] &&
  reservation.check_out === answers['@housing.checkOut'] &&
  reservation.booked_occupants === Number(answers['@housing.occupants'] ?? 1)
