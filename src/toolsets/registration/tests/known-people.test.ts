import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DirectoryScenario, openDirectoryScenario } from '../../../../test/support/directory-scenario.ts'
import { createPersonAt } from '../../../../test/support/participants.ts'

let stage: DirectoryScenario
let connection: string

const page = (widgets: object[]) => [
  {
    code: 'you',
    title: 'You',
    widgets: [
      { id: 'name', type: 'name' },
      { id: 'email', type: 'field', binding: '@participant.email', required: true },
      { id: 'company', type: 'field', binding: '@participant.company' },
      ...widgets,
    ],
  },
  { code: 'done', title: 'Done', widgets: [{ id: 'end', type: 'confirmation', body: '<p>Thank you</p>' }] },
]

/** Members of the directory may register in one flow, people on the invite list in the other. */
beforeAll(async () => {
  stage = await openDirectoryScenario()
  const tags = ['member', 'vip'].map((code) => ({ code, name: code }))
  await stage.configure({ tags })
  connection = await stage.connectAndTest()
  await stage.call('configure_directory_connection', {
    connection,
    bindings: [{ from: '$.MembershipLevel.Name', to: '@participant.company', mode: 'prefill' }],
    tagRules: [{ when: { from: '$.Status', op: 'equals', value: 'Active' }, tag: 'member' }],
  })
  const members = { slug: 'members', name: 'Members', directory: connection, visibleForTags: { type: 'all', required: ['member'] } }
  const press = { slug: 'press', name: 'Press', inviteOnly: true, pages: page([{ id: 'code', type: 'inviteCode' }]) }
  const open = { opensAt: null, pages: page([]) }
  await stage.configure(
    {
      tags,
      flows: [
        { ...open, ...members },
        { ...open, ...press },
        { ...open, slug: 'public', name: 'Public' },
      ],
    },
    true,
  )
  await stage.call('update_event', { testMode: false })
})
afterAll(() => stage.end())

let made = 0
const person = (email = `person-${++made}@example.org`, more: object = {}) => ({
  '@participant.firstName': 'Ada',
  '@participant.lastName': `Nr ${++made}`,
  '@participant.email': email,
  ...more,
})
const rows = async (text: string, values: unknown[]) => (await stage.world.database.pool.query<any>(text, values)).rows
const rowOf = async (id: string) => (await rows('select * from participants where id = $1', [id]))[0]
const add = (flowSlug: string, data: object, more: object = {}) => stage.call('add_participant', { flowSlug, data, ...more })
const addRefused = (flowSlug: string, data: object, more: object = {}) => stage.refused('add_participant', { flowSlug, data, ...more })

describe('directory lookup of a person whom someone else registers', () => {
  it('gives a participant added by an organizer the tags and answers of the directory record', async () => {
    const { participant } = await add('members', person('ada@example.org'))
    expect(await rowOf(participant.id)).toMatchObject({
      status: 'complete',
      company: 'Gold',
      directory_tags: ['member'],
      tags: ['member'],
      answers: { [`@directory.${connection}`]: 'found' },
    })
    const begun = await add('members', person('ada@example.org', { '@participant.company': 'Own' }), { status: 'incomplete' })
    expect(await rowOf(begun.participant.id)).toMatchObject({ company: 'Own', directory_tags: ['member'] })
    expect(await addRefused('members', person('ben@example.org'))).toMatchObject({ code: 'precondition_failed' })
    expect((await rowOf((await add('public', person('ada@example.org'))).participant.id)).directory_tags).toEqual([])
  })

  it('gives new group members the tags of the directory, whose data organizers see but group managers do not', async () => {
    await stage.call('create_managed_group', {
      code: 'crew',
      name: 'Crew',
      kind: 'company',
      payBy: 'members',
      flowSlug: 'members',
      admins: [{ email: 'lead@acme.example', name: 'Lea Lead' }],
    })
    const members = [{ data: person('ada@example.org') }]
    expect(await stage.call('update_managed_group_members', { groupCode: 'crew', add: members })).toMatchObject({ created: 1 })
    const lead = await createPersonAt(stage.world, stage.event, { email: 'lead@acme.example', registrations: 0 })
    const imported = await lead.call('import_group_members', { members: [{ data: person('ada@example.org') }] })
    expect(imported).toMatchObject({ status: 'imported', results: [{ registration: 'complete' }] })
    expect(await rows(`select company, directory_tags, tags from participants where group_id is not null order by id`, [])).toEqual([
      { company: 'Gold', directory_tags: ['member'], tags: ['member'] },
      { company: null, directory_tags: ['member'], tags: ['member'] },
    ])
    const lapsed = await lead.call('import_group_members', { members: [{ data: person('ben@example.org') }] })
    expect(lapsed).toMatchObject({ status: 'validation_failed' })
  })

  it('registers people without directory tags while the directory fails, if the connection is configured so', async () => {
    stage.directory.answer = (_request, response) => void response.writeHead(503).end()
    try {
      const refusal = await addRefused('members', person('twin@example.org'))
      expect(refusal).toMatchObject({ message: expect.stringContaining('not available to people with these tags') })
    } finally {
      stage.directory.answer = null
    }
  })
})

