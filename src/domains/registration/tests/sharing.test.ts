import { describe, expect, it } from 'vitest'
import { contextAt } from '../../../../test/support/at-event.ts'
import { sellingStory, WORKED_EXAMPLE } from '../../../../test/support/selling.ts'
import { readDraft } from '../../configuration/read.ts'
import { changeSharing, type SharingChoices } from '../change-sharing.ts'
import { getParticipant } from '../people.ts'
import { isShared, leadFieldsOf, photoOf, type Sharing } from '../../configuration/sharing.ts'

const field = (code: string, sensitive = false) => ({ code, sensitive }) as never
const settings = (...leadVisibleFields: string[]) => ({
  customFields: [field('topics'), field('diet', true)],
  exhibitorConfig: { leadVisibleFields } as never,
})

describe('what exhibitors are told', () => {
  it.each<[number, string, boolean, Sharing, boolean]>([
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
    // Beside the table: sensitive whatever was chosen, questions that are gone, and choices about another field.
    [13, 'cf:diet', true, { 'cf:diet': 'share' }, false],
    [14, 'cf:gone', true, { 'cf:gone': 'share' }, false],
    [15, 'lastName', false, {}, true],
    [16, 'email', true, { mobilePhone: 'restrict' }, true],
    [17, 'cf:topics', true, { 'cf:topics': 'restrict' }, false],
  ])('row %i: %s', (_, name, inBaseline, sharing, shared) => {
    expect(isShared(settings(...(inBaseline ? [name] : [])), sharing, name)).toBe(shared)
  })

  it('is a list of what one may decide about, without sensitive questions', () => {
    const list = leadFieldsOf(settings('email', 'cf:diet'), { email: 'restrict', bio: 'share' })
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
  ] as const)('shows of headshot %s and avatar %s, when %s is chosen, %s', (headshot, ai_avatar_file_id, avatar_choice, photo) => {
    expect(photoOf({ headshot, ai_avatar_file_id, avatar_choice })).toBe(photo)
  })
})

describe('changing it', () => {
  const story = sellingStory(WORKED_EXAMPLE)
  const change = async (id: string, choices: SharingChoices) =>
    story.world.database.transact(async (db) => {
      const ctx = await contextAt(story.world, story.event, db)
      return changeSharing(ctx, (await readDraft(ctx)).config, await getParticipant(ctx, id), choices)
    })

  it('is kept with a new revision, and not when nothing changed', async () => {
    const { participant } = await story.register()
    const first = await change(participant.id, { fields: { email: 'restrict', mobilePhone: 'share' }, visibleToParticipants: true })
    expect(first).toMatchObject({ sharing: { email: 'restrict', mobilePhone: 'share' }, visible_to_participants: true })
    expect(first.revision).toBeGreaterThan(participant.revision)
    const same = await change(participant.id, { fields: { email: 'restrict' } })
    expect(same.revision).toBe(first.revision)
    const back = await change(participant.id, { fields: { email: 'default' }, avatarChoice: 'avatar' })
    expect(back).toMatchObject({ sharing: { mobilePhone: 'share' }, avatar_choice: 'avatar', revision: first.revision + 1 })
    const seen = await story.call('get_participant', { participantId: participant.id })
    const told = { sharing: { mobilePhone: 'share' }, visibleToParticipants: true, avatarChoice: 'avatar', aiProfile: null }
    expect(seen.participant).toMatchObject(told)
  })

  it('refuses names and fields that nobody offers', async () => {
    const { participant } = await story.register()
    await expect(change(participant.id, { fields: { firstName: 'restrict' } })).rejects.toThrow(
      'firstName: is nothing to decide about here',
    )
    await expect(change(participant.id, { fields: { 'cf:nothing': 'share' } })).rejects.toThrow('cf:nothing: is nothing to decide about')
  })

  it('holds no other word, whoever writes it', async () => {
    const { participant } = await story.register()
    const write = story.world.database.pool.query(`update participants set sharing = '{"email": "maybe"}' where id = $1`, [participant.id])
    await expect(write).rejects.toThrow('participants_sharing')
  })
})
