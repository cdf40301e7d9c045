import { describe, expect, it } from 'vitest'
import { createGroup } from '../../groups/create.ts'
import { saveDraftRequest } from '../submit.ts'
import { setUpRequestsScenario } from './requests-scenario.ts'

const { story, at, newNights, newCompany, submit, profileOf } = setUpRequestsScenario()

const newGroupId = async (selfRegistered: boolean) =>
  (
    await at((ctx) =>
      createGroup(ctx, { name: 'Choir', kind: 'other', payBy: 'members', flowSlug: 'attendee', admins: [], selfRegistered }),
    )
  ).group.id
const readKind = async (requestId: string) => (await story.call('get_block_request', { requestId })).request.kind

describe('the kind of a room request', () => {
  it.each([
    [true, 'public'],
    [false, 'private'],
  ])('sets the kind of a block request whose requester signed up without the organizer (%s) to %s', async (selfRegistered, kind) => {
    const profile = profileOf(newNights(1), [2])
    const requesters = [
      { groupId: await newGroupId(selfRegistered) },
      { companyId: await newCompany({ name: `Company ${kind}`, selfRegistered }) },
    ]
    for (const requester of requesters) expect(await readKind((await submit(requester, { profile })).id)).toBe(kind)
  })

  it('derives the kind of a room request when its draft is saved, before it is sent', async () => {
    const groupId = await newGroupId(true)
    const wishes = { profile: [], roomTypes: [], hotelPreferences: [], keepTogether: true, paymentBy: 'guest' as const }
    const requester = { groupId, name: 'Greta', email: 'greta@example.org', isTestData: false }
    expect((await at((ctx) => saveDraftRequest(ctx, requester, wishes))).kind).toBe('public')
  })
})
