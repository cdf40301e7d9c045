import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventHomePath, signInVisitor } from '../support/own-pages.ts'
import { hiddenFieldsIn, openFormAs } from '../support/registration-form.ts'
import { openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { readLatestCode, chooseWrongCode } from '../support/sign-in-codes.ts'
import { visitor } from '../support/visitor.ts'

let scenario: SalesScenario
let served: Served
const rows = async (query: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(query, values)).rows

beforeAll(async () => {
  scenario = await openSalesScenario(undefined, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(scenario.world)
})
afterAll(() => scenario.world.end())

const auditedSince = async (from: string) =>
  rows('select id, tool, actor_name, targets from audit_entries where id > $1 order by id', [from])
const lastAudited = async () => (await rows('select max(id) as id from audit_entries'))[0].id as string

describe('audit log of visitors who are not signed in', () => {
  it('writes one audit row with all answers when a visitor completes a registration, and none for the steps before', async () => {
    const before = await lastAudited()
    const email = 'steps@example.org'
    const form = openFormAs(visitor(served), scenario.event)
    await form.begin(email)
    const name = { '@participant.firstName': 'Jo', '@participant.lastName': 'Steps', '@participant.email': email }
    for (const company of ['One', 'Two', 'Three']) {
      expect((await form.fill('contact', { ...name, '@participant.company': company }, { press: 'update' })).status).toBe(303)
      expect((await form.fill('contact', { ...name, '@participant.company': company })).status).toBe(303)
    }
    expect((await form.fill('choices', { 'sale.dinner': '1', _method: 'bank' })).location).toMatch(/\/summary$/)
    await form.fill('summary', {}, { press: 'longer' })
    expect(await auditedSince(before)).toEqual([])
    expect((await form.fill('summary', {}, { press: 'finish' })).location).toMatch(/\/done$/)
    const audited = await auditedSince(before)
    expect(audited.map(({ tool, actor_name }) => [tool, actor_name])).toEqual([['finish registration', email]])
    const [{ id }] = await rows('select id from participants where email = $1', [email])
    const { fields } = audited[0].targets.find((one: any) => one.kind === 'participant' && one.id === id)
    expect(fields).toMatchObject({
      status: { before: 'incomplete', after: 'complete' },
      '@participant.company': { after: 'Three' },
      '@participant.email': { after: email },
    })
  })

  it("writes an audit row for a participant's sign-in, and none for requested codes and wrong guesses", async () => {
    const { participant } = await scenario.register()
    const before = await lastAudited()
    const path = `${eventHomePath(scenario.event)}/registration/sign-in`
    const who = visitor(served)
    const enter = (code: string) =>
      who.post(`${path}/code`, { email: participant.email, code }, { from: `${path}/code?email=${participant.email}` })
    await who.post(path, { email: 'stranger@example.org' })
    await who.post(path, { email: participant.email })
    const code = await readLatestCode(scenario.world, participant.email)
    for (const by of [1, 2]) expect((await enter(chooseWrongCode(code, by))).status).toBe(400)
    expect(await auditedSince(before)).toEqual([])
    expect((await enter(code)).status).toBe(303)
    expect((await auditedSince(before)).map(({ tool }) => tool)).toEqual(['sign_in'])
  })

  it('writes an audit row for every change of a completed registration by its participant', async () => {
    const { participant } = await scenario.register({ dinner: 1 })
    const who = await signInVisitor(scenario.world, served, scenario.event, participant.email)
    const path = `${eventHomePath(scenario.event)}/registration/edit/contact`
    const before = await lastAudited()
    for (const company of ['Acme', 'Acme 2']) {
      const fields = { ...hiddenFieldsIn((await who.get(path)).html), do: 'save', '@participant.company': company }
      expect((await who.post(path, fields, { csrf: null })).location).toContain('done=saved')
    }
    expect(await auditedSince(before)).toHaveLength(2)
  })
})
