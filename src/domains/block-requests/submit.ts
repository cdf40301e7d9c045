import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { isCalendarDay } from '../../kernel/time.ts'
import type { ExhibitorContext } from '../exhibitors/context.ts'
import { lockCompanies } from '../exhibitors/booths/lock.ts'
import { lockGroup } from '../groups/groups.ts'
import { takeNextRecordNumber } from '../orders/numbers.ts'
import { sendBlockRequestEmail } from './request-emails.ts'
import type { RoomsPerNight } from './plan-allocation.ts'
import { readBlockRequestSettings } from './requests.ts'
import type { BlockRequestRow } from './tables.ts'
import { changeRecordState } from '../../kernel/states.ts'
import { BLOCK_REQUEST_STATES } from './states.ts'

/** The group or company that a request is for, and the signed-in person who makes it. */
export type BlockRequester = ({ groupId: string } | { companyId: string }) & { name: string; email: string; isTestData: boolean }

/** The content of a block request: the rooms per night, preferred hotels and room types, and the payer. */
export interface BlockRequestContent {
  profile: readonly RoomsPerNight[]
  roomTypes: readonly string[]
  hotelPreferences: readonly string[]
  keepTogether: boolean
  paymentBy: 'guest' | 'master'
  note?: string | null | undefined
}

export const MAX_REQUESTED_NIGHTS = 60
export const MAX_REQUESTED_ROOMS = 500
export const MAX_HOTEL_PREFERENCES = 5

const OPEN_STATES = ['submitted', 'partiallyAllocated', 'allocated', 'accepted'] as const

/** Returns the reason why no request can be submitted now; null if there is none. */
export async function findSubmissionObstacle(ctx: ExhibitorContext): Promise<'off' | 'late' | null> {
  const { config, rules, today } = await readBlockRequestSettings(ctx)
  if (!config.housing.enabled || rules === null || !rules.enabled) return 'off'
  return rules.deadlineOn !== null && today > rules.deadlineOn ? 'late' : null
}

/** Finds the draft of a room request of a group or company. All admins of the group or company share one draft. */
export const findDraftRequest = async (
  ctx: ExhibitorContext,
  owner: { groupId: string } | { companyId: string },
): Promise<BlockRequestRow | null> => (await listRequestsOfRequester(ctx, owner)).find(({ status }) => status === 'draft') ?? null

/** Stores the draft of a room request, or replaces the requester's draft. A draft may have no rooms yet. */
export async function saveDraftRequest(
  ctx: ExhibitorContext,
  requester: BlockRequester,
  wishes: BlockRequestContent,
): Promise<BlockRequestRow> {
  const kind = toKind(await lockRequester(ctx, requester))
  const draft = await storeDraft(ctx, requester, { ...(await checkWishes(ctx, wishes)), kind })
  recordChange(ctx, { kind: 'blockRequest', id: draft.id, after: { status: 'draft', profile: draft.profile } })
  return draft
}

/** Locks the group or company, so that two admins who save or submit concurrently do not create two drafts or requests. */
const lockRequester = async (ctx: ExhibitorContext, requester: BlockRequester) =>
  'groupId' in requester ? lockGroup(ctx, requester.groupId) : (await lockCompanies(ctx, [requester.companyId])).get(requester.companyId)!

/** Returns the kind of a request: public if the group or company signed up on the event's pages, private if an organizer added it. */
const toKind = ({ self_registered }: { self_registered: boolean }): BlockRequestRow['kind'] => (self_registered ? 'public' : 'private')

type StoredWishes = BlockRequestContent & Pick<BlockRequestRow, 'kind'>

