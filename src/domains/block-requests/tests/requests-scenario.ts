import { expect } from 'vitest'
import { createExhibitorFixtures } from '../../../../test/support/companies.ts'
import { createHotelAt, inEventTransaction, listNightCounts, buildRoomAnswers, buildRoomSections } from '../../../../test/support/hotels.ts'
import { type SalesScenario, useSalesScenario } from '../../../../test/support/sales-scenario.ts'
import { addDays } from '../../../kernel/time.ts'
import { checkIntegrity } from '../../orders/integrity/check.ts'
import { type BlockRequester, type BlockRequestContent, submitRequest } from '../submit.ts'

export const REQUEST_RULES = { enabled: true, deadlineOn: null, amendUntil: null, acceptDays: 10 }

let made = 0

/** Sets up an event that takes room requests, and helpers for tests about them. */
export function setUpRequestsScenario(rules: object = {}) {
  const sections = buildRoomSections({ minNights: 1, maxNights: 10, requests: { ...REQUEST_RULES, ...rules } })
  const [attendee] = sections.flows
  const exhibitor = {
    ...attendee!,
    slug: 'exhibitor',
    name: 'Exhibitors',
    kind: 'exhibitor',
    pages: [attendee!.pages[0]!, attendee!.pages.at(-1)!],
  }
  const story = useSalesScenario({ ...sections, flows: [...sections.flows, exhibitor] }) as SalesScenario
  const at = <T>(run: Parameters<typeof inEventTransaction<T>>[2]) => inEventTransaction(story.world, story.event, run)

  /** Returns consecutive nights that no other test of the event uses. */
  const newNights = (many: number) => {
    const first = addDays('2026-06-01', 12 * ++made)
    return Array.from({ length: many }, (_, index) => addDays(first, index))
  }
  const newHotel = (nights: readonly string[], free: readonly number[], more: object = {}) =>
    createHotelAt(story.world, story.event, {
      code: `hotel-${++made}`,
      contract: { cutoffOn: '2026-05-30' },
      roomTypes: [
        {
          code: 'king',
          name: 'King room',
          beds: ['king'],
          maxOccupancy: 2,
          nights: nights.map((night, index) => ({ from: night, until: addDays(night, 1), rooms: free[index]!, single: 18900 })),
        },
      ],
      ...more,
    })
  const newCompany = async (more: object = {}) => (await createExhibitorFixtures(story.world, story.event).company(more)).id
  const newGroup = async (): Promise<{ id: string; code: string }> => {
    const code = `group-${++made}`
    const { group } = await story.call('create_managed_group', {
      name: `Group ${made}`,
      code,
      kind: 'other',
      payBy: 'members',
      flowSlug: 'attendee',
      admins: [{ email: `${code}@example.org`, name: 'Greta' }],
    })
    return { id: group.id, code }
  }
  const submit = (who: { groupId: string } | { companyId: string }, wishes: Partial<BlockRequestContent>, email = 'greta@example.org') =>
    at((ctx) =>
      submitRequest(ctx, { ...who, name: 'Greta Sommer', email, isTestData: false } as BlockRequester, {
        profile: [],
        roomTypes: [],
        hotelPreferences: [],
        keepTogether: true,
        paymentBy: 'guest',
        ...wishes,
      }),
    )
  const profileOf = (nights: readonly string[], rooms: readonly number[]) =>
    nights.map((night, index) => ({ night, rooms: rooms[index] ?? rooms.at(-1)! }))
  /** Creates a group with an allocated request for the same rooms on every night. */
  const createAllocatedRequest = async (nights: readonly string[], rooms: number, free = rooms) => {
    const hotelId = await newHotel(
      nights,
      nights.map(() => free),
    )
    const group = await newGroup()
    const { id: requestId } = await submit({ groupId: group.id }, { profile: profileOf(nights, [rooms]) })
    await story.call('allocate_block_request_rooms', { requestId, allocations: [{ hotelId, roomTypeCode: 'king', nights, rooms }] })
    return { hotelId, group, requestId }
  }
  const counts = (hotelId: string) => listNightCounts(story.world, hotelId)
  /** Books rooms for members of a group, which come from the group's block. */
  const bookAsMember = async (groupCode: string, hotelId: string, nights: readonly string[]) =>
    story.register({ pass: 1 }, { data: buildRoomAnswers(hotelId, nights[0]!, addDays(nights.at(-1)!, 1)), groupCode })
  /** Books a room for a person of a company. */
  const bookAsStaff = async (companyId: string, hotelId: string, nights: readonly string[]) => {
    const { participant } = await story.register({ pass: 1 })
    await story.world.database.pool.query('update participants set company_id = $1 where id = $2', [companyId, participant.id])
    return story.call('edit_participant', {
      participantId: participant.id,
      data: buildRoomAnswers(hotelId, nights[0]!, addDays(nights.at(-1)!, 1)),
    })
  }
  const mails = async (to: string) => {
    const { rows } = await story.world.database.pool.query<{ code: string; subject: string; text_body: string }>(
      'select email_code as code, subject, text_body from messages where to_address = $1 order by id',
      [to],
    )
    return rows
  }
  const sound = async () => {
    const found = await checkIntegrity(story.world.database.read, story.event.tenantId, story.event.eventId)
    expect(found.filter(({ ok }) => !ok)).toEqual([])
  }
  return {
    story,
    at,
    newNights,
    newHotel,
    newCompany,
    newGroup,
    submit,
    createAllocatedRequest,
    profileOf,
    counts,
    bookAsMember,
    bookAsStaff,
    mails,
    sound,
  }
}
