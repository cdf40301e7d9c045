import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { count, list, money, object } from '../../src/kernel/args.ts'
import { recordChange, writeAudit } from '../../src/kernel/audit.ts'
import type { ClientContext, EventContext } from '../../src/kernel/context.ts'
import { defineEmail, sendEmail } from '../../src/kernel/email.ts'
import { newId } from '../../src/kernel/ids.ts'
import { type Tool, toolset } from '../../src/kernel/tool.ts'
import { createEventWithoutContext } from '../../src/domains/tenancy/create.ts'
import { fixtureToolset } from '../support/fixture-tools/index.ts'
import { openEventLedger } from '../support/event-ledger.ts'
import { addNote } from '../support/fixture-tools/notes.ts'
import { newWorld, type World } from '../support/world.ts'
import {
  findChangeProblems,
  findDestructiveMismatches,
  findDryRunProblems,
  findIdempotencyKeyProblems,
  findMissingPreviews,
  findMoneyToolsWithoutKey,
  findReadProblems,
  findRepeatProblems,
} from './effects.ts'
import { type ExampleCall, type Examples, checkExamples } from './examples.ts'
import { plantedClientTool, plantedTool } from './planted-tools.ts'
import { ORGANIZER_TOOLS, PRODUCT_TOOLS } from './registry.ts'
import { SPECIFIED_TOOLSETS } from './specified-tools.ts'
import { type Stage, createStage } from './stage.ts'

let world: World
let stage: Stage
/** The participant whom `planted_charging` charges. */
let payerId: string

const writeOutsideTransaction = async (ctx: EventContext) => {
  const row = { tenant_id: ctx.tenantId, event_id: ctx.event.id, id: newId(), text: 'hidden' }
  await world.database.write.insertInto('fixture_notes').values(row).execute()
  return {}
}
const writeWithoutAudit = async (ctx: EventContext) => {
  await ctx.db
    .insertInto('fixture_notes')
    .values({ tenant_id: ctx.tenantId, event_id: ctx.event.id, id: newId(), text: 'silent' })
    .execute()
  return {}
}
const writeWithAudit = async (ctx: EventContext) => {
  await addNote(ctx, 'recorded')
  return {}
}
/** Creates an event in a call at client scope, and writes an audit row with the event id that `auditedEvent` returns. */
const createEventAuditedAs = (auditedEvent: (made: string) => string | null) => async (ctx: ClientContext) => {
  const made = await createEventWithoutContext(ctx.db, {
    ...NEW_EVENT,
    tenant_id: ctx.tenantId,
    client_id: ctx.client.id,
    code: `made-${newId().slice(-6)}`,
  })
  const id = auditedEvent(made)
  recordChange(ctx, id === null ? { kind: 'client', id: ctx.client.id, after: { made } } : { kind: 'event', id, after: { made } })
  return {}
}
const NEW_EVENT = {
  name: 'Made',
  status: 'draft' as const,
  starts_on: '2027-05-11',
  ends_on: '2027-05-11',
  timezone: 'Europe/Berlin',
  city: 'Berlin',
  country: 'DE',
  currency: 'EUR',
}
const mail = defineEmail<string>({ code: 'planted', category: 'operational', render: (text) => ({ subject: text, text }) })

let drawn = 0
const unkeyed = plantedTool({ name: 'planted_unkeyed', effect: 'change', keyed: true, run: writeWithAudit })

