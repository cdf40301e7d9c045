import { type Filled, fillEntry, giveRoom, lineFor, takeFromLine } from '../housing/fill.ts'
import { mailDeadline, mailFilled, mailRooms } from '../housing/mails.ts'
import { staysOf } from '../housing/reservations.ts'
import { openOffer } from '../housing/room-offers.ts'
import { answersOf } from './answers.ts'
import { claim } from './claim.ts'
import { addressOf } from './confirmation.ts'
import { nameOf, type ParticipantRow } from './participant-shape.ts'
import { getParticipant } from './people.ts'
import { answersOfStay, keepRoomAnswers, roomSale } from './rooms.ts'
import { type AtEvent, openScene, type Scene } from './scene.ts'

/** Rooms that came free at a hotel go to those who wait for them, in their order. Nobody's card is charged. Returns how many have something now. */
export async function serveRoomLine(ctx: AtEvent, scene: Scene, hotelId: string): Promise<number> {
  let served = 0
  for (const entryId of await lineFor(ctx, hotelId, scene.isTest)) {
    const entry = await takeFromLine(ctx, entryId)
    if (!entry) continue
    const row = await getParticipant(ctx, entry.participant_id)
    if (row.status !== 'complete') continue
    const guest = { id: row.id, name: nameOf(row), groupId: row.group_id, tags: row.tags }
    const given = await giveRoom(ctx, { scene, entry, guest, hotelId })
    if (!given) continue
    served++
    if ('filled' in given) {
      await moveIn(ctx, scene, row, given.filled)
      await tell(ctx, row, given.filled.reservation.id, (about) => mailFilled(ctx, about))
    } else {
      await tell(ctx, row, given.held.id, (about) => mailDeadline(ctx, 'housing.offered', { ...about, until: given.until }))
    }
  }
  return served
}

/** Somebody takes the room that they were offered. What they owe for it now is on an invoice, and the room has to be secured like any other. */
export async function acceptRoomOffer(ctx: AtEvent, participantId: string, entryId: string): Promise<{ owes: boolean }> {
  const row = await getParticipant(ctx, participantId)
  const scene = { ...(await openScene(ctx, row.is_test_data ? { test: { useDraft: true } } : {})), isTest: row.is_test_data }
  const filled = await fillEntry(ctx, { scene, ...(await openOffer(ctx, row.id, entryId)) })
  const owes = await moveIn(ctx, scene, row, filled)
  await mailRooms(ctx, row, { email: await addressOf(ctx, row), name: nameOf(row) || null })
  return { owes }
}

/** The room with its number and deposit, and as what they answered. */
async function moveIn(ctx: AtEvent, scene: Scene, row: ParticipantRow, filled: Filled): Promise<boolean> {
  const [claimed] = await claim(ctx, scene, [roomSale(row, answersOf(row), filled)])
  await keepRoomAnswers(ctx, row.id, answersOfStay(filled.reservation))
  return claimed?.invoice != null
}

type About = Parameters<typeof mailFilled>[1]

/** Whoever has no address is told nothing. */
export async function tell(ctx: AtEvent, row: ParticipantRow, reservationId: string, mail: (about: About) => Promise<void>): Promise<void> {
  if (row.email === null && row.host_id === null) return
  const stay = (await staysOf(ctx, [row.id])).find((one) => one.reservationId === reservationId)
  if (stay) await mail({ participant: row, to: { email: await addressOf(ctx, row), name: nameOf(row) || null }, stay })
}
