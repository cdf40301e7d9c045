import { describe, expect, it } from 'vitest'
import { QUERY_ENTITIES } from '../../../domains/figures/dictionary/index.ts'
import { METRICS } from '../../../domains/figures/metrics/index.ts'
import { permissionsOf, ROLES } from '../../../kernel/permissions.ts'
import { deskScenario } from '../../registration/tests/desk.ts'

const desk = deskScenario()
const describeData = (args: object = {}) => desk.call('describe_data', args)

describe('describe_data', () => {
  it('lists every entity and the number of metrics for an administrator', async () => {
    const { entities, metricCount, note } = await describeData()
    const roots = [...QUERY_ENTITIES.values()].filter(({ onlyAcrossEvents }) => !onlyAcrossEvents).map(({ name }) => name)
    expect(entities.map(({ name }: any) => name)).toEqual(roots)
    expect(entities[1]).toMatchObject({ name: 'participant', label: 'Participants', rowIs: "one person's registration", allowed: true })
    expect(entities.every(({ rows }: any) => Number.isInteger(rows))).toBe(true)
    expect(metricCount).toBe(METRICS.size)
    expect(note).toContain('topic query')
  })

  it('refuses combined arguments of describe_data that each ask for a different description', async () => {
    for (const [path, args] of [
      ['topic', { topic: 'metrics', entity: 'participant' }],
      ['topic', { topic: 'query', field: 'participant.city' }],
      ['topic', { topic: 'charts', search: 'turnover' }],
      ['search', { search: 'turnover', field: 'participant.city' }],
    ] as const)
      expect(await desk.refused('describe_data', args)).toMatchObject({ code: 'invalid_arguments', fields: [{ path }] })
  })

  it('describes the fields of an entity, including the questions of the event', async () => {
    const { fields, relations, metrics, examples } = await describeData({ entity: 'participant' })
    const field = (path: string) => fields.find((one: any) => one.path === path)
    expect(field('city')).toMatchObject({
      label: 'City',
      type: 'text',
      class: 'personal',
      category: false,
      binding: '@participant.city',
      allowed: true,
    })
    expect(field('status')).toMatchObject({
      category: true,
      choices: ['incomplete', 'complete', 'waitlisted', 'cancelled'],
      nullable: false,
    })
    expect(field('custom.shirt')).toMatchObject({
      label: 'Shirt',
      type: 'enum',
      class: 'personal',
      choices: ['m', 'l'],
      binding: '@custom.shirt',
    })
    expect(field('custom.topics')).toMatchObject({ type: 'list', category: true })
    expect(field('custom.years')).toMatchObject({ type: 'decimal', category: false })
    expect(field('sharing.email')).toMatchObject({ type: 'enum', choices: ['share', 'restrict'] })
    expect(relations).toContainEqual({ name: 'order', to: 'order', many: false })
    expect(relations).toContainEqual({ name: 'guests', to: 'participant', many: true })
    expect(metrics.map(({ code }: any) => code)).toContain('registrations.complete')
    for (const example of examples) await desk.call('query_data', example)
    expect(examples).toHaveLength(3)
  })

  it('describes a field that is named by its path over relations', async () => {
    const { fields } = await describeData({ entity: 'orderLine', field: 'order.participant.country' })
    expect(fields).toMatchObject([{ path: 'order.participant.country', type: 'country', class: 'personal', allowed: true }])
    expect((await describeData({ field: 'participant.city' })).fields).toMatchObject([{ path: 'city' }])
  })

  it('describes a question that is no longer asked only if it has answers', async () => {
    const paths = async () => (await describeData({ entity: 'participant' })).fields.map(({ path }: any) => path)
    await desk.set([{ op: 'set', path: '/customFields/club/retired', value: true }])
    await desk.call('publish_event', { acceptWarnings: true })
    expect(await paths()).not.toContain('custom.club')
    await desk.person({ last_name: 'Berg', flow_slug: 'attendee', custom_field_responses: JSON.stringify({ club: 'Rowing' }) as never })
    const { fields } = await describeData({ entity: 'participant', field: 'custom.club' })
    expect(fields).toMatchObject([{ path: 'custom.club', retired: true }])
    expect(await paths()).toContain('custom.club')
  })

  it('finds fields and metrics by words, ignoring case and accents', async () => {
    const turnover = await describeData({ search: 'TURNOVER' })
    expect(turnover.metrics.map(({ code }: any) => code)).toEqual(['money.net'])
    expect((await describeData({ search: 'régistered' })).metrics.map(({ code }: any) => code)).toContain('registrations.complete')
    expect((await describeData({ search: 'zip' })).fields.map(({ path }: any) => path)).toEqual(['participant.postalCode'])
    expect((await describeData({ search: 'xyzzy' })).note).toContain('Nothing found')
  })

  it('explains the query language with twelve example queries, all of which run', async () => {
    const { grammar, examples } = await describeData({ topic: 'query' })
    expect(grammar.length).toBeGreaterThan(10)
    expect(examples).toHaveLength(12)
    for (const example of examples) await desk.call('query_data', example)
  })

  it('describes metrics with formula, date field and dimensions', async () => {
    const { metrics } = await describeData({ topic: 'metrics' })
    const net = metrics.find(({ code }: any) => code === 'money.net')
    expect(net).toMatchObject({ dateField: 'pricedAt' })
    expect(net.dimensions).toEqual(expect.arrayContaining(['productCode', 'taxCode', 'pricedAt']))
    for (const { code, dimensions } of metrics)
      for (const dimension of dimensions.slice(0, 2))
        await desk.call('query_data', { metrics: [code], groupBy: [/At$|^at$/.test(dimension) ? `${dimension}:day` : dimension] })
  })

  it('refuses an unknown entity or field with the three nearest names', async () => {
    expect(await desk.refused('describe_data', { entity: 'particpant' })).toMatchObject({ code: 'not_found' })
    const { message } = await desk.refused('describe_data', { entity: 'participant', field: 'mobilPhone' })
    expect(message).toContain('Nearest: mobilePhone')
  })
})

