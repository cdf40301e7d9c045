import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { calculateBoothProposal, proposeAssignmentsJob, storeProposal } from '../../../domains/exhibitors/proposals/propose.ts'
import type { Job } from '../../../kernel/jobs.ts'
import { createJobRunner } from '../../../surfaces/worker/run-jobs.ts'
import { createEventContextAt } from '../../../../test/support/at-event.ts'
import { BOOTH_SECTIONS, buildDoubleRow } from '../../../../test/support/booths.ts'
import { createExhibitorFixtures } from '../../../../test/support/companies.ts'
import { openSalesScenario, type SalesScenario } from '../../../../test/support/sales-scenario.ts'

describe('proposal of booth assignments that exceeds the time limit of a call', () => {
  let scenario: SalesScenario
  const read = (proposalId: string) => scenario.call('propose_booth_assignments', { proposalId })
  beforeAll(async () => {
    scenario = await openSalesScenario(BOOTH_SECTIONS)
    const exhibitors = createExhibitorFixtures(scenario.world, scenario.event)
    await exhibitors.plan({}, buildDoubleRow())
    for (const name of ['Alpha', 'Beta', 'Gamma']) {
      const { id: companyId } = await exhibitors.company({ name })
      const asked = { action: 'create', companyId, wanted: { sizes: ['small'], boothNumbers: ['101'] }, submit: true }
      const { applications } = await scenario.call('manage_booth_application', asked)
      await scenario.call('manage_booth_application', { action: 'approve', number: applications[0].number })
    }
  })
  afterAll(() => scenario.world.end())

  /** Starts a proposal whose time limit for the call is already reached. */
  async function start() {
    const { world, event } = scenario
    const calculated = await calculateBoothProposal(await createEventContextAt(world, event), {}, -1)
    expect(calculated.result).toBeNull()
    const { proposalId, jobId } = await world.database.transact(async (db) =>
      storeProposal(await createEventContextAt(world, event, db), calculated),
    )
    return {
      proposalId,
      run: () => createJobRunner(world.services)(proposeAssignmentsJob as Job, { tenantId: event.tenantId, jobId: jobId! }),
    }
  }

  it('continues a long proposal of booth assignments as a job with progress and the same result', async () => {
    const { proposalId, run } = await start()
    expect(await read(proposalId)).toMatchObject({ status: 'queued', progress: { done: 0 }, assigned: [], unassigned: [] })
    const early = await scenario.refused('manage_booth_application', { action: 'apply_proposal', proposalId, mode: 'offer' })
    expect(early).toMatchObject({ code: 'precondition_failed', message: `Proposal ${proposalId} is still being calculated` })
    await run()
    const finished = await read(proposalId)
    const { proposalId: _other, expiresAt: _later, ...direct } = await scenario.call('propose_booth_assignments', {})
    expect(finished).toMatchObject(direct)
    expect(finished.stats).toMatchObject({ assigned: 3 })
    const { rows } = await scenario.world.database.pool.query('select progress_done as done, progress_total as total from jobs')
    expect(rows).toEqual([{ done: 3, total: 3 }])
  })

  it('refuses to apply a proposal of booth assignments if one of its booths has changed since', async () => {
    const { proposalId, run } = await start()
    await run()
    await scenario.call('manage_booths', {
      action: 'block',
      number: (await read(proposalId)).assigned[0].boothNumbers[0],
      reason: 'Pillar',
    })
    const stale = await scenario.refused('manage_booth_application', { action: 'apply_proposal', proposalId, mode: 'offer' })
    expect(stale).toMatchObject({ code: 'conflict', message: 'Plan changed — propose again' })
  })
})
