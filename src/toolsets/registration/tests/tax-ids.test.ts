import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createFetcher } from '../../../platform/guarded-fetch.ts'
import { createTaxNumberVerifier } from '../../../platform/tax-number-verifier.ts'
import { useSalesScenario } from '../../../../test/support/sales-scenario.ts'
import { type TaxOfficeServer, startTaxOfficeServer } from '../../../../test/support/tax-office-server.ts'

const scenario = useSalesScenario()
let server: TaxOfficeServer

beforeAll(async () => {
  server = await startTaxOfficeServer()
  scenario.world.services.taxNumberVerifier = createTaxNumberVerifier(
    { vies: true, hmrc: null },
    createFetcher({ allowedHosts: ['127.0.0.1'] }),
    server.addresses,
  )
})
afterAll(() => server.close())
beforeEach(() => {
  server.asked.length = 0
  server.answer = null
})

const statusOf = async (participantId: string) =>
  (
    await scenario.world.database.pool.query<{ status: string }>(
      `select bill_to ->> 'taxIdStatus' as status from orders where participant_id = $1`,
      [participantId],
    )
  ).rows[0]!.status
const write = (participantId: string, billTo: object) => scenario.call('edit_participant', { participantId, billTo })

describe('tax IDs of buyers', () => {
  it("marks a buyer's tax ID as valid once the tax office confirms it, and stores that result", async () => {
    const { participant } = await scenario.register({ pass: 1 })
    await write(participant.id, { company: 'Acme', country: 'DE', taxId: 'DE 136 695 976' })
    expect([await statusOf(participant.id), server.asked.length]).toEqual(['valid', 1])
    // Changing another line of the address does not trigger a new check, even if the tax office is down.
    server.answer = (request) => request.socket.destroy()
    await write(participant.id, { city: 'Berlin', taxId: 'DE 136 695 976' })
    expect([await statusOf(participant.id), server.asked.length]).toEqual(['valid', 1])
    // A changed tax ID is checked again; with the tax office down, only by its format.
    await write(participant.id, { taxId: 'DE129274202' })
    expect(await statusOf(participant.id)).toBe('format_ok')
    server.answer = null
    await write(participant.id, { taxId: 'DE129274202' })
    expect(await statusOf(participant.id), 'checked again').toBe('invalid')
  })

  it('checks a tax ID by its format if the tax office does not answer, without delay or rejection', async () => {
    const { participant } = await scenario.register({ pass: 1 })
    server.answer = (_request, response) => void response.writeHead(500).end()
    await write(participant.id, { country: 'DE', taxId: 'DE136695976' })
    expect(await statusOf(participant.id)).toBe('format_ok')
    server.asked.length = 0
    await write(participant.id, { taxId: 'DE12' })
    expect([await statusOf(participant.id), server.asked], 'a malformed number is not sent to the tax office').toEqual(['invalid', []])
    await write(participant.id, { country: 'CH', taxId: 'CHE-116.281.710' })
    expect([await statusOf(participant.id), server.asked]).toEqual(['format_ok', []])
    const { participant: other } = await scenario.register({ pass: 1 })
    await write(other.id, { taxId: 'DE136695976' })
    expect([await statusOf(other.id), server.asked]).toEqual(['unchecked', []])
  })

  it('checks the tax ID of a group too, with the country of the group', async () => {
    const group = async () =>
      (await scenario.world.database.pool.query<{ bill_to: object }>(`select bill_to from managed_groups where code = 'gmbh'`)).rows[0]!
        .bill_to
    await scenario.call('create_managed_group', {
      name: 'GmbH',
      code: 'gmbh',
      kind: 'company',
      payBy: 'group',
      flowSlug: 'attendee',
      admins: [{ email: 'admin@gmbh.example', name: 'Ada' }],
      billTo: { country: 'DE', taxId: 'DE129274202' },
    })
    expect(await group()).toMatchObject({ taxIdStatus: 'invalid' })
    await scenario.call('update_managed_group', { groupCode: 'gmbh', billTo: { taxId: '136695976' } })
    expect(await group()).toMatchObject({ country: 'DE', taxId: '136695976', taxIdStatus: 'valid' })
    await scenario.call('update_managed_group', { groupCode: 'gmbh', billTo: { country: 'AT' } })
    expect(await group()).toMatchObject({ country: 'AT', taxIdStatus: 'invalid' })
  })

  it('checks the tax ID in a dry run like in the real call, and saves nothing', async () => {
    const { participant } = await scenario.register({ pass: 1 })
    await scenario.call('edit_participant', {
      participantId: participant.id,
      billTo: { country: 'DE', taxId: 'DE136695976' },
      dryRun: true,
    })
    expect(await statusOf(participant.id)).toBeNull()
  })
})
