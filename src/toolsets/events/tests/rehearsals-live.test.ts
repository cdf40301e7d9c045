import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { rehearseFlowJob } from '../../../domains/rehearsals/rehearse.ts'
import type { Job } from '../../../kernel/jobs.ts'
import { createJobRunner } from '../../../surfaces/worker/run-jobs.ts'
import { type DirectoryScenario, openDirectoryScenario } from '../../../../test/support/directory-scenario.ts'
import { sendJson } from '../../../../test/support/internet.ts'

let stage: DirectoryScenario
let crm: string

const RULES = [{ when: { from: '$.Status', op: 'equals', value: 'Active' }, tag: 'member' }]
const SECTIONS = (connection: string) => ({
  details: { contactEmail: 'team@example.org' },
  tags: [
    { code: 'member', name: 'Member' },
    { code: 'directory-unverified', name: 'Not looked up' },
  ],
  products: [
    { code: 'adm', name: 'Admission', category: 'admission', prices: [{ amount: '450.00' }, { amount: '300.00', tags: ['member'] }] },
  ],
  flows: [
    {
      slug: 'attendee',
      name: 'Attendee',
      pages: [
        {
          code: 'you',
          title: 'You',
          widgets: [
            { id: 'email', type: 'field', binding: '@participant.email', required: true },
            { id: 'lookup', type: 'membershipLookup', connection, inputs: ['email'] },
            { id: 'name', type: 'name' },
          ],
        },
        {
          code: 'tickets',
          title: 'Tickets',
          widgets: [
            { id: 'adm', type: 'products', products: ['adm'], selection: 'single', min: 1 },
            { id: 'pay', type: 'payment', methods: ['bank'] },
          ],
        },
        { code: 'done', title: 'Done', widgets: [{ id: 'end', type: 'confirmation', body: '<p>Thank you</p>' }] },
      ],
    },
  ],
})

beforeAll(async () => {
  stage = await openDirectoryScenario()
  crm = await stage.connect()
  await stage.call('configure_event', { sections: SECTIONS(crm) })
  await stage.call('configure_directory_connection', { connection: crm, tagRules: RULES, onFailure: 'allow' })
  await stage.call('test_directory_connection', { connection: crm, inputs: { email: 'ada@example.org' }, expect: 'found' })
})
afterAll(() => stage.end())
afterEach(() => {
  stage.directory.answer = null
})

async function rehearse(withDirectory: 'live' | 'stub') {
  const { jobId, rehearsalId } = await stage.call('rehearse_flow', { flowSlug: 'attendee', withDirectory, negative: false })
  await createJobRunner(stage.world.services)(rehearseFlowJob as Job, { tenantId: stage.event.tenantId, jobId })
  const report = await stage.call('get_flow_rehearsal', { rehearsalId, people: 'all' })
  const people = report.people.map(({ answers, outcome, total }: any) => [answers['@lookup.lookup'], outcome, total.amount])
  return { report, people: people as [string, string, string][] }
}
const kept = async () =>
  (
    await stage.world.database.pool.query<any>(
      `select status, failures, (select count(*)::int from directory_lookups) as lookups from directory_connections where event_id = $1`,
      [stage.event.eventId],
    )
  ).rows
const all = (people: readonly unknown[], one: unknown[]) => people.map(() => one)

describe('test run with a live directory', () => {
  it('looks up participants of a test run in the live directory, uses its responses, and stores none of them', async () => {
    const before = await kept()
    const [planned, { report, people }] = [await rehearse('stub'), await rehearse('live')]
    expect(planned.people.map(([outcome]) => outcome).toSorted()).toEqual(['error', 'found', 'many', 'notFound'])
    // No member has the address of a generated person.
    expect(people).toEqual(all(people, ['notFound', 'completed', '450.00']))
    expect(people.length).toBe(planned.people.length)
    expect(report.findings).toEqual([])
    expect(report.coverage.unreached).toContainEqual({ path: '/products/adm/prices/1', outcome: 'used', reason: 'notTried' })
    expect(await kept()).toEqual(before)
  })

  it('gives the member price to participants of a test run whom the directory lists as members', async () => {
    const asked: string[] = []
    stage.directory.answer = (request, response) => {
      const email = new URL(`https://${request.url}`).searchParams.get('email')!
      asked.push(email)
      sendJson(response, { members: [{ Email: email, Status: asked.length % 2 === 1 ? 'Active' : 'Lapsed' }] })
    }
    const { report, people } = await rehearse('live')
    expect(people).toEqual(people.map((_, index) => ['found', 'completed', index % 2 === 0 ? '300.00' : '450.00']))
    expect(report.totals.amount.amount).toBe(`${people.reduce((sum, [, , amount]) => sum + Number(amount), 0)}.00`)
    expect(asked).toHaveLength(people.length)
    expect(asked.every((email) => email.endsWith('@rehearsal.invalid'))).toBe(true)
    expect(report.findings).toEqual([])
  })

  it('lists participants of a test run without a directory response, and continues as the connection is configured', async () => {
    const before = await kept()
    stage.directory.answer = (_request, response) => sendJson(response, {}, 503)
    const { report, people } = await rehearse('live')
    expect(people).toEqual(all(people, ['error', 'completed', '450.00']))
    expect(report.findings.map(({ code, level, path }: any) => [code, level, path])).toEqual(
      all(people, ['R09', 'warning', '/flows/attendee/pages/you/widgets/lookup']),
    )
    expect(await kept(), 'an outage that absent met').toEqual(before)
  })
})
