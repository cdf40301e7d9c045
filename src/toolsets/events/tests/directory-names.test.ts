import { afterAll, beforeAll, expect, it } from 'vitest'
import { type DirectoryScenario, openDirectoryScenario } from '../../../../test/support/directory-scenario.ts'

let stage: DirectoryScenario
beforeAll(async () => {
  stage = await openDirectoryScenario()
})
afterAll(() => stage.end())

it('lists directory connections that still use the old name of a renamed tag or field', async () => {
  const set = (...operations: object[]) => stage.call('config_set', { operations })
  await set(
    { op: 'insert', path: '/tags/gold', valueJson: '{"name":"Gold"}' },
    { op: 'insert', path: '/customFields/level', valueJson: '{"name":"Level","responseType":"text"}' },
  )
  const connection = await stage.connectAndTest()
  await stage.call('configure_directory_connection', {
    connection,
    tagRules: [{ when: { from: '$.Status', op: 'equals', value: 'Active' }, tag: 'gold' }],
    bindings: [{ from: '$.MembershipLevel.Name', to: '@custom.level' }],
  })
  const { introduced } = await set(
    { op: 'rename', path: '/tags/gold', to: 'patron' },
    { op: 'rename', path: '/customFields/level', to: 'grade' },
  )
  expect(introduced).toMatchObject([
    {
      level: 'warning',
      code: 'goneForDirectory',
      path: '/customFields',
      value: '@custom.level',
      message: expect.stringContaining(connection),
    },
    { level: 'warning', code: 'goneForDirectory', path: '/tags', value: 'gold' },
  ])
})
