import { describe, expect, it } from 'vitest'
import { createEventContextAt } from '../../../../test/support/at-event.ts'
import { useSalesScenario, WORKED_EXAMPLE } from '../../../../test/support/sales-scenario.ts'
import { readDraftConfiguration } from '../../configuration/read.ts'
import { updatePrivacySettings, type PrivacySettingsChange } from '../edit/change-sharing.ts'
import { getParticipant } from '../participant-rows.ts'
import { isFieldSharedWithExhibitors, listLeadFields, findParticipantPhoto, type LeadSharingChoices } from '../../configuration/sharing.ts'

const field = (code: string, sensitive = false) => ({ code, sensitive }) as never
const settings = (...leadVisibleFields: string[]) => ({
  customFields: [field('topics'), field('diet', true)],
  exhibitorConfig: { leadVisibleFields } as never,
})

describe('fields shared with exhibitors', () => {
  it.each<[number, string, boolean, LeadSharingChoices, boolean]>([
    [1, 'email', true, {}, true],
    [2, 'email', true, { email: 'restrict' }, false],
    [3, 'mobilePhone', false, {}, false],
    [4, 'mobilePhone', false, { mobilePhone: 'share' }, true],
    [5, 'jobTitle', true, { jobTitle: 'share' }, true],
    [6, 'jobTitle', true, {}, true],
    [7, 'bio', false, { bio: 'restrict' }, false],
    [8, 'firstName', false, { firstName: 'restrict' }, true],
    [9, 'headshot', true, {}, true],
    [10, 'headshot', true, { headshot: 'restrict' }, false],
    [11, 'cf:diet', false, {}, false],
    [12, 'cf:topics', false, { 'cf:topics': 'share' }, true],
    // Cases that the sharing table of the specification does not list: sensitive fields regardless of the choice, removed fields, and
    // choices about other fields.
    [13, 'cf:diet', true, { 'cf:diet': 'share' }, false],
    [14, 'cf:gone', true, { 'cf:gone': 'share' }, false],
    [15, 'lastName', false, {}, true],
    [16, 'email', true, { mobilePhone: 'restrict' }, true],
    [17, 'cf:topics', true, { 'cf:topics': 'restrict' }, false],
  ])('shares fields with exhibitors as in row %i of the sharing table of the specification: %s', (_, name, inBaseline, sharing, shared) => {
    expect(isFieldSharedWithExhibitors(settings(...(inBaseline ? [name] : [])), sharing, name)).toBe(shared)
  })

  it('lists the fields whose sharing a participant can decide, without sensitive fields', () => {
    const list = listLeadFields(settings('email', 'cf:diet'), { email: 'restrict', bio: 'share' })
    expect(list.map(({ field: name }) => name)).not.toContain('cf:diet')
    expect(list.filter(({ shared }) => shared).map(({ field: name }) => name)).toEqual(['firstName', 'lastName', 'bio'])
    const email = { field: 'email', byOrganizer: true, own: 'restrict', always: false, shared: false }
    expect(list.find((one) => one.field === 'email')).toEqual(email)
  })

  it.each([
    [null, 'avatar', 'avatar', 'avatar'],
    ['photo', 'avatar', 'avatar', 'avatar'],
    ['photo', null, 'avatar', 'photo'],
    ['photo', 'avatar', 'headshot', 'photo'],
    [null, 'avatar', 'headshot', null],
  ] as const)(
    'for the headshot %s, avatar %s and sharing choice %s, exhibitors see the picture %s',
    (headshot, ai_avatar_file_id, avatar_choice, photo) => {
      expect(findParticipantPhoto({ headshot, ai_avatar_file_id, avatar_choice })).toBe(photo)
    },
  )
})

describe('updatePrivacySettings', () => {
  const scenario = useSalesScenario(WORKED_EXAMPLE)
  const change = async (id: string, choices: PrivacySettingsChange) =>
    scenario.world.database.transact(async (db) => {
      const ctx = await createEventContextAt(scenario.world, scenario.event, db)
      return updatePrivacySettings(ctx, (await readDraftConfiguration(ctx)).config, await getParticipant(ctx, id), choices)
    })

  it("increments the participant's revision only if the call changes a sharing setting", async () => {
    const { participant } = await scenario.register()
    const first = await change(participant.id, { fields: { email: 'restrict', mobilePhone: 'share' }, visibleToParticipants: true })
    expect(first).toMatchObject({ sharing: { email: 'restrict', mobilePhone: 'share' }, visible_to_participants: true })
    expect(first.revision).toBeGreaterThan(participant.revision)
    const same = await change(participant.id, { fields: { email: 'restrict' } })
    expect(same.revision).toBe(first.revision)
    const back = await change(participant.id, { fields: { email: 'default' }, avatarChoice: 'avatar' })
    expect(back).toMatchObject({ sharing: { mobilePhone: 'share' }, avatar_choice: 'avatar', revision: first.revision + 1 })
    const seen = await scenario.call('get_participant', { participantId: participant.id })
    const privacy = { sharing: { mobilePhone: 'share' }, visibleToParticipants: true, avatarChoice: 'avatar' }
    expect(seen.participant).toMatchObject(privacy)
    expect(seen.participant.aiProfile).toBeUndefined()
  })

  it("rejects sharing settings for the participant's name and for unknown fields", async () => {
    const { participant } = await scenario.register()
    await expect(change(participant.id, { fields: { firstName: 'restrict' } })).rejects.toThrow(
      'firstName: is not a sharing setting that can be changed here',
    )
    await expect(change(participant.id, { fields: { 'cf:nothing': 'share' } })).rejects.toThrow('cf:nothing: is not a sharing setting')
  })

  it('rejects unknown sharing values by a database constraint', async () => {
    const { participant } = await scenario.register()
    const write = scenario.world.database.pool.query(`update participants set sharing = '{"email": "maybe"}' where id = $1`, [
      participant.id,
    ])
    await expect(write).rejects.toThrow('participants_sharing')
  })
})
