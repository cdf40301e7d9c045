import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { foldEmail } from '../../kernel/email-address.ts'
import { AppError, invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { permissionsOf } from '../../kernel/permissions.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { daysBetween } from '../../kernel/time.ts'
import type { EventScope } from '../exhibitors/context.ts'
import { importMembers } from '../groups/import-members.ts'
import { listReservedNights, listReservations } from '../housing/reservations.ts'
import { tooFewRooms } from '../housing/errors.ts'
import { getFlow, loadEventSnapshot } from '../registration/event-snapshot.ts'
import { getParticipant } from '../registration/participant-rows.ts'
import { recordSales } from '../registration/sale/record-sales.ts'
import { reserveRoom } from '../registration/sale/rooms.ts'
import { addStaff } from '../staffing/add-staff.ts'
import { lockRequest, nameOf } from './requests.ts'
import { readHotelNames } from './requester.ts'
import type { BlockRequestRow } from './tables.ts'

export interface NamedGuest {
  firstName: string
  lastName: string
  email: string
  hotelId: string
  roomTypeCode: string
  checkIn: string
  checkOut: string
  occupants: number
}

/**
 * Gives a named person a room of the request's block. A new person is registered as a member of the group or as staff of the company;
 * a registered one is found by email. `by` is the verified address of the person who names the guest.
 */
export async function nameGuest(ctx: EventScope, requestId: string, guest: NamedGuest, by: string): Promise<void> {
  const row = await lockRequest(ctx, requestId)
  if (row.status !== 'accepted') throw preconditionFailed(`Guests can be named after the rooms of ${nameOf(row)} were accepted`)
  if (daysBetween(guest.checkIn, guest.checkOut) < 1) throw invalidArguments([{ path: 'checkOut', message: 'must be after checkIn' }])
  const participantId = row.group_id === null ? await bookStaff(ctx, row, guest) : await bookMember(ctx, row, guest, by)
  await requireRoomOfBlock(ctx, row, participantId, guest)
}

const toRoomAnswers = ({ hotelId, roomTypeCode, checkIn, checkOut, occupants }: NamedGuest) => ({
  '@housing.hotelId': hotelId,
  '@housing.roomTypeCode': roomTypeCode,
  '@housing.checkIn': checkIn,
  '@housing.checkOut': checkOut,
  '@housing.occupants': occupants,
})

async function bookMember(ctx: EventScope, row: BlockRequestRow, guest: NamedGuest, by: string): Promise<string> {
  const known = await findRegistration(ctx, row, guest.email)
  if (known !== null) {
    if (known.group_id !== row.group_id) throw notOfRequester(guest)
    await bookRoom(ctx, known.id, guest)
    return known.id
  }
  const group = await eventDb(ctx).selectFrom('managed_groups').select('code').where('id', '=', row.group_id!).executeTakeFirstOrThrow()
  const data = {
    '@participant.firstName': guest.firstName,
    '@participant.lastName': guest.lastName,
    '@participant.email': guest.email,
    ...toRoomAnswers(guest),
  }
  const person = { email: by, participantIds: [] }
  const { results } = await importMembers({ ...ctx, person }, { groupCode: group.code, members: [{ data }] })
  const [result] = results
  if (!result?.participantId) throw toGuestError(result?.errors?.[0])
  return result.participantId
}

async function bookStaff(ctx: EventScope, row: BlockRequestRow, guest: NamedGuest): Promise<string> {
  const { firstName, lastName, email } = guest
  // The requester has no permissions of an organizer; adding staff to the own company needs none.
  const staffing: EventContext = { ...ctx, access: { clients: [], staff: [] }, permissions: permissionsOf([]) } as unknown as EventContext
  await addStaff(staffing, { companyId: row.company_id!, people: [{ firstName, lastName, email, role: 'staff' }], register: true })
  const known = await findRegistration(ctx, row, email)
  if (known?.company_id !== row.company_id) throw notOfRequester(guest)
  await bookRoom(ctx, known.id, guest)
  return known.id
}

const notOfRequester = ({ email }: NamedGuest) =>
  preconditionFailed(`${email} is registered, but not with the group or company of this request`)

const toGuestError = (problem: { binding: string; message: string } | undefined): AppError =>
  invalidArguments([
    { path: problem?.binding.replace(/^@(participant|housing)\./, '') ?? 'email', message: problem?.message ?? 'cannot be registered' },
  ])

/** Books the room for a registered person. A person with a room keeps it. */
async function bookRoom(ctx: EventScope, participantId: string, guest: NamedGuest): Promise<void> {
  const [room] = await listReservations(ctx, [participantId], ['confirmed'])
  if (room) throw preconditionFailed(`${guest.email} already has a room`)
  const row = await getParticipant(ctx, participantId)
  const snapshot = { ...(await loadEventSnapshot(ctx)), isTest: row.is_test_data }
  const flow = getFlow(snapshot, row.flow_slug!)
  const { sales } = await reserveRoom(ctx, row, { snapshot, flow, answers: toRoomAnswers(guest), tags: row.tags, source: 'group' })
  await recordSales(ctx, snapshot, sales)
}

const findRegistration = async (ctx: EventScope, row: BlockRequestRow, email: string) =>
  (await eventDb(ctx)
    .selectFrom('participants')
    .select(['id', 'group_id', 'company_id'])
    .where('email_norm', '=', foldEmail(email))
    .where('is_test_data', '=', row.is_test_data)
    .where('status', '<>', 'cancelled')
    .where('host_id', 'is', null)
    .orderBy(sql`status <> 'complete'`)
    .orderBy('id')
    .executeTakeFirst()) ?? null

/** Rooms of free sale are not for the requester to give away: every night must come from the block. */
async function requireRoomOfBlock(ctx: EventScope, row: BlockRequestRow, participantId: string, guest: NamedGuest): Promise<void> {
  const [room] = await listReservations(ctx, [participantId], ['confirmed'])
  const nights = room ? await listReservedNights(ctx, room.id) : []
  const outside = nights.filter(({ block_id }) => block_id !== row.block_id)
  if (room && outside.length === 0) return
  const names = await readHotelNames(ctx, [guest.hotelId])
  throw tooFewRooms({
    hotel: names.get(guest.hotelId) ?? guest.hotelId,
    roomType: guest.roomTypeCode,
    wanted: 1,
    short: (room ? outside.map(({ night }) => night) : [guest.checkIn]).map((night) => ({ night, free: 0 })),
    path: 'checkIn',
  })
}

/** A reservation in the request's block. */
export interface BlockGuest {
  name: string
  email: string | null
  hotelId: string
  roomTypeCode: string
  checkIn: string
  checkOut: string
  guaranteeDueAt: Date | null
}

/** Lists the guests of the request's block by arrival. */
export async function listBlockGuests({ db, tenantId, event }: EventScope, { block_id }: BlockRequestRow): Promise<BlockGuest[]> {
  if (block_id === null) return []
  const { rows } = await sql<BlockGuest>`
    select coalesce(nullif(btrim(concat_ws(' ', p.first_name, p.last_name)), ''), p.email) as name, p.email, s.hotel_id as "hotelId",
      s.room_type_code as "roomTypeCode", s.check_in as "checkIn", s.check_out as "checkOut",
      case when s.guarantee_status = 'pending' then s.guarantee_due_at end as "guaranteeDueAt"
    from reservations s join participants p on p.tenant_id = s.tenant_id and p.event_id = s.event_id and p.id = s.participant_id
    where s.tenant_id = ${tenantId} and s.event_id = ${event.id} and s.status in ('confirmed', 'noShow') and not s.is_test_data
      and exists (select from reservation_nights n where n.tenant_id = s.tenant_id and n.event_id = s.event_id and n.reservation_id = s.id
        and n.block_id = ${block_id})
    order by s.check_in, name, s.id limit 500`.execute(db)
  return rows
}
