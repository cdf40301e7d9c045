import { randomBytes, randomInt } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startDocuSign } from '../../../../test/support/docusign-server.ts'
import { sealCompletedEnvelopes, createSigningFixtures, TWO_SIGNERS } from '../../../../test/support/signing.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../../../../test/support/world.ts'
import { createDocuSignProvider, toOAuthServerUrl } from '../../../platform/docusign.ts'
import { createFetcher } from '../../../platform/guarded-fetch.ts'
import { createExternalCallRunner } from '../../../surfaces/worker/run-external-calls.ts'
import { handleDocuSignNotification } from '../docusign.ts'

let docusign: Awaited<ReturnType<typeof startDocuSign>>
let world: World
let place: EventHandle
let organizer: OrganizerHandle
let signing: ReturnType<typeof createSigningFixtures>

beforeAll(async () => {
  docusign = await startDocuSign()
  const fetcher = createFetcher({ allowedHosts: [docusign.host] })
  world = await newWorld({ fetcher })
  world.services.esign = {
    defaultProvider: 'docusign',
    docusign: createDocuSignProvider(docusign.settings, fetcher),
    missingSettings: [],
    sealFile: null,
  }
  place = await world.event({ startsOn: '2027-06-10', endsOn: '2027-06-13' })
  organizer = await world.organizer({ at: place })
  signing = createSigningFixtures(world, place)
})
afterAll(async () => {
  await world.end()
  await docusign.stop()
})

const call = (tool: string, args: object) => organizer.call(tool, { eventCode: place.eventCode, ...args })

async function sent() {
  const { contractId } = await signing.contract()
  await call('mark_contract_ready_for_signature', { contractId })
  const { envelope } = await call('send_contract_for_signature', { contractId, signers: TWO_SIGNERS })
  return { contractId, envelope, remote: docusign.envelopes.get(envelope.providerRef)! }
}

/** Handles a DocuSign notification and reads the state of its envelope, as the worker does. */
async function receive(ref: string): Promise<boolean> {
  const { queue, database } = world.services
  const isOurs = await database.transact((db) => handleDocuSignNotification({ db, queue }, { ref }))
  const { rows } = await database.pool.query<{ id: string }>(
    `select id from outside_calls where kind = 'docusign-read' and status = 'waiting'`,
  )
  for (const { id } of rows) await createExternalCallRunner(world.services).settleSoon({ tenantId: place.tenantId, callId: id }, 10_000)
  return isOurs
}

const readState = async (contractId: string) => {
  const { rows } = await world.database.pool.query<{ contract: string; envelope: string; steps: number }>(
    `select c.status as contract, v.status as envelope, v.steps from supplier_contracts c join signature_envelopes v on v.contract_id = c.id
     where c.id = $1`,
    [contractId],
  )
  return rows[0]
}

describe('send_contract_for_signature with DocuSign', () => {
  it('creates one envelope at DocuSign with the signers in their signing order', async () => {
    const { envelope, remote } = await sent()
    expect(envelope).toMatchObject({ provider: 'docusign', status: 'sent' })
    expect(remote.recipients.signers.map(({ email }) => email)).toEqual(TWO_SIGNERS.map(({ email }) => email))
  })

  it('executes the contract once after replayed and reordered DocuSign notifications', async () => {
    const { contractId, envelope, remote } = await sent()
    const ref: string = envelope.providerRef
    remote.recipients.signers[0]!.status = 'completed'
    remote.recipients.signers[0]!.signedDateTime = '2026-11-03T10:00:00Z'
    remote.status = 'delivered'
    await receive(ref)
    expect(await readState(contractId)).toMatchObject({ contract: 'outForSignature', envelope: 'delivered' })
    for (const signer of remote.recipients.signers) signer.status = 'completed'
    remote.status = 'completed'
    for (let n = 0; n < 3; n++) expect(await receive(ref)).toBe(true)
    const state = await readState(contractId)
    expect(state).toMatchObject({ contract: 'executed', envelope: 'completed' })
    await receive(ref)
    expect(await readState(contractId)).toEqual(state)
    await sealCompletedEnvelopes(world)
    const { rows } = await world.database.pool.query<{ signed_file_id: string | null }>(
      'select signed_file_id from signature_envelopes where id = $1',
      [envelope.id],
    )
    expect(rows[0]!.signed_file_id).not.toBeNull()
  })

  it('voids an envelope at DocuSign, or completes it if all signers had already signed there', async () => {
    const { contractId, remote } = await sent()
    expect((await call('void_contract_envelope', { contractId, reason: 'Changed plans' })).envelope.status).toBe('voided')
    expect(remote.status).toBe('voided')
    const { contractId: late, remote: completed } = await sent()
    completed.status = 'completed'
    const answer = await call('void_contract_envelope', { contractId: late, reason: 'Changed plans' })
    expect(answer).toMatchObject({ envelope: { status: 'completed' }, contract: { status: 'executed' } })
  })

  it('sets the contract back to redlines received if a signer declines at DocuSign', async () => {
    const { contractId, envelope, remote } = await sent()
    Object.assign(remote.recipients.signers[0]!, { status: 'declined', declinedReason: 'Too expensive' })
    remote.status = 'declined'
    await receive(envelope.providerRef)
    expect(await readState(contractId)).toMatchObject({ contract: 'redlinesReceived', envelope: 'declined' })
  })
})

describe('verifyWebhook', () => {
  it('accepts a signed DocuSign notification and none of 1,000 forged ones', () => {
    const provider = world.services.esign!.docusign!
    const { body, signature } = docusign.notify('envelope-1', 'envelope-completed')
    expect(provider.verifyWebhook(body, signature)).toEqual({ ref: 'envelope-1' })
    const forged = Array.from({ length: 1000 }, (_, n) => {
      if (n % 4 === 0) return [body, randomBytes(32).toString('base64')] as const
      if (n % 4 === 1) return [body.replace('envelope-1', `envelope-${n}`), signature] as const
      if (n % 4 === 2) return [`${body} `, signature] as const
      const at = randomInt(signature.length)
      return [body, signature.slice(0, at) + (signature[at] === 'A' ? 'B' : 'A') + signature.slice(at + 1)] as const
    })
    expect(forged.filter(([text, sign]) => (text !== body || sign !== signature) && provider.verifyWebhook(text, sign) !== null)).toEqual(
      [],
    )
    expect(provider.verifyWebhook(body, '')).toBeNull()
  })
})

describe('toOAuthServerUrl', () => {
  it("returns DocuSign's OAuth server for an address of DocuSign, and the address itself for any other host", () => {
    expect(toOAuthServerUrl('https://demo.docusign.net/restapi')).toBe('https://account-d.docusign.com')
    expect(toOAuthServerUrl('https://eu.docusign.net/restapi')).toBe('https://account.docusign.com')
    expect(toOAuthServerUrl('https://api.docusign.com/restapi')).toBe('https://account.docusign.com')
    expect(toOAuthServerUrl('https://docusign.net.evil.example/restapi')).toBe('https://docusign.net.evil.example')
    expect(toOAuthServerUrl('http://127.0.0.1:9000/restapi')).toBe('http://127.0.0.1:9000')
  })
})