describe('invitation of a person whom someone else registers', () => {
  const invite = async (flowSlug: string, tags: string[] = ['vip']) => {
    const email = `invited-${++made}@example.org`
    await stage.call('add_invite_list_participants', { flowSlug, rows: [{ email, tags }] })
    return email
  }
  const codeOf = async (email: string) => {
    const code = `code of ${email}`
    await rows('update invite_list_entries set token_hash = $2 where email = $1', [email, createHash('sha256').update(code).digest()])
    return code
  }
  const entryOf = async (email: string) =>
    (await rows('select status, participant_id as "participantId" from invite_list_entries where email = $1', [email]))[0]

  it('accepts a listed email address instead of the invitation code, adds the tags of the invitation, and uses it up', async () => {
    const email = await invite('press')
    const { participant } = await add('press', person(email.toUpperCase()), { tags: ['member'] })
    expect(await rowOf(participant.id)).toMatchObject({
      status: 'complete',
      manual_tags: ['member', 'vip'],
      answers: { '@invite.code': 'listed' },
    })
    expect(await entryOf(email)).toEqual({ status: 'registered', participantId: participant.id })
    // The invitation was for one person of the mailbox.
    expect(await addRefused('press', person(email))).toMatchObject({ fields: [{ path: '@invite.code' }] })
  })

  it('adds the tags of the invite list in a flow that is open to everyone, also for new group members', async () => {
    const email = await invite('public')
    const { participant } = await add('public', person(email), { status: 'incomplete' })
    expect(await rowOf(participant.id)).toMatchObject({ status: 'incomplete', manual_tags: ['vip'], tags: ['vip'] })
    expect(await entryOf(email)).toEqual({ status: 'opened', participantId: participant.id })
    await stage.call('create_managed_group', { code: 'press-crew', name: 'Press crew', kind: 'other', payBy: 'group', flowSlug: 'press' })
    const listed = await invite('press')
    const members = [{ data: person(listed) }]
    expect(await stage.call('update_managed_group_members', { groupCode: 'press-crew', add: members })).toMatchObject({ created: 1 })
    expect(await entryOf(listed)).toMatchObject({ status: 'registered' })
  })

  it('rejects an invitation code that belongs to no open invitation to the flow, also with skipRequired', async () => {
    const [own, other, ended] = [await invite('press'), await invite('public'), await invite('press')]
    const refused = async (code: string, more: object = {}) =>
      (await addRefused('press', person(undefined, { '@invite.code': code }), more)).fields
    expect(await refused('anything', { skipRequired: true })).toMatchObject([
      { path: '@invite.code', message: 'there is no invitation with this code' },
    ])
    expect(await refused('listed')).toMatchObject([{ path: '@invite.code' }])
    expect(await refused(await codeOf(other))).toMatchObject([{ message: 'this code is an invitation to another form' }])
    const endedCode = await codeOf(ended)
    await rows(`update invite_list_entries set status = 'removed' where email = $1`, [ended])
    expect(await refused(endedCode)).toMatchObject([{ message: 'this invitation was withdrawn' }])
    const code = await codeOf(own)
    const { participant } = await add('press', person(undefined, { '@invite.code': code }))
    expect(await rowOf(participant.id)).toMatchObject({ manual_tags: ['vip'], answers: { '@invite.code': 'listed' } })
    expect(await refused(code)).toMatchObject([{ message: 'another person has registered with this invitation' }])
  })

  it('checks an invitation code in an edit as in a new registration, and needs no code for a listed address', async () => {
    const [own, listed] = [await invite('press'), await invite('press')]
    const edit = (participantId: string, fields: object) => stage.call('edit_participant', { participantId, ...fields })
    const begun = async (email?: string) =>
      (await add('press', { ...person(email), '@participant.email': email ?? `plain-${++made}@example.org` }, { status: 'incomplete' }))
        .participant.id as string
    const [first, second] = [await begun(), await begun()]
    const editRefused = (participantId: string, data: object) =>
      stage.refused('edit_participant', { participantId, data, status: 'complete' })
    for (const code of ['anything', 'listed'])
      expect((await editRefused(first, { '@invite.code': code })).fields).toMatchObject([
        { path: '@invite.code', message: 'there is no invitation with this code' },
      ])
    const code = await codeOf(own)
    await edit(first, { data: { '@invite.code': code }, status: 'complete' })
    expect(await rowOf(first)).toMatchObject({
      status: 'complete',
      manual_tags: ['vip'],
      tags: ['vip'],
      answers: { '@invite.code': 'listed' },
    })
    expect(await entryOf(own)).toEqual({ status: 'registered', participantId: first })
    // The same code again changes nothing, and another person cannot use it.
    await edit(first, { data: { '@invite.code': code } })
    expect((await editRefused(second, { '@invite.code': code })).fields).toMatchObject([
      { message: 'another person has registered with this invitation' },
    ])
    await edit(second, { data: { '@participant.email': listed }, status: 'complete' })
    expect(await entryOf(listed)).toEqual({ status: 'registered', participantId: second })
  })

  it('accepts an invitation code once when two organizers use it concurrently', async () => {
    const code = await codeOf(await invite('press'))
    const both = await Promise.allSettled([1, 2].map(() => add('press', person(undefined, { '@invite.code': code }))))
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  it('does not use up an invitation in a dry run', async () => {
    const email = await invite('press')
    const data = person(email)
    expect(await add('press', data, { dryRun: true })).toMatchObject({ status: 'new', dryRun: true })
    expect(await entryOf(email)).toEqual({ status: 'invited', participantId: null })
  })

  it('accepts a listed email address instead of the invitation code when the person registers through an assistant', async () => {
    const email = await invite('press')
    const self = await createPersonAt(stage.world, stage.event, { email, registrations: 0 })
    const data = { '@participant.firstName': 'Ida', '@participant.lastName': 'Invited' }
    const { participantId, status } = await self.call('agent_submit_registration', { flowSlug: 'press', data })
    expect(status).toBe('new')
    expect(await rowOf(participantId)).toMatchObject({ manual_tags: ['vip'], tags: ['vip'], answers: { '@invite.code': 'listed' } })
    expect(await entryOf(email)).toEqual({ status: 'opened', participantId })
    // A second person of the mailbox does not take the invitation from the first.
    const other = { ...data, '@participant.firstName': 'Otto' }
    const second = await self.call('agent_submit_registration', { flowSlug: 'press', data: other })
    expect(await entryOf(email)).toEqual({ status: 'opened', participantId })
    expect((await rowOf(second.participantId)).answers).not.toHaveProperty('@invite.code')
  })
})
