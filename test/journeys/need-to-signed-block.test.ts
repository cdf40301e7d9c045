import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { submitResponse, turnDownRfp } from '../../src/domains/bids/submit.ts'
import type { ResponseContent } from '../../src/domains/bids/tables.ts'
import { watchRfps } from '../../src/domains/rfps/task.ts'
import { inEventTransaction, roomSections } from '../support/hotels.ts'
import { runTask } from '../support/room-deadlines.ts'
import { openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { sealAll, signingAt, TWO_SIGNERS } from '../support/signing.ts'
import { NEED, RESPONSE_A, RESPONSE_A_FIRST, RESPONSE_B, sourcingAt } from '../support/sourcing.ts'
import type { OrganizerHandle } from '../support/world.ts'

const euro = (amount: string) => ({ amount, currency: 'EUR' })

const RUBRIC = [
  { code: 'cost', name: 'Cost', weight: 40, scorer: 'formula', formula: 'lowestCost' },
  { code: 'location', name: 'Location', weight: 30, scorer: 'manual' },
  { code: 'space', name: 'Space', weight: 30, scorer: 'manual' },
]

describe('from a need to a signed block of rooms', () => {
  let sales: SalesScenario
  let colleague: OrganizerHandle
  beforeAll(async () => {
    sales = await openSalesScenario(roomSections())
    colleague = await sales.world.organizer({ role: 'admin', at: sales.event })
  })
  afterAll(() => sales.world.end())

  const at = (args: object) => ({ eventCode: sales.event.eventCode, ...args })
  const confirmed = async (by: OrganizerHandle, tool: string, args: object) => {
    const { confirmToken } = await by.call(tool, at({ ...args, dryRun: true }))
    return by.call(tool, at({ ...args, confirmToken }))
  }
  const query = async <T extends object>(text: string, values: unknown[] = []) =>
    (await sales.world.database.pool.query<T>(text, values)).rows
  const submit = (recipientId: string, content: ResponseContent) =>
    inEventTransaction(sales.world, sales.event, (ctx) => submitResponse(ctx, { recipientId, dateOption: 0, content, source: 'portal' }))

  it('keeps every figure of the specification', async () => {
    const { world, call } = sales
    await sales.olga.call('update_client', { clientCode: sales.event.clientCode, sourcing: { approvalLimit: euro('100000.00') } })
    const { briefId } = await call('start_or_advance_brief', { title: 'Annual meeting', answers: { ...NEED, budget: euro('130000.00') } })
    const [now] = await query<{ due: string; decision: string }>(
      `select to_char(lanyard_now() + interval '20 days', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as due, (lanyard_now() + interval '40 days')::date::text as decision`,
    )
    const times = { responseDueAt: now!.due, decisionOn: now!.decision }
    expect(await sales.refused('create_rfp', { briefId, ...times })).toMatchObject({ code: 'precondition_failed' })
    expect((await call('lock_brief', { briefId })).version).toBe(1)

    const rows = sourcingAt(world, sales.event)
    const suppliers = [await rows.supplier('A'), await rows.supplier('B'), await rows.supplier('C'), await rows.supplier('D')]
    const { rfp } = await call('create_rfp', { briefId, ...times })
    await call('create_scoring_rubric', { name: 'Hotels', criteria: RUBRIC, rfpId: rfp.id })
    const { recipients } = await call('add_rfp_recipient', { rfpId: rfp.id, recipients: suppliers.map((supplierId) => ({ supplierId })) })
    const recipientOf = (supplierId: string | undefined): string =>
      recipients.find((one: { supplierId: string }) => one.supplierId === supplierId).id
    expect((await confirmed(sales.olga, 'distribute_rfp', { rfpId: rfp.id })).queued).toBe(4)
    await submit(recipientOf(suppliers[0]), RESPONSE_A_FIRST)
    await inEventTransaction(world, sales.event, (ctx) =>
      turnDownRfp(ctx, recipientOf(suppliers[2]), { reason: 'other', message: 'We are full in June' }),
    )
    expect(await sales.refused('compare_responses', { rfpId: rfp.id })).toMatchObject({ code: 'precondition_failed' })
    await confirmed(sales.olga, 'distribute_rfp', { rfpId: rfp.id })
    await submit(recipientOf(suppliers[0]), RESPONSE_A)
    await submit(recipientOf(suppliers[1]), RESPONSE_B)

    const [due] = await query<{ after: Date }>(`select response_due_at + interval '1 minute' as after from rfps where id = $1`, [rfp.id])
    await world.clock.stopAt(due!.after.toISOString())
    await world.renewTokens()
    await runTask(world, watchRfps)
    const compared = await call('compare_responses', { rfpId: rfp.id })
    expect(compared.totals.map(({ net }: { net: object }) => net)).toEqual([euro('97655.40'), euro('101644.00')])
    const { responses } = await call('list_rfp_responses', { rfpId: rfp.id })
    const responseOf = (name: string): string => responses.find((one: any) => one.supplier.name === name).id
    const score = (responseId: string, criterion: string, value: number) => ({ responseId, criterion, score: value })
    const [a, b] = [responseOf('A'), responseOf('B')]
    await call('record_manual_scores', {
      rfpId: rfp.id,
      scores: [score(a, 'location', 4), score(a, 'space', 4), score(b, 'location', 3), score(b, 'space', 5)],
    })
    await colleague.call('record_manual_scores', at({ rfpId: rfp.id, scores: [score(a, 'location', 5)] }))
    const { scores } = await call('list_scoring_rubrics', { rfpId: rfp.id })
    expect(Object.fromEntries(scores.map((one: any) => [one.responseId, one.total]))).toEqual({ [a]: 89.43, [b]: 88 })

    const { award, overLimit } = await call('propose_award', {
      rfpId: rfp.id,
      lines: [{ responseId: a }],
      rationale: 'Best score and nearest to the venue',
    })
    expect(overLimit).toBe(true)
    expect(await sales.refused('execute_award', { awardId: award.id, dryRun: true })).toMatchObject({ code: 'precondition_failed' })
    expect((await confirmed(colleague, 'execute_award', { awardId: award.id })).emails).toEqual({ won: 1, declined: 1 })

    const { hotels, roomNights } = await call('publish_award_to_block', { awardId: award.id })
    expect(roomNights).toBe(250)
    const hotelId: string = hotels[0].hotelId
    const statusOf = async () =>
      (
        await query<{ status: string; commit: string }>(
          `select status, attrition ->> 'commitPercent' as commit from housing_contracts where hotel_id = $1`,
          [hotelId],
        )
      )[0]
    expect(await statusOf()).toEqual({ status: 'tentative', commit: '80' })

    const { contract, missingVars } = await call('create_contract_from_award', { awardId: award.id })
    const contractId: string = contract.id
    expect(missingVars).toEqual([])
    await call('submit_contract_to_supplier', { contractId })
    const redlines = await call('mark_contract_redlines_received', {
      contractId,
      clauses: [{ key: 'attrition', vars: { commitPercent: 90 } }],
    })
    expect(redlines).toMatchObject({ openClauses: 1, risks: [{ key: 'attrition', risk: 'high' }] })
    const { counter } = await call('propose_contract_counter', { contractId })
    await call('apply_contract_counter', { contractId, counterId: counter.id })
    await call('send_contract_counter', { contractId })
    await call('mark_contract_ready_for_signature', { contractId, acceptAll: true })
    const { envelope } = await confirmed(sales.olga, 'send_contract_for_signature', { contractId, signers: TWO_SIGNERS })
    const signing = signingAt(world, sales.event)
    for (const { id } of await signing.signers(envelope.id)) {
      await signing.open(id)
      await signing.sign(id)
    }
    await sealAll(world)

    expect(await statusOf()).toEqual({ status: 'definite', commit: '85' })
    const full = await call('list_contracts', { contractId })
    expect(full.contracts[0]).toMatchObject({ id: contractId, status: 'executed' })
    expect((await call('list_milestones', { contractId })).milestones.length).toBeGreaterThan(5)
    const savings = await call('get_sourcing_savings')
    expect(savings.totals).toMatchObject({ savings: euro('17349.00'), percent: 13.8, avoidance: euro('6500.00') })
    const summary = await call('get_sourcing_summary')
    expect(summary.responses).toEqual({ expected: 4, received: 2, turnedDown: 1 })
    expect([summary.contracted, summary.signed]).toEqual([euro('108144.00'), euro('108144.00')])
  })
})
