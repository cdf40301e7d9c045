import { describe, expect, it } from 'vitest'
import { CONTACT_EMAIL_EDIT, buildFlowEdit, buildTagEdit, useDraftScenario } from '../../../../test/support/draft-scenario.ts'
import { createUploadFixtures } from '../../../../test/support/uploads.ts'

const scenario = useDraftScenario()

const upload = async (content: string, at = scenario.event) =>
  (await createUploadFixtures(scenario.world, at).file(Buffer.from(content), { name: 'guests.csv' }, { clientId: at.clientId })).id
const widgets = [
  { id: 'name', type: 'name' },
  { id: 'email', type: 'field', binding: '@participant.email', required: true },
]
const pages = [
  { code: 'you', title: 'You', widgets },
  { code: 'done', title: 'Done', widgets: [{ id: 'end', type: 'confirmation', body: '<p>Thank you</p>' }] },
]
const BOARD_FLOW = { name: 'Board', pages }
const open = async () => {
  await scenario.set([
    CONTACT_EMAIL_EDIT,
    { op: 'insert', path: '/tags/vip', value: { name: 'VIP guest' } },
    buildTagEdit('board'),
    buildFlowEdit('press', pages),
  ])
  await scenario.call('publish_event', { acceptWarnings: true })
}
const add = (args: object) => scenario.call('add_invite_list_participants', { flowSlug: 'press', ...args })
const refused = (args: object) => scenario.refused('add_invite_list_participants', { flowSlug: 'press', ...args })
const entries = async () =>
  (
    await scenario.world.database.pool.query<any>(
      'select email, first_name, last_name, company, tags from invite_list_entries where event_id = $1 order by email',
      [scenario.event.eventId],
    )
  ).rows

describe('flow that exists only in the draft', () => {
  it('requires that a flow is published before people are invited to it or registered with it', async () => {
    await open()
    await scenario.call('update_event', { testMode: false })
    await scenario.set([{ op: 'insert', path: '/flows/board', value: BOARD_FLOW }])
    const rows = [{ email: 'ida@example.org' }]
    const data = { '@participant.firstName': 'Ida', '@participant.lastName': 'Ito', '@participant.email': 'ida@example.org' }
    const unpublished = {
      code: 'precondition_failed',
      message: 'The flow board is in the draft and not published yet. Publish the draft first.',
      fix: { tool: 'publish_event' },
    }
    expect(await refused({ flowSlug: 'board', rows })).toMatchObject(unpublished)
    expect(await scenario.refused('add_participant', { flowSlug: 'board', data })).toMatchObject(unpublished)
    expect(await refused({ flowSlug: 'bord', rows })).toMatchObject({ code: 'invalid_arguments' })
    await scenario.call('publish_event', { acceptWarnings: true })
    expect(await add({ flowSlug: 'board', rows })).toMatchObject({ added: 1 })
    expect(await scenario.call('add_participant', { flowSlug: 'board', data })).toMatchObject({ status: 'new' })
  })
})

describe('review of a flow by invitation only', () => {
  it('warns that an invite-only flow has no invite list until people are invited to that flow', async () => {
    await open()
    await scenario.set([
      { op: 'set', path: '/flows/press/inviteOnly', value: true },
      { op: 'insert', path: '/flows/board', value: { ...BOARD_FLOW, inviteOnly: true } },
    ])
    await scenario.call('publish_event', { acceptWarnings: true })
    const warned = async () => {
      const { flows } = await scenario.call('review_flow', { checks: ['F36'] })
      const { issues } = await scenario.call('publish_event', { dryRun: true })
      const published = issues
        .filter(({ code }: any) => code === 'F36')
        .map(({ path }: any) => path.split('/')[2])
        .sort()
      expect(
        flows
          .filter(({ findings }: any) => findings.length > 0)
          .map(({ slug }: any) => slug)
          .sort(),
      ).toEqual(published)
      return published
    }
    expect(await warned()).toEqual(['board', 'press'])
    await add({ rows: [{ email: 'ida@example.org' }] })
    expect(await warned()).toEqual(['board'])
    await scenario.world.database.pool.query(`update invite_list_entries set status = 'removed' where event_id = $1`, [
      scenario.event.eventId,
    ])
    expect(await warned()).toEqual(['board', 'press'])
  })
})

describe('add_invite_list_participants with a file', () => {
  it('reads the columns of a German invite list, with tags by code or name, and reports wrong rows by their line', async () => {
    await open()
    const fileId = await upload(
      'Vorname;Nachname;E-Mail-Adresse;Firma;Kategorien\nIda;Ito;ida@example.org;ACME;VIP guest|board\nUwe;Uhl;kein;;\nBo;Berg;bo@example.org;;\n;;IDA@example.org;;\n',
    )
    const result = await add({ fileId, tags: ['board'] })
    expect(result).toMatchObject({ added: 2, alreadyListed: 1, alreadyRegistered: 0, invalidCount: 1, listSize: 2 })
    expect(result.invalid).toMatchObject([{ row: 3, value: 'kein' }])
    expect(await entries()).toEqual([
      { email: 'bo@example.org', first_name: 'Bo', last_name: 'Berg', company: null, tags: ['board'] },
      { email: 'ida@example.org', first_name: 'Ida', last_name: 'Ito', company: 'ACME', tags: ['board', 'vip'] },
    ])
    expect(await add({ fileId, tags: ['board'] })).toMatchObject({ added: 0, alreadyListed: 3, listSize: 2 })
  })

  it('splits full names of an invite list, and saves nothing in a dry run', async () => {
    await open()
    const fileId = await upload('Name,Email\nIda van Ito,ida@example.org\nBo Berg,bo@example.org\n')
    expect(await add({ fileId, dryRun: true })).toMatchObject({ added: 2, dryRun: true })
    expect(await entries()).toEqual([])
    await add({ fileId })
    expect(await entries()).toMatchObject([
      { first_name: 'Bo', last_name: 'Berg' },
      { first_name: 'Ida', last_name: 'van Ito' },
    ])
  })

  it('rejects rows together with a file, and files without addresses, with unknown tags, over 5,000 rows, or of another client', async () => {
    await open()
    expect(await refused({ fileId: await upload('Name,Company\nIda Ito,ACME\n') })).toMatchObject({
      message: expect.stringContaining('no column contains email addresses'),
    })
    expect(await refused({ fileId: await upload('email,tags\nida@example.org,bord\n') })).toMatchObject({
      fields: [{ path: 'tags', message: expect.stringContaining('did you mean board') }],
    })
    const many = Array.from({ length: 5001 }, (_, n) => `p${n}@example.org`).join('\n')
    expect(await refused({ fileId: await upload(`email,name\n${many.replaceAll('\n', ',\n')},\n`) })).toMatchObject({
      code: 'limit_exceeded',
    })
    const other = await scenario.world.event()
    expect(await refused({ fileId: await upload('email\nx@example.org\n', other) })).toMatchObject({ code: 'not_found' })
    const fileId = await upload('email,name\nida@example.org,Ida Ito\n')
    expect(await refused({ fileId, rows: [{ email: 'bo@example.org' }] })).toMatchObject({
      message: expect.stringContaining('rows or fileId'),
    })
    expect(await refused({})).toMatchObject({ message: expect.stringContaining('rows or fileId') })
    expect(await entries()).toEqual([])
  })
})
