import { beforeEach, describe, expect, it } from 'vitest'
import { CONTACT, draftStory, product, storedAt } from '../../../../test/support/draft-story.ts'
import type { OrganizerHandle } from '../../../../test/support/world.ts'

const story = draftStory()
const { set } = story
let bob: OrganizerHandle

beforeEach(async () => {
  bob = await story.world.organizer({ at: story.event })
})

const bobSets = (path: string, value: unknown, eventCode = story.event.eventCode) =>
  bob.call('config_set', { eventCode, operations: [{ op: 'set', path, valueJson: JSON.stringify(value) }] })

const stale = {
  code: 'precondition_failed',
  message: expect.stringMatching(/^What this call would do has changed since the dry run/),
}

describe('confirmToken', () => {
  it('of reset_to_version does not cover edits after the dry run', async () => {
    await set([CONTACT])
    await story.call('publish_event')
    await set([{ op: 'set', path: '/details/name', value: 'Typo' }])
    const { confirmToken } = await story.call('reset_to_version', { version: 1, dryRun: true })
    await bobSets('/details/name', 'An hour of work')
    expect(await story.refused('reset_to_version', { version: 1, confirmToken })).toMatchObject(stale)
    expect(await storedAt(story, '/details/name')).toBe('An hour of work')
    const again = await story.call('reset_to_version', { version: 1, dryRun: true })
    expect((await story.call('reset_to_version', { version: 1, confirmToken: again.confirmToken })).changed).toEqual(['/details/name'])
  })

  it('of config_set does not cover a changed value at the path that it overwrites or removes', async () => {
    await set([product('gala'), { op: 'set', path: '/details/summary', value: 'Old' }])
    const edits = [
      { op: 'set', path: '/details/summary', value: 'New' },
      { op: 'remove', path: '/products/gala' },
    ]
    const first = await set(edits, { dryRun: true })
    await bobSets('/details/summary', 'Better')
    expect(await story.setRefused(edits, { confirmToken: first.confirmToken })).toMatchObject(stale)
    const second = await set(edits, { dryRun: true })
    await bobSets('/products/gala/capacity', 40)
    expect(await story.setRefused(edits, { confirmToken: second.confirmToken })).toMatchObject(stale)
    const third = await set(edits, { dryRun: true })
    await bobSets('/details/capacity', 10)
    expect((await set(edits, { confirmToken: third.confirmToken })).changed).toEqual(['/details/summary', '/products/gala'])
  })

  it('of copy_event_config covers neither a changed target value nor a changed source value', async () => {
    const source = await story.world.event({ status: 'draft', at: story.event })
    await bobSets('/theme/radius', 4, source.eventCode)
    await set([{ op: 'set', path: '/theme/radius', value: 1 }])
    const request = { fromEventCode: source.eventCode, sections: ['theme'], onConflict: 'replace' }
    const first = await story.call('copy_event_config', { ...request, dryRun: true })
    await bobSets('/theme/radius', 2)
    expect(await story.refused('copy_event_config', { ...request, confirmToken: first.confirmToken })).toMatchObject(stale)
    const second = await story.call('copy_event_config', { ...request, dryRun: true })
    await bobSets('/theme/radius', 6, source.eventCode)
    expect(await story.refused('copy_event_config', { ...request, confirmToken: second.confirmToken })).toMatchObject(stale)
    expect(await storedAt(story, '/theme/radius')).toBe(2)
    const third = await story.call('copy_event_config', { ...request, dryRun: true })
    expect((await story.call('copy_event_config', { ...request, confirmToken: third.confirmToken })).replaced).toHaveLength(1)
  })
})
