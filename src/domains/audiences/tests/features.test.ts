import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEventContextAt } from '../../../../test/support/at-event.ts'
import { insertOrder, type InsertedPerson, insertPeople } from '../../../../test/support/audience-people.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../../../../test/support/sales-scenario.ts'
import { newId } from '../../../kernel/ids.ts'
import { prepareProfileBuild } from '../building/prepare.ts'
import { buildFeatureVectorsSql } from '../features/read-vectors.ts'
import { toProfileBuildOptions } from '../options.ts'

const choices = [{ code: 'robots', name: 'Robots' }]
const SECTIONS = {
  ...WORKED_EXAMPLE,
  customFields: [
    { code: 'topic', name: 'Topic', responseType: 'choice', choices, personal: false },
    { code: 'health', name: 'Health', responseType: 'choice', choices, sensitive: true },
    { code: 'note', name: 'Note', responseType: 'text' },
  ],
}

describe('buildFeatureVectorsSql', () => {
  let scenario: SalesScenario
  beforeAll(async () => {
    scenario = await openSalesScenario(SECTIONS)
  })
  afterAll(() => scenario.world.end())

  /** Reads the levels of each participant by the name of the feature. */
  async function readLevels(): Promise<Map<string, Record<string, string>>> {
    const { world, event } = scenario
    const ctx = await createEventContextAt(world, event)
    const { event: compiled, features } = await prepareProfileBuild(ctx, toProfileBuildOptions({ useFields: ['topic'] }))
    const { rows } = await sql<{ participant_id: string; levels: string[]; net: string }>`
      select v.participant_id, v.levels, v.net from (${buildFeatureVectorsSql(ctx, compiled, features, [])}) v`.execute(
      world.database.write,
    )
    return new Map(
      rows.map(({ participant_id, levels, net }) => [
        participant_id,
        { net: String(Number(net)), ...Object.fromEntries(features.map(({ name }, index) => [name, levels[index]!])) },
      ]),
    )
  }
  const add = async (...people: InsertedPerson[]) => insertPeople(scenario.world, scenario.event, people)
  const run = (text: string, values: unknown[]) =>
    scenario.world.database.pool.query(text, [scenario.event.tenantId, scenario.event.eventId, ...values])

  it('derives seniority and function from job titles in seven languages', async () => {
    const titles: [string, string, string][] = [
      ['Chief Marketing Officer', 'executive', 'marketing'],
      ['CEO & Founder', 'executive', 'other'],
      ['Executive Assistant to the CEO', 'specialist', 'other'],
      ['Geschäftsführer', 'executive', 'other'],
      ['Leiterin Vertrieb', 'manager', 'sales'],
      ['Marketingleiter', 'manager', 'marketing'],
      ['Directrice financière', 'director', 'finance'],
      ['Étudiant', 'student', 'other'],
      ['Ingeniero de software', 'specialist', 'it'],
      ['Directora de Recursos Humanos', 'director', 'hr'],
      ['Responsabile acquisti', 'manager', 'operations'],
      ['Ricercatrice', 'specialist', 'research'],
      ['Hoofd inkoop', 'director', 'operations'],
      ['Gerente de vendas', 'manager', 'sales'],
      ['HR Business Partner', 'specialist', 'hr'],
      ['Head of R&D', 'director', 'research'],
      ['Beekeeper', 'other', 'other'],
      ['Account Manager (North)', 'manager', 'sales'],
      ['Account North Manager', 'manager', 'other'],
      ['Regional Vertriebsleiter', 'manager', 'sales'],
      ['& / –', 'other', 'other'],
      ['  ', 'unset', 'unset'],
    ]
    const ids = await add(...titles.map(([jobTitle]) => ({ jobTitle })))
    const levels = await readLevels()
    expect(ids.map((id, index) => [titles[index]![0], levels.get(id)!['seniority'], levels.get(id)!['function']])).toEqual(titles)
  })

  it('derives geographic origin, lead time, newness and custom fields from country, registration time and answers', async () => {
    const [plain, region, abroad, unset] = await add(
      { leadTime: '0-7' },
      { origin: 'region', leadTime: '31-90' },
      { origin: 'abroad', leadTime: 'over90', answers: { topic: 'robots' } },
      { origin: null, newness: 'returning' },
    )
    const levels = await readLevels()
    expect(levels.get(plain!)).toMatchObject({ origin: 'home', leadTime: '0-7', newness: 'first', 'custom.topic': 'unset', spend: 'zero' })
    expect(levels.get(region!)).toMatchObject({ origin: 'region', leadTime: '31-90' })
    expect(levels.get(abroad!)).toMatchObject({ origin: 'abroad', leadTime: 'over90', 'custom.topic': 'robots' })
    expect(levels.get(unset!)).toMatchObject({ origin: 'unset', newness: 'returning', leadTime: '8-30' })
  })

  it('divides the amount of an order that a group pays among the members of the group, without their guests', async () => {
    const groupId = newId()
    await run(
      `insert into managed_groups (tenant_id, event_id, id, code, name, kind, pay_by, flow_slug) values ($1, $2, $3, 'team', 'Team', 'company', 'group', 'attendee')`,
      [groupId],
    )
    const [one, two] = await add({ groupId }, { groupId, spend: 'low' })
    const [guest] = await add({ groupId, hostId: one! })
    await insertOrder(scenario.world, scenario.event, { groupId }, 30_000)
    const levels = await readLevels()
    expect(levels.get(one!)).toMatchObject({ net: '15000', channel: 'attendee-group' })
    expect(levels.get(two!)).toMatchObject({ net: '25000' })
    expect(levels.has(guest!)).toBe(false)
  })

  it('derives the audience features extras and presence from bought product categories and scanned entries', async () => {
    const [busy, quiet] = await add({}, {})
    await insertOrder(scenario.world, scenario.event, { participantId: busy! }, 5_000, false, 'dinner')
    await run(
      `insert into attendance_people (tenant_id, event_id, participant_id, checked_in_at, on_site) values ($1, $2, $3, lanyard_now(), true)`,
      [busy],
    )
    const levels = await readLevels()
    expect(levels.get(busy!)).toMatchObject({ extras: '1', networking: '0', presence: 'attended', stay: 'none', sessions: 'none' })
    expect(levels.get(quiet!)).toMatchObject({ extras: '0', presence: 'unknown' })
    await scenario.world.clock.stopAt('2026-09-02T10:00:00Z')
    expect((await readLevels()).get(quiet!)).toMatchObject({ presence: 'absent' })
  })

  it('rejects sensitive fields, and fields without choices, as features of audience profiles', async () => {
    const refusal = async (useFields: string[]) => (await scenario.refused('rebuild_audience_profiles', { useFields })).message
    expect(await refusal(['health'])).toContain('health is sensitive, and sensitive fields are never used')
    expect(await refusal(['note'])).toContain('note is a text field; use choice fields')
  })
})