async function storeDraft(ctx: ExhibitorContext, requester: BlockRequester, { kind, ...wishes }: StoredWishes): Promise<BlockRequestRow> {
  const columns = { ...toWishColumns(wishes), kind, requester_name: requester.name, requester_email: requester.email }
  const draft = await findDraftRequest(ctx, requester)
  if (draft) {
    return eventDb(ctx).updateTable('block_requests').set(columns).where('id', '=', draft.id).returningAll().executeTakeFirstOrThrow()
  }
  return ctx.db
    .insertInto('block_requests')
    .values({ ...columns, tenant_id: ctx.tenantId, event_id: ctx.event.id, id: newId(), ...toOwner(requester) })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Submits a request for the requester's group or company, and sends a confirmation email. */
export async function submitRequest(
  ctx: ExhibitorContext,
  requester: BlockRequester,
  wishes: BlockRequestContent,
): Promise<BlockRequestRow> {
  const obstacle = await findSubmissionObstacle(ctx)
  if (obstacle === 'off') throw preconditionFailed('This event takes no room requests')
  if (obstacle === 'late') throw preconditionFailed('The time for room requests has ended')
  const kind = toKind(await lockRequester(ctx, requester))
  const open = (await listRequestsOfRequester(ctx, requester)).find(({ status }) => OPEN_STATES.some((one) => one === status))
  if (open) throw preconditionFailed(`There is already the open request ${open.number}. Ask for a change of that request`)
  const checked = await checkWishes(ctx, wishes)
  if (checked.profile.length === 0) throw invalidArguments([{ path: 'profile', message: 'at least 1 room on 1 night' }])
  const draft = await storeDraft(ctx, requester, { ...checked, kind })
  const number = await takeNextRecordNumber(ctx, 'BR', requester.isTestData ? 'test' : 'real')
  const row = await changeRecordState(ctx, BLOCK_REQUEST_STATES, draft, 'submitted', {
    columns: { number, submitted_at: sql`lanyard_now()` },
    audited: { number, profile: wishes.profile },
  })
  return sendBlockRequestEmail(ctx, row, { trigger: 'block.received' })
}

/** Submits the stored draft without changes. */
export async function submitDraft(ctx: ExhibitorContext, requester: BlockRequester): Promise<BlockRequestRow> {
  await lockRequester(ctx, requester)
  const draft = await findDraftRequest(ctx, requester)
  if (!draft) throw preconditionFailed('There is no draft of a room request')
  const wishes = toBlockRequestContent(draft)
  // A preferred hotel may have been removed since the draft was saved, so unknown hotels are left out.
  const known = await listHotelIds(ctx)
  return submitRequest(ctx, requester, { ...wishes, hotelPreferences: wishes.hotelPreferences.filter((id) => known.includes(id)) })
}

const listHotelIds = async (ctx: ExhibitorContext): Promise<string[]> =>
  (await eventDb(ctx).selectFrom('event_hotels').select('id').where('retired', '=', false).execute()).map(({ id }) => id)

/** Converts a stored room request to its content, as the requester entered it. */
export const toBlockRequestContent = (row: BlockRequestRow): BlockRequestContent => ({
  profile: row.profile,
  roomTypes: row.room_types,
  hotelPreferences: row.hotel_preferences,
  keepTogether: row.keep_together,
  paymentBy: row.payment_by,
  note: row.note,
})

const toOwner = (requester: BlockRequester) => ({
  group_id: 'groupId' in requester ? requester.groupId : null,
  company_id: 'companyId' in requester ? requester.companyId : null,
  is_test_data: requester.isTestData,
})

/** Lists the requests of a group or company, the latest first. */
export const listRequestsOfRequester = (
  ctx: ExhibitorContext,
  requester: { groupId: string } | { companyId: string },
): Promise<BlockRequestRow[]> =>
  eventDb(ctx)
    .selectFrom('block_requests')
    .selectAll()
    .where('groupId' in requester ? 'group_id' : 'company_id', '=', 'groupId' in requester ? requester.groupId : requester.companyId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()

const toWishColumns = ({ profile, roomTypes, hotelPreferences, keepTogether, paymentBy, note }: BlockRequestContent) => ({
  profile: JSON.stringify(profile),
  room_types: [...roomTypes],
  hotel_preferences: [...hotelPreferences],
  keep_together: keepTogether,
  payment_by: paymentBy,
  note: note ?? null,
})

/** Validates the content of a block request and removes nights without rooms. */
async function checkWishes(ctx: ExhibitorContext, wishes: BlockRequestContent): Promise<BlockRequestContent> {
  const profile = wishes.profile.filter(({ rooms }) => rooms !== 0).toSorted((a, b) => (a.night < b.night ? -1 : 1))
  if (profile.length > MAX_REQUESTED_NIGHTS)
    throw invalidArguments([{ path: 'profile', message: `at most ${MAX_REQUESTED_NIGHTS} nights` }])
  const wrong = profile.find(
    ({ night, rooms }) => !isCalendarDay(night) || !Number.isInteger(rooms) || rooms < 1 || rooms > MAX_REQUESTED_ROOMS,
  )
  if (wrong) throw invalidArguments([{ path: 'profile', message: `${wrong.night}: 1 to ${MAX_REQUESTED_ROOMS} rooms` }])
  if (new Set(profile.map(({ night }) => night)).size < profile.length)
    throw invalidArguments([{ path: 'profile', message: 'each night once' }])
  const preferences = [...new Set(wishes.hotelPreferences)]
  if (preferences.length > MAX_HOTEL_PREFERENCES)
    throw invalidArguments([{ path: 'hotelPreferences', message: `at most ${MAX_HOTEL_PREFERENCES} hotels` }])
  const known = await listHotelIds(ctx)
  if (preferences.some((id) => !known.includes(id)))
    throw invalidArguments([{ path: 'hotelPreferences', message: 'is not a hotel of this event' }])
  return { ...wishes, profile, hotelPreferences: preferences, roomTypes: [...new Set(wishes.roomTypes)] }
}
