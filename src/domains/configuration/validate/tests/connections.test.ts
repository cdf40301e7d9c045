import { describe, expect, it } from 'vitest'
import { cleanDocument, sceneOf } from '../../review/tests/scenes.ts'
import type { Surroundings } from '../surroundings.ts'
import { issuesOf } from '../../../../../test/support/at-once.ts'

const scene = sceneOf(cleanDocument())
const beside = (gives: { tags?: string[]; fills?: string[] }): Surroundings => ({
  ...scene.around,
  connections: new Map([['ams', { status: 'ready', onFailure: 'block', ...gives }]]),
})

describe('directory connections', () => {
  it('that name a tag or field which is gone are told, with what they name', () => {
    expect(
      issuesOf(scene, beside({ tags: ['member', 'patron'], fills: ['@participant.company', '@custom.diet', '@custom.level'] })),
    ).toEqual([
      {
        level: 'warning',
        code: 'goneForDirectory',
        path: '/customFields',
        value: '@custom.level',
        message: 'the directory connection ams fills in @custom.level, which does not exist: change it with configure_directory_connection',
      },
      {
        level: 'warning',
        code: 'goneForDirectory',
        path: '/tags',
        value: 'patron',
        message: 'the directory connection ams gives the tag patron, which does not exist: change it with configure_directory_connection',
      },
    ])
  })

  it('are looked at again when they name something else, although the document is the same', () => {
    expect(issuesOf(scene, beside({ tags: ['patron'] }))).toHaveLength(1)
    expect(issuesOf(scene, beside({ tags: ['member'] }))).toEqual([])
  })
})