const PLANTED: readonly Tool[] = [
  plantedTool({ name: 'planted_writing_read', dryRun: true, run: writeOutsideTransaction }),
  plantedTool({ name: 'planted_silent', effect: 'change', run: writeWithoutAudit }),
  plantedTool({ name: 'planted_idle', effect: 'change' }),
  plantedTool({
    name: 'planted_twice_audited',
    effect: 'change',
    run: async (ctx) => {
      await addNote(ctx, 'twice')
      await writeAudit(ctx, { name: 'planted_twice_audited' })
      return {}
    },
  }),
  plantedTool({
    name: 'planted_misplaced',
    effect: 'change',
    run: async (ctx) => {
      await addNote(ctx, 'elsewhere')
      await writeAudit(ctx, { name: 'planted_other' })
      ctx.audit.targets.length = 0
      return {}
    },
  }),
  plantedTool({
    name: 'planted_mailer',
    effect: 'change',
    run: async (ctx) => {
      const { id } = await addNote(ctx, 'mailed')
      await sendEmail(ctx, mail, { to: { address: 'ada@example.org' }, content: 'x', source: { kind: 'x', id, recipientKey: 'ada' } })
      return {}
    },
  }),
  plantedTool({
    name: 'planted_charging',
    effect: 'change',
    run: async (ctx) => {
      await addNote(ctx, 'charged')
      const [tenant_id, event_id] = [ctx.tenantId, ctx.event.id]
      const charge = { participant_id: payerId, is_test_data: false, purpose: 'x', amount: 100, currency: 'EUR', provider: 'x' }
      await ctx.db
        .insertInto('charges')
        .values({ tenant_id, event_id, id: newId(), ...charge })
        .execute()
      return {}
    },
  }),
  plantedTool({
    name: 'planted_uncounted',
    effect: 'destructive',
    run: async (ctx) => {
      await ctx.db.deleteFrom('fixture_notes').where('tenant_id', '=', ctx.tenantId).execute()
      return {}
    },
  }),
  plantedTool({
    name: 'planted_moody',
    effect: 'change',
    dryRun: true,
    output: { drawn: count() },
    run: async (ctx) => ({ ...(await writeWithAudit(ctx)), drawn: ++drawn }),
  }),
  { ...unkeyed, keyed: false },
  plantedTool({ name: 'planted_repeating', effect: 'change', idempotent: true, run: writeWithAudit }),
  plantedClientTool({ name: 'planted_made', effect: 'change', run: createEventAuditedAs((made) => made) }),
  plantedClientTool({ name: 'planted_made_elsewhere', effect: 'change', run: createEventAuditedAs(() => stage.home.eventId) }),
  plantedClientTool({ name: 'planted_made_nowhere', effect: 'change', run: createEventAuditedAs(() => null) }),
  plantedClientTool({
    name: 'planted_made_none',
    effect: 'change',
    run: async (ctx) => {
      await ctx.db
        .updateTable('clients')
        .set({ name: `Renamed ${newId()}` })
        .where('tenant_id', '=', ctx.tenantId)
        .where('id', '=', ctx.client.id)
        .execute()
      recordChange(ctx, { kind: 'event', id: stage.home.eventId, after: { renamed: true } })
      return {}
    },
  }),
  plantedTool({ name: 'planted_refusing', permission: 'events.read', input: { missing: count() } }),
]

const EXAMPLES_OF_PLANTED: Examples = Object.fromEntries(
  PLANTED.map(({ name, scope }) => [
    name,
    async ({ admin, home }: Stage) => {
      if (scope === 'client') return { clientCode: home.clientCode }
      if (name === 'planted_uncounted') await admin.call('fixture_add_note', { eventCode: home.eventCode, text: 'to go' })
      return { eventCode: home.eventCode }
    },
  ]),
)

const planted = (name: string, check: (call: ExampleCall) => Promise<string[]>) =>
  checkExamples(
    stage,
    PLANTED.filter((tool) => tool.name === name),
    check,
    EXAMPLES_OF_PLANTED,
  )

beforeAll(async () => {
  world = await newWorld({ toolsets: [toolset('all', [...fixtureToolset.tools, ...PLANTED])] })
  stage = await createStage(world, { tenant: 'demo', word: 'wallaby' })
  payerId = (await openEventLedger(world, stage.home).open()).participant_id!
})
afterAll(() => world.end())

describe('findReadProblems', () => {
  it('reports a read-only tool that writes or is refused', async () => {
    expect(await planted('planted_writing_read', findReadProblems)).toEqual([
      'planted_writing_read is a read and wrote: 1 fixture_notes added',
    ])
    expect(await planted('planted_refusing', findReadProblems)).toEqual([
      'planted_refusing was refused: missing: is required: a whole number from 0 to 1000000',
    ])
  })
})