describe('permissions in describe_data', () => {
  it('marks exactly those fields as allowed that query_data accepts, for every role', async () => {
    const wrong: string[] = []
    for (const role of ROLES.filter((one) => permissionsOf([one]).has('reports.read'))) {
      const reader = await desk.world.organizer({ at: desk.event, role })
      const call = (tool: string, args: object) => reader.call(tool, { eventCode: desk.event.eventCode, ...args })
      const { entities } = await call('describe_data', {})
      const listed = new Set<string>(entities.map(({ name }: any) => name))
      for (const { name, area, onlyAcrossEvents } of QUERY_ENTITIES.values())
        if (!onlyAcrossEvents && listed.has(name) !== permissionsOf([role]).has(`${area}.read`)) wrong.push(`${role} ${name}`)
      for (const name of listed) {
        const { fields } = await call('describe_data', { entity: name })
        const allowed = fields.filter((one: any) => one.allowed).map(({ path }: any) => path)
        for (let from = 0; from < allowed.length; from += 40)
          await call('query_data', { entity: name, fields: allowed.slice(from, from + 40), limit: 1 }).catch((error: Error) =>
            wrong.push(`${role} ${name}: ${error.message}`),
          )
        for (const { path, needs, choices, allowed: may } of fields) {
          if (may) continue
          const refusal = await reader.refused('query_data', { eventCode: desk.event.eventCode, entity: name, fields: [path] })
          if (refusal.code !== 'forbidden' || !refusal.message.includes(needs) || choices)
            wrong.push(`${role} ${name}.${path} needs ${needs}`)
        }
      }
      const refused = [...QUERY_ENTITIES.values()].filter(({ name, onlyAcrossEvents }) => !onlyAcrossEvents && !listed.has(name))
      for (const { name } of refused) {
        const { code } = await reader.refused('query_data', { eventCode: desk.event.eventCode, entity: name })
        if (code !== 'forbidden') wrong.push(`${role} reads ${name}: ${code}`)
      }
    }
    expect(wrong).toEqual([])
  })

  it('lists no lead fields for the housing role', async () => {
    const reader = await desk.world.organizer({ at: desk.event, role: 'housing' })
    const { entities } = await reader.call('describe_data', { eventCode: desk.event.eventCode })
    expect(entities.map(({ name }: any) => name)).not.toContain('lead')
    expect(await reader.refused('describe_data', { eventCode: desk.event.eventCode, entity: 'lead' })).toMatchObject({ code: 'not_found' })
  })

  it('lists exactly the metrics that query_data accepts', async () => {
    const wrong: string[] = []
    for (const role of ROLES.filter((one) => permissionsOf([one]).has('reports.read'))) {
      const reader = await desk.world.organizer({ at: desk.event, role })
      const { metrics } = await reader.call('describe_data', { eventCode: desk.event.eventCode, topic: 'metrics' })
      const shown = new Set(metrics.map(({ code }: any) => code))
      for (const code of METRICS.keys()) {
        const outcome = await reader.call('query_data', { eventCode: desk.event.eventCode, metrics: [code] }).then(
          () => true,
          () => false,
        )
        if (outcome !== shown.has(code)) wrong.push(`${role} ${code}`)
      }
    }
    expect(wrong).toEqual([])
  })
})
