import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSalesScenario, type SalesScenario } from '../../../../test/support/sales-scenario.ts'
import { RESPONSE_A, RESPONSE_B, createSourcingFixtures } from '../../../../test/support/sourcing.ts'
import type { RfpResponseContent } from '../../../domains/bids/tables.ts'

let sales: SalesScenario
beforeAll(async () => {
  sales = await openSalesScenario()
})
afterAll(() => sales.world.end())

let made = 0
async function award(content: RfpResponseContent = RESPONSE_A): Promise<string> {
  const rows = createSourcingFixtures(sales.world, sales.event)
  const rfpId = await rows.rfp(await rows.brief())
  const responseId = await rows.response(await rows.recipient(rfpId, await rows.supplier(`Contract hotel ${++made}`)), content)
  return rows.award(rfpId, responseId)
}
const create = async (content?: RfpResponseContent, more: object = {}) =>
  sales.call('create_contract_from_award', { awardId: await award(content), ...more })
const full = (contractId: string, more: object = {}) => sales.call('list_contracts', { contractId, ...more })
const emails = async (contractId: string) =>
  (
    await sales.world.database.pool.query(`select 1 from messages where source_kind = 'contract' and source_id like $1`, [
      `${contractId} %`,
    ])
  ).rowCount

async function submitted(): Promise<string> {
  const { contract } = await create()
  await sales.call('submit_contract_to_supplier', { contractId: contract.id })
  return contract.id
}
const NINETY = [{ key: 'attrition', vars: { commitPercent: 90 } }]
async function redlined(clauses: object[] = NINETY): Promise<string> {
  const contractId = await submitted()
  await sales.call('mark_contract_redlines_received', { contractId, clauses })
  return contractId
}