describe('findChangeProblems', () => {
  it('reports a change tool that changes nothing, writes a missing, duplicate or wrong audit row, or an undeclared email or charge', async () => {
    expect(await planted('planted_idle', findChangeProblems)).toEqual(['planted_idle changed nothing in its example'])
    expect(await planted('planted_silent', findChangeProblems)).toEqual(['planted_silent left 0 audit rows'])
    expect(await planted('planted_twice_audited', findChangeProblems)).toEqual(['planted_twice_audited left 2 audit rows'])
    expect(await planted('planted_misplaced', findChangeProblems)).toEqual([
      'planted_misplaced is audited with another tool',
      'planted_misplaced is audited with another event',
      'planted_misplaced is audited with another client',
    ])
    expect(await planted('planted_made', findChangeProblems)).toEqual([])
    // A call at client scope must be audited with the event that it created, or with none if it created none.
    for (const name of ['planted_made_elsewhere', 'planted_made_nowhere', 'planted_made_none'])
      expect(await planted(name, findChangeProblems)).toEqual([`${name} is audited with another event`])
    expect(await planted('planted_mailer', findChangeProblems)).toEqual([
      'planted_mailer sends email and is not marked openWorld',
      'planted_mailer sends email and takes no idempotencyKey',
    ])
    expect(await planted('planted_charging', findChangeProblems)).toEqual(['planted_charging moves money and takes no idempotencyKey'])
  })
})

describe('findDryRunProblems', () => {
  it('reports a destructive tool without a dry run', () => {
    expect(findMissingPreviews(ORGANIZER_TOOLS)).toEqual([])
    expect(findMissingPreviews([plantedTool({ effect: 'destructive', dryRun: false })])).toEqual([
      'planted_tool cannot be undone and has no dry run',
    ])
  })

  it('reports a dry run that writes, counts too few deletions, or differs from the result of the real call', async () => {
    expect(await planted('planted_writing_read', findDryRunProblems)).toContain(
      'planted_writing_read wrote in a dry run: 1 fixture_notes added',
    )
    expect(await planted('planted_uncounted', findDryRunProblems)).toEqual([
      expect.stringMatching(/^planted_uncounted predicted no deletion: \d+ fixture_notes removed$/),
    ])
    expect(await planted('planted_moody', findDryRunProblems)).toEqual(['planted_moody returned a result that differs from its dry run'])
  })
})

describe('findIdempotencyKeyProblems', () => {
  it('reports a tool that accepts an idempotency key and ignores it', async () => {
    expect(await planted('planted_unkeyed', findIdempotencyKeyProblems)).toEqual([
      'planted_unkeyed acted again for the same key: 1 audit_entries added, 1 fixture_notes added',
      'planted_unkeyed did not repeat its first result for the same key',
    ])
  })
})

describe('findMoneyToolsWithoutKey', () => {
  it('reports a change tool that takes an amount of money at any depth but no idempotency key', () => {
    expect(findMoneyToolsWithoutKey(PRODUCT_TOOLS)).toEqual([])
    const nested = { rows: list(object({ fee: money().optional() })).optional() }
    const tools = [
      plantedTool({ effect: 'change', input: { fee: money().optional() } }),
      plantedTool({ name: 'planted_nested', effect: 'destructive', input: nested }),
      plantedTool({ name: 'planted_keyed', effect: 'change', keyed: true, input: nested }),
      plantedTool({ name: 'planted_read', input: nested }),
    ]
    expect(findMoneyToolsWithoutKey(tools)).toEqual([
      'planted_tool moves money and takes no idempotencyKey',
      'planted_nested moves money and takes no idempotencyKey',
    ])
  })
})

describe('effect annotations', () => {
  it('reports a tool marked idempotent that changes data when the call is repeated', async () => {
    expect(await planted('planted_repeating', findRepeatProblems)).toEqual([
      'planted_repeating is marked idempotent and wrote when repeated: 1 audit_entries added, 1 fixture_notes added',
    ])
  })

  it('marks exactly the tools as destructive that the specification lists as such', () => {
    const specified = Object.values(SPECIFIED_TOOLSETS).flat()
    expect(findDestructiveMismatches(PRODUCT_TOOLS, specified)).toEqual([])
    const wrong = [plantedTool({ name: 'archive_event', effect: 'change' }), plantedTool({ name: 'list_events', effect: 'destructive' })]
    expect(findDestructiveMismatches(wrong, specified)).toEqual([
      'archive_event is not marked destructive',
      'list_events is marked destructive',
    ])
  })
})
