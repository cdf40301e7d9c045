import { foldEmailCase } from '../../kernel/email-address.ts'
import type { ExhibitorContext } from '../exhibitors/context.ts'
import { sendEventEmail } from '../messages/event-mail/send.ts'
import { createRequestLink } from './links.ts'
import { listBlockNights, sumRoomsByNight, sumRooms, updateRequest } from './requests.ts'
import { readHotelNames, readRequesterName } from './requester.ts'
import type { BlockRequestRow } from './tables.ts'

type BlockLetter =
  | { trigger: 'block.received' }
  | { trigger: 'block.allocated' }
  | { trigger: 'block.amended'; decision: 'approved' | 'denied' | 'changed'; reason?: string | null }
  | { trigger: 'block.released'; released: number; reason?: string | null }

/** Emails the requester about the request and its rooms, with a link to it. Returns the request. */
export async function sendBlockRequestEmail(ctx: ExhibitorContext, row: BlockRequestRow, letter: BlockLetter): Promise<BlockRequestRow> {
  const rooms = await listBlockNights(ctx, row)
  const hotels = await readHotelNames(
    ctx,
    rooms.map(({ hotelId }) => hotelId),
  )
  const nights = [...sumRoomsByNight(row.profile).keys()]
  const waits = row.status === 'allocated' || row.status === 'partiallyAllocated'
  const sent = await sendEventEmail(ctx, {
    trigger: letter.trigger,
    participant: null,
    to: { email: row.requester_email, name: row.requester_name },
    values: {
      'block.number': row.number ?? '',
      'block.requester': await readRequesterName(ctx, row),
      'block.roomNights': String(sumRooms(row.profile)),
      'block.granted': String(sumRooms(rooms)),
      'block.released': 'released' in letter ? String(letter.released) : '0',
      'block.firstNight': nights.length === 0 ? null : { day: nights[0]! },
      'block.lastNight': nights.length === 0 ? null : { day: nights.at(-1)! },
      'block.hotels': [...hotels.values()].toSorted((a, b) => a.localeCompare(b, 'en')).join(', ') || null,
      ...(waits && row.accept_by !== null ? { 'block.acceptBy': { day: row.accept_by } } : {}),
      'block.decision': 'decision' in letter ? letter.decision : null,
      ...('reason' in letter && letter.reason ? { 'block.reason': letter.reason } : {}),
      'links.blockRequest': await createRequestLink(ctx, row),
    },
    isTestData: row.is_test_data,
    sourceKind: 'blockRequest',
    sourceId: row.id,
    recipientKey: `${letter.trigger}:${row.letters_sent + 1}:${foldEmailCase(row.requester_email)}`,
  })
  if (sent === null) return row
  return updateRequest(ctx, row, { letters_sent: row.letters_sent + 1 })
}