describe('create_contract_from_award', () => {
  it('fills in 22 contract clauses with the figures of the awarded offer', async () => {
    const { contract, missingVars } = await create()
    expect(missingVars).toEqual([])
    expect(contract).toMatchObject({ status: 'draft', version: 1, openClauses: 0, highRisk: 0 })
    expect(contract.number).toMatch(/^K-\d{4}$/)
    // The committed amount is 0.8 · 50,000 + 30,000 + 10,000.
    expect(contract.committed).toEqual({ amount: '80000.00', currency: 'EUR' })
    const { clauses } = await full(contract.id)
    expect(clauses).toHaveLength(22)
    const cutoff = clauses.find(({ key }: { key: string }) => key === 'cutoff')
    expect(cutoff.vars).toMatchObject({ cutoffDays: 30, cutoffOn: '2027-05-11' })
    expect(cutoff.body).toContain('The cut-off date is 11 May 2027, 30 days before arrival.')
    expect(clauses.every(({ body }: { body: string }) => !/[{[]/.test(body))).toBe(true)
  })

  it('lists contract values that the awarded offer lacks, and accepts them from the caller', async () => {
    const { contract, missingVars } = await create(RESPONSE_B)
    expect(missingVars).toEqual([
      { key: 'attrition', name: 'commitPercent' },
      { key: 'cancellation', name: 'step1Days' },
      { key: 'cancellation', name: 'step1Percent' },
    ])
    expect((await sales.refused('submit_contract_to_supplier', { contractId: contract.id })).code).toBe('precondition_failed')
    const vars = { attrition: { commitPercent: 75 }, cancellation: { step1Days: 60, step1Percent: 50 } }
    expect((await create(RESPONSE_B, { vars })).missingVars).toEqual([])
    const awardId = await award()
    const refused = await sales.refused('create_contract_from_award', { awardId, vars: { attrition: { commitPercnt: 75 } } })
    expect([refused.code, refused.fields[0].path]).toEqual(['invalid_arguments', 'vars.attrition.commitPercnt'])
  })

  it('creates one contract for each hotel of an award, and none if the award is not executed', async () => {
    const awardId = await award()
    await sales.call('create_contract_from_award', { awardId })
    expect((await sales.refused('create_contract_from_award', { awardId })).code).toBe('conflict')
    expect((await sales.refused('create_contract_from_award', { awardId, lineIndex: 1 })).code).toBe('invalid_arguments')
    const other = await award()
    await sales.world.database.pool.query(`update awards set status = 'proposed', executed_by = null where id = $1`, [other])
    expect((await sales.refused('create_contract_from_award', { awardId: other })).code).toBe('precondition_failed')
  })
})

describe('add_contract_version', () => {
  it('creates one contract version for two concurrent calls on the same version, and none without a change', async () => {
    const { contract } = await create()
    const contractId = contract.id
    const add = (commitPercent: number) => ({ contractId, clauses: [{ key: 'attrition', vars: { commitPercent } }], ifVersion: 1 })
    const results = await Promise.allSettled([sales.call('add_contract_version', add(81)), sales.call('add_contract_version', add(82))])
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect((await full(contractId)).versions).toHaveLength(2)
    expect((await sales.refused('add_contract_version', add(83))).code).toBe('conflict')
    const current = (await full(contractId)).clauses.find(({ key }: { key: string }) => key === 'attrition').vars
    const same = await sales.call('add_contract_version', { contractId, clauses: [{ key: 'attrition', vars: current }] })
    expect([same.changed, same.version.n]).toEqual([[], 2])
    const forth = (await full(contractId, { diff: { from: 1, to: 2 } })).diff
    const back = (await full(contractId, { diff: { from: 2, to: 1 } })).diff
    const texts = (diff: any[], op: string) =>
      diff.flatMap(({ hunks }) => hunks.filter((one: any) => one.op === op).map((one: any) => one.text))
    expect(texts(forth, 'insert')).toEqual(texts(back, 'delete'))
    expect(texts(forth, 'delete')).toEqual(['80'])
  })

  it('recalculates the cut-off date when the number of days before arrival changes', async () => {
    const { contract } = await create()
    const { changed } = await sales.call('add_contract_version', {
      contractId: contract.id,
      clauses: [{ key: 'cutoff', vars: { cutoffDays: 21 } }],
    })
    expect(changed[0]).toMatchObject({ key: 'cutoff', state: 'open', vars: { cutoffOn: '2027-05-20' } })
  })
})

describe('submit_contract_to_supplier', () => {
  it('sends one email with the contract PDF per idempotency key', async () => {
    const { contract } = await create()
    const call = { contractId: contract.id, idempotencyKey: `submit-${contract.id}` }
    const first = await sales.call('submit_contract_to_supplier', call)
    expect(await sales.call('submit_contract_to_supplier', call)).toEqual(first)
    expect([first.contract.status, first.queued, await emails(contract.id)]).toEqual(['submitted', 1, 1])
    expect((await sales.refused('submit_contract_to_supplier', { contractId: contract.id })).code).toBe('precondition_failed')
  })
})

describe('mark_contract_redlines_received', () => {
  it('opens a contract clause that the supplier changed and states its risk, and marks other clauses as agreed', async () => {
    const contractId = await submitted()
    const result = await sales.call('mark_contract_redlines_received', { contractId, clauses: NINETY })
    expect(result).toMatchObject({
      openClauses: 1,
      risks: [{ key: 'attrition', risk: 'high', walkAway: false }],
      version: { n: 2, by: 'supplier' },
    })
    expect(result.contract).toMatchObject({ status: 'redlinesReceived', committed: { amount: '85000.00' } })
    const { clauses } = await full(contractId)
    expect(clauses.filter(({ state }: any) => state === 'agreed')).toHaveLength(21)
    expect((await sales.refused('mark_contract_redlines_received', { contractId, clauses: NINETY })).code).toBe('precondition_failed')
  })

  it('reads a changed number in a redlined clause as the new value', async () => {
    const contractId = await submitted()
    const { body } = (await full(contractId)).clauses.find(({ key }: any) => key === 'attrition')
    const clauses = [{ key: 'attrition', body: body.replace('80 percent', '90 percent') }]
    await sales.call('mark_contract_redlines_received', { contractId, clauses })
    const after = (await full(contractId)).clauses.find(({ key }: any) => key === 'attrition')
    expect([after.vars.commitPercent, after.risk]).toEqual([90, 'high'])
  })
})

describe('resolve_clause', () => {
  it('counts the contract clauses that remain open', async () => {
    const contractId = await redlined([...NINETY, { key: 'cutoff', vars: { cutoffDays: 32 } }, { key: 'relocation', remove: true }])
    const resolve = (key: string, decision: string, more: object = {}) =>
      sales.call('resolve_clause', { contractId, key, decision, ...more })
    expect((await resolve('attrition', 'accept')).openClauses).toBe(2)
    expect((await sales.refused('resolve_clause', { contractId, key: 'relocation', decision: 'accept' })).code).toBe('precondition_failed')
    expect((await resolve('relocation', 'accept', { note: 'Agreed by phone' })).openClauses).toBe(1)
    const rejected = await resolve('cutoff', 'reject')
    expect(rejected).toMatchObject({ openClauses: 0, clause: { state: 'rejected', vars: { cutoffDays: 30 } }, contract: { version: 3 } })
    expect((await resolve('attrition', 'reopen')).openClauses).toBe(1)
    expect((await sales.refused('resolve_clause', { contractId, key: 'attrition', decision: 'counter' })).code).toBe('invalid_arguments')
  })

  it("restores the organizer's text of each rejected clause", async () => {
    const contractId = await redlined([...NINETY, { key: 'cutoff', vars: { cutoffDays: 32 } }])
    await sales.call('resolve_clause', { contractId, key: 'cutoff', decision: 'reject' })
    const { clause } = await sales.call('resolve_clause', { contractId, key: 'attrition', decision: 'reject' })
    expect(clause).toMatchObject({ state: 'rejected', vars: { commitPercent: 80 } })
  })

  it('requires a note for a clause value beyond the limit', async () => {
    const contractId = await redlined([{ key: 'attrition', vars: { commitPercent: 91 } }])
    expect((await sales.refused('resolve_clause', { contractId, key: 'attrition', decision: 'accept' })).code).toBe('precondition_failed')
    const { contract } = await sales.call('resolve_clause', {
      contractId,
      key: 'attrition',
      decision: 'counter',
      vars: { commitPercent: 84 },
    })
    expect(contract.status).toBe('counterProposed')
  })
})

describe('propose_contract_counter', () => {
  it('counters a commitment of 90 percent with 85 percent, saves it as contract version 3 and sends it', async () => {
    const contractId = await redlined()
    const first = await sales.call('propose_contract_counter', { contractId })
    const { counter, contract, method } = await sales.call('propose_contract_counter', { contractId })
    expect(counter.items).toEqual(first.counter.items)
    expect([contract.status, method, counter.items[0].action, counter.items[0].vars.commitPercent]).toEqual([
      'counterProposed',
      'rules',
      'replace',
      85,
    ])
    const stale = { contractId, counterId: first.counter.id }
    expect((await sales.refused('apply_contract_counter', stale)).code).toBe('conflict')
    const call = { contractId, counterId: counter.id, ifVersion: 2 }
    const applied = await sales.call('apply_contract_counter', call)
    expect(applied).toMatchObject({ contract: { status: 'counterApplied', version: 3, openClauses: 0 }, version: { n: 3, by: 'us' } })
    expect(applied.diff.map(({ key }: any) => key)).toEqual(['attrition'])
    expect((await sales.refused('apply_contract_counter', { contractId, counterId: counter.id })).code).toBe('conflict')
    const sent = await sales.call('send_contract_counter', { contractId })
    expect([sent.contract.status, sent.queued, await emails(contractId)]).toEqual(['counterSent', 1, 2])
    expect((await sales.refused('send_contract_counter', { contractId })).code).toBe('precondition_failed')
    expect((await full(contractId)).clauses.find(({ key }: any) => key === 'attrition').state).toBe('countered')
  })

  it('refuses a counterproposal that agrees to a value beyond the limit without a note', async () => {
    const contractId = await redlined([{ key: 'attrition', vars: { commitPercent: 98 } }])
    const { counter } = await sales.call('propose_contract_counter', { contractId, stance: 'balanced' })
    const applyWith = (edit: object) => ({ contractId, counterId: counter.id, edits: [{ key: 'attrition', ...edit }] })
    for (const [edit, decision] of [
      [{ action: 'accept' }, 'accept'],
      [{ vars: { commitPercent: 95 } }, 'counter'],
    ] as const)
      expect(await sales.refused('apply_contract_counter', applyWith(edit))).toMatchObject({
        code: 'precondition_failed',
        message: `attrition has a value past the limit of the playbook. Use resolve_clause with decision ${decision} and a note that says why`,
      })
    const { diff } = await sales.call('apply_contract_counter', applyWith({ vars: { commitPercent: 90 } }))
    expect(diff.map(({ key }: { key: string }) => key)).toEqual(['attrition'])
  })

  it('refuses a counterproposal without an open clause', async () => {
    const contractId = await submitted()
    expect((await sales.refused('propose_contract_counter', { contractId })).code).toBe('precondition_failed')
  })
})

describe('contracts of another client in all contract tools', () => {
  it('returns not_found for contracts of another client in every tool, as for unknown contracts', async () => {
    const contractId = await redlined()
    const { world } = sales
    const place = await world.event({ at: await world.client() })
    const stranger = await world.organizer({ at: place })
    const signers = [
      { name: 'Marta', email: 'marta@client.example', side: 'client', order: 1 },
      { name: 'Clara', email: 'clara@hotel.example', side: 'supplier', order: 2 },
    ]
    const calls: Record<string, object> = {
      list_contracts: {},
      add_contract_version: { clauses: NINETY },
      resolve_clause: { key: 'attrition', decision: 'accept' },
      submit_contract_to_supplier: {},
      mark_contract_redlines_received: { clauses: NINETY },
      propose_contract_counter: {},
      apply_contract_counter: { counterId: contractId },
      send_contract_counter: {},
      mark_contract_ready_for_signature: {},
      send_contract_for_signature: { signers },
      void_contract_envelope: { reason: 'Not ours' },
      generate_milestones: {},
    }
    const before = await full(contractId)
    for (const [tool, args] of Object.entries(calls)) {
      const refusal = (id: string) =>
        stranger.refused(tool, { clientCode: place.clientCode, eventCode: place.eventCode, contractId: id, ...args })
      const [foreign, missing] = [await refusal(contractId), await refusal('f'.repeat(24))]
      expect([tool, foreign.code]).toEqual([tool, 'not_found'])
      expect(foreign.message.replace(contractId, '')).toBe(missing.message.replace('f'.repeat(24), ''))
    }
    expect(await full(contractId)).toEqual(before)
  })
})

describe('committed of contract in query_data', () => {
  const readCommitted = async () => {
    const { contracts } = await sales.call('list_contracts', { limit: 100 })
    const { rows } = await sales.call('query_data', { entity: 'contract', fields: ['id', 'committed'], limit: 200 })
    const byId = (list: any[]) => Object.fromEntries(list.map(({ id, committed }) => [id, committed]))
    return { listed: byId(contracts), queried: byId(rows) }
  }
  const committedOf = async (contractId: string) => {
    const { listed, queried } = await readCommitted()
    expect(queried).toEqual(listed)
    return queried[contractId]
  }

  it('returns in query_data the same committed amount as list_contracts after every new contract version', async () => {
    const { contract: inDollars } = await create({ ...RESPONSE_A, currency: 'USD' })
    expect(await committedOf(inDollars.id)).toEqual({ amount: '80000.00', currency: 'USD' })
    const contractId = await redlined()
    expect(await committedOf(contractId)).toEqual({ amount: '85000.00', currency: 'EUR' })
    await sales.call('resolve_clause', { contractId, key: 'attrition', decision: 'reject' })
    expect(await committedOf(contractId)).toEqual({ amount: '80000.00', currency: 'EUR' })
    const { counter } = await sales.call('propose_contract_counter', { contractId, stance: 'balanced' })
    await sales.call('apply_contract_counter', {
      contractId,
      counterId: counter.id,
      edits: [{ key: 'attrition', vars: { commitPercent: 70 } }],
    })
    expect(await committedOf(contractId)).toEqual({ amount: '75000.00', currency: 'EUR' })
    await sales.call('add_contract_version', { contractId: inDollars.id, clauses: NINETY })
    expect(await committedOf(inDollars.id)).toEqual({ amount: '85000.00', currency: 'USD' })
  })

  it('returns null as committed amount of a contract version without amount, not the amount of an earlier version', async () => {
    const { contract } = await create()
    const { pool } = sales.world.database
    await pool.query(
      `insert into contract_versions (tenant_id, event_id, contract_id, n, written_by, clauses, sha256, created_by)
       select tenant_id, event_id, contract_id, 2, written_by, clauses, sha256, created_by from contract_versions where contract_id = $1`,
      [contract.id],
    )
    await pool.query('update supplier_contracts set current_version = 2 where id = $1', [contract.id])
    expect((await readCommitted()).queried[contract.id]).toBeNull()
    await sales.call('add_contract_version', { contractId: contract.id, clauses: NINETY })
    expect(await committedOf(contract.id)).toEqual({ amount: '85000.00', currency: 'EUR' })
  })
})
