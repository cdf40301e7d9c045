import type { AppError, FieldError } from '../../kernel/errors.ts'
import { tryPart } from '../../kernel/savepoint.ts'
import type { ChosenRoom } from '../housing/chosen-room.ts'
import { dropHolds, holdStay } from '../housing/hold.ts'
import { holderNamed } from '../housing/shares.ts'
import { nameOf } from '../registration/participant-shape.ts'
import { housingIn } from '../registration/rooms.ts'
import type { AtEvent } from '../registration/scene.ts'
import type { Progress } from './progress.ts'
import { faultsIn } from './quote.ts'
import { FIELDS } from './sent-page.ts'

type Answers = Progress['answers']

const ROOM = '@housing.'

/** What was answered about rooms and is asked of this person. */
export const roomAnswers = ({ answers, walk }: Pick<Progress, 'answers' | 'walk'>): Answers =>
  Object.fromEntries(Object.entries(answers).filter(([binding]) => binding.startsWith(ROOM) && walk.answer(binding) !== undefined))

/** Days that were only looked at, without a room being chosen for them, are no answer. */
export const withoutOpenRoom = (answers: Answers): Answers =>
  answers['@housing.hotelId'] == null
    ? Object.fromEntries(Object.entries(answers).filter(([binding]) => !binding.startsWith(ROOM) || binding === '@housing.shareWith'))
    : answers

/** Whether a room was begun to be chosen and is not yet. */
export const isOpenRoom = (answers: Answers) =>
  answers['@housing.hotelId'] == null && (answers['@housing.checkIn'] != null || answers['@housing.checkOut'] != null)

/** Who sleeps there, with the tags that blocks are set aside for. */
export const guestOf = ({ row, walk, group }: Progress) => ({
  id: row.id,
  name: nameOf(row),
  groupId: group?.id ?? row.group_id,
  tags: walk.tags,
})

/** Holds the room that was chosen, and no other. What cannot be had is told, and what was held before stays held. */
export async function holdRoom(ctx: AtEvent, progress: Progress, until: Date | null): Promise<readonly FieldError[]> {
  const { scene, flow, row, room } = progress
  const answers = roomAnswers(progress)
  if (answers['@housing.hotelId'] == null) {
    if (room?.reservation) await dropHolds(ctx, row.id)
    const named = answers['@housing.shareWith']
    if (typeof named !== 'string') return []
    const checked = await tryPart(ctx, () => holderNamed(ctx, { guestId: row.id, isTest: scene.isTest, named }))
    return checked.refused ? [{ path: FIELDS.sharedBy, message: 'holder' }] : []
  }
  if (until !== null && room?.reservation && isAsAnswered(room, answers)) return []
  const held = await tryPart(ctx, () =>
    holdStay(ctx, { scene, guest: guestOf(progress), answers, source: row.source, widget: housingIn(flow), until }),
  )
  return held.refused ? roomFaults(held.refused) : []
}

/** Why a room cannot be had, field by field. */
export function roomFaults(refused: AppError): readonly FieldError[] {
  if (refused.code === 'limit_exceeded') return [{ path: '@housing.hotelId', message: 'roomGone' }]
  return refused.details.fields ? faultsIn(refused) : [{ path: '@housing.hotelId', message: 'roomClosed' }]
}

const isAsAnswered = ({ reservation }: ChosenRoom, answers: Answers) =>
  reservation !== null &&
  reservation.hotel_id === answers['@housing.hotelId'] &&
  reservation.room_type_code === answers['@housing.roomTypeCode'] &&
  reservation.check_in === answers['@housing.checkIn'] &&
  reservation.check_out === answers['@housing.checkOut'] &&
  reservation.occupants === Number(answers['@housing.occupants'] ?? 1)
