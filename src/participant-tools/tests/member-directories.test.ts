import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DirectoryScenario, openDirectoryScenario } from '../../../test/support/directory-scenario.ts'
import { createPersonAt } from '../../../test/support/participants.ts'

let stage: DirectoryScenario
beforeAll(async () => {
  stage = await openDirectoryScenario()
})
afterAll(() => stage.end())

const pages = [
  {
    code: 'you',
    title: 'You',
    widgets: [
      { id: 'name', type: 'name' },
      { id: 'email', type: 'field', binding: '@participant.email', required: true },
      { id: 'company', type: 'field', binding: '@participant.company' },
    ],
  },
  { code: 'done', title: 'Done', widgets: [{ id: 'end', type: 'confirmation', body: '<p>Thank you</p>' }] },
]
const submit = async (email: string, data: object, more: object = {}) => {
  const person = await createPersonAt(stage.world, stage.event, { email, registrations: 0 })
  return person.answer('agent_submit_registration', { data, ...more })
}
const rowOf = async (email: string) =>
  (await stage.world.database.pool.query<any>('select * from participants where email_norm = $1', [email])).rows[0]

describe('flow that is only open to members in a directory', () => {
  it('opens a flow to members found by their verified email address, and fills in answers from the directory', async () => {
    const tags = [{ code: 'member', name: 'Member' }]
    await stage.configure({ tags })
    const connection = await stage.connectAndTest()
    await stage.call('configure_directory_connection', {
      connection,
      bindings: [
        { from: '$.LastName', to: '@participant.lastName', mode: 'overwrite' },
        { from: '$.MembershipLevel.Name', to: '@participant.company', mode: 'prefill' },
      ],
      tagRules: [{ when: { from: '$.Status', op: 'equals', value: 'Active' }, tag: 'member' }],
    })
    const members = { slug: 'members', name: 'Members', directory: connection, visibleForTags: { type: 'all', required: ['member'] } }
    const open = { opensAt: null, pages }
    await stage.configure(
      {
        tags,
        flows: [
          { ...members, ...open },
          { slug: 'public', name: 'Public', ...open },
        ],
      },
      true,
    )
    await stage.call('update_event', { testMode: false })

    const names = { '@participant.firstName': 'Ada', '@participant.lastName': 'Byron' }
    const ada = (await submit('ada@example.org', names)).structuredContent
    expect(ada).toMatchObject({ status: 'new', flowSlug: 'members' })
    expect(await rowOf('ada@example.org')).toMatchObject({
      last_name: 'Lovelace',
      company: 'Gold',
      directory_tags: ['member'],
      tags: ['member'],
      answers: { [`@directory.${connection}`]: 'found' },
    })
    // The name from the directory identifies the same person.
    expect((await submit('ada@example.org', names)).structuredContent).toMatchObject({ status: 'existing_incomplete', flowSlug: 'members' })

    // Lapsed members and non-members get the next flow only.
    expect((await submit('ben@example.org', names)).structuredContent).toMatchObject({ status: 'new', flowSlug: 'public' })
    expect((await submit('absent@example.org', names)).structuredContent).toMatchObject({ status: 'new', flowSlug: 'public' })
    const refused = await submit('someone@example.org', names, { flowSlug: 'members' })
    expect(refused.content[0]!.text).toContain('Flow members is not open to this person')
    expect((await submit('someone@example.org', names, { flowSlug: 'public' })).structuredContent).toMatchObject({ flowSlug: 'public' })
  })

  it('lets people register while the directory is unavailable', async () => {
    stage.directory.answer = (_request, response) => void response.writeHead(503).end()
    const names = { '@participant.firstName': 'Cleo', '@participant.lastName': 'Late' }
    expect((await submit('cleo@example.org', names)).structuredContent).toMatchObject({ status: 'new', flowSlug: 'public' })
    stage.directory.answer = null
  })
})
