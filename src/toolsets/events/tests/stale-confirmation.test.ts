import { beforeEach, describe, expect, it } from 'vitest'
import { CONTACT_EMAIL_EDIT, useDraftScenario, buildProductEdit, readStoredDraft } from '../../../../test/support/draft-scenario.ts'
import type { OrganizerHandle } from '../../../../test/support/world.ts'

const scenario = useDraftScenario()
const { set } = scenario
let bob: OrganizerHandle

beforeEach(async () => {
  bob = await scenario.world.organizer({ at: scenario.event })
})

const bobSets = (path: string, value: unknown, eventCode = scenario.event.eventCode) =>
  bob.call('config_set', { eventCode, operations: [{ op: 'set', path, valueJson: JSON.stringify(value) }] })

const stale = {
  code: 'precondition_failed',
  message: expect.stringMatching(/^What this call would do has changed since the dry run/),
}

describe('confirm token of an outdated dry run', () => {
  it('rejects the confirm token of reset_to_version after the draft was edited', async () => {
    await set([CONTACT_EMAIL_EDIT])
    await scenario.call('publish_event')
    await set([{ op: 'set', path: '/details/name', value: 'Typo' }])
    const { confirmToken } = await scenario.call('reset_to_version', { version: 1, dryRun: true })
    await bobSets('/details/name', 'An hour of work')
    expect(await scenario.refused('reset_to_version', { version: 1, confirmToken })).toMatchObject(stale)
    expect(await readStoredDraft(scenario, '/details/name')).toBe('An hour of work')
    const again = await scenario.call('reset_to_version', { version: 1, dryRun: true })
    expect((await scenario.call('reset_to_version', { version: 1, confirmToken: again.confirmToken })).changed).toEqual(['/details/name'])
  })

  it('rejects the confirm token of config_set if a value that it overwrites or removes has changed', async () => {
    await set([buildProductEdit('gala'), { op: 'set', path: '/details/summary', value: 'Old' }])
    const edits = [
      { op: 'set', path: '/details/summary', value: 'New' },
      { op: 'remove', path: '/products/gala' },
    ]
    const first = await set(edits, { dryRun: true })
    await bobSets('/details/summary', 'Better')
    expect(await scenario.setRefused(edits, { confirmToken: first.confirmToken })).toMatchObject(stale)
    const second = await set(edits, { dryRun: true })
    await bobSets('/products/gala/capacity', 40)
    expect(await scenario.setRefused(edits, { confirmToken: second.confirmToken })).toMatchObject(stale)
    const third = await set(edits, { dryRun: true })
    await bobSets('/details/capacity', 10)
    expect((await set(edits, { confirmToken: third.confirmToken })).changed).toEqual(['/details/summary', '/products/gala'])
  })

  it('rejects the confirm token of copy_event_config if a value in the target or the source event has changed', async () => {
    const source = await scenario.world.event({ status: 'draft', at: scenario.event })
    await bobSets('/theme/radius', 4, source.eventCode)
    await set([{ op: 'set', path: '/theme/radius', value: 1 }])
    const request = { fromEventCode: source.eventCode, sections: ['theme'], onConflict: 'replace' }
    const first = await scenario.call('copy_event_config', { ...request, dryRun: true })
    await bobSets('/theme/radius', 2)
    expect(await scenario.refused('copy_event_config', { ...request, confirmToken: first.confirmToken })).toMatchObject(stale)
    const second = await scenario.call('copy_event_config', { ...request, dryRun: true })
    await bobSets('/theme/radius', 6, source.eventCode)
    expect(await scenario.refused('copy_event_config', { ...request, confirmToken: second.confirmToken })).toMatchObject(stale)
    expect(await readStoredDraft(scenario, '/theme/radius')).toBe(2)
    const third = await scenario.call('copy_event_config', { ...request, dryRun: true })
    expect((await scenario.call('copy_event_config', { ...request, confirmToken: third.confirmToken })).replaced).toHaveLength(1)
  })
})
